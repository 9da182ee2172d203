/// \file
/// Two-bit genotypes as a .bed has them, many at a time: counted, and turned from variants by people into
/// people by variants, without a detour through one bit after the other.
///
///   a row is a variant: two bits a person, the first person in the lowest ones
///     00 two copies of allele 1    01 missing    10 one of each    11 two copies of allele 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "import/genotype_reader.hpp"

namespace fastid {

/// The people of one block (32) in a row.
using Codes = std::uint64_t;

/// Words in a row: an even number; codes past the last person are 0.
inline std::size_t row_words(std::size_t n_people) {
  return 2 * ceil_div<std::size_t>(n_people, 2 * kLanes);
}

/// Copies of both alleles in a row.
GenotypeReader::AlleleCounts count_codes(std::span<const Codes> row, std::size_t n_people);

/// One word of every profile: up to 32 variants, a row each, turned into words.
class CodeBuffer {
 public:
  explicit CodeBuffer(std::size_t n_people);

  /// \param first_is_minor  bits say who carries allele 1; else who carries allele 2
  void put(std::size_t place, std::span<const Codes> row, bool first_is_minor);
  Word touched() const { return touched_; }
  void clear() { touched_ = first_is_minor_ = 0; }

  /// The words of the profiles of `first_block`, an even one, and of the next; variants that were not put are
  /// 0.
  void words_of_two(std::uint64_t first_block, Word (*bits)[kLanes], Word (*called)[kLanes]) const;

 private:
  std::size_t n_people_;
  std::vector<Codes> rows_;  ///< [variant][block]
  Word touched_ = 0, first_is_minor_ = 0;
};

}  // namespace fastid
