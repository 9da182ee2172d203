/// \file
/// Random numbers that are the same on every machine: xoshiro256** (D. Blackman, S. Vigna, 2018), one stream
/// for each purpose and index.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fastid::simulate {

/// The purpose of a stream; streams with different purposes are independent.
enum class Purpose : std::uint64_t {
  kPanel = 1,
  kAlleles,
  kErrors,
  kCalls,
  kCaseRows,
  kCaseErrors,
  kCaseCalls,
  kAbsent,
  kDrift,
  kPopulations,
  kAbsentPopulations,
  kPlaces,
  kRelatives,
  kDescent,
  kDuplicateErrors,
  kTrials,
  kTraitSites,
  kTrait,
  kVectors,
  kVectorCalls,
  kSexes,
  kAbsentSexes,
  kLines,
  kAbsentLines,
  kTrees,
  kKinds,
  kDescentOfX,
  kDisaster,
  kKindreds,
  kKindredAlleles,
  kKindredDescent,
  kSampleErrors,
  kSampleCalls,
  kPermutations,
  kStainRows,
  kStainCopies,
  kStainReads
};

class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    std::uint64_t key = mix(mix(mix(seed) + static_cast<std::uint64_t>(purpose)) + index);
    for (std::uint64_t& word : state_) word = mix(key += kGolden);
  }

  /// 64 random bits.
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Passes over n numbers of next(), in a time that does not grow with n.
  void skip(std::uint64_t n);

  /// Uniform in [0, n), n > 0: numbers that would make some results more probable are drawn again.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t reject = -n % n;  // 2^64 mod n
    for (;;)
      if (const std::uint64_t x = next(); x >= reject) return x % n;
  }

  /// Uniform in (0, 1), 53 bits.
  double uniform() { return std::ldexp(static_cast<double>(next() >> 11) + 0.5, -53); }

 private:
  Stream() = default;

  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

  /// The finaliser of SplitMix64.
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x += kGolden;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }

  std::array<std::uint64_t, 4> state_{};
};

/// A probability as a 64-bit fraction.
class Probability {
 public:
  explicit Probability(double p)
      : always_(p >= 1),
        threshold_(always_ || !(p > 0) ? 0 : static_cast<std::uint64_t>(std::ldexp(p, 64))) {}

  bool never() const { return !always_ && threshold_ == 0; }

  /// 64 independent bits, each 1 with this probability: 64 uniform numbers, drawn bit by bit, are compared
  /// with the threshold from the top bit down. After some 7 bits all are decided. Exact to 2^-64.
  std::uint64_t draw(Stream& stream) const {
    if (always_) return ~std::uint64_t{0};
    std::uint64_t below = 0, equal = ~std::uint64_t{0};
    for (std::uint64_t rest = threshold_; equal != 0 && rest != 0; rest <<= 1) {
      const std::uint64_t slice = stream.next(), top = rest >> 63 ? ~std::uint64_t{0} : 0;
      below |= equal & ~slice & top;
      equal &= ~(slice ^ top);
    }
    return below;
  }

 private:
  friend std::uint64_t draw_mixed(std::span<const Probability>, std::span<const std::uint64_t>, Stream&);

  bool always_;
  std::uint64_t threshold_;
};

/// 64 independent bits; each bit of the mask groups[k] is 1 with probability p[k]. Each of the 64 bits is in
/// one group; there are at most kMostGroups groups.
inline constexpr std::size_t kMostGroups = 16;
inline std::uint64_t draw_mixed(std::span<const Probability> p, std::span<const std::uint64_t> groups,
                                Stream& stream) {
  std::array<std::uint64_t, kMostGroups> rest{};
  std::uint64_t below = 0, left = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k].always_) below |= groups[k];
    left |= rest[k] = p[k].threshold_;
  }
  for (std::uint64_t equal = ~below; equal != 0 && left != 0;) {
    const std::uint64_t slice = stream.next();
    std::uint64_t top = left = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (rest[k] >> 63) top |= groups[k];
      left |= rest[k] <<= 1;
    }
    below |= equal & ~slice & top;
    equal &= ~(slice ^ top);
  }
  return below;
}

}  // namespace fastid::simulate
