/// \file
/// What reading a file's people and deriving a panel from it share.
#pragma once

#include <string>
#include <vector>

#include "import/format.hpp"
#include "import/import.hpp"

namespace fastid {

ReaderOptions reader_options(const ImportOptions& options);

/// How many people a profile may be of, for what is expected of its genotypes: 1, or the most in a stain.
unsigned people_of(const ImportOptions& options);

/// \throws InputError where an id cannot be one, or is there twice
void check_ids(const std::vector<std::string>& ids, const std::string& file);

}  // namespace fastid
