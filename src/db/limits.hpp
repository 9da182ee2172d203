/// \file
/// Limits on the length and number of a database's texts, for the writer, the reader and the command line.
#pragma once

#include <cstddef>
#include <string_view>

namespace fastid::db {

inline constexpr std::size_t kLongestProfileId = 1024;  ///< in bytes, like all of these lengths
inline constexpr std::size_t kLongestTagKey = 32, kLongestTagValue = 255, kMostTagKeys = 64;
inline constexpr std::size_t kLongestAttribute = 4096;

/// Longest texts in a new record of the log: a reason or the name of an input; the command line, which may
/// name very many files.
inline constexpr std::size_t kLongestLogText = 4096, kLongestLogCommand = std::size_t{8} << 20;

/// What stands in the log in place of an id or a tag that was removed.
inline constexpr std::string_view kRemovedMark = "[removed]";

/// The factor by which removals may lengthen a text of a record: at worst each byte is replaced by a mark,
/// once, since a mark is never replaced by a longer text.
inline constexpr std::size_t kGrowthByRemovals = kRemovedMark.size();

}  // namespace fastid::db
