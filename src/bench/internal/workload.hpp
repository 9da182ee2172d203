/// \file
/// The data of a measurement: simulated people in memory or in a file, and queries made from them.
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

/// On which side calls are missing.
enum class Masks { kNone, kQuery, kStored, kBoth };
constexpr bool masks_query(Masks masks) {
  return masks == Masks::kQuery || masks == Masks::kBoth;
}
constexpr bool masks_stored(Masks masks) {
  return masks == Masks::kStored || masks == Masks::kBoth;
}

inline constexpr double kNoCallRate = 0.02;  ///< where a mask is asked for
inline constexpr double kErrorRate = 0.005;  ///< share of a query's bits that are flipped

/// Profiles in memory. Both constructors throw UsageError where this machine has too little memory.
class People {
 public:
  /// Simulated ones.
  People(const BlockShape& shape, bool with_called, ThreadPool& pool, std::uint64_t seed);
  /// All of `source`. \throws InputError.
  People(const BlockSource& source, ThreadPool& pool);

  const BlockShape& shape() const { return shape_; }
  bool with_called() const { return called_.size() > 0; }

  /// A view with or without the called plane; the bits are the same.
  BlocksView view(bool with_called) const {
    return {shape_, bits_.data(), with_called ? called_.data() : nullptr};
  }
  std::span<const Word> bits() const { return bits_.span(); }

 private:
  BlockShape shape_;
  WordBuffer bits_, called_;
};

/// Queries from profiles of `source`, spread evenly over it. For identity and reverse mixture a query is a
/// profile with errors, for mixture all alleles of three profiles. Where `masked`, some sites are not called.
/// \throws InputError (reading).
ProfileRows make_queries(const BlockSource& source, Comparison comparison, std::size_t n, bool masked,
                         std::uint64_t seed);

}  // namespace fastid::bench
