/// \file
/// What every report says in words about its figures: that a search brings chance matches, against which
/// alternative the evidence is weighed, that linked loci overstate it, and what the figures were computed
/// with.
#pragma once

#include <string>
#include <vector>

#include "match/match_table.hpp"

namespace fastid::report {

struct Statement {
  std::string name;   ///< json's key: "chance", "alternative", "linkage", "model"
  std::string title;  ///< "Chance matches"
  std::string text;   ///< whole sentences
};

/// The statements that hold for the whole table, in order.
std::vector<Statement> statements(const MatchTable& matches);

/// What is to be known of one query before its rows: what it is worth, how many people a mixture shows, the
/// limit that was chosen. One sentence or clause each, without names of files or samples.
std::vector<std::string> query_facts(const MatchTable& matches, const QueryMatches& query);

/// "saturated ..." where a mixture's ranking means nothing; else empty.
std::string saturation_warning(const QueryMatches& query);

}  // namespace fastid::report
