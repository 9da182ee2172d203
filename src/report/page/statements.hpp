/// \file
/// Statements of every report about its figures: what a likelihood ratio weighs, that a search brings chance
/// matches, that linked loci overstate the evidence, and the parameters of the figures. No statement says
/// that a sample comes from a certain person.
#pragma once

#include <string>
#include <vector>

#include "match/match_table.hpp"

namespace fastid::report {

struct Statement {
  std::string name;   ///< json's key: "chance", "propositions", "linkage", "model"
  std::string title;  ///< "Chance matches"
  std::string text;   ///< whole sentences
};

/// The statements about the whole table, in order.
std::vector<Statement> statements(const match::MatchTable& matches);

/// Caveats for a terminal: at most three lines of 80 columns, each with its newline.
std::string caveats(const match::MatchTable& matches);

/// The two propositions that a likelihood ratio weighs: how much more probable the results are if the first
/// one is true than if the second one is. They are clauses that can follow "if".
struct Propositions {
  std::string first, second;
};

/// \param asked, stored  how the clauses call the query and the stored profile: plain words, or names as html
Propositions propositions(const match::MatchTable& matches, const std::string& asked,
                          const std::string& stored);

/// The populations that figures come from: "CEU, YRI".
std::string population_names(const match::Provenance& from);

/// Facts about a query that come before its rows: how probable its bits are, the number of contributors of a
/// mixture, the chosen limit. Each is a sentence or clause without names of files or samples.
std::vector<std::string> query_facts(const match::MatchTable& matches, const match::QueryMatches& query);
/// query_facts() as html.
std::vector<std::string> query_facts_html(const match::MatchTable& matches, const match::QueryMatches& query);

/// A sentence where the panel's sites are linked and weigh one each; else "".
std::string linkage_warning(const match::Provenance& from);

/// "saturated ..." where a mixture's ranking is meaningless; else empty.
std::string saturation_warning(const match::QueryMatches& query);

}  // namespace fastid::report
