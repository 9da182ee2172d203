/// \file
/// What the relation of a pair is, and when two words for it mean the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "match/close_pair.hpp"

namespace fastid::pairs {

/// Close, but nothing tells one relation from another.
inline constexpr std::string_view kClose = "close";
/// The evidence names no relation, and chance explains it.
inline constexpr std::string_view kUndecided = "undecided";
/// Of the fourth or fifth degree, along the genetic map.
inline constexpr std::string_view kDistant = "distant";
inline constexpr std::string_view kSame = "same", kUnrelated = "unrelated";

/// Siblings are taken apart from parent and child by the sites at which both are homozygous for different
/// alleles (IBS0), as a share of those at which both are heterozygous. At a site of frequency q = 1 - p, with
/// each copy misread with probability w:
///
///   siblings           (p q)^2 / 2 : p q + (p q)^2,  .04 where q is .1, .09 where it is .3
///   parent and child       2 p q w : p q,            .01 where w is .005, whatever q
inline constexpr double kMostIbs0OfParent = 0.02;

/// The relation that the evidence names (along the map that which stands for its degree), or kUndecided.
/// Where it names none of several that are likely, or there are no frequencies, the class of KING's kinship
/// (stats::degree_of()); where there is none either, "same" if the search by bits lets only the same person
/// pass (kSameMismatchRate), else "close".
std::string_view relation_of(const match::ClosePair& pair, const match::PairsFacts& facts);

/// Whether two people with this relation are taken for relatives.
bool is_related(std::string_view relation);

/// From the closest relation to "close", "undecided" and "unrelated": 0 and on.
std::size_t distance(std::string_view relation);

/// Whether a pair is found as it was expected. The second and the third degree, and "distant", are not told
/// apart, since the kinships of their pairs overlap; a "close" or "undecided" pair is as each relation
/// expects.
bool agrees(std::string_view expected, std::string_view found);

/// Whether pairs of this relation pass what was looked for, but for chance: KING's bound below their degree
/// does.
bool must_be_found(std::string_view relation, const match::PairsFacts& facts);

/// The relation that a word of a file names, in letters of either case: those of `fastid kin`, and others
/// for the same ("duplicate", "full-siblings", "second-degree"). No value where it is none.
std::optional<std::string_view> relation_named(std::string_view word);

/// The relation of a kinship, other than "same" and "parent-child"; "unrelated" from KING's bound of the
/// third degree down.
std::string_view relation_of_kinship(double kinship);

}  // namespace fastid::pairs
