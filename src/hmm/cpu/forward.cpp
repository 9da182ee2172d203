// The kernels of forward.hpp in Google Highway: this file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hmm/cpu/forward.cpp"
#include "hmm/cpu/forward.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::hmm::HWY_NAMESPACE {
namespace forward {
namespace hn = hwy::HWY_NAMESPACE;
using hmm::error_rates;
using hmm::ForwardKernels;
using hmm::ForwardMemory;
using hmm::kAnyBase;
using hmm::kBaseBits;
using hmm::kLeastBaseQuality;
using hmm::kMostQuality;
using hmm::kQualityBits;
using hmm::Lane;
using hmm::quality_of;

// Rows of a strip: as many as registers can hold the parameters of.
constexpr std::size_t kRows = FASTID_VECTOR_REGISTERS == 32 ? 3 : 2;

// The power of two that D[0] is scaled by, and the least sum that is trusted: numbers below the format's
// smallest, in all cells together, are negligible beside it.
template <class T>
struct Range;
template <>
struct Range<float> {
  static constexpr int kScale = 100;
  static constexpr float kLeast = 0x1p-86F;
};
template <>
struct Range<double> {
  static constexpr int kScale = 900;
  static constexpr double kLeast = 0x1p-900;
};

template <class T>
struct Kernel {
  using D = hn::CappedTag<T, 64 / sizeof(T)>;
  using Unsigned = hwy::MakeUnsigned<T>;
  using DU = hn::Rebind<Unsigned, D>;
  using Mask = hn::Mask<D>;
  using V = hn::VFromD<D>;
  using VU = hn::VFromD<DU>;
  static constexpr D kTag{};
  static constexpr DU kWords{};
  static constexpr std::size_t kLanes = hn::MaxLanes(D());
  // Bits of a quality that one lookup in a register of kLanes numbers takes.
  static constexpr unsigned kLookupBits = kLanes >= 16  ? 4
                                          : kLanes >= 8 ? 3
                                          : kLanes >= 4 ? 2
                                          : kLanes >= 2 ? 1
                                                        : 0;
  static constexpr std::size_t kLookups =
      kLookupBits == 0 ? 1 : (kQualityBits + kLookupBits - 1) / (kLookupBits == 0 ? 1 : kLookupBits);

  // 10^(-q/10) as a product of numbers that are looked up by some bits of q.
  class Rates {
   public:
    HWY_INLINE Rates() {
      for (std::size_t k = 0; k < kLookups; ++k)
        for (std::size_t i = 0; i < kLanes; ++i) {
          const std::size_t q = std::min<std::size_t>(i << (k * kLookupBits), kMostQuality);
          table_[k * kLanes + i] = static_cast<T>(error_rates()[q]);
        }
    }
    HWY_INLINE V operator()(VU quality) const {
      if constexpr (kLookupBits == 0) {
        alignas(64) Unsigned q[kLanes];
        alignas(64) T rate[kLanes];
        hn::Store(quality, kWords, q);
        for (std::size_t i = 0; i < kLanes; ++i)
          rate[i] = static_cast<T>(error_rates()[static_cast<std::size_t>(q[i])]);
        return hn::Load(kTag, rate);
      } else {
        V rate = look_up(quality, 0);
        for (std::size_t k = 1; k < kLookups; ++k) {
          quality = hn::ShiftRight<kLookupBits>(quality);
          rate = hn::Mul(rate, look_up(quality, k));
        }
        return rate;
      }
    }

   private:
    HWY_INLINE V look_up(VU quality, std::size_t k) const {
      const VU bits = hn::And(quality, hn::Set(kWords, (Unsigned{1} << kLookupBits) - 1));
      return hn::TableLookupLanes(hn::Load(kTag, table_ + k * kLanes), hn::IndicesFromVec(kTag, bits));
    }
    alignas(64) T table_[kLookups * kLanes];
  };

  // A row's probabilities, and whether there is a row.
  struct Transitions {
    V error, to_insertion, to_deletion, go_on, stay, back;
    Mask none;
    VU base;
  };

  static HWY_INLINE Transitions transitions(VU row, const Rates& rates) {
    const auto quality = [&](VU bits) { return hn::And(bits, hn::Set(kWords, Unsigned{kMostQuality})); };
    Transitions t;
    const V one = hn::Set(kTag, T{1});
    t.base = hn::And(row, hn::Set(kWords, Unsigned{kAnyBase}));
    t.none = hn::RebindMask(kTag, hn::Eq(t.base, hn::Zero(kWords)));
    t.error =
        rates(hn::Max(quality(hn::ShiftRight<kBaseBits>(row)), hn::Set(kWords, Unsigned{kLeastBaseQuality})));
    t.to_insertion = rates(quality(hn::ShiftRight<kBaseBits + kQualityBits>(row)));
    t.to_deletion = rates(quality(hn::ShiftRight<kBaseBits + 2 * kQualityBits>(row)));
    t.go_on = rates(quality(hn::ShiftRight<kBaseBits + 3 * kQualityBits>(row)));
    t.stay = hn::Sub(one, hn::Add(t.to_insertion, t.to_deletion));
    t.back = hn::Sub(one, t.go_on);
    return t;
  }

  // The factors of a strip's rows; for row i: A, C, b of the row below, ii, and p mm of either case.
  struct Strip {
    VU base[kRows];
    V match[kRows], mismatch[kRows], insertion[kRows], deletion[kRows], below[kRows], go_on[kRows];
    V left[kRows];  ///< S[i-1][0]
  };

  // Walks down the rows of a vector of reads; each row's parameters depend on the rows around it.
  class RowWalk {
   public:
    HWY_INLINE RowWalk(const Unsigned* rows, std::size_t n, V start)
        : rows_(rows),
          n_(n),
          start_(start),
          above_none_(hn::Eq(start, start)),
          row_(transitions(load(0), rates_)) {}

    HWY_INLINE void next(Strip& strip, std::size_t k) {
      const V one = hn::Set(kTag, T{1}), zero = hn::Zero(kTag);
      const bool last = ++at_ == n_;
      Transitions next = row_;
      if (!last) next = transitions(load(at_), rates_);
      const V next_stay = last ? one : next.stay, next_back = last ? one : next.back;
      const V open = hn::Div(row_.to_insertion, row_.stay);
      strip.base[k] = row_.base;
      strip.match[k] = hn::IfThenElse(row_.none, one, hn::Mul(hn::Sub(one, row_.error), next_stay));
      strip.mismatch[k] =
          hn::IfThenElse(row_.none, one, hn::Mul(hn::Mul(row_.error, hn::Set(kTag, T{1} / 3)), next_stay));
      strip.insertion[k] = hn::IfThenZeroElse(above_none_, hn::Mul(next_back, open));
      strip.deletion[k] =
          last ? zero
               : hn::IfThenZeroElse(row_.none, hn::Div(hn::Mul(next_back, row_.to_deletion), next_stay));
      strip.below[k] = hn::IfThenZeroElse(
          above_none_, hn::Mul(next.go_on, hn::Div(hn::Mul(open, next.stay), next.to_insertion)));
      strip.go_on[k] = hn::IfThenZeroElse(row_.none, row_.go_on);
      strip.left[k] = hn::IfThenElseZero(above_none_, start_);
      above_none_ = row_.none;
      row_ = next;
    }

   private:
    HWY_INLINE VU load(std::size_t i) const { return hn::LoadU(kWords, rows_ + i * kLanes); }

    Rates rates_;
    const Unsigned* rows_;
    std::size_t n_, at_ = 0;
    V start_;
    Mask above_none_;
    Transitions row_;
  };

  // Reads S and J of the row above a strip, and replaces them by the ones of the strip's last row.
  static HWY_INLINE void walk(const Strip& strip, const Unsigned* bases, std::size_t columns, T* sums,
                              T* insertions) {
    V deletion[kRows], before[kRows];
    FASTID_UNROLL for (std::size_t k = 0; k < kRows; ++k) deletion[k] = hn::Zero(kTag);
    FASTID_UNROLL for (std::size_t k = 0; k < kRows; ++k) before[k] = strip.left[k];
    for (std::size_t j = 0; j < columns; ++j) {
      const VU base = hn::Load(kWords, bases + j * kLanes);
      V above = hn::Load(kTag, sums + j * kLanes);
      V insertion = hn::Load(kTag, insertions + j * kLanes);
      V diagonal = before[0];
      before[0] = above;
      V sum = above;
      FASTID_UNROLL for (std::size_t k = 0; k < kRows; ++k) {
        const auto equal = hn::RebindMask(kTag, hn::Ne(hn::And(base, strip.base[k]), hn::Zero(kWords)));
        const V match = hn::Mul(hn::IfThenElse(equal, strip.match[k], strip.mismatch[k]), diagonal);
        sum = hn::MulAdd(strip.deletion[k], deletion[k], hn::MulAdd(strip.insertion[k], insertion, match));
        deletion[k] = hn::MulAdd(strip.go_on[k], deletion[k], match);
        insertion = hn::MulAdd(strip.below[k], insertion, match);
        if (k + 1 < kRows) {
          diagonal = before[k + 1];
          before[k + 1] = sum;
        }
      }
      hn::Store(sum, kTag, sums + j * kLanes);
      hn::Store(insertion, kTag, insertions + j * kLanes);
    }
  }

  // A vector of pairs in memory. Elements without a pair have rows of 0 and haplotypes of no column.
  struct Laid {
    std::size_t rows = 0, columns = 0;
    Unsigned *row = nullptr, *base = nullptr;
    T *sums = nullptr, *insertions = nullptr;
  };

  static HWY_INLINE Laid lay_out(std::span<const Lane> lanes, ForwardMemory& memory) {
    Laid laid;
    for (const Lane& lane : lanes) {
      laid.rows = std::max(laid.rows, lane.rows.size());
      laid.columns = std::max(laid.columns, lane.bases.size());
    }
    laid.rows = (laid.rows + kRows - 1) / kRows * kRows;
    const std::size_t numbers = (laid.rows + 3 * laid.columns) * kLanes;
    memory.bytes.resize(numbers * sizeof(T) + 64);
    void* at = memory.bytes.data();
    std::size_t room = memory.bytes.size();
    std::align(64, numbers * sizeof(T), at, room);
    laid.row = static_cast<Unsigned*>(at);
    laid.base = laid.row + laid.rows * kLanes;
    laid.sums = reinterpret_cast<T*>(laid.base + laid.columns * kLanes);
    laid.insertions = laid.sums + laid.columns * kLanes;
    std::memset(laid.row, 0, (laid.rows + laid.columns) * kLanes * sizeof(T));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Unsigned* to = laid.row + (laid.rows - lanes[i].rows.size()) * kLanes + i;
      for (std::size_t r = 0; r < lanes[i].rows.size(); ++r) to[r * kLanes] = lanes[i].rows[r];
      to = laid.base + i;
      for (std::size_t j = 0; j < lanes[i].bases.size(); ++j) to[j * kLanes] = lanes[i].bases[j];
    }
    return laid;
  }

  // D[0] im[1] of each element; 1 for elements without a pair.
  static HWY_INLINE V starts(std::span<const Lane> lanes) {
    alignas(64) T start[kLanes];
    std::fill(start, start + kLanes, T{1});
    for (std::size_t i = 0; i < lanes.size(); ++i)
      start[i] = static_cast<T>(std::ldexp(
          (1 - error_rates()[quality_of(lanes[i].rows[0], 3)]) / static_cast<double>(lanes[i].bases.size()),
          Range<T>::kScale));
    return hn::Load(kTag, start);
  }

  static HWY_INLINE void add_up(std::span<const Lane> lanes, const Laid& laid, double* log10) {
    alignas(64) Unsigned columns[kLanes] = {};
    for (std::size_t i = 0; i < lanes.size(); ++i) columns[i] = static_cast<Unsigned>(lanes[i].bases.size());
    const VU ends = hn::Load(kWords, columns);
    V total = hn::Zero(kTag);
    for (std::size_t j = 0; j < laid.columns; ++j) {
      const auto within = hn::RebindMask(kTag, hn::Gt(ends, hn::Set(kWords, static_cast<Unsigned>(j))));
      total = hn::Add(total, hn::IfThenElseZero(within, hn::Load(kTag, laid.sums + j * kLanes)));
    }
    alignas(64) T sums[kLanes];
    hn::Store(total, kTag, sums);
    for (std::size_t i = 0; i < lanes.size(); ++i)
      log10[i] = sums[i] >= Range<T>::kLeast && sums[i] <= std::numeric_limits<T>::max()
                     ? std::log10(static_cast<double>(sums[i])) - Range<T>::kScale * std::log10(2.0)
                     : std::numeric_limits<double>::quiet_NaN();
  }

  static HWY_NOINLINE void run(std::span<const Lane> lanes, ForwardMemory& memory, double* log10) {
    const Laid laid = lay_out(lanes, memory);
    const V start = starts(lanes);
    for (std::size_t j = 0; j < laid.columns; ++j) {
      hn::Store(start, kTag, laid.sums + j * kLanes);
      hn::Store(hn::Zero(kTag), kTag, laid.insertions + j * kLanes);
    }
    RowWalk rows(laid.row, laid.rows, start);
    for (std::size_t i = 0; i < laid.rows; i += kRows) {
      Strip strip;
      for (std::size_t k = 0; k < kRows; ++k) rows.next(strip, k);
      walk(strip, laid.base, laid.columns, laid.sums, laid.insertions);
    }
    add_up(lanes, laid, log10);
  }
};

const ForwardKernels kKernels = {&Kernel<float>::run, &Kernel<double>::run, Kernel<float>::kLanes,
                                 Kernel<double>::kLanes, hwy::TargetName(HWY_TARGET)};

}  // namespace forward

const hmm::ForwardKernels* forward_kernels_here() {
  return &forward::kKernels;
}

}  // namespace fastid::hmm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/cpu_dispatch.hpp"  // after cpu_target.hpp, which defines the targets

namespace fastid::hmm {

HWY_EXPORT(forward_kernels_here);

const ForwardKernels& forward_kernels() {
  return *HWY_DYNAMIC_DISPATCH(forward_kernels_here)();
}

const ForwardKernels* forward_kernels_of(const std::string& target) {
  return dispatched_to(target, [] { return HWY_DYNAMIC_DISPATCH(forward_kernels_here)(); });
}

}  // namespace fastid::hmm
#endif
