/// \file
/// What fastid needs of a VCF's header: the genome build, and the reason why htslib refuses one.
#pragma once

#include <htslib/vcf.h>

#include "import/io/source.hpp"
#include "panel/panel.hpp"

namespace fastid::imports::hts {

/// The build by the length of chromosome 1, else by ##contig assembly= or ##reference.
GenomeBuild build_of_header(const bcf_hdr_t* header);

/// \throws InputError always: names a duplicate sample, else only says that the header cannot be read.
[[noreturn]] void refuse_header(const Source& source);

}  // namespace fastid::imports::hts
