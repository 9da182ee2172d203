/// \file
/// Genotypes of a VCF or BCF record in its commonest form, many samples at a time: diploid, of alleles 0, 1
/// and missing. Returns false for all other records, which slower code reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "import/match/call_row.hpp"

namespace fastid::imports {

/// `columns`: what follows the FORMAT column "GT", "\t0/1\t1|1\t./." and so on. False where it is not four
/// bytes per sample of this form; `row` is then unspecified.
bool scan_text_genotypes(std::string_view columns, std::size_t n_samples, AlleleRow& row);

/// `values`: two bytes per sample as in BCF: (allele + 1) << 1, its low bit the phase. False as above.
bool scan_bcf_genotypes(const std::uint8_t* values, std::size_t n_samples, AlleleRow& row);

/// How often `letter` is in `text`.
std::size_t count_letter(std::string_view text, char letter);

}  // namespace fastid::imports
