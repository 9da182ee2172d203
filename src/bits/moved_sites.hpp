/// \file
/// A source's profiles on the sites of another panel: each site comes from one of the source's, or is not
/// called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// Where a site comes from.
struct SiteOrigin {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t site = kNone;  ///< of the source; kNone: it has no such site
  bool swapped = false;        ///< the source's minor allele is the major one here

  friend bool operator==(const SiteOrigin&, const SiteOrigin&) = default;
};

/// A swapped site of Encoding::kMinor is not called: what is said of one allele says nothing of the other.
class MovedSites final : public BlockSource {
 public:
  /// \param source  must outlive this object, which reads, and so checks, its blocks whole
  /// \param origins  one for each site, below the source's number of sites
  MovedSites(const BlockSource& source, std::vector<SiteOrigin> origins)
      : source_(source), origins_(std::move(origins)) {}

  BlockShape shape() const override;
  bool has_second() const override { return true; }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;

 private:
  const BlockSource& source_;
  std::vector<SiteOrigin> origins_;
};

}  // namespace fastid
