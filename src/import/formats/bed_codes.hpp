/// \file
/// Two-bit genotypes as in a .bed, many at a time: counts them, and transposes variants by people into people
/// by variants without handling single bits.
///
///   a row is a variant: two bits per person, the first person in the lowest ones of the first byte
///     00 two copies of allele 1    01 missing    10 heterozygous  11 two copies of allele 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "import/formats/genotype_reader.hpp"
#include "import/match/site_buffer.hpp"

namespace fastid::imports {

/// The codes of one block (32 people) in a row.
using Codes = std::uint64_t;

/// Copies of both alleles in a row; codes past the last person are 0.
GenotypeReader::AlleleCounts count_codes(std::span<const std::uint8_t> row, std::size_t n_people);

/// One word of every profile: up to 32 variants, a row each, turned into words.
class CodeBuffer {
 public:
  CodeBuffer(std::size_t n_people, Encoding encoding);

  /// \param first_is_minor  bits say who carries allele 1; else who carries allele 2
  void put(std::size_t place, std::span<const std::uint8_t> row, bool first_is_minor);
  Word touched() const { return touched_; }
  void clear() { touched_ = first_is_minor_ = 0; }

  /// The words of the profiles of `n` blocks (at most kBlocksTurned) from `first_block` (a multiple of
  /// kBlocksTurned) in both planes; variants that were not put are 0. Both arrays have room for kBlocksTurned
  /// blocks. True where, in Encoding::kMinor, all 32 variants are called for everybody: `second` is then
  /// unspecified.
  bool words_of(std::uint64_t first_block, std::size_t n, Word (*bits)[kLanes], Word (*second)[kLanes]) const;

 private:
  std::size_t n_people_;
  Encoding encoding_;
  std::size_t row_size_;     ///< in blocks, a multiple of kBlocksTurned
  std::vector<Codes> rows_;  ///< [variant][block]
  Word touched_ = 0, first_is_minor_ = 0;
};

}  // namespace fastid::imports
