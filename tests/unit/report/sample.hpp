/// \file
/// Tables of matches that the tests of reports print.
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "match/match_table.hpp"

namespace fastid {

/// A text without its line breaks and indents.
inline std::string one_line(std::string_view text) {
  std::string flat;
  for (const std::string_view word : split_blanks(text))
    for (const std::string_view piece : split(word, '\n'))
      if (!piece.empty()) flat += (flat.empty() ? "" : " ") + std::string(piece);
  return flat;
}

/// The second row has all figures, among them one that no double holds.
inline match::MatchTable sample(engine::Comparison comparison) {
  match::MatchTable table{.comparison = comparison};
  match::QueryMatches query{"scene", "scene.snp", "ab12", 1004, 300, {}, {}, 0};
  query.rows.push_back({.rank = 1, .row = 41, .profile = "P000000042", .counts = {3, 290, 1000}});
  query.rows.push_back({.rank = 2,
                        .row = 19'999'999,
                        .profile = "P020000000",
                        .counts = {250, 280, 999},
                        .log10_lr = -1234.56789,
                        .log10_lr_sibling = -300.125,
                        .suggests = "second-degree",
                        .relative = true,
                        .log10_p_rmne = -0.60206,
                        .log10_chance_matches = -2500.5,
                        .chance_population = 1});
  if (comparison != engine::Comparison::kIdentity) {
    query.rows.back().log10_lr_sibling = {};
    query.rows.back().suggests = "first-degree";
    query.rows.back().contributor = match::ContributorFigures{
        .log10_lr_relative = 12.25, .relative = "sibling", .support = {3, 0.5, {0.125}, {0.25}, 0.75}};
  }
  query.rows.back().loci = {{"rs1", "7", 1'234'567, 'C', 'T', kMinorSeen, kMajorSeen, 0.125, -1.25}};
  query.ties_cut = 2;
  query.evidence.populations = {{"CEU", -33.5, -12.0}, {"YRI", -30.25, -11.0}};
  query.evidence.worst = 1;
  if (comparison == engine::Comparison::kMixture)
    query.evidence.mixture = match::MixtureEvidence{.saturation = 0.75,
                                                    .expected_saturation = 0.7,
                                                    .numbers = {0, 0.25, 0.745, 0.005},
                                                    .supports = {{3, 0.5, {0.125}, {0.25}, 0.75}},
                                                    .saturated = true};
  query.histogram = match::QueryHistogram{.profiles = {1, 0, 5, 7},
                                          .expected = {0.0001, 0.5, 5.5, 6.25},
                                          .marks = {{"unrelated", 2.5, 0.75}},
                                          .n_profiles = 13,
                                          .step = 4,
                                          .own = match::CentreAndSpread{2.5, 0.75},
                                          .model = match::CentreAndSpread{2.25, 0.5}};
  table.queries.push_back(query);
  table.queries.push_back({"empty", "e.snp", "cd34", 5, 0, {}, {}, 0});
  table.provenance.n_sites = 1024;
  table.provenance.sites.autosomal = 1024;
  table.provenance.n_profiles = table.provenance.searched.n_profiles = 20'000'000;
  table.provenance.database = "db.h5";
  table.provenance.populations = {{"CEU", 0.005, 2, 112}, {"YRI", 0.005, 0}};
  table.run.command_line = "fastid search scene.snp db.h5";
  return table;
}

/// The panel has no allele frequencies.
inline match::MatchTable without_evidence(engine::Comparison comparison) {
  match::MatchTable table = sample(comparison);
  table.provenance.populations.clear();
  for (match::QueryMatches& query : table.queries) {
    query.evidence = {};
    if (query.histogram) query.histogram->expected.clear(), query.histogram->marks.clear();
    for (match::MatchRow& row : query.rows) {
      row.log10_lr = row.log10_lr_sibling = row.log10_p_rmne = row.log10_chance_matches = {};
      row.suggests.clear();
      row.relative = false;
      row.contributor.reset();
    }
  }
  return table;
}

}  // namespace fastid
