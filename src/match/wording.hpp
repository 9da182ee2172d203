/// \file
/// The words that describe a search, the same in messages and in every report.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/comparison.hpp"
#include "match/close_pair.hpp"
#include "match/match_table.hpp"

namespace fastid::match {

/// For output that programs read: "identity", "mixture", "reverse-mixture",
/// "kinship".
const char* name_of(engine::Comparison comparison);

/// The word for a query, which is also the name of its column: "query", "mixture", "profile".
const char* asked(engine::Comparison comparison);

/// A number of queries: "1 query", "2,000 queries".
std::string counted_asked(engine::Comparison comparison, std::uint64_t n);

/// Whether the question is about mixtures, asked for or stored.
constexpr bool asks_for_mixtures(engine::Comparison comparison) {
  return comparison == engine::Comparison::kMixture || comparison == engine::Comparison::kReverseMixture;
}

/// Whether mixtures are held against stored mixtures.
bool between_mixtures(const MatchTable& matches);

/// The word for what is searched: "profile", or "mixture" with --reverse.
const char* stored(engine::Comparison comparison);
/// The word for a table's rows; "stored mixture" where mixtures are held against mixtures.
const char* stored(const MatchTable& matches);

/// "bits", "alleles", as --by has them.
const char* name_of_compared(Encoding by);

/// What pairs are ranked by: "mismatches", "alleles that differ", "minor alleles not seen", "alleles not
/// seen", "kinship".
const char* differences(engine::Comparison comparison, Encoding by);

/// "1 mismatch", "1,004 minor alleles not seen".
std::string counted_differences(engine::Comparison comparison, Encoding by, std::uint64_t n);

/// The denominator of a mixture's count: "3 minor alleles", "3 alleles".
std::string counted_alleles(Encoding by, std::uint64_t n);

/// The alleles seen at a site: of a person the genotype, "CC", "CT", "TT"; of a mixture what it shows, "C",
/// "CT", "T".
std::string alleles_text(const DifferingLocus& locus, Seen seen, bool mixture);

/// Warnings about a query, each to follow its name: that it seems to be of several people, that it has too
/// few sites.
std::vector<std::string> query_warnings(const MatchTable& matches, const QueryMatches& query);

/// A warning about a listed profile, to follow its name; "" where there is none.
std::string profile_warning(const MatchRow& row);

/// A warning that the database's profiles are more alike than the frequencies say, for the query where this
/// is clearest; "" where they are not.
std::string strangers_text(const MatchTable& matches);

/// A warning for each population whose frequencies were counted in few people, or in the database's own
/// people where it is the only population.
std::vector<std::string> frequencies_texts(std::span<const PopulationFacts> populations);

/// Why a row of MatchTable's typed members is not ranked.
std::string member_line(const MatchRow& row);

/// fastid kin --family: whether the profile is ten times as probable in another place of the family as in the
/// missing member's place, and ten times as probable as if unrelated.
bool fits_other_role(const MatchRow& row);
/// The text for such a row: "P7 (row 6) fits the family better as sibling of mother: 10^37.1, not 10^20.3".
std::string other_role_line(const MatchRow& row);

/// What a pair must pass to be close: "a kinship of at least 0.0884", "a mismatch rate of at most 0.05", or
/// both.
std::string limits_text(const PairsFacts& facts);

}  // namespace fastid::match
