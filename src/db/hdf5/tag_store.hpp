/// \file
/// The tags inside a database: /tags/values/KEY (strings) and /tags/codes/KEY (u8, u16 or u32 for each
/// profile, as few bytes as the number of values needs).
#pragma once

#include <string>
#include <vector>

#include "db/hdf5/hdf5_handle.hpp"
#include "db/tags.hpp"

namespace fastid::db {

/// Writes all tags in place of those that are there; without tags there is no group. \throws Failure
void write_tags(const h5::File& database, const Tags& tags, const std::string& file);

/// The keys, sorted; none where there are no tags. \throws InputError
std::vector<std::string> tag_keys(const h5::File& database, const std::string& file);

/// One key. \throws InputError where it does not have `rows` rows, or a code is of no value
TagColumn read_tag(const h5::File& database, const std::string& key, std::uint64_t rows,
                   const std::string& file);

}  // namespace fastid::db
