// The kernels of cpu_kernel.hpp by Google Highway: this file is compiled once for each instruction set.
//
// What was learnt on GCC 12 and keeps the inner loop clean (look at its machine code after a change):
//   - it would load a stored vector again for each query, as a memory operand: FASTID_IN_REGISTER forbids
//   that;
//   - the loop must stay in a function of its own, away from the code that takes candidates.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu_kernel.cpp"
#include "engine/cpu_kernel.hpp"

#include "engine/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// In cpu_lookup.cpp.
const LookupKernels* lookup_kernels();

using Tag = hn::CappedTag<std::uint32_t, 16>;
using FloatTag = hn::RebindToFloat<Tag>;
using SignedTag = hn::RebindToSigned<Tag>;
using Vec = hn::VFromD<Tag>;
using LaneMask = decltype(hn::FirstN(Tag(), 0));
constexpr Tag kTag;
constexpr std::size_t kWidth = hn::MaxLanes(Tag());

// Vectors of a word row that are counted together: with 32 registers the whole row of 32 profiles on AVX-512;
// with 16 registers one, so that the counts of 8 queries fit.
constexpr std::size_t kVectors = FASTID_VECTOR_REGISTERS / 16;

// A query's word in every lane. On AVX-512 by its own load each time: a three-way instruction writes over one
// of its operands, and a load costs less than the move that would keep it.
HWY_INLINE Vec broadcast(const Word* word) {
#if FASTID_AVX512
  Vec v;
  asm volatile("vpbroadcastd %1, %0" : "=v"(v.raw) : "m"(*word));
  return v;
#else
  return hn::Set(kTag, *word);
#endif
}

// c ^ (a & b) and c & (a ^ b), each one instruction where there is one for any three-way logic.
HWY_INLINE Vec xor_of_and(Vec c, Vec a, Vec b) {
#if FASTID_AVX512
  asm("vpternlogd $0x78, %2, %1, %0" : "+v"(c.raw) : "v"(a.raw), "v"(b.raw));
  return c;
#else
  return hn::Xor(hn::And(a, b), c);
#endif
}
HWY_INLINE Vec and_of_xor(Vec c, Vec a, Vec b) {
#if FASTID_AVX512
  asm("vpternlogd $0x60, %2, %1, %0" : "+v"(c.raw) : "v"(a.raw), "v"(b.raw));
  return c;
#else
  return hn::And(hn::Xor(a, b), c);
#endif
}

// The cases. q, m: the query's words, broadcast.
struct Row {
  Vec x, c;  // the stored bits as prepared, and called
};
template <KernelCase kWhich>
struct Of {
  static constexpr KernelCase kCase = kWhich;
  static constexpr bool kByProfile = bounded_by_profile(kWhich);
};
struct Differ : Of<KernelCase::kDiffer> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::Xor(row.x, q); }
};
struct DifferQueryMask : Of<KernelCase::kDifferQueryMask> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec m) { return xor_of_and(q, row.x, m); }
};
struct DifferStoredMask : Of<KernelCase::kDifferStoredMask> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::Xor(hn::And(q, row.c), row.x); }
};
struct DifferBothMasks : Of<KernelCase::kDifferBothMasks> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec m) {
    return and_of_xor(hn::And(m, row.c), row.x, q);
  }
};
struct Inside : Of<KernelCase::kInside> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::And(row.x, q); }
};
struct Shared : Inside {
  static constexpr bool kByProfile = false;
};
struct Missing : Of<KernelCase::kMissing> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::AndNot(row.x, q); }
};
struct MissingMasked : Of<KernelCase::kMissingMasked> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::And(row.x, q); }
};

using FloatVec = hn::VFromD<FloatTag>;

// Whole numbers below 2^31, either way.
HWY_INLINE FloatVec as_float(Vec v) {
  return hn::ConvertTo(FloatTag(), hn::BitCast(SignedTag(), v));
}
HWY_INLINE Vec truncated(FloatVec v) {
#if FASTID_AVX512
  return Vec{_mm512_cvttps_epi32(v.raw)};  // without the care for larger numbers
#else
  return hn::BitCast(kTag, hn::ConvertTo(SignedTag(), v));
#endif
}

// What is left of query i's limit: not negative where the pair may pass.
template <class Case>
HWY_INLINE Vec slack_of(Vec count, const GroupBars& bars, std::size_t i, FloatVec weight) {
  Vec most = hn::Set(kTag, static_cast<std::uint32_t>(bars.limit[i] - 1));
  if constexpr (Case::kByProfile)
    most = truncated(
        hn::Min(hn::Set(FloatTag(), bars.most[i]), hn::Mul(hn::Set(FloatTag(), bars.ratio[i]), weight)));
  return hn::Sub(most, count);
}

// Of the vector of profiles from `lane` on.
template <class Case>
HWY_INLINE FloatVec weights_from(const BlockInput& block, std::size_t lane) {
  if constexpr (!Case::kByProfile) return hn::Zero(FloatTag());
  return as_float(hn::Load(kTag, block.profile_weights + lane));
}

// The counts of Q queries x kVectors vectors of profiles.
template <std::size_t Q>
struct Counters {
  Vec count[Q][kVectors];

  HWY_INLINE void clear() {
    FASTID_UNROLL for (auto& row : count) FASTID_UNROLL for (Vec& vector : row) vector = hn::Zero(kTag);
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

template <class Case>
HWY_INLINE Row load_row(const Word* bits, const Word* called) {
  Row row{hn::Load(kTag, bits), hn::Zero(kTag)};
  if constexpr (reads_called(Case::kCase)) {
    row.c = hn::Load(kTag, called);
    FASTID_IN_REGISTER(row.c);
    if constexpr (Case::kCase == KernelCase::kMissingMasked) row.x = hn::Xor(row.x, row.c);
  }
  FASTID_IN_REGISTER(row.x);
  return row;
}

// Adds one word row: `bits` and `called` point to its first vector.
template <class Case, std::size_t Q>
HWY_INLINE void add_row(const Word* bits, const Word* called, const Word* query, Counters<Q>& counters) {
  Row row[kVectors];
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) row[v] =
      load_row<Case>(bits + v * kWidth, called + (reads_called(Case::kCase) ? v * kWidth : 0));
  FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) {
    Vec q = broadcast(query + i);
    const Vec m = counted_words(Case::kCase) == 2 ? broadcast(query + Q + i) : q;
    FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      // This case writes over the query's word.
      if (Case::kCase == KernelCase::kDifferQueryMask && v > 0) q = broadcast(query + i);
      add_bits(counters.count[i][v], Case::count(row[v], q, m));
    }
  }
}

// Bit i: lane i is not negative.
HWY_INLINE std::uint32_t lanes_with_slack(Vec v) {
  std::uint8_t bytes[8] = {};
  const auto none = hn::Lt(hn::BitCast(SignedTag(), v), hn::Zero(SignedTag()));
  hn::StoreMaskBits(kTag, hn::RebindMask(kTag, hn::Not(none)), bytes);
  return bytes[0] | std::uint32_t{bytes[1]} << 8;
}

// Tests all counts of `kVectors` vectors whose first profile is `lane`: a profile is out where all slacks are
// negative, so where the sign of their AND is. Bit i of the result: profile i of the block.
template <class Case, std::size_t Q>
HWY_INLINE std::uint32_t passing(const Counters<Q>& counters, const BlockInput& block, std::size_t lane,
                                 const GroupBars& bars) {
  Vec all[kVectors];
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    const FloatVec weight = weights_from<Case>(block, lane + v * kWidth);
    all[v] = slack_of<Case>(counters.count[0][v], bars, 0, weight);
    FASTID_UNROLL for (std::size_t i = 1; i < Q; ++i) all[v] =
        hn::And(all[v], slack_of<Case>(counters.count[i][v], bars, i, weight));
  }
  std::uint32_t profiles = 0;
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) profiles |= lanes_with_slack(all[v])
                                                                       << (lane + v * kWidth);
  return profiles;
}

template <std::size_t Q>
HWY_INLINE void store(const Counters<Q>& counters, std::size_t lane, BlockCounts& counts) {
  FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(counters.count[i][v], kTag, counts.count.data() + i * kLanes + lane + v * kWidth);
}

template <class Case, std::size_t Q>
HWY_NOINLINE std::uint32_t count_block(const BlockInput& block, const Word* query, const GroupBars& bars,
                                       BlockCounts& counts) {
  constexpr std::size_t kStep = Q * counted_words(Case::kCase);
  std::uint32_t profiles = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth) {
    Counters<Q> counters;
    counters.clear();
    const Word* bits = block.bits + lane;
    const Word* called = block.called + (reads_called(Case::kCase) ? lane : 0);
    const Word* const end = query + block.n_words * kStep;
    for (const Word* word = query; word != end; word += kStep) {
      add_row<Case, Q>(bits, called, word, counters);
      bits += kLanes;
      if constexpr (reads_called(Case::kCase)) called += kLanes;
    }
    const std::uint32_t found = passing<Case>(counters, block, lane, bars);
    profiles |= found;
    if (HWY_UNLIKELY(found != 0)) store(counters, lane, counts);
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
void add_case(KernelTable& table, KernelCase which = Case::kCase) {
  table.count_block[static_cast<std::size_t>(which)] = {&count_block<Case, 1>, &count_block<Case, 2>,
                                                        &count_block<Case, 4>, &count_block<Case, 8>};
}

const KernelTable* kernel_table() {
  static const KernelTable table = [] {
    KernelTable made;
    add_case<Differ>(made);
    add_case<DifferQueryMask>(made);
    add_case<DifferStoredMask>(made);
    add_case<DifferBothMasks>(made);
    add_case<Inside>(made);
    add_case<Inside>(made, KernelCase::kInsideMasked);  // the mask bears on the weight alone
    add_case<Missing>(made);
    add_case<MissingMasked>(made);
    made.count_bits = &count_bits;
    made.count_shared = &count_block<Shared, 1>;
    made.lookup = lookup_kernels();
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
