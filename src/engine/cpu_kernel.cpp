// The kernels of cpu_kernel.hpp by Google Highway: this file is compiled once for each instruction set.
//
// What was learnt on GCC 12 and keeps the inner loop clean (look at its machine code after a change):
//   - it would load a stored vector again for each query, as a memory operand: IN_REGISTER forbids that;
//   - the loop must stay in a function of its own, away from the code that takes candidates.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu_kernel.cpp"
#define HWY_WANT_AVX3_DL 1  // or VPOPCNTDQ is not used
// Arrays of vectors need a size known at compile time.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "engine/cpu_kernel.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef FASTID_UNROLL
#undef FASTID_IN_REGISTER
#undef FASTID_AVX512
#define FASTID_AVX512 (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
#define FASTID_UNROLL _Pragma("GCC unroll 16")
#if FASTID_AVX512
#define FASTID_IN_REGISTER(v) asm volatile("" : "+v"((v).raw))
#else
#define FASTID_IN_REGISTER(v) static_cast<void>(v)
#endif

using Tag = hn::CappedTag<std::uint32_t, 16>;
using FloatTag = hn::RebindToFloat<Tag>;
using SignedTag = hn::RebindToSigned<Tag>;
using Vec = hn::VFromD<Tag>;
using LaneMask = decltype(hn::FirstN(Tag(), 0));
constexpr Tag kTag;
constexpr std::size_t kWidth = hn::MaxLanes(Tag());

// Vectors of a word row that are counted together: with 32 registers the whole row of 32 profiles on AVX-512;
// with 16 registers one, so that the counts of 8 queries fit.
constexpr std::size_t kVectors = FASTID_AVX512 || HWY_ARCH_ARM_A64 ? 2 : 1;

// (a & b) ^ c and (a ^ b) & c, each one instruction where there is one for any three-way logic.
HWY_INLINE Vec and_xor(Vec a, Vec b, Vec c) {
#if FASTID_AVX512
  return Vec{_mm512_ternarylogic_epi32(a.raw, b.raw, c.raw, 0x6A)};
#else
  return hn::Xor(hn::And(a, b), c);
#endif
}
HWY_INLINE Vec xor_and(Vec a, Vec b, Vec c) {
#if FASTID_AVX512
  return Vec{_mm512_ternarylogic_epi32(a.raw, b.raw, c.raw, 0x28)};
#else
  return hn::And(hn::Xor(a, b), c);
#endif
}

// The cases. x: the stored bits as prepared; c: called; q, m: the query's words, broadcast.
struct Plain {
  static HWY_INLINE Vec prepare(Vec d, Vec) { return d; }
  static HWY_INLINE Vec weight(Vec, Vec, Vec, Vec) { return hn::Zero(kTag); }
};
struct Differ : Plain {
  static constexpr KernelCase kCase = KernelCase::kDiffer;
  static HWY_INLINE Vec count(Vec x, Vec, Vec q, Vec) { return hn::Xor(x, q); }
};
struct DifferQueryMask : Plain {
  static constexpr KernelCase kCase = KernelCase::kDifferQueryMask;
  static HWY_INLINE Vec count(Vec x, Vec, Vec q, Vec m) { return and_xor(x, m, q); }
};
struct DifferStoredMask : Plain {
  static constexpr KernelCase kCase = KernelCase::kDifferStoredMask;
  static HWY_INLINE Vec count(Vec x, Vec c, Vec q, Vec) { return and_xor(q, c, x); }
};
struct DifferBothMasks : Plain {
  static constexpr KernelCase kCase = KernelCase::kDifferBothMasks;
  static HWY_INLINE Vec count(Vec x, Vec c, Vec q, Vec m) { return xor_and(x, q, hn::And(m, c)); }
  static HWY_INLINE Vec weight(Vec, Vec c, Vec, Vec m) { return hn::And(m, c); }
};
struct Inside : Plain {
  static constexpr KernelCase kCase = KernelCase::kInside;
  static HWY_INLINE Vec count(Vec x, Vec, Vec q, Vec) { return hn::And(x, q); }
};
struct InsideMasked : Inside {
  static constexpr KernelCase kCase = KernelCase::kInsideMasked;
  static HWY_INLINE Vec weight(Vec x, Vec, Vec, Vec m) { return hn::And(x, m); }
};
struct Missing : Plain {
  static constexpr KernelCase kCase = KernelCase::kMissing;
  static HWY_INLINE Vec count(Vec x, Vec, Vec q, Vec) { return hn::AndNot(x, q); }
};
struct MissingMasked : Plain {
  static constexpr KernelCase kCase = KernelCase::kMissingMasked;
  static HWY_INLINE Vec prepare(Vec d, Vec c) { return hn::Xor(d, c); }
  static HWY_INLINE Vec count(Vec x, Vec, Vec q, Vec) { return hn::And(x, q); }
  static HWY_INLINE Vec weight(Vec, Vec c, Vec q, Vec) { return hn::And(c, q); }
};

// The counts of Q queries x kVectors vectors of profiles.
template <class Case, std::size_t Q>
struct Counters {
  static constexpr bool kPairWeight = weight_source(Case::kCase) == WeightOf::kPair;
  Vec count[Q][kVectors];
  Vec weight[kPairWeight ? Q : 1][kVectors];

  HWY_INLINE void clear() {
    FASTID_UNROLL for (auto& row : count) FASTID_UNROLL for (auto& vector : row) vector = hn::Zero(kTag);
    FASTID_UNROLL for (auto& row : weight) FASTID_UNROLL for (auto& vector : row) vector = hn::Zero(kTag);
  }
};

// Adds to each sum the number of bits set in its word. The sum stays in its register: GCC 12 would add into
// another one and move it back.
HWY_INLINE void add_bits(Vec& sum, Vec word) {
  const Vec bits = hn::PopulationCount(word);
#if FASTID_AVX512
  asm("vpaddd %1, %0, %0" : "+v"(sum.raw) : "v"(bits.raw));
#else
  sum = hn::Add(sum, bits);
#endif
}

// Adds one word row: `bits` and `called` point to its first vector.
template <class Case, std::size_t Q>
HWY_INLINE void add_row(const Word* bits, const Word* called, const Word* query, Counters<Case, Q>& sums) {
  Vec x[kVectors], c[kVectors];
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    x[v] = hn::Load(kTag, bits + v * kWidth);
    c[v] = reads_called(Case::kCase) ? hn::Load(kTag, called + v * kWidth) : x[v];
    x[v] = Case::prepare(x[v], c[v]);
    FASTID_IN_REGISTER(x[v]);
    if constexpr (reads_called(Case::kCase)) FASTID_IN_REGISTER(c[v]);
  }
  FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) {
    Vec q = hn::Set(kTag, query[i]);
    FASTID_IN_REGISTER(q);
    Vec m = q;
    if constexpr (query_words(Case::kCase) == 2) {
      m = hn::Set(kTag, query[Q + i]);
      FASTID_IN_REGISTER(m);
    }
    FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      add_bits(sums.count[i][v], Case::count(x[v], c[v], q, m));
      if constexpr (Counters<Case, Q>::kPairWeight)
        add_bits(sums.weight[i][v], Case::weight(x[v], c[v], q, m));
    }
  }
}

HWY_INLINE hn::VFromD<FloatTag> as_float(Vec v) {
  return hn::ConvertTo(FloatTag(), hn::BitCast(SignedTag(), v));
}

// Which of a vector's profiles may pass the bar of query i.
template <class Case>
HWY_INLINE LaneMask may_pass(Vec count, Vec weight, const GroupBars& bars, std::size_t i) {
  const auto below = hn::Lt(count, hn::Set(kTag, bars.limit[i]));
  if constexpr (weight_source(Case::kCase) == WeightOf::kQuery) return below;
  const auto share = hn::Mul(as_float(weight), hn::Set(FloatTag(), bars.ratio[i]));
  return hn::And(below, hn::RebindMask(kTag, hn::Le(as_float(count), share)));
}

// Tests all counts of `kVectors` vectors whose first profile is `lane`; stores them where one may pass. Bit i
// of the result: profile i of the block.
template <class Case, std::size_t Q>
HWY_INLINE std::uint32_t take(const Counters<Case, Q>& sums, const BlockInput& block, std::size_t lane,
                              const GroupBars& bars, BlockCounts& counts) {
  LaneMask pass[kVectors];
  LaneMask any = hn::FirstN(kTag, 0);
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    pass[v] = hn::FirstN(kTag, 0);
    Vec weight = hn::Zero(kTag);
    if constexpr (weight_source(Case::kCase) == WeightOf::kProfile)
      weight = hn::Load(kTag, block.profile_weights + lane + v * kWidth);
    FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) {
      if constexpr (Counters<Case, Q>::kPairWeight) weight = sums.weight[i][v];
      pass[v] = hn::Or(pass[v], may_pass<Case>(sums.count[i][v], weight, bars, i));
    }
    any = hn::Or(any, pass[v]);
  }
  if (HWY_LIKELY(hn::AllFalse(kTag, any))) return 0;

  std::uint32_t profiles = 0;
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t at = lane + v * kWidth;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(kTag, pass[v], bytes);
    profiles |= (bytes[0] | std::uint32_t{bytes[1]} << 8) << at;
    FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) {
      hn::Store(sums.count[i][v], kTag, counts.count.data() + i * kLanes + at);
      if constexpr (Counters<Case, Q>::kPairWeight)
        hn::Store(sums.weight[i][v], kTag, counts.weight.data() + i * kLanes + at);
    }
  }
  return profiles;
}

template <class Case, std::size_t Q>
HWY_NOINLINE std::uint32_t count_block(const BlockInput& block, const Word* query, const GroupBars& bars,
                                       BlockCounts& counts) {
  constexpr std::size_t kStep = Q * query_words(Case::kCase);
  std::uint32_t profiles = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth) {
    Counters<Case, Q> sums;
    sums.clear();
    const Word* bits = block.bits + lane;
    const Word* called = block.called + (reads_called(Case::kCase) ? lane : 0);
    const Word* const end = query + block.n_words * kStep;
    for (const Word* word = query; word != end; word += kStep) {
      add_row<Case, Q>(bits, called, word, sums);
      bits += kLanes;
      if constexpr (reads_called(Case::kCase)) called += kLanes;
    }
    profiles |= take<Case, Q>(sums, block, lane, bars, counts);
  }
  return profiles;
}

void count_bits(const Word* plane, std::size_t n_words, std::size_t n_blocks, std::uint32_t* weights) {
  for (std::size_t block = 0; block < n_blocks; ++block, weights += kLanes)
    for (std::size_t lane = 0; lane < kLanes; lane += kWidth) {
      const Word* row = plane + block * n_words * kLanes + lane;
      Vec sum = hn::Zero(kTag);
      for (std::size_t word = 0; word < n_words; ++word, row += kLanes) add_bits(sum, hn::Load(kTag, row));
      hn::Store(sum, kTag, weights + lane);
    }
}

template <class Case>
void add_case(KernelTable& table) {
  auto& row = table.count_block[static_cast<std::size_t>(Case::kCase)];
  row = {&count_block<Case, 1>, &count_block<Case, 2>, &count_block<Case, 4>, nullptr};
  if constexpr (max_group(Case::kCase) == kMaxGroup) row[3] = &count_block<Case, kMaxGroup>;
}

const KernelTable* kernel_table() {
  static const KernelTable table = [] {
    KernelTable made;
    add_case<Differ>(made);
    add_case<DifferQueryMask>(made);
    add_case<DifferStoredMask>(made);
    add_case<DifferBothMasks>(made);
    add_case<Inside>(made);
    add_case<InsideMasked>(made);
    add_case<Missing>(made);
    add_case<MissingMasked>(made);
    made.count_bits = &count_bits;
    return made;
  }();
  return &table;
}

}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid {

HWY_EXPORT(kernel_table);

const KernelTable& best_kernels() {
  return *HWY_DYNAMIC_DISPATCH(kernel_table)();
}

std::vector<std::string> kernel_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string best_kernel_target() {
  return kernel_targets().front();
}

const KernelTable* kernels_of(const std::string& name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();  // the next dispatch looks again
    const KernelTable* const table = HWY_DYNAMIC_DISPATCH(kernel_table)();
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
    return table;
  }
  return nullptr;
}

}  // namespace fastid
#endif
