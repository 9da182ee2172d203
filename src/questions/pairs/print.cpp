#include "questions/pairs/print.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "report/beside_columns.hpp"
#include "report/columns.hpp"
#include "report/json_values.hpp"

namespace fastid::report {
namespace {

struct PairColumn {
  std::string name;     ///< in tsv and json lines
  std::string heading;  ///< in the table; empty: not a column of the table
  std::size_t width;    ///< there; a longer cell moves the rest of its line
  bool text;            ///< a name or a word
  Cell (*cell)(const NamedPair& of) = nullptr;
  Cell (*beside)(const BesideFigures& of) = nullptr;  ///< of a column of X, Y and M: in place of `cell`

  Cell of(const NamedPair& pair) const {
    if (beside == nullptr) return cell(pair);
    return pair.beside ? beside(*pair.beside) : Cell{};
  }
};

Cell relation(const NamedPair& of) {
  return of.pair.relation.empty() ? Cell{} : Cell{of.pair.relation};
}
Cell kinship(const NamedPair& of) {
  return std::isnan(of.pair.kinship) ? Cell{} : Cell{Rate{of.pair.kinship}};
}
Cell chance(const NamedPair& of) {
  return of.pair.log10_chance_pairs ? Cell{Chance{*of.pair.log10_chance_pairs}} : Cell{};
}
template <std::uint32_t ClosePair::*kCount>
Cell count(const NamedPair& of) {
  return std::uint64_t{of.pair.*kCount};
}
/// Of calls alone.
template <std::uint32_t ClosePair::*kCount>
Cell counted_of(const NamedPair& of) {
  return of.pair.counted ? count<kCount>(of) : Cell{};
}
template <std::uint64_t ClosePair::*kRow>
Cell row(const NamedPair& of) {
  return of.pair.*kRow;
}
/// \tparam kAlleles  of a site
template <int kAlleles>
Cell mismatch_rate(const NamedPair& of) {
  if (!of.pair.counted) return {};
  return Rate{of.pair.differing / (static_cast<double>(kAlleles) * of.pair.compared)};
}
template <double RelationFigures::*kRelation>
Cell log10_lr(const NamedPair& of) {
  return of.pair.log10_lr ? Cell{Log10Ratio{(*of.pair.log10_lr).*kRelation}} : Cell{};
}

// Along the map; pairs have ClosePair::linked.
Cell degree(const NamedPair& of) {
  const std::string& degree = of.pair.linked->figures.degree;
  return degree.empty() ? Cell{} : Cell{degree};
}
template <double ClosePair::AlongMap::*kRatio>
Cell ratio_along_map(const NamedPair& of) {
  return Log10Ratio{(*of.pair.linked).*kRatio};
}
template <double LinkedFigures::Shared::*kLength>
Cell shared_length(const NamedPair& of) {
  const auto& shared = of.pair.linked->figures.shared;
  return shared ? Cell{Centimorgans{(*shared).*kLength}} : Cell{};
}
template <std::size_t kPlace>
Cell ratio_of(const NamedPair& of) {
  const auto& ratio = of.pair.linked->figures.log10_lr[kPlace];
  return ratio ? Cell{Log10Ratio{*ratio}} : Cell{};
}

template <std::size_t... kPlace>
void add_ratios(std::vector<PairColumn>& columns, std::index_sequence<kPlace...>) {
  (columns.push_back({kLinkedRatios[kPlace], "", 0, false, ratio_of<kPlace>}), ...);
}

/// As kin has them.
std::vector<PairColumn> columns_along_map() {
  using Shared = LinkedFigures::Shared;
  std::vector<PairColumn> columns{
      {"relation", "relation", 24, true, relation},
      {"degree", "", 0, true, degree},
      {"degree_range", "degree", 11, true,
       [](const NamedPair& of) { return Cell{of.pair.linked->figures.degree_range}; }},
      {"margin", "", 0, false, ratio_along_map<&ClosePair::AlongMap::margin>},
      {"log10_lr", "LR", 8, false, ratio_along_map<&ClosePair::AlongMap::log10_any>},
      {"chance_pairs", "chance", 8, false, chance},
      {"shared_cm", "cM", 8, false, shared_length<&Shared::any_cm>},
      {"shared_cm_2", "", 0, false, shared_length<&Shared::two_cm>},
      {"segments", "", 0, false,
       [](const NamedPair& of) {
         const auto& shared = of.pair.linked->figures.shared;
         return shared ? Cell{shared->segments} : Cell{};
       }},
      {"longest_cm", "", 0, false, shared_length<&Shared::longest_cm>}};
  add_ratios(columns, std::make_index_sequence<kLinkedRatios.size()>());
  return columns;
}

constexpr std::size_t kIdWidth = 16;

std::vector<PairColumn> columns_of(const PairsFacts& facts) {
  std::vector<PairColumn> columns = {
      {"IID1", "profile", kIdWidth, true, [](const NamedPair& of) { return Cell{of.first}; }},
      {"IID2", "profile", kIdWidth, true, [](const NamedPair& of) { return Cell{of.second}; }},
      {"NSNP", "sites", 7, false, count<&ClosePair::compared>}};
  const auto add = [&](std::vector<PairColumn> more) {
    for (PairColumn& column : more) columns.push_back(std::move(column));
  };
  if (facts.by == Encoding::kAlleles)
    add({{"HETHET", "", 0, false, counted_of<&ClosePair::both_het>},
         {"IBS0", "ibs0", 6, false, counted_of<&ClosePair::ibs0>},
         {"KINSHIP", "kinship", 8, false, kinship},
         {"mismatch_rate", "", 0, false, mismatch_rate<2>}});
  if (facts.along_map())
    add(columns_along_map());
  else if (facts.with_evidence)
    add({{"relation", "relation", 12, true, relation},
         {"log10_lr_same", "", 0, false, log10_lr<&RelationFigures::same>},
         {"log10_lr_parent_child", "", 0, false, log10_lr<&RelationFigures::parent_child>},
         {"log10_lr_sibling", "", 0, false, log10_lr<&RelationFigures::sibling>},
         {"log10_lr_half_sibling", "", 0, false, log10_lr<&RelationFigures::half_sibling>},
         {"log10_lr_cousin", "", 0, false, log10_lr<&RelationFigures::cousin>},
         {"chance_pairs", "chance", 8, false, chance}});
  if (facts.by == Encoding::kMinor)
    add({{"mismatches", "differ", 7, false, count<&ClosePair::differing>},
         {"mismatch_rate", "rate", 8, false, mismatch_rate<1>}});
  add({{"row1", "", 0, false, row<&ClosePair::first>}, {"row2", "", 0, false, row<&ClosePair::second>}});
  for (BesideColumn& column : beside_columns(BesideOf::kPairs, facts.sites))
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

std::string pairs_head(const PairsFacts& facts, PairsFormat format) {
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

std::string pair_lines(const PairsFacts& facts, std::span<const NamedPair> pairs, PairsFormat format) {
  const std::vector<PairColumn> columns = columns_of(facts);
  constexpr double kCap = 9;  // of likelihood ratios in the table
  std::string text;
  for (const NamedPair& pair : pairs) {
    if (format == PairsFormat::kTsv) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) text += '\t';
        append_text(columns[c].of(pair), text);
      }
      text += '\n';
      continue;
    }
    std::string line;
    Json object;
    for (const PairColumn& column : columns) {
      const Cell cell = column.of(pair);
      if (format == PairsFormat::kJsonLines)
        object[column.name] = json_of(cell);
      else if (!column.heading.empty())
        put_padded(column, short_text_of(cell, kCap), line);
    }
    if (format == PairsFormat::kJsonLines && facts.with_evidence)
      object["log10_chance_pairs"] = number(pair.pair.log10_chance_pairs);
    if (format == PairsFormat::kJsonLines)
      for (const BesideColumn& column : all_beside_columns(BesideOf::kPairs))
        if (!object.contains(column.name)) object[column.name] = nullptr;
    if (format == PairsFormat::kJsonLines)
      text += object.dump() + '\n';
    else
      text += table_line(line);
  }
  return text;
}

}  // namespace fastid::report
