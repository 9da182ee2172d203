/// \file
/// How long the texts of a database may be, and how many: what the writer keeps to, the reader takes, and the
/// command line says.
#pragma once

#include <cstddef>
#include <string_view>

namespace fastid::db {

inline constexpr std::size_t kLongestProfileId = 1024;  ///< in bytes, as all of these
inline constexpr std::size_t kLongestTagKey = 32, kLongestTagValue = 255, kMostTagKeys = 64;
inline constexpr std::size_t kLongestAttribute = 4096;

/// Of texts in a new record of the log: a reason, the name of an input; the command line, which may name very
/// many files.
inline constexpr std::size_t kLongestLogText = 4096, kLongestLogCommand = std::size_t{8} << 20;

/// What stands in the log in place of an id or a tag that was removed.
inline constexpr std::string_view kRemovedMark = "[removed]";

/// How many times as long a record's text may become by removals: at worst each byte of it gives way to a
/// mark, once, since a mark is never replaced by a longer one.
inline constexpr std::size_t kGrowthByRemovals = kRemovedMark.size();

}  // namespace fastid::db
