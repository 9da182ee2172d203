/// \file
/// Queries in a part: the first shard's part holds them, so that a merge asks exactly what was searched for,
/// without reading the queries' files again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "part/part_file.hpp"

namespace fastid::part {

/// SHA-256 of the queries' names, files' digests and content.
std::string digest_of(const match::Queries& queries);

/// \param name  of the sections \param failed  files that were rejected; null: none
void add_queries(std::string_view name, const match::Queries& queries,
                 const std::vector<match::FailedInput>* failed, Writer& to);

/// \param failed  takes the files that were rejected; null: none were. \throws InputError: damaged, or of
/// another panel
match::Queries read_queries(std::string_view name, const File& from, std::uint32_t n_sites,
                            std::vector<match::FailedInput>* failed);

}  // namespace fastid::part
