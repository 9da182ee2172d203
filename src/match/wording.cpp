#include "match/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace fastid::match {

const char* name_of(engine::Comparison comparison) {
  switch (comparison) {
    case engine::Comparison::kIdentity:
      return "identity";
    case engine::Comparison::kMixture:
      return "mixture";
    case engine::Comparison::kReverseMixture:
      return "reverse-mixture";
    default:
      break;
  }
  return "kinship";
}

const char* asked(engine::Comparison comparison) {
  switch (comparison) {
    case engine::Comparison::kMixture:
      return "mixture";
    case engine::Comparison::kReverseMixture:
      return "profile";
    default:
      break;
  }
  return "query";
}

std::string counted_asked(engine::Comparison comparison, std::uint64_t n) {
  const std::string_view what = asked(comparison);
  return what == "query" && n != 1 ? with_commas(n) + " queries" : counted(n, what);
}

bool between_mixtures(const MatchTable& matches) {
  return matches.comparison == engine::Comparison::kMixture && matches.provenance.database_kind == "mixtures";
}

const char* stored(const MatchTable& matches) {
  return between_mixtures(matches) ? "stored mixture" : stored(matches.comparison);
}

const char* stored(engine::Comparison comparison) {
  return comparison == engine::Comparison::kReverseMixture ? "mixture" : "profile";
}

const char* name_of_compared(Encoding by) {
  return by == Encoding::kAlleles ? "alleles" : "bits";
}

const char* differences(engine::Comparison comparison, Encoding by) {
  const bool alleles = by == Encoding::kAlleles;
  if (comparison == engine::Comparison::kIdentity) return alleles ? "alleles that differ" : "mismatches";
  return alleles ? "alleles not seen" : "minor alleles not seen";
}

std::string counted_differences(engine::Comparison comparison, Encoding by, std::uint64_t n) {
  if (comparison != engine::Comparison::kIdentity) return counted_alleles(by, n) + " not seen";
  if (by == Encoding::kAlleles) return counted(n, "allele") + (n == 1 ? " that differs" : " that differ");
  return n == 1 ? "1 mismatch" : with_commas(n) + " mismatches";
}

std::string counted_alleles(Encoding by, std::uint64_t n) {
  return counted(n, by == Encoding::kAlleles ? "allele" : "minor allele");
}

std::string alleles_text(const DifferingLocus& locus, Seen seen, bool mixture) {
  if (seen == kBothSeen) return {locus.major, locus.minor};
  return std::string(mixture ? 1 : 2, seen == kMinorSeen ? locus.minor : locus.major);
}

namespace {

std::string several_text(const SeveralPeople& several) {
  return fmt::format(
      "shows both alleles at {:.1f} % of its sites, where {:.1f} % are expected of one person: it seems to "
      "be of several people, so that nothing is suggested",
      100 * several.seen, 100 * several.expected);
}

std::string expected_number(double log10) {
  const double number = std::pow(10, log10);
  return number < 10 ? fmt::format("{:.2g}", number)
                     : with_commas(static_cast<std::uint64_t>(std::llround(number)));
}

/// How far the lower end of the profiles lies below the expected lower end, in standard deviations.
double gap_of(const Strangers& strangers) {
  return (strangers.expected.lower_end() - strangers.own.lower_end()) / strangers.expected.spread;
}

}  // namespace

namespace {

/// Warns of profiles whose ratios speak for them, but lie too far below what their own reads would give.
void add_below_expected(const QueryMatches& query, std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 3;
  std::size_t more = 0, said = 0;
  for (const MatchRow& row : query.rows) {
    if (!row.sample || !row.sample->below_expected || !(*row.log10_lr > 0)) continue;
    if (++said > kMost && ++more > 0) continue;
    warnings.push_back(fmt::format(
        "the likelihood ratio of {}, 10^{:.1f}, is lower than the person's own would be (10^{:.1f}, "
        "standard deviation of the exponent {:.1f}): contamination, or a relative",
        row.profile, *row.log10_lr, row.sample->expected, row.sample->sd));
  }
  if (more > 0) warnings.push_back(fmt::format("{} more profiles have such ratios", more));
}

}  // namespace

std::vector<std::string> query_warnings(const MatchTable& matches, const QueryMatches& query) {
  std::vector<std::string> warnings;
  add_below_expected(query, warnings);
  if (query.several) warnings.push_back(several_text(*query.several) + "; ask `fastid mixture`");
  if (query.log10_agree_by_chance)
    warnings.push_back(fmt::format(
        "{} of {} sites are called, and {} unrelated profiles are expected to agree at all of them: "
        "too few to tell people apart",
        with_commas(query.called_sites), with_commas(matches.provenance.counted_sites()),
        expected_number(*query.log10_agree_by_chance)));
  return warnings;
}

std::string profile_warning(const MatchRow& row) {
  return row.several ? several_text(*row.several) : std::string();
}

std::string strangers_text(const MatchTable& matches) {
  const QueryMatches* most = nullptr;
  std::size_t measured = 0, near = 0;
  for (const QueryMatches& query : matches.queries) {
    if (!query.strangers) continue;
    ++measured;
    if (!query.strangers->nearer) continue;
    ++near;
    if (most == nullptr || gap_of(*query.strangers) > gap_of(*most->strangers)) most = &query;
  }
  if (most == nullptr) return "";
  const auto& [profiles, own, expected, nearer] = *most->strangers;
  const auto numbers = [](const CentreAndSpread& of) {
    return fmt::format("{} (spread {})", with_commas(static_cast<std::uint64_t>(std::llround(of.centre))),
                       with_commas(static_cast<std::uint64_t>(std::llround(of.spread))));
  };
  std::string text = fmt::format(
      "the allele frequencies do not fit the people of this database: {} profiles that were held against "
      "query {} have some {} {}, where {} are expected of unrelated people, so that somebody unrelated may "
      "look like a relative",
      with_commas(profiles), printable(most->name), numbers(own), differences(matches.comparison, matches.by),
      numbers(expected));
  if (measured > 1) text += fmt::format("; likewise of {} of the {} queries measured", near, measured);
  text +=
      ". Chance matches then rest on likelihood ratios. It comes of frequencies counted over several "
      "populations, or in another one, of linked sites, or of many relatives; name these people's own "
      "population (--population), or build the database with a panel that has its frequencies";
  for (const std::string& counted_in : frequencies_texts(matches.provenance.populations))
    text += "; " + counted_in;
  return text;
}

std::vector<std::string> frequencies_texts(std::span<const PopulationFacts> populations) {
  constexpr std::uint64_t kFewPeople = 100;
  const bool alone = populations.size() == 1;
  std::vector<std::string> texts;
  for (const PopulationFacts& population : populations)
    if (population.people && (alone || *population.people < kFewPeople))
      texts.push_back(fmt::format(
          "the frequencies of '{}' were counted in {} people {}, so that evidence is the less certain",
          population.name, with_commas(*population.people),
          alone ? "of the database itself, and it has no others" : "only"));
  return texts;
}

std::string member_line(const MatchRow& row) {
  return fmt::format("{} (row {}) is the profile of the typed member {}, or of an identical twin: not ranked",
                     row.profile, row.row, row.kin->member);
}

bool fits_other_role(const MatchRow& row) {
  constexpr double kLikelier = 1;
  return row.kin && !row.kin->other_role.empty() && row.log10_lr &&
         row.kin->log10_lr_other_role >= std::max(*row.log10_lr, 0.0) + kLikelier;
}

std::string other_role_line(const MatchRow& row) {
  return fmt::format("{} (row {}) fits the family better as {}: 10^{:.1f}, not 10^{:.1f}", row.profile,
                     row.row, row.kin->other_role, row.kin->log10_lr_other_role, *row.log10_lr);
}

std::string limits_text(const PairsFacts& facts) {
  std::string text;
  if (facts.min_lr())
    text = fmt::format("a likelihood ratio of any relative of at least 10^{:g}", *facts.min_lr());
  if (facts.min_kinship)
    text += (text.empty() ? "" : " and ") + fmt::format("a kinship of at least {}", *facts.min_kinship);
  if (facts.max_mismatch_rate)
    text +=
        fmt::format("{}a mismatch rate of at most {}", text.empty() ? "" : " and ", *facts.max_mismatch_rate);
  return text;
}

}  // namespace fastid::match
