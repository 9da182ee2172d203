/// \file
/// What fastid wants of a VCF's header: the genome build, and why a header that htslib refuses is wrong.
#pragma once

#include <htslib/vcf.h>

#include "import/io/source.hpp"
#include "panel/panel.hpp"

namespace fastid::hts {

/// The build that chromosome 1's length tells, else what ##contig assembly= or ##reference names.
GenomeBuild build_of_header(const bcf_hdr_t* header);

/// \throws InputError always: names a sample that is there twice, else only that the header cannot be read.
[[noreturn]] void refuse_header(const Source& source);

}  // namespace fastid::hts
