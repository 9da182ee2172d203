/// \file
/// Detects the genome build from the positions of well-known SNPs, for files that do not state their build.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

class BuildDetector {
 public:
  /// Takes a site of the file. Cheap, since most ids are no known SNP's.
  void see(std::string_view id, std::uint32_t pos);

  /// The build of the positions seen so far; kUnknown where no known SNP was seen, or where they belong to
  /// several builds.
  GenomeBuild found() const;

 private:
  std::array<std::uint32_t, 4> votes_{};  ///< indexed by GenomeBuild
};

/// The build of a panel's sites.
GenomeBuild detect_build(const Panel& panel);

}  // namespace fastid
