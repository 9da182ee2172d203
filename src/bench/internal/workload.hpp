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
  /// Simulated profiles. \param missing  whether calls are missing; there is a second plane then, or where
  /// the shape's encoding always has one
  People(const BlockShape& shape, bool missing, ThreadPool& pool, std::uint64_t seed);
  /// All profiles of `source`. \throws InputError.
  People(const BlockSource& source, ThreadPool& pool);

  const BlockShape& shape() const { return shape_; }
  bool has_second() const { return second_.size() > 0; }

  /// A view with or without the second plane; the bits are the same.
  BlocksView view(bool with_second) const {
    return {shape_, bits_.data(), with_second ? second_.data() : nullptr};
  }
  std::span<const Word> bits() const { return bits_.span(); }

 private:
  BlockShape shape_;
  WordBuffer bits_, second_;
};

/// Queries from profiles of `source`, spread evenly over it. For identity, reverse mixture and kinship a
/// query is a profile with errors, for mixture all alleles of three profiles. Where `masked`, some sites are
/// not called. \param by  kAlleles: the queries say which alleles were seen, as `source` must too \throws
/// InputError (reading).
ProfileRows make_queries(const BlockSource& source, engine::Comparison comparison, Encoding by, std::size_t n,
                         bool masked, std::uint64_t seed);

}  // namespace fastid::bench
