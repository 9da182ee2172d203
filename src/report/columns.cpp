#include "report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/page.hpp"
#include "report/beside_columns.hpp"
#include "report/page/finding.hpp"
#include "stats/log_number.hpp"

namespace fastid::report {
namespace {

template <class Figure>
Cell cell_of(const std::optional<double>& value) {
  return value ? Cell{Figure{*value}} : Cell{};
}

Cell query_name(const match::QueryMatches& query, const match::MatchRow&) {
  return query.name;
}
Cell stored_name(const match::QueryMatches&, const match::MatchRow& row) {
  return row.profile;
}
Cell rank(const match::QueryMatches&, const match::MatchRow& row) {
  return row.rank > 0 ? Cell{row.rank} : Cell{};
}
// By likelihoods there are no mismatches.
Cell count(const match::QueryMatches&, const match::MatchRow& row) {
  return row.sample ? Cell{} : Cell{std::uint64_t{row.counts.count}};
}
Cell denominator(const match::QueryMatches&, const match::MatchRow& row) {
  return std::uint64_t{row.counts.denominator};
}
Cell compared(const match::QueryMatches&, const match::MatchRow& row) {
  return std::uint64_t{row.counts.compared};
}
// compared >= 1 for a listed profile
Cell mismatch_rate(const match::QueryMatches&, const match::MatchRow& row) {
  if (row.sample) return {};
  return Rate{static_cast<double>(row.counts.count) / row.counts.compared};
}
Cell allele_mismatch_rate(const match::QueryMatches&, const match::MatchRow& row) {
  if (row.sample) return {};
  return Rate{static_cast<double>(row.counts.count) / (2.0 * row.counts.compared)};
}
Cell log10_lr(const match::QueryMatches&, const match::MatchRow& row) {
  return cell_of<Log10Ratio>(row.log10_lr);
}
Cell log10_lr_sibling(const match::QueryMatches&, const match::MatchRow& row) {
  return cell_of<Log10Ratio>(row.log10_lr_sibling);
}
Cell expected_lr(const match::QueryMatches&, const match::MatchRow& row) {
  return row.sample ? Cell{Log10Ratio{row.sample->expected}} : Cell{};
}
Cell expected_sd(const match::QueryMatches&, const match::MatchRow& row) {
  return row.sample ? Cell{Log10Ratio{row.sample->sd}} : Cell{};
}
Cell suggests(const match::QueryMatches&, const match::MatchRow& row) {
  return row.suggests.empty() ? Cell{} : Cell{row.suggests};
}
Cell log10_lr_relative(const match::QueryMatches&, const match::MatchRow& row) {
  return row.contributor ? Cell{Log10Ratio{row.contributor->log10_lr_relative}} : Cell{};
}
Cell relative_of_contributor(const match::QueryMatches&, const match::MatchRow& row) {
  return row.contributor ? Cell{row.contributor->relative} : Cell{};
}
std::string contributor_text(const match::MixtureSupport& support) {
  return fmt::format("{} of {}, {} {:.2g}", support.place(), support.contributors - support.known.size(),
                     support.what(), support.own);
}
Cell contributor(const match::QueryMatches&, const match::MatchRow& row) {
  if (!row.contributor) return {};
  return contributor_text(row.contributor->support);
}
Cell stored_contributor(const match::QueryMatches&, const match::MatchRow& row) {
  if (!row.contributor || !row.contributor->stored) return {};
  return contributor_text(row.contributor->stored->support);
}
Cell not_shown(const match::QueryMatches&, const match::MatchRow& row) {
  if (!row.contributor || !row.contributor->stored) return {};
  return std::uint64_t{row.contributor->stored->not_shown};
}
Cell p_rmne(const match::QueryMatches&, const match::MatchRow& row) {
  return cell_of<Chance>(row.log10_p_rmne);
}
Cell chance_matches(const match::QueryMatches&, const match::MatchRow& row) {
  return cell_of<Chance>(row.log10_chance_matches);
}
Cell place(const match::QueryMatches&, const match::MatchRow& row) {
  return row.row;
}
Cell mark(const match::QueryMatches&, const match::MatchRow& row) {
  const std::string_view word = word_of(standing_of(row));
  return word.empty() ? Cell{} : Cell{std::string(word)};
}
const Column kMark = {"mark", "", "", true, mark};

std::vector<Column> identity_columns(Encoding by) {
  const bool alleles = by == Encoding::kAlleles;
  return {{"query", "query", "Query", true, query_name},
          {"rank", "#", "#", false, rank},
          {"profile", "profile", "Profile", true, stored_name},
          {"mismatches", "differ", alleles ? "Alleles that differ" : "Sites that differ", false, count},
          {"compared", "compared", "Sites compared", false, compared},
          {"mismatch_rate", "", "", false, alleles ? allele_mismatch_rate : mismatch_rate},
          {"log10_lr", "LR", "Likelihood ratio", false, log10_lr},
          {"log10_lr_sibling", "v. sib", "LR against a full sibling", false, log10_lr_sibling},
          {"suggests", "suggests", "Suggests", true, suggests},
          {"chance_matches", "chance", "Chance matches, at most", false, chance_matches},
          {"row", "row", "Row", false, place},
          kMark};
}

std::vector<Column> mixture_columns(Encoding by, bool reverse) {
  const bool alleles = by == Encoding::kAlleles;
  const char* const not_seen = alleles ? "Alleles not seen" : "Minor alleles not seen";
  const Column of = alleles ? Column{"alleles", "alleles", "Alleles", false, denominator}
                            : Column{"minor_alleles", "minor", "Minor alleles", false, denominator};
  return {{"mixture", "mixture", "Mixture", true, reverse ? stored_name : query_name},
          {"rank", "#", "#", false, rank},
          {"profile", "profile", "Profile", true, reverse ? query_name : stored_name},
          {"not_seen", "not seen", not_seen, false, count},
          of,
          {"compared", "compared", "Sites compared", false, compared},
          {"log10_lr", "LR", "Likelihood ratio", false, log10_lr},
          {"log10_lr_relative", "relative", "LR of a relative", false, log10_lr_relative},
          {"relative", "", "Likeliest relative", true, relative_of_contributor, nullptr, true},
          {"suggests", "suggests", "Suggests", true, suggests},
          {"contributor", "", "Contributor", true, contributor, nullptr, true},
          {"p_rmne", "", "P(RMNE)", false, p_rmne, nullptr, true},
          {"chance_matches", "chance", "Chance matches", false, chance_matches},
          {"row", "", "Row", false, place},
          kMark};
}

/// Columns for mixtures against stored mixtures.
std::vector<Column> columns_between_mixtures(Encoding by) {
  std::vector<Column> columns = mixture_columns(by, false);
  const auto at = [&](std::string_view name) { return std::ranges::find(columns, name, &Column::name); };
  at("profile")->title = "Stored mixture";
  columns.insert(at("compared"),
                 {"not_shown", "not shown", "Alleles that it does not show", false, not_shown});
  columns.insert(at("p_rmne"),
                 {"stored_contributor", "", "Contributor of it", true, stored_contributor, nullptr, true});
  columns.erase(at("p_rmne"));
  return columns;
}

// Rows of fastid kin all have MatchRow::kin.
Cell relation(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->relation.empty() ? Cell{} : Cell{row.kin->relation};
}
Cell margin(const match::QueryMatches&, const match::MatchRow& row) {
  return cell_of<Log10Ratio>(row.kin->margin);
}
bool counts_genotypes(const match::MatchRow& row) {
  return !std::isnan(row.kin->kinship);
}
Cell kinship(const match::QueryMatches&, const match::MatchRow& row) {
  return counts_genotypes(row) ? Cell{Rate{row.kin->kinship}} : Cell{};
}
Cell ibs0(const match::QueryMatches&, const match::MatchRow& row) {
  return counts_genotypes(row) ? Cell{std::uint64_t{row.kin->ibs0}} : Cell{};
}
Cell both_het(const match::QueryMatches&, const match::MatchRow& row) {
  return counts_genotypes(row) ? Cell{std::uint64_t{row.kin->both_het}} : Cell{};
}
Cell relative(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->relative;
}
Cell member(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->member.empty() ? Cell{} : Cell{row.kin->member};
}
Cell other_role(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->other_role.empty() ? Cell{} : Cell{row.kin->other_role};
}
Cell log10_lr_other_role(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->other_role.empty() ? Cell{} : Cell{Log10Ratio{row.kin->log10_lr_other_role}};
}
Cell log10_lr_same(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->log10_lr ? Cell{Log10Ratio{row.kin->log10_lr->same}} : Cell{};
}
template <double match::RelationFigures::*kRelation>
Cell log10_lr_of(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->log10_lr ? Cell{Log10Ratio{(*row.kin->log10_lr).*kRelation}} : Cell{};
}

std::vector<Column> kin_columns() {
  return {{"query", "query", "Query", true, query_name},
          {"rank", "#", "#", false, rank},
          {"profile", "profile", "Profile", true, stored_name},
          {"relation", "relation", "Relation", true, relation},
          {"", "margin", "Margin", false, margin},
          {"kinship", "kinship", "Kinship", false, kinship},
          {"ibs0", "ibs0", "Opposite homozygotes", false, ibs0, nullptr, true},
          {"hethet", "", "Both heterozygous", false, both_het, nullptr, true},
          {"compared", "sites", "Sites compared", false, compared},
          {"", "LR", "Likelihood ratio", false, log10_lr},
          {"log10_lr_parent_child", "", "LR of parent and child", false,
           log10_lr_of<&match::RelationFigures::parent_child>, nullptr, true},
          {"log10_lr_sibling", "", "LR of full siblings", false,
           log10_lr_of<&match::RelationFigures::sibling>, nullptr, true},
          {"log10_lr_half_sibling", "", "LR of half siblings", false,
           log10_lr_of<&match::RelationFigures::half_sibling>, nullptr, true},
          {"log10_lr_cousin", "", "LR of first cousins", false, log10_lr_of<&match::RelationFigures::cousin>,
           nullptr, true},
          {"chance_matches", "chance", "Chance matches, at most", false, chance_matches},
          {"row", "", "Row", false, place},
          {"log10_lr", "", "", false, log10_lr},
          {"log10_lr_same", "", "LR of the same person", false, log10_lr_same, nullptr, true},
          {"margin", "", "", false, margin},
          kMark};
}

// Along the map; rows have KinFigures::linked.
Cell degree(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->linked->degree.empty() ? Cell{} : Cell{row.kin->linked->degree};
}
Cell degree_range(const match::QueryMatches&, const match::MatchRow& row) {
  return row.kin->linked->degree_range;
}
template <double match::LinkedFigures::Shared::*kLength>
Cell shared_length(const match::QueryMatches&, const match::MatchRow& row) {
  const auto& shared = row.kin->linked->shared;
  return shared ? Cell{Centimorgans{(*shared).*kLength}} : Cell{};
}
Cell segments(const match::QueryMatches&, const match::MatchRow& row) {
  const auto& shared = row.kin->linked->shared;
  return shared ? Cell{shared->segments} : Cell{};
}
template <std::size_t kPlace>
Cell linked_ratio(const match::QueryMatches&, const match::MatchRow& row) {
  return cell_of<Log10Ratio>(row.kin->linked->log10_lr[kPlace]);
}

// The page has no room for the ratios.
template <std::size_t... kPlace>
void add_linked_ratios(std::vector<Column>& columns, std::index_sequence<kPlace...>) {
  (columns.push_back({kLinkedRatios[kPlace], "", "", false, linked_ratio<kPlace>}), ...);
}

std::vector<Column> linked_kin_columns() {
  std::vector<Column> columns{
      {"query", "query", "Query", true, query_name},
      {"rank", "#", "#", false, rank},
      {"profile", "profile", "Profile", true, stored_name},
      {"relation", "relation", "Relation", true, relation},
      {"degree", "", "Degree", true, degree, nullptr, true},
      {"degree_range", "degree", "Degrees", true, degree_range},
      {"margin", "margin", "Margin", false, margin},
      {"kinship", "kinship", "Kinship", false, kinship, nullptr, true},
      {"ibs0", "", "Opposite homozygotes", false, ibs0, nullptr, true},
      {"hethet", "", "Both heterozygous", false, both_het, nullptr, true},
      {"compared", "sites", "Sites compared", false, compared},
      {"log10_lr", "LR", "Likelihood ratio", false, log10_lr},
      {"chance_matches", "chance", "Chance matches, at most", false, chance_matches},
      {"row", "", "Row", false, place},
      {"shared_cm", "cM", "Shared cM", false, shared_length<&match::LinkedFigures::Shared::any_cm>},
      {"shared_cm_2", "", "cM shared twice", false, shared_length<&match::LinkedFigures::Shared::two_cm>,
       nullptr, true},
      {"segments", "", "Segments", false, segments, nullptr, true},
      {"longest_cm", "", "Longest, cM", false, shared_length<&match::LinkedFigures::Shared::longest_cm>,
       nullptr, true}};
  add_linked_ratios(columns, std::make_index_sequence<kLinkedRatios.size()>());
  columns.push_back(kMark);
  return columns;
}

std::vector<Column> family_columns() {
  return {{"missing", "missing", "Missing member", true, query_name},
          {"rank", "#", "#", false, rank},
          {"profile", "profile", "Profile", true, stored_name},
          {"log10_lr", "LR", "Likelihood ratio", false, log10_lr},
          {"relative", "relative", "Nearest relative", true, relative},
          {"member", "", "", true, member},
          {"kinship", "kinship", "Kinship with that relative", false, kinship},
          {"ibs0", "ibs0", "Opposite homozygotes", false, ibs0, nullptr, true},
          {"hethet", "", "Both heterozygous", false, both_het, nullptr, true},
          {"compared", "sites", "Sites compared", false, compared},
          {"chance_matches", "chance", "Chance matches, at most", false, chance_matches},
          {"other_role", "", "Likeliest other place", true, other_role},
          {"log10_lr_other_role", "", "Its likelihood ratio", false, log10_lr_other_role},
          {"row", "row", "Row", false, place},
          kMark};
}

/// Adds the columns of queries that go by their likelihoods. Where all queries do, table and page have no
/// mismatches.
std::vector<Column> with_likelihoods(std::vector<Column> columns, bool all) {
  if (all) {
    Column& differ = *std::ranges::find(columns, "mismatches", &Column::name);
    differ.heading = differ.title = "";
  }
  const auto after = std::ranges::find(columns, "log10_lr_sibling", &Column::name) + 1;
  columns.insert(after, {{"expected_lr", "own", "LR expected of the person's own", false, expected_lr},
                         {"expected_sd", "", "", false, expected_sd}});
  return columns;
}

std::vector<Column> identity_columns(const match::MatchTable& matches) {
  const auto by_likelihoods = &match::QueryMatches::by_likelihoods;
  const std::vector<Column> columns = identity_columns(matches.by);
  if (std::ranges::none_of(matches.queries, by_likelihoods)) return columns;
  return with_likelihoods(columns, std::ranges::all_of(matches.queries, by_likelihoods));
}

BesideOf beside_of(const match::MatchTable& matches) {
  const bool mixtures = matches.comparison == engine::Comparison::kMixture ||
                        matches.comparison == engine::Comparison::kReverseMixture;
  return mixtures ? BesideOf::kMixtures : BesideOf::kPeople;
}

std::vector<Column> autosomal_columns(const match::MatchTable& matches) {
  switch (matches.comparison) {
    case engine::Comparison::kIdentity:
      return identity_columns(matches);
    case engine::Comparison::kMixture:
    case engine::Comparison::kReverseMixture:
      if (match::between_mixtures(matches)) return columns_between_mixtures(matches.by);
      return mixture_columns(matches.by, matches.comparison == engine::Comparison::kReverseMixture);
    case engine::Comparison::kKinship:
      if (matches.family) return family_columns();
      return matches.provenance.evidence.map ? linked_kin_columns() : kin_columns();
    default:  // another question's rows have no evidence that columns here show
      return identity_columns(matches);
  }
}

std::vector<Column> all_columns(const match::MatchTable& matches) {
  std::vector<Column> all = autosomal_columns(matches);
  for (BesideColumn& column : beside_columns(beside_of(matches), matches.provenance.sites))
    all.push_back({std::move(column.name), std::move(column.heading), std::move(column.title), column.text,
                   nullptr, column.cell, false});
  return all;
}

}  // namespace

std::vector<std::string> columns_without_sites(const match::MatchTable& matches) {
  const std::vector<BesideColumn> there = beside_columns(beside_of(matches), matches.provenance.sites);
  std::vector<std::string> names;
  for (const BesideColumn& column : all_beside_columns(beside_of(matches)))
    if (std::ranges::find(there, column.name, &BesideColumn::name) == there.end())
      names.push_back(column.name);
  return names;
}

std::vector<Column> columns(const match::MatchTable& matches) {
  std::vector<Column> shown = all_columns(matches);
  std::erase_if(shown, [](const Column& column) { return column.name.empty(); });
  return shown;
}

std::vector<std::string> column_names(engine::Comparison comparison, bool family) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  match::MatchTable table{.comparison = comparison};
  if (family) table.family.emplace();
  for (const Encoding by : {Encoding::kAlleles, Encoding::kMinor}) {
    table.by = by;
    for (const Column& column : autosomal_columns(table)) add(column.name);
  }
  if (comparison == engine::Comparison::kMixture)
    for (const Column& column : columns_between_mixtures(table.by)) add(column.name);
  if (comparison == engine::Comparison::kIdentity)
    for (const Column& column : with_likelihoods(identity_columns(table), false)) add(column.name);
  if (comparison == engine::Comparison::kKinship && !family)
    for (const Column& column : linked_kin_columns()) add(column.name);
  for (const BesideColumn& column : all_beside_columns(beside_of(table))) add(column.name);
  return names;
}

bool is_column(std::string_view name) {
  const auto has = [&](engine::Comparison comparison, bool family) {
    return std::ranges::count(column_names(comparison, family), name) > 0;
  };
  return has(engine::Comparison::kIdentity, false) || has(engine::Comparison::kMixture, false) ||
         has(engine::Comparison::kKinship, false) || has(engine::Comparison::kKinship, true);
}

std::vector<const match::MatchRow*> all_rows(const match::QueryMatches& query) {
  std::vector<const match::MatchRow*> rows;
  for (const auto* listed : {&query.rows, &query.typed_members})
    for (const match::MatchRow& row : *listed) rows.push_back(&row);
  return rows;
}

std::vector<Column> columns_of_section(const match::MatchTable& matches, std::string Column::*named_by) {
  const std::string_view of_query = matches.family ? "missing" : match::asked(matches.comparison);
  std::vector<Column> shown = all_columns(matches);
  std::erase_if(shown,
                [&](const Column& column) { return (column.*named_by).empty() || column.name == of_query; });
  std::stable_partition(shown.begin(), shown.end(),
                        [](const Column& column) { return column.name == "rank"; });
  return shown;
}

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

void append_text(const Cell& cell, std::string& text) {
  std::visit(
      Overloaded{[&](std::monostate) { text += "NA"; }, [&](const std::string& name) { text += name; },
                 [&](std::uint64_t number) { page::append_number(number, text); },
                 [&](Rate rate) { page::append_ratio(rate.value, 6, text); },
                 [&](Log10Ratio ratio) { page::append_ratio(ratio.value, stats::kRatioDecimals, text); },
                 [&](Centimorgans length) { page::append_ratio(length.value, 2, text); },
                 [&](Chance chance) { text += page::chance_text(chance.log10, 4); }},
      cell);
}

std::string text_of(const Cell& cell) {
  std::string text;
  append_text(cell, text);
  return text;
}

std::string short_text_of(const Cell& cell, double cap) {
  if (const auto* ratio = std::get_if<Log10Ratio>(&cell)) return page::power_text(ratio->value, cap);
  if (const auto* chance = std::get_if<Chance>(&cell)) return page::chance_text(chance->log10, 2);
  if (const auto* rate = std::get_if<Rate>(&cell)) return page::ratio_text(rate->value, 4);
  if (const auto* length = std::get_if<Centimorgans>(&cell)) return page::ratio_text(length->value, 0);
  return text_of(cell);
}

std::string html_of(const Cell& cell, double cap) {
  if (const auto* ratio = std::get_if<Log10Ratio>(&cell)) return page::power_html(ratio->value, cap);
  if (const auto* chance = std::get_if<Chance>(&cell)) return page::chance_html(chance->log10);
  if (const auto* rate = std::get_if<Rate>(&cell)) return page::signed_html(page::ratio_text(rate->value, 4));
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return with_commas(*number);
  return page::escaped(text_of(cell));
}

}  // namespace fastid::report
