/// \file
/// What is searched in a measurement: simulated people in memory or in a file, and queries made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/comparison.hpp"

namespace fastid::bench {

/// Where calls are missing.
enum class Masks { kNone, kQuery, kStored, kBoth };
constexpr bool masks_query(Masks masks) {
  return masks == Masks::kQuery || masks == Masks::kBoth;
}
constexpr bool masks_stored(Masks masks) {
  return masks == Masks::kStored || masks == Masks::kBoth;
}

inline constexpr double kNoCallRate = 0.02;  ///< where a mask is asked for
inline constexpr double kErrorRate = 0.005;  ///< of a query's bits

/// Profiles in memory. Both constructors throw UsageError where this machine has not that much.
class People {
 public:
  /// Simulated ones.
  People(const BlockShape& shape, bool with_called, ThreadPool& pool, std::uint64_t seed);
  /// All of `source`. \throws InputError.
  People(const BlockSource& source, ThreadPool& pool);

  const BlockShape& shape() const { return shape_; }
  bool with_called() const { return called_.size() > 0; }

  /// With the called plane or without it; the bits are the same.
  BlocksView view(bool with_called) const {
    return {shape_, bits_.data(), with_called ? called_.data() : nullptr};
  }
  std::span<const Word> bits() const { return bits_.span(); }

 private:
  BlockShape shape_;
  WordBuffer bits_, called_;
};

/// Queries from profiles of `source`, spread evenly over it: identity and reverse mixture, a profile again
/// with errors; mixture, all alleles of three profiles. Where masked, with sites that are not called.
/// \throws InputError (reading).
ProfileRows make_queries(const BlockSource& source, Comparison comparison, std::size_t n, bool masked,
                         std::uint64_t seed);

}  // namespace fastid::bench
