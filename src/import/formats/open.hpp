/// \file
/// Shared by read_profiles() and derive_panel().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/formats/format.hpp"
#include "import/formats/genotype_reader.hpp"
#include "import/import.hpp"

namespace fastid::imports {

/// The cure where a panel was derived from the first of several files, one for each chromosome.
inline constexpr std::string_view kJoinChromosomes =
    "join them first (bcftools concat, plink --merge-list), or give a panel of all chromosomes with --panel";

ReaderOptions reader_options(const ImportOptions& options);

/// What can be said of the people of a file: what the options ask for, or less.
Encoding encoding_of(const ImportOptions& options, const GenotypeReader& reader);

/// The most people that one profile may hold, by which its genotypes are judged: 1, or the most contributors
/// of a stain.
unsigned people_of(const ImportOptions& options);

}  // namespace fastid::imports
