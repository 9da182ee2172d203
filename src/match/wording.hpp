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

/// What a query of the search is, which is also the name of its column: "query", "mixture", "profile".
const char* asked(engine::Comparison comparison);

/// `n` of these: "1 query", "2,000 queries".
std::string counted_asked(engine::Comparison comparison, std::uint64_t n);

/// Whether the question is about mixtures, asked for or stored.
constexpr bool asks_for_mixtures(engine::Comparison comparison) {
  return comparison == engine::Comparison::kMixture || comparison == engine::Comparison::kReverseMixture;
}

/// Whether mixtures are held against stored mixtures.
bool between_mixtures(const MatchTable& matches);

/// What is searched: "profile", or "mixture" with --reverse.
const char* stored(engine::Comparison comparison);
/// What a table's rows are of; "stored mixture" where mixtures are held against mixtures.
const char* stored(const MatchTable& matches);

/// "bits", "alleles", as --by has them.
const char* name_of_compared(Encoding by);

/// What pairs are ranked by: "mismatches", "alleles that differ", "minor alleles not seen", "alleles not
/// seen", "kinship".
const char* differences(engine::Comparison comparison, Encoding by);

/// "1 mismatch", "1,004 minor alleles not seen".
std::string counted_differences(engine::Comparison comparison, Encoding by, std::uint64_t n);

/// What the share of a mixture's count is of: "3 minor alleles", "3 alleles".
std::string counted_alleles(Encoding by, std::uint64_t n);

/// The alleles seen at a site: of a person the genotype, "CC", "CT", "TT"; of a mixture what it shows, "C",
/// "CT", "T".
std::string alleles_text(const DifferingLocus& locus, Seen seen, bool mixture);

/// What is to be said of a query before anything is concluded from its rows, each to follow its name: that it
/// seems to be of several people, that it has too few sites.
std::vector<std::string> query_warnings(const MatchTable& matches, const QueryMatches& query);

/// The same of a listed profile, to follow its name; "" where there is nothing to say.
std::string profile_warning(const MatchRow& row);

/// That the database's profiles are more alike than the frequencies say, of the query of which this is most
/// so; "" where they are not.
std::string strangers_text(const MatchTable& matches);

/// Of each population whose frequencies were counted in few people, or which is alone and was counted in the
/// database's own people, that this is so.
std::vector<std::string> frequencies_texts(std::span<const PopulationFacts> populations);

/// Why a row of MatchTable's typed members is not ranked.
std::string member_line(const MatchRow& row);

/// fastid kin --family: whether the profile is ten times as probable in another place of the family as that
/// of the missing member, and as somebody unrelated.
bool fits_other_role(const MatchRow& row);
/// What such a row says: "P7 (row 6) fits the family better as sibling of mother: 10^37.1, not 10^20.3".
std::string other_role_line(const MatchRow& row);

/// What a pair must pass to be close: "a kinship of at least 0.0884", "a mismatch rate of at most 0.05", or
/// both.
std::string limits_text(const PairsFacts& facts);

}  // namespace fastid::match
