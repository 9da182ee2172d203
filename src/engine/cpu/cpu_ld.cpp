// The kernels of cpu_ld.hpp in Google Highway: this file is compiled once for each instruction set.
// cpu_kernel.cpp's rules for a fast inner loop hold here too.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/cpu_ld.cpp"
#include "engine/cpu/cpu_ld.hpp"

#include "base/cpu_target.hpp"
// In this order.
#include "engine/cpu/cpu_cases.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace {

// Rounding of sums of a few products of whole numbers, relative to the largest of them.
constexpr float kRounding = 1e-6F;

template <LdUnit kUnit, bool kAllCalled>
struct SiteCase {
  static constexpr LdSums kSums = sums_of(kUnit, kAllCalled);
  static constexpr PlaneList kQuery = planes_of(kSums, true);         ///< of the group's sites
  static constexpr PlaneList kStored = planes_of(kSums, false);       ///< of the block's
  static constexpr std::size_t kSites = kAllCalled ? kMostSites : 1;  ///< their sums fit into registers

  struct Planes {
    Vec plane[kStored.n];
  };
};

template <class Case>
struct Sums {
  Vec sum[Case::kSites][Case::kSums.n][kVectors];

  static constexpr std::size_t kOfSite = Case::kSums.n * kVectors, kAll = Case::kSites * kOfSite;
  /// All of them in one loop, which GCC unrolls soon enough to keep them in registers; of nested loops it
  /// does not.
  HWY_INLINE Vec& at(std::size_t k) { return sum[k / kOfSite][k % kOfSite / kVectors][k % kVectors]; }
};

template <class Case, std::size_t I = 0>
HWY_INLINE void add_sums(Vec (*sums)[kVectors], std::size_t v, const typename Case::Planes& stored,
                         const Vec* group) {
  if constexpr (I < Case::kSums.n) {
    constexpr LdSum kSum = Case::kSums.sums[I];
    add_terms<Case, kSum.terms, kSum.n_terms>(sums[I][v], stored, group);
    add_sums<Case, I + 1>(sums, v, stored, group);
  }
}

static_assert(kVectors <= 2);
template <class Case, std::size_t S = 0>
HWY_INLINE void add_sites(const Word* words, const typename Case::Planes* stored, Sums<Case>& sums) {
  if constexpr (S < Case::kSites) {
    Vec group[Case::kQuery.n];
    FASTID_UNROLL for (std::size_t k = 0; k < Case::kQuery.n; ++k) group[k] =
        broadcast(words + k * Case::kSites + S);
    add_sums<Case>(sums.sum[S], 0, stored[0], group);
    if constexpr (kVectors == 2) add_sums<Case>(sums.sum[S], 1, stored[1], group);
    add_sites<Case, S + 1>(words, stored, sums);
  }
}

template <class Case>
HWY_INLINE void add_word(const Word* minor, const Word* major, const Word* words, Sums<Case>& sums) {
  typename Case::Planes stored[kVectors];
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
      load_planes<Case>(minor + v * kWidth, major + v * kWidth, stored[v]);
  add_sites<Case>(words, stored, sums);
}

// n a - b c, less what rounding may add.
HWY_INLINE FloatVec least_spread(FloatVec n, FloatVec squares, FloatVec sum) {
  const FloatVec above = hn::Mul(n, squares), below = hn::Mul(sum, sum);
  return hn::Max(hn::NegMulAdd(hn::Set(kFloatTag, kRounding), hn::Add(above, below), hn::Sub(above, below)),
                 hn::Zero(kFloatTag));
}

// Elements whose pair may be linked, by the sums of a case where calls are missing.
template <LdUnit kUnit>
HWY_INLINE ElementMask may_pass_missing(const Vec (*sums)[kVectors], std::size_t v, float min_r2) {
  const auto sum = [&](std::size_t i) { return float_of(sums[i][v]); };
  const FloatVec three = hn::Set(kFloatTag, 3.0F), n = sum(0);
  FloatVec x, y, xx, yy, xy;
  if constexpr (kUnit == LdUnit::kHaplotypes) {
    x = xx = sum(1);
    y = yy = sum(2);
    xy = sum(3);
  } else {
    x = hn::Add(sum(1), sum(2));
    y = hn::Add(sum(3), sum(4));
    xx = hn::MulAdd(three, sum(2), sum(1));
    yy = hn::MulAdd(three, sum(4), sum(3));
    xy = sum(5);
  }
  const FloatVec above = hn::Mul(n, xy), below = hn::Mul(x, y);
  const FloatVec most =
      hn::MulAdd(hn::Set(kFloatTag, kRounding), hn::Add(above, below), hn::Abs(hn::Sub(above, below)));
  const FloatVec spreads =
      hn::Mul(least_spread(n, xx, x), hn::Mul(least_spread(n, yy, y), hn::Set(kFloatTag, min_r2)));
  const auto reaches = hn::Ge(hn::Mul(most, most), hn::Mul(spreads, hn::Set(kFloatTag, 1 - kRounding)));
  const auto has_both = hn::Gt(below, hn::Zero(kFloatTag));  // else a site without minor alleles
  return hn::RebindMask(kTag, hn::And(has_both, reaches));
}

// The same where all units are called: |xy - mean x sum| >= spread x spread - slack.
HWY_INLINE ElementMask may_pass_all_called(Vec xy, float mean, float spread, const SiteRun& run,
                                           std::size_t at) {
  const FloatVec covariance =
      hn::Abs(hn::NegMulAdd(hn::Set(kFloatTag, mean), hn::LoadU(kFloatTag, run.sum + at), float_of(xy)));
  const FloatVec need = hn::MulSub(hn::Set(kFloatTag, spread), hn::LoadU(kFloatTag, run.spread + at),
                                   hn::Set(kFloatTag, run.slack));
  return hn::RebindMask(kTag, hn::Ge(covariance, need));
}

// The sums of a group with kVectors vectors of a block's sites.
template <class Case>
HWY_INLINE Sums<Case> sums_of_lanes(const Word* minor, const Word* major, const Word* words,
                                    std::size_t n_words) {
  Sums<Case> sums;
  FASTID_UNROLL for (std::size_t k = 0; k < Sums<Case>::kAll; ++k) sums.at(k) = hn::Zero(kTag);
  for (std::size_t word = 0; word < n_words; ++word) {
    add_word<Case>(minor, major, words, sums);
    minor += kLanes;
    major += kLanes;
    words += Case::kQuery.n * Case::kSites;
  }
  return sums;
}

template <LdUnit kUnit, bool kAllCalled>
HWY_NOINLINE std::size_t find_in_blocks(const SiteRun& run, const SiteGroup& group, MaySites& may) {
  using Case = SiteCase<kUnit, kAllCalled>;
  for (std::size_t block = 0; block < run.n_blocks; ++block) {
    std::uint32_t any = 0;
    may = {};
    for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth) {
      const std::size_t from = block * run.n_words * kLanes + lane;
      Sums<Case> sums = sums_of_lanes<Case>(run.minor + from, run.major + from, group.words, run.n_words);
      FASTID_UNROLL for (std::size_t k = 0; k < Case::kSites * kVectors; ++k) {
        const std::size_t s = k / kVectors, v = k % kVectors;
        const std::size_t at = lane + v * kWidth;
        ElementMask passes;
        if constexpr (kAllCalled)
          passes = may_pass_all_called(sums.sum[s][0][v], group.mean[s], group.spread[s], run,
                                       block * kLanes + at);
        else
          passes = may_pass_missing<kUnit>(sums.sum[s], v, run.min_r2);
        const std::uint32_t bits = bits_of(passes) << at;
        may[s] |= bits;
        any |= bits;
      }
    }
    if (HWY_UNLIKELY(any != 0)) return block;
  }
  return run.n_blocks;
}

template <LdUnit kUnit, bool kAllCalled>
HWY_NOINLINE void count_block_sums(const Word* minor, const Word* major, std::size_t n_words,
                                   const SiteGroup& group, BlockSums& out) {
  using Case = SiteCase<kUnit, kAllCalled>;
  for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth) {
    Sums<Case> sums = sums_of_lanes<Case>(minor + lane, major + lane, group.words, n_words);
    constexpr std::size_t kOfSite = Sums<Case>::kOfSite;
    FASTID_UNROLL for (std::size_t k = 0; k < Sums<Case>::kAll; ++k)
        hn::StoreU(sums.at(k), kTag, &out[k / kOfSite][k % kOfSite / kVectors][lane + k % kVectors * kWidth]);
  }
}

template <LdUnit kUnit, bool kAllCalled>
LdKernel kernel_of() {
  return {&find_in_blocks<kUnit, kAllCalled>, &count_block_sums<kUnit, kAllCalled>,
          SiteCase<kUnit, kAllCalled>::kSites};
}

}  // namespace

LdKernel make_ld_kernel(LdUnit unit, bool all_called) {
  using enum LdUnit;
  if (unit == kHaplotypes)
    return all_called ? kernel_of<kHaplotypes, true>() : kernel_of<kHaplotypes, false>();
  return all_called ? kernel_of<kGenotypes, true>() : kernel_of<kGenotypes, false>();
}

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {

HWY_EXPORT(make_ld_kernel);

LdKernel ld_kernel(LdUnit unit, bool all_called) {
  return HWY_DYNAMIC_DISPATCH(make_ld_kernel)(unit, all_called);
}

}  // namespace fastid::engine
#endif
