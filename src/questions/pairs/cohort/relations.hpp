/// \file
/// The relation of a pair, and when two words for a relation agree.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "match/close_pair.hpp"

namespace fastid::pairs {

/// A close pair, where nothing tells one relation from another.
inline constexpr std::string_view kClose = "close";
/// A pair for which the evidence names no relation, and which chance explains.
inline constexpr std::string_view kUndecided = "undecided";
/// Relatives of the fourth or fifth degree, along the genetic map.
inline constexpr std::string_view kDistant = "distant";
inline constexpr std::string_view kSame = "same", kUnrelated = "unrelated";

/// Siblings are told from parent and child by the sites at which both are homozygous for different alleles
/// (IBS0), as a share of the sites at which both are heterozygous. At a site of frequency q = 1 - p, with
/// each copy misread with probability w:
///
///   siblings           (p q)^2 / 2 : p q + (p q)^2,  .04 where q is .1, .09 where it is .3
///   parent and child       2 p q w : p q,            .01 where w is .005, whatever q
inline constexpr double kMostIbs0OfParent = 0.02;

/// The relation that the evidence names (along the map, the relation that stands for the degree), or
/// kUndecided. Where it names none of several that are likely, or there are no frequencies, the class of
/// KING's kinship (stats::degree_of()); where there is none either, "same" if the search by bits lets only
/// the same person pass (kSameMismatchRate), else "close".
std::string_view relation_of(const match::ClosePair& pair, const match::PairsFacts& facts);

/// Whether two people with this relation count as relatives.
bool is_related(std::string_view relation);

/// The rank of a relation from 0, from the closest one to "close", "undecided" and "unrelated".
std::size_t distance(std::string_view relation);

/// Whether a pair is found as it was expected. The second and the third degree, and "distant", are not told
/// apart, since the kinships of their pairs overlap; a "close" or "undecided" pair agrees with every expected
/// relation.
bool agrees(std::string_view expected, std::string_view found);

/// Whether pairs of this relation pass the search's limits, except by chance: whether KING's lower bound of
/// their degree passes.
bool must_be_found(std::string_view relation, const match::PairsFacts& facts);

/// The relation that a word of a file names, in upper or lower case: the words of `fastid kin`, and synonyms
/// ("duplicate", "full-siblings", "second-degree"). No value where the word names none.
std::optional<std::string_view> relation_named(std::string_view word);

/// The relation of a kinship, other than "same" and "parent-child"; "unrelated" at KING's bound of
/// the third degree or below.
std::string_view relation_of_kinship(double kinship);

}  // namespace fastid::pairs
