/// \file
/// Copies of minor alleles, and bits, in blocks by the formula of the file format, with no code of src/ that
/// packs: bit u of vector i is bit u % 32 of word [i / 32, u / 32, i % 32].
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits/blocks.hpp"
#include "support/cohort.hpp"

namespace fastid::testing {

/// Sets the bits of a plane at which has(vector, unit) is true.
template <class Has>
WordBuffer packed_plane(std::uint32_t vectors, std::uint32_t units, const Has& has) {
  const std::size_t words = (units + 31) / 32;
  WordBuffer plane((vectors + 31) / 32 * words * 32);
  for (std::uint32_t i = 0; i < vectors; ++i)
    for (std::uint32_t u = 0; u < units; ++u)
      if (has(i, u)) plane.data()[(i / 32 * words + u / 32) * 32 + i % 32] |= std::uint32_t{1} << u % 32;
  return plane;
}

/// A cohort's sites: where a minor allele was seen, and where a major one was.
class PackedCopies {
 public:
  explicit PackedCopies(const Cohort& cohort)
      : shape_{cohort.n_sites, cohort.units, Encoding::kAlleles},
        minor_(packed_plane(cohort.n_sites, cohort.units,
                            [&](std::uint32_t s, std::uint32_t u) { return cohort.copies[s][u] > 0; })),
        major_(packed_plane(cohort.n_sites, cohort.units, [&](std::uint32_t s, std::uint32_t u) {
          const int copies = cohort.copies[s][u];
          return copies == 0 || (copies == 1 && cohort.unit == engine::LdUnit::kGenotypes);
        })) {}

  BlocksView view() const { return {shape_, minor_.data(), major_.data()}; }

 private:
  BlockShape shape_;
  WordBuffer minor_, major_;
};

}  // namespace fastid::testing
