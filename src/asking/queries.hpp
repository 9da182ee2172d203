/// \file
/// The queries of a search, from all their files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "import/import.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"

namespace fastid::asking {

/// Reads every sample of every file onto the panel, in order; prints one line of counts for each file, or one
/// for all where there are many. A sample with no called site of the panel is left out with a warning. \param
/// failed takes files that are rejected; null: a rejected file is an error \throws InputError where a file is
/// rejected, or no query is left. \param threads  that read as many files at the same time
match::Queries read_queries(const std::vector<std::string>& files, const Panel& panel,
                            const imports::ImportOptions& options,
                            std::vector<match::FailedInput>* failed = nullptr, std::size_t threads = 1);

}  // namespace fastid::asking
