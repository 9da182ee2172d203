/// \file
/// Some units of profiles that were turned on their side (bits/turned.hpp): of each profile only the bits
/// that a mask picks, close together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// Picked units of one or more views of Encoding::kAlleles, the first view's units first. There may be none.
class PickedUnits {
 public:
  /// \param from    the same profiles, each with its own units
  /// \param picked  for each view, the units that are picked, as a row of bits
  /// \param first   profiles before this one stay 0, since nobody reads them
  /// \throws Failure where there is not enough memory
  PickedUnits(std::span<const BlocksView> from, std::span<const std::vector<Word>> picked,
              std::uint64_t first = 0);

  BlocksView view() const { return {shape_, minor_.data(), major_.data()}; }

 private:
  void take(const BlocksView& from, std::size_t word, Word picked, std::uint64_t first, std::size_t to);

  BlockShape shape_;
  WordBuffer minor_, major_;
};

}  // namespace fastid
