/// \file
/// What every report says in words about its figures: what a likelihood ratio weighs, that a search brings
/// chance matches, that linked loci overstate the evidence, and what the figures were computed with. Nothing
/// here says that a sample is somebody's.
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

/// The statements that hold for the whole table, in order.
std::vector<Statement> statements(const MatchTable& matches);

/// The same for a terminal: two lines of 80 columns at most, each with its newline.
std::string caveats(const MatchTable& matches);

/// What a likelihood ratio weighs: the results are so much more probable if the first one holds than if the
/// second one does. Clauses, to stand behind "if".
struct Propositions {
  std::string first, second;
};

/// \param asked, stored  what the clauses call the query, and what is stored: plain words, or names as html
Propositions propositions(const MatchTable& matches, const std::string& asked, const std::string& stored);

/// The populations that figures come from: "CEU, YRI".
std::string population_names(const Provenance& from);

/// What is to be known of one query before its rows: how probable its bits are, how many people a mixture
/// shows, the limit that was chosen. One sentence or clause each, without names of files or samples.
std::vector<std::string> query_facts(const MatchTable& matches, const QueryMatches& query);
/// The same as html.
std::vector<std::string> query_facts_html(const MatchTable& matches, const QueryMatches& query);

/// "saturated ..." where a mixture's ranking means nothing; else empty.
std::string saturation_warning(const QueryMatches& query);

}  // namespace fastid::report
