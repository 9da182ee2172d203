/// \file
/// What reading a file's people and deriving a panel from it share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/formats/format.hpp"
#include "import/import.hpp"

namespace fastid {

/// The cure where a panel was derived from the first of several files, one for each chromosome.
inline constexpr std::string_view kJoinChromosomes =
    "join them first (bcftools concat, plink --merge-list), or give a panel of all chromosomes with --panel";

ReaderOptions reader_options(const ImportOptions& options);

/// How many people a profile may be of, for what is expected of its genotypes: 1, or the most in a stain.
unsigned people_of(const ImportOptions& options);

/// \throws InputError where an id cannot be one, or is there twice
void check_ids(const std::vector<std::string>& ids, const std::string& file);

}  // namespace fastid
