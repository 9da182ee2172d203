/// \file
/// What a report says of relatives: of each relation, of a family's missing member, and what a kin search
/// found.
#pragma once

#include <string>

#include "match/match_table.hpp"
#include "report/page/finding.hpp"
#include "report/page/statements.hpp"
#include "report/report.hpp"

namespace fastid::report {

/// The texts of the statements "chance" (where there are frequencies), "propositions" and "linkage".
std::string kin_chance(const match::MatchTable& matches);
std::string kin_propositions(const match::MatchTable& matches);
std::string kin_linkage();
std::string near_along_map(const match::MapFacts& map);      ///< on relatives in a search for a person
std::string siblings_along_map(const match::MapFacts& map);  ///< on siblings of a mixture's contributor
std::string kin_along_map(
    const match::MapFacts& map);  ///< "linkage" where relatives are weighed along the map
std::string kin_stretches();      ///< kin_linkage() where sites are in blocks

/// propositions() for two people with this relation ("sibling"), or with any relation where it is "".
Propositions kin_clauses(const match::MatchTable& matches, const std::string& relation,
                         const std::string& asked, const std::string& stored);

/// finding_text() of a kin search.
FindingText kin_finding_text(const match::MatchTable& matches, const match::QueryMatches& query,
                             const Finding& finding, const Options& options);

}  // namespace fastid::report
