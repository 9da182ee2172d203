#include "report/beside_columns.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace fastid::report {
namespace {

Cell word_of(const std::string& word) {
  return word.empty() ? Cell{} : Cell{word};
}
template <std::string match::BesideFigures::*kSex>
Cell sex(const match::BesideFigures& of) {
  return word_of(of.*kSex);
}
Cell x_compared(const match::BesideFigures& of) {
  return of.x && of.x->compared ? Cell{std::uint64_t{*of.x->compared}} : Cell{};
}
Cell log10_lr_x(const match::BesideFigures& of) {
  return of.x && of.x->log10_lr ? Cell{Log10Ratio{*of.x->log10_lr}} : Cell{};
}

using Haplotype = std::optional<match::HaplotypeFigures> match::BesideFigures::*;
template <Haplotype kOf>
Cell word(const match::BesideFigures& of) {
  return of.*kOf ? word_of((of.*kOf)->word) : Cell{};
}
template <Haplotype kOf, std::uint32_t match::HaplotypeFigures::*kCount>
Cell count(const match::BesideFigures& of) {
  return of.*kOf ? Cell{std::uint64_t{(*(of.*kOf)).*kCount}} : Cell{};
}
template <Haplotype kOf>
Cell probability(const match::BesideFigures& of) {
  return of.*kOf && (of.*kOf)->probability ? Cell{Chance{std::log10(*(of.*kOf)->probability)}} : Cell{};
}

constexpr Haplotype kY = &match::BesideFigures::y, kM = &match::BesideFigures::m;
constexpr auto kMismatches = &match::HaplotypeFigures::mismatches,
               kCompared = &match::HaplotypeFigures::compared;

/// \tparam kOf  Y or M, `letter` in lower case, `name` in upper case
template <Haplotype kOf>
std::vector<BesideColumn> haplotype_columns(BesideOf of, const std::string& letter, const std::string& name) {
  const BesideColumn compared{letter + "_compared", "", name + " sites compared", false,
                              count<kOf, kCompared>},
      p{"p_" + letter, "", "p of " + name, false, probability<kOf>};
  if (of == BesideOf::kMixtures)
    return {
        {letter + "_not_seen", "", name + " alleles not seen", false, count<kOf, kMismatches>}, compared, p};
  std::vector<BesideColumn> columns{
      {letter, name, name, true, word<kOf>},
      {letter + "_mismatches", "", name + " sites that differ", false, count<kOf, kMismatches>},
      compared};
  if (of == BesideOf::kPeople) columns.push_back(p);
  return columns;
}

}  // namespace

std::vector<BesideColumn> beside_columns(BesideOf of, const match::SitesByClass& sites) {
  std::vector<BesideColumn> columns;
  const auto add = [&columns](std::vector<BesideColumn> more) {
    for (BesideColumn& column : more) columns.push_back(std::move(column));
  };
  const bool pairs = of == BesideOf::kPairs;
  if (of != BesideOf::kMixtures && sites.has_sex())
    add({{pairs ? "sex1" : "query_sex", "", pairs ? "Sex of the first" : "Sex of the query", true,
          sex<&match::BesideFigures::first_sex>},
         {pairs ? "sex2" : "sex", "sex", pairs ? "Sex of the second" : "Sex", true,
          sex<&match::BesideFigures::second_sex>}});
  if (of != BesideOf::kMixtures && sites.x > 0)
    add({{"x_compared", "", "X sites compared", false, x_compared},
         {"log10_lr_x", "", "Likelihood ratio of X", false, log10_lr_x}});
  if (sites.y > 0) add(haplotype_columns<kY>(of, "y", "Y"));
  if (sites.m > 0) add(haplotype_columns<kM>(of, "m", "M"));
  return columns;
}

std::vector<BesideColumn> all_beside_columns(BesideOf of) {
  return beside_columns(of, {.autosomal = 1, .x = 1, .y = 1, .m = 1});
}

}  // namespace fastid::report
