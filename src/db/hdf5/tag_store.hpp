/// \file
/// The tags inside a database: /tags/values/KEY (strings, the first empty) and /tags/codes/KEY (bytes).
///
///   4 values: 2 bits for each profile     byte 0: profile 0 in the lowest 2 bits, then 1, 2, 3     byte 1:
///   4, ...
///
/// A code has 1, 2, 4, 8, 16 or 32 bits, as few as the number of values needs, the lowest byte first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bits/row_mask.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/tags.hpp"

namespace fastid::db {

/// Replaces all tags in the file; without tags there is no group. \throws Failure
void write_tags(const h5::File& database, const Tags& tags, const std::string& file);

/// The keys, sorted; none where there are no tags. \throws InputError
std::vector<std::string> tag_keys(const h5::File& database, const std::string& file);

/// The rows whose value of a key passes. \throws as read_tag()
RowMask rows_passing(const h5::File& database, const std::string& key, std::uint64_t rows,
                     const std::function<bool(const std::string& value)>& passes, const std::string& file);

/// The tags of one key. \throws InputError where it does not have `rows` rows, or a code has no value
TagColumn read_tag(const h5::File& database, const std::string& key, std::uint64_t rows,
                   const std::string& file);

}  // namespace fastid::db
