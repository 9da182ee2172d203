/// \file
/// Known variants, from a VCF, which a sample's haplotypes may have beside a site of the panel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fastid::imports {

/// `reference` at `pos` (1-based) may be `other` instead; both of A, C, G, T, 1 to kMost bases.
struct KnownVariant {
  static constexpr std::size_t kMost = 30;

  std::uint32_t pos = 0;
  std::string reference, other;

  std::uint32_t end() const { return pos + static_cast<std::uint32_t>(reference.size()); }
};

class KnownVariants {
 public:
  KnownVariants() = default;
  /// The variants of the VCF or BCF, each alternative allele by itself; variants of more than kMost bases are
  /// left out. \throws InputError
  explicit KnownVariants(const std::string& path);

  /// The variants of a chromosome (normal_chromosome()) that lie within first .. last and not over `site`:
  /// at most `most` variants, the nearest to it, ordered by position and without overlaps.
  std::vector<KnownVariant> beside(std::string_view chrom, std::uint32_t first, std::uint32_t last,
                                   std::uint32_t site, std::size_t most) const;

 private:
  std::unordered_map<std::string, std::vector<KnownVariant>> by_chromosome_;  ///< by position
};

}  // namespace fastid::imports
