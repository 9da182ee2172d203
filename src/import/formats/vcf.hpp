/// \file
/// VCF and BCF, plain or compressed, record by record; gVCF, whose blocks of reference calls cover many
/// sites; genotypes as called (GT), or the alleles that were seen by their depths (AD).
#pragma once

#include <memory>

#include "import/formats/format.hpp"
#include "import/formats/genotype_reader.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

/// \param binary  BCF \throws InputError, UsageError
std::unique_ptr<GenotypeReader> open_vcf(const Source& source, bool binary, const ReaderOptions& options);

}  // namespace fastid::imports
