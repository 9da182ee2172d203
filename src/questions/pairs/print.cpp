#include "questions/pairs/print.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "report/beside_columns.hpp"
#include "report/columns.hpp"
#include "report/json_values.hpp"

namespace fastid::pairs {
namespace {

struct PairColumn {
  std::string name;     ///< in tsv and json lines
  std::string heading;  ///< in the table; empty: not a column of the table
  std::size_t width;    ///< there; a longer cell moves the rest of its line
  bool text;            ///< a name or a word
  report::Cell (*cell)(const match::NamedPair& of) = nullptr;
  report::Cell (*beside)(const match::BesideFigures& of) =
      nullptr;  ///< of a column of X, Y and M: in place of `cell`

  report::Cell of(const match::NamedPair& pair) const {
    if (beside == nullptr) return cell(pair);
    return pair.beside ? beside(*pair.beside) : report::Cell{};
  }
};

report::Cell relation(const match::NamedPair& of) {
  return of.pair.relation.empty() ? report::Cell{} : report::Cell{of.pair.relation};
}
report::Cell kinship(const match::NamedPair& of) {
  return std::isnan(of.pair.kinship) ? report::Cell{} : report::Cell{report::Rate{of.pair.kinship}};
}
report::Cell chance(const match::NamedPair& of) {
  return of.pair.log10_chance_pairs ? report::Cell{report::Chance{*of.pair.log10_chance_pairs}}
                                    : report::Cell{};
}
template <std::uint32_t match::ClosePair::*kCount>
report::Cell count(const match::NamedPair& of) {
  return std::uint64_t{of.pair.*kCount};
}
/// A count, which only called pairs have.
template <std::uint32_t match::ClosePair::*kCount>
report::Cell counted_of(const match::NamedPair& of) {
  return of.pair.counted ? count<kCount>(of) : report::Cell{};
}
template <std::uint64_t match::ClosePair::*kRow>
report::Cell row(const match::NamedPair& of) {
  return of.pair.*kRow;
}
/// \tparam kAlleles  alleles of a site that can differ: 1 or 2
template <int kAlleles>
report::Cell mismatch_rate(const match::NamedPair& of) {
  if (!of.pair.counted) return {};
  return report::Rate{of.pair.differing / (static_cast<double>(kAlleles) * of.pair.compared)};
}
template <double match::RelationFigures::*kRelation>
report::Cell log10_lr(const match::NamedPair& of) {
  return of.pair.log10_lr ? report::Cell{report::Log10Ratio{(*of.pair.log10_lr).*kRelation}} : report::Cell{};
}

// Along the map; pairs have ClosePair::linked.
report::Cell degree(const match::NamedPair& of) {
  const std::string& degree = of.pair.linked->figures.degree;
  return degree.empty() ? report::Cell{} : report::Cell{degree};
}
template <double match::ClosePair::AlongMap::*kRatio>
report::Cell ratio_along_map(const match::NamedPair& of) {
  return report::Log10Ratio{(*of.pair.linked).*kRatio};
}
template <double match::LinkedFigures::Shared::*kLength>
report::Cell shared_length(const match::NamedPair& of) {
  const auto& shared = of.pair.linked->figures.shared;
  return shared ? report::Cell{report::Centimorgans{(*shared).*kLength}} : report::Cell{};
}
template <std::size_t kPlace>
report::Cell ratio_of(const match::NamedPair& of) {
  const auto& ratio = of.pair.linked->figures.log10_lr[kPlace];
  return ratio ? report::Cell{report::Log10Ratio{*ratio}} : report::Cell{};
}

template <std::size_t... kPlace>
void add_ratios(std::vector<PairColumn>& columns, std::index_sequence<kPlace...>) {
  (columns.push_back({report::kLinkedRatios[kPlace], "", 0, false, ratio_of<kPlace>}), ...);
}

/// The columns along the map, as in `fastid kin`.
std::vector<PairColumn> columns_along_map() {
  using Shared = match::LinkedFigures::Shared;
  std::vector<PairColumn> columns{
      {"relation", "relation", 24, true, relation},
      {"degree", "", 0, true, degree},
      {"degree_range", "degree", 11, true,
       [](const match::NamedPair& of) { return report::Cell{of.pair.linked->figures.degree_range}; }},
      {"margin", "", 0, false, ratio_along_map<&match::ClosePair::AlongMap::margin>},
      {"log10_lr", "LR", 8, false, ratio_along_map<&match::ClosePair::AlongMap::log10_any>},
      {"chance_pairs", "chance", 8, false, chance},
      {"shared_cm", "cM", 8, false, shared_length<&Shared::any_cm>},
      {"shared_cm_2", "", 0, false, shared_length<&Shared::two_cm>},
      {"segments", "", 0, false,
       [](const match::NamedPair& of) {
         const auto& shared = of.pair.linked->figures.shared;
         return shared ? report::Cell{shared->segments} : report::Cell{};
       }},
      {"longest_cm", "", 0, false, shared_length<&Shared::longest_cm>}};
  add_ratios(columns, std::make_index_sequence<report::kLinkedRatios.size()>());
  return columns;
}

constexpr std::size_t kIdWidth = 16;

std::vector<PairColumn> columns_of(const match::PairsFacts& facts) {
  std::vector<PairColumn> columns = {
      {"IID1", "profile", kIdWidth, true, [](const match::NamedPair& of) { return report::Cell{of.first}; }},
      {"IID2", "profile", kIdWidth, true, [](const match::NamedPair& of) { return report::Cell{of.second}; }},
      {"NSNP", "sites", 7, false, count<&match::ClosePair::compared>}};
  const auto add = [&](std::vector<PairColumn> more) {
    for (PairColumn& column : more) columns.push_back(std::move(column));
  };
  if (facts.by == Encoding::kAlleles)
    add({{"HETHET", "", 0, false, counted_of<&match::ClosePair::both_het>},
         {"IBS0", "ibs0", 6, false, counted_of<&match::ClosePair::ibs0>},
         {"KINSHIP", "kinship", 8, false, kinship},
         {"mismatch_rate", "", 0, false, mismatch_rate<2>}});
  if (facts.along_map())
    add(columns_along_map());
  else if (facts.with_evidence)
    add({{"relation", "relation", 12, true, relation},
         {"log10_lr_same", "", 0, false, log10_lr<&match::RelationFigures::same>},
         {"log10_lr_parent_child", "", 0, false, log10_lr<&match::RelationFigures::parent_child>},
         {"log10_lr_sibling", "", 0, false, log10_lr<&match::RelationFigures::sibling>},
         {"log10_lr_half_sibling", "", 0, false, log10_lr<&match::RelationFigures::half_sibling>},
         {"log10_lr_cousin", "", 0, false, log10_lr<&match::RelationFigures::cousin>},
         {"chance_pairs", "chance", 8, false, chance}});
  if (facts.by == Encoding::kMinor)
    add({{"mismatches", "differ", 7, false, count<&match::ClosePair::differing>},
         {"mismatch_rate", "rate", 8, false, mismatch_rate<1>}});
  add({{"row1", "", 0, false, row<&match::ClosePair::first>},
       {"row2", "", 0, false, row<&match::ClosePair::second>}});
  for (report::BesideColumn& column : report::beside_columns(report::BesideOf::kPairs, facts.sites))
    add({{std::move(column.name), "", 0, column.text, nullptr, column.cell}});
  return columns;
}

void put_padded(const PairColumn& column, const std::string& text, std::string& line) {
  const std::string blanks(column.width - std::min(column.width, text.size()), ' ');
  if (!line.empty()) line += ' ';
  line += column.text ? text + blanks : blanks + text;
}

std::string table_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string pairs_head(const match::PairsFacts& facts, PairsFormat format) {
  if (format == PairsFormat::kJsonLines) return "";
  std::string line;
  for (const PairColumn& column : columns_of(facts)) {
    if (format == PairsFormat::kTsv)
      line += (line.empty() ? "#" : "\t") + column.name;
    else if (!column.heading.empty())
      put_padded(column, column.heading, line);
  }
  return table_line(line);
}

std::string pair_lines(const match::PairsFacts& facts, std::span<const match::NamedPair> pairs,
                       PairsFormat format) {
  const std::vector<PairColumn> columns = columns_of(facts);
  constexpr double kCap = 9;  // of likelihood ratios in the table
  std::string text;
  for (const match::NamedPair& pair : pairs) {
    if (format == PairsFormat::kTsv) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) text += '\t';
        report::append_text(columns[c].of(pair), text);
      }
      text += '\n';
      continue;
    }
    std::string line;
    Json object;
    for (const PairColumn& column : columns) {
      const report::Cell cell = column.of(pair);
      if (format == PairsFormat::kJsonLines)
        object[column.name] = report::json_of(cell);
      else if (!column.heading.empty())
        put_padded(column, report::short_text_of(cell, kCap), line);
    }
    if (format == PairsFormat::kJsonLines && facts.with_evidence)
      object["log10_chance_pairs"] = report::number(pair.pair.log10_chance_pairs);
    if (format == PairsFormat::kJsonLines)
      for (const report::BesideColumn& column : report::all_beside_columns(report::BesideOf::kPairs))
        if (!object.contains(column.name)) object[column.name] = nullptr;
    if (format == PairsFormat::kJsonLines)
      text += object.dump() + '\n';
    else
      text += table_line(line);
  }
  return text;
}

}  // namespace fastid::pairs
