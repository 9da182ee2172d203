/// \file
/// Who is a relative of the query, and which profile is of a family's missing member: from options to a
/// table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "asking/linked_options.hpp"
#include "asking/options.hpp"
#include "asking/pair_finder.hpp"
#include "engine/engine.hpp"
#include "linked/linked_family.hpp"
#include "match/match_table.hpp"
#include "stats/kinship.hpp"

namespace fastid::kin {

/// KING's bound between relatives of the fourth degree and unrelated people. First cousins (expected .0625)
/// all lie above it on a panel of ten thousand sites.
inline constexpr double kLeastKinship = 0.0221;
/// Nearly everybody lies above it, so that the size of the shortlist alone decides who is weighed.
inline constexpr double kShortlistKinship = -0.1;

struct KinOptions {
  /// What `fastid search` has too: files, rule.top, rule.min_compared; of the evidence population and
  /// parameters. by_rate: rows are listed by kinship.
  asking::SearchOptions search;
  /// In [-10, 0.5]. Not set: kLeastKinship; along the map, where linked.min_lr says which rows are listed,
  /// any, of a shortlist by kinship (by_rate) kShortlistKinship.
  std::optional<double> min_kinship;
  asking::LinkedOptions linked;
  double margin = stats::kLeastMargin;  ///< that a relation needs to be named, log10
  std::string family;                   ///< a family's file; then the queries are its typed members
  /// Who is looked for; none: the file's only person who is not typed, or those of the typed members' family
  /// whom the file says to be looked for.
  std::vector<std::string> missing;
  /// The most bits of inheritance of a family that is followed along the map.
  unsigned max_bits = linked::kMostFamilyBits;
};

/// Along the map, every profile goes through a chain of two states (linked/screen.hpp), and the likeliest
/// relatives of each query are weighed: weighed_along_map() of them. Where kinship says which rows are
/// listed, and without a map, a pair is worth the heterozygous sites of the one who has fewer, times how far
/// its kinship lies above min_kinship; so that a few sites, whose kinship is mostly chance, do not stand
/// before many. The pairs worth most of each query are weighed: shortlisted_kin() of them.
///
/// With a family the shortlists of all its typed members are weighed together, by the likelihood ratio of the
/// missing member, and the table has a query for each of these. Along the map the likeliest by the product
/// over sites are followed: followed_along_map() of them (missing_ratios.hpp). The typed members' own
/// profiles are not ranked. \throws InputError, UsageError, DeviceError, Interrupted
///
/// No value where another process goes on with the pairs that are found here.
std::optional<match::MatchTable> find_kin(const KinOptions& options, asking::PairFinder& finder);
/// The same of all rows, by an engine.
match::MatchTable find_kin(const KinOptions& options, engine::Engine& engine);

/// How many pairs of each query are weighed so that `top` can be listed: the likelihood ratio finds relatives
/// whom kinship alone places behind strangers. At least 500, 20 for each that is listed; KeepRule::kAll for
/// all.
std::uint64_t shortlisted_kin(std::uint64_t top);

/// How many pairs of each query are weighed by all relations along the map: at least 100, 4 for each that is
/// listed. A chain of two states chooses them from all (linked/screen.hpp).
std::uint64_t weighed_along_map(std::uint64_t top);

}  // namespace fastid::kin
