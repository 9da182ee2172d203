/// \file
/// Which format a file is of, found by its content, and the reader for it.
#pragma once

#include <memory>

#include "import/genotype_reader.hpp"
#include "import/source.hpp"

namespace fastid {

enum class FileFormat {
  kVariants,
  kPlink,
  kText
};  ///< VCF or BCF; PLINK 1 .bed; lines of one person's genotypes

/// \throws InputError where it is none of them, naming what it looks like and the cure.
FileFormat detect_format(const Source& source);

/// \param refuse_variants_only  see VcfReader
std::unique_ptr<GenotypeReader> open_genotypes(const Source& source, FileFormat format,
                                               bool refuse_variants_only);

}  // namespace fastid
