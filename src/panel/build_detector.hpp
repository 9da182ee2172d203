/// \file
/// Genome builds from the positions of well-known SNPs, for files that do not say which build they are of.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

class BuildDetector {
 public:
  /// A site of the file. Cheap: most ids are none of those that are known.
  void see(std::string_view id, std::uint32_t pos);

  /// The build that the positions seen so far are of; kUnknown where none was seen that tells, or where they
  /// are of several.
  GenomeBuild found() const;

 private:
  std::array<std::uint32_t, 4> votes_{};  ///< by GenomeBuild
};

/// Of a panel's sites.
GenomeBuild detect_build(const Panel& panel);

}  // namespace fastid
