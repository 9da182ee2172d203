/// \file
/// Relatives of a query, and profiles that may be a family's missing member: from options to a table.
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
/// Nearly everybody's kinship lies above it, so that the size of the shortlist alone decides who is weighed.
inline constexpr double kShortlistKinship = -0.1;

struct KinOptions {
  /// The options that `fastid search` has too: files, rule.top, rule.min_compared; of the evidence,
  /// population and parameters. by_rate: rows are listed by kinship.
  asking::SearchOptions search;
  /// In [-10, 0.5]. Not set: kLeastKinship. Along the map, where linked.min_lr decides which rows are listed:
  /// no limit, or, for a shortlist by kinship (by_rate), kShortlistKinship.
  std::optional<double> min_kinship;
  asking::LinkedOptions linked;
  double margin = stats::kLeastMargin;  ///< log10 margin that a relation needs to be named
  std::string family;                   ///< a family's file; then the queries are its typed members
  /// The missing members who are looked for. Empty: the file's only person who is not typed, or everybody in
  /// the typed members' family whom the file marks as looked for.
  std::vector<std::string> missing;
  /// The most bits of inheritance of a family that is followed along the map.
  unsigned max_bits = linked::kMostFamilyBits;
};

/// Along the map, every profile goes through a chain of two states (linked/screen.hpp), and the
/// weighed_along_map() likeliest relatives of each query are weighed. Where kinship decides which rows are
/// listed, and without a map, pairs are ranked by the heterozygous sites of the one who has fewer, times
/// how far the kinship lies above min_kinship, so that pairs with few sites, whose kinship is mostly chance,
/// do not come first. The best shortlisted_kin() pairs of each query are weighed.
///
/// With a family the shortlists of all its typed members are weighed together, by the likelihood ratio of the
/// missing member, and the table has a query for each missing member. Along the map, the followed_along_map()
/// (missing_ratios.hpp) likeliest candidates by the product over sites are followed. The typed members' own
/// profiles are not ranked. \throws InputError, UsageError, DeviceError, Interrupted
///
/// \return no value where another process goes on with the pairs that are found here
std::optional<match::MatchTable> find_kin(const KinOptions& options, asking::PairFinder& finder);
/// find_kin() over all rows, by an engine.
match::MatchTable find_kin(const KinOptions& options, engine::Engine& engine);

/// The number of pairs of each query that are weighed so that `top` can be listed: the likelihood ratio finds
/// relatives whom kinship alone places behind strangers. 20 for each listed row, at least 500; KeepRule::kAll
/// for all.
std::uint64_t shortlisted_kin(std::uint64_t top);

/// The number of pairs of each query that are weighed by all relations along the map: 4 for each listed row,
/// at least 100. A chain of two states chooses them (linked/screen.hpp).
std::uint64_t weighed_along_map(std::uint64_t top);

}  // namespace fastid::kin
