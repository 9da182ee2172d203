// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/weigh_pass.cpp"
#include "engine/cpu/weigh_pass.hpp"

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using WeighTag = hn::CappedTag<Word, kLanes>;
using WeighWords = hn::Vec<WeighTag>;
constexpr std::size_t kWeighStep = hn::MaxLanes(WeighTag());
constexpr std::size_t kWeighVectors = FASTID_AVX512 ? 2 : 1;  // as many as the registers hold
constexpr std::size_t kWeightBits = SiteWeightsByKind::kBits;

/// What the second plane says: nothing where there is none.
enum class WeighBy { kAlleles, kBits, kBitsAllCalled };

/// Where each kind is seen, of one word of several profiles.
template <WeighBy kBy>
struct KindsSeen {
  WeighWords kinds[SiteWeightsByKind::kKinds];

  HWY_INLINE KindsSeen(const Word* bits, const Word* second) {
    const WeighTag tag;
    const WeighWords minor = hn::LoadU(tag, bits);
    if constexpr (kBy == WeighBy::kBitsAllCalled) {
      kinds[0] = hn::Not(minor);  // also past the last site, where nothing has a weight
      kinds[1] = minor;
    } else {
      const WeighWords other = hn::LoadU(tag, second);
      kinds[0] = hn::AndNot(minor, other);
      kinds[1] = kBy == WeighBy::kAlleles ? hn::And(minor, other) : minor;
      if constexpr (kBy == WeighBy::kAlleles) kinds[2] = hn::AndNot(other, minor);
    }
  }

  /// The sites whose weight has a bit.
  HWY_INLINE WeighWords with(const std::array<Word, SiteWeightsByKind::kKinds>& bit) const {
    const WeighTag tag;
    WeighWords sites = hn::And(kinds[0], hn::Set(tag, bit[0]));
    sites = hn::OrAnd(sites, kinds[1], hn::Set(tag, bit[1]));
    if constexpr (kBy == WeighBy::kAlleles) sites = hn::OrAnd(sites, kinds[2], hn::Set(tag, bit[2]));
    return sites;
  }
};

/// \param at  where the first of the lanes has its first word
template <WeighBy kBy>
HWY_INLINE void weigh_lanes(std::span<const WeightedWord> words, const BlocksView& view, std::size_t at,
                            std::int32_t* sums) {
  const WeighTag tag;
  WeighWords counts[kWeighVectors][kWeightBits];
  for (auto& of_vector : counts)
    for (WeighWords& count : of_vector) count = hn::Zero(tag);
  for (const WeightedWord& word : words) {
    FASTID_UNROLL
    for (std::size_t v = 0; v < kWeighVectors; ++v) {
      const std::size_t place = at + word.word * kLanes + v * kWeighStep;
      const KindsSeen<kBy> seen(view.bits + place,
                                kBy == WeighBy::kBitsAllCalled ? nullptr : view.second + place);
      FASTID_UNROLL
      for (std::size_t b = 0; b < kWeightBits; ++b)
        counts[v][b] = hn::Add(counts[v][b], hn::PopulationCount(seen.with(word.bits[b])));
    }
  }
  for (std::size_t v = 0; v < kWeighVectors; ++v) {
    WeighWords sum = hn::Zero(tag);  // the highest bit counts below 0; what passes 2^32 comes back so
    for (std::size_t b = kWeightBits; b-- > 0;) {
      sum = hn::Add(sum, sum);
      sum = b + 1 == kWeightBits ? hn::Sub(sum, counts[v][b]) : hn::Add(sum, counts[v][b]);
    }
    const hn::RebindToSigned<WeighTag> with_sign;
    hn::StoreU(hn::BitCast(with_sign, sum), with_sign, sums + v * kWeighStep);
  }
}

template <WeighBy kBy>
void weigh_blocks(std::span<const WeightedWord> words, const BlocksView& view, std::int32_t* sums) {
  for (std::size_t block = 0; block < view.shape.n_blocks(); ++block)
    for (std::size_t lane = 0; lane < kLanes; lane += kWeighVectors * kWeighStep)
      weigh_lanes<kBy>(words, view, block * view.shape.block_words() + lane, sums + block * kLanes + lane);
}

void weigh_all(std::span<const WeightedWord> words, Encoding by, const BlocksView& view, std::int32_t* sums) {
  if (by == Encoding::kAlleles)
    weigh_blocks<WeighBy::kAlleles>(words, view, sums);
  else if (view.second != nullptr)
    weigh_blocks<WeighBy::kBits>(words, view, sums);
  else
    weigh_blocks<WeighBy::kBitsAllCalled>(words, view, sums);
}

}  // namespace
}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {
namespace {

HWY_EXPORT(weigh_all);

}  // namespace

void pass_weights(std::span<const WeightedWord> words, Encoding by, const BlocksView& view,
                  std::int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(weigh_all)(words, by, view, sums);
}

}  // namespace fastid::engine
#endif
