// The kernels of cpu_kernel.hpp in Google Highway: this file is compiled once for each instruction set.
//
// Two rules keep the inner loop fast with GCC 12 (read its machine code after a change):
//   - FASTID_IN_REGISTER is needed: without it GCC loads a stored vector again for each query, as a memory
//     operand;
//   - the loop must stay in a function of its own, away from the code that handles pairs that may pass.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/cpu_kernel.cpp"
#include "engine/cpu/cpu_kernel.hpp"

#include <atomic>
#include <utility>

#include "base/cpu_target.hpp"
// In this order.
#include "engine/cpu/cpu_cases.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {

// In cpu_lookup.cpp.
const LookupKernels* lookup_kernels(std::size_t step);

// Takes numbers from -2^31 to 2^31.
HWY_INLINE Vec truncated(FloatVec v) {
#if FASTID_AVX512
  return Vec{_mm512_cvttps_epi32(v.raw)};  // hn::ConvertTo would handle larger numbers too
#else
  return hn::BitCast(kTag, hn::ConvertTo(SignedTag(), v));
#endif
}

// The denominators of the vector of profiles from `lane` on; 0 counts as 1.
template <class Case>
HWY_INLINE FloatVec denominators_from(const std::uint32_t* denominators, std::size_t lane) {
  if constexpr (!Case::kByProfile) return hn::Zero(FloatTag());
  return float_of(hn::Max(hn::Load(kTag, denominators + lane), hn::Set(kTag, 1)));
}

// Where query i's counts start: minus GroupThresholds::limit_for().
template <class Case>
HWY_INLINE Vec start_of(const GroupThresholds& thresholds, std::size_t i, FloatVec denominator) {
  if constexpr (!Case::kByProfile) return hn::Set(kTag, static_cast<std::uint32_t>(thresholds.start[i]));
  const FloatVec by_denominator = hn::NegMulAdd(hn::Set(FloatTag(), thresholds.ratio[i]), denominator,
                                                hn::Set(FloatTag(), thresholds.beyond[i]));
  return truncated(
      hn::Min(hn::Max(hn::Set(FloatTag(), thresholds.least[i]), by_denominator), hn::Zero(FloatTag())));
}

// The counts of Q queries x kVectors vectors of profiles, from `lane` on, each minus its limit.
template <class Case, std::size_t Q>
struct Counters {
  Vec count[Q][kVectors];

  HWY_INLINE void start(const GroupThresholds& thresholds, const std::uint32_t* denominators,
                        std::size_t lane) {
    FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      const FloatVec denominator = denominators_from<Case>(denominators, lane + v * kWidth);
      FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) count[i][v] =
          start_of<Case>(thresholds, i, denominator);
    }
  }

  // Negative for a profile that has a count still below its limit.
  HWY_INLINE Vec short_of_limits(std::size_t v) const {
    Vec any = count[0][v];
    FASTID_UNROLL for (std::size_t i = 1; i + 1 < Q; i += 2) any = hn::Or3(any, count[i][v], count[i + 1][v]);
    return Q % 2 == 0 ? hn::Or(any, count[Q - 1][v]) : any;
  }
};

HWY_INLINE ElementMask negative(Vec v) {
  return hn::RebindMask(kTag, hn::Lt(hn::BitCast(SignedTag(), v), hn::Zero(SignedTag())));
}

// Adds one word row of a case of the table.
template <class Case, std::size_t Q>
HWY_INLINE void add_row_by_terms(const Word* minor, const Word* major, const Word* query,
                                 Counters<Case, Q>& counters) {
  typename Case::Planes stored[kVectors];
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
      load_planes<Case>(minor + v * kWidth, major + v * kWidth, stored[v]);
  FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) {
    Vec words[Case::kQuery.n];
    FASTID_UNROLL for (std::size_t k = 0; k < Case::kQuery.n; ++k) words[k] = broadcast(query + k * Q + i);
    FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
        add_terms<Case, Case::kTerms.count, Case::kTerms.n_count>(counters.count[i][v], stored[v], words);
  }
}

// Adds one word row: `bits` and `second` point to its first vector.
template <class Case, std::size_t Q>
HWY_INLINE void add_row_of_bits(const Word* bits, const Word* second, const Word* query,
                                Counters<Case, Q>& counters) {
  Row row[kVectors];
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) row[v] =
      load_row<Case>(bits + v * kWidth, second + (Case::kReadsSecond ? v * kWidth : 0));
  FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) {
    Vec q = broadcast(query + i);
    const Vec m = counted_words(Case::kCase) == 2 ? broadcast(query + Q + i) : q;
    FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      // This case overwrites the query's word.
      if (Case::kCase == KernelCase::kDifferQueryMask && v > 0) q = broadcast(query + i);
      add_bits(counters.count[i][v], Case::count(row[v], q, m));
    }
  }
}

template <class Case, std::size_t Q>
HWY_INLINE void add_row(const Word* bits, const Word* second, const Word* query,
                        Counters<Case, Q>& counters) {
  if constexpr (counts_both_alleles(Case::kCase))
    return add_row_by_terms<Case, Q>(bits, second, query, counters);
  else
    add_row_of_bits<Case, Q>(bits, second, query, counters);
}

// Fetches into L2, since the run and the group's words take most of L1.
HWY_INLINE void fetch(const Word* from, std::size_t n_words) {
  constexpr std::size_t kLine = 64 / sizeof(Word);
  for (std::size_t word = 0; word < n_words; word += kLine) __builtin_prefetch(from + word, 0, 2);
}

// Fetches the vectors of a word row that is so far ahead. The CPU's own prefetching ends at each 4 KiB.
constexpr std::size_t kAheadWords = 1024;
HWY_INLINE void fetch_row(const Word* plane, std::size_t ahead = kAheadWords) {
  fetch(plane + ahead, kVectors * kWidth);
}

// A kernel's position in a block: the next word row, from a lane on, and the queries' words for it. A single
// query waits for memory, and so fetches rows `ahead`, unless the count of denominators has read them
// (kByProfile). 0: nothing is fetched, since a check may leave the rest of the block unread.
struct Place {
  const Word *bits, *second, *query;
  std::size_t ahead;
};

template <class Case, std::size_t Q>
HWY_INLINE void add_rows(Place& at, std::size_t n_words, Counters<Case, Q>& counters) {
  constexpr std::size_t kStep = Q * counted_words(Case::kCase);
  const Word* const end = at.query + n_words * kStep;
  for (; at.query != end; at.query += kStep) {
    if constexpr (Q == 1 && !Case::kByProfile) {
      if (at.ahead > 0) {
        fetch_row(at.bits, at.ahead);
        if constexpr (Case::kReadsSecond) fetch_row(at.second, at.ahead);
      }
    }
    add_row<Case, Q>(at.bits, at.second, at.query, counters);
    at.bits += kLanes;
    if constexpr (Case::kReadsSecond) at.second += kLanes;
  }
}

template <class Case, std::size_t Q>
HWY_INLINE bool any_short(const Counters<Case, Q>& counters) {
  Vec any = counters.short_of_limits(0);
  if constexpr (kVectors == 2) any = hn::Or(any, counters.short_of_limits(1));
  return !hn::AllFalse(kTag, negative(any));
}

// Stores which profiles may pass, from `lane` on, and all their counts.
template <class Case, std::size_t Q>
HWY_INLINE void store(const Counters<Case, Q>& counters, const GroupThresholds& thresholds,
                      const std::uint32_t* denominators, std::size_t lane, BlockCounts& counts) {
  // Without this fence the values that starts are computed from would stay in registers until here.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Counters<Case, Q> begun;
  begun.start(thresholds, denominators, lane);
  FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t first = lane + v * kWidth;
    counts.profiles |= bits_of(negative(counters.short_of_limits(v))) << first;
    FASTID_UNROLL for (std::size_t i = 0; i < Q; ++i) hn::Store(
        hn::Sub(counters.count[i][v], begun.count[i][v]), kTag, counts.count.data() + i * kLanes + first);
  }
}

// Counts one block's profiles, from `lane` on.
template <class Case, std::size_t Q>
HWY_INLINE void count_lanes(const BlockRun& block, std::size_t lane, const Word* query,
                            const GroupThresholds& thresholds, BlockCounts& counts) {
  Counters<Case, Q> counters;
  counters.start(thresholds, block.profile_denominators, lane);
  Place at{block.bits + lane, block.second + (Case::kReadsSecond ? lane : 0), query,
           block.words_before_check > 0 ? 0 : kAheadWords};
  if (block.words_before_check > 0) {
    add_rows<Case, Q>(at, block.words_before_check, counters);
    ++counts.checks;
    if (!any_short(counters)) {
      ++counts.left_out;
      return;
    }
  }
  add_rows<Case, Q>(at, block.n_counted - block.words_before_check, counters);
  if (HWY_UNLIKELY(any_short(counters)))
    store(counters, thresholds, block.profile_denominators, lane, counts);
}

template <class Case, std::size_t Q>
HWY_NOINLINE std::size_t count_blocks(const BlockRun& blocks, const Word* query,
                                      const GroupThresholds& thresholds, BlockCounts& counts) {
  counts.profiles = 0;
  BlockRun block = blocks;
  for (; block.n_blocks > 0; block = block.after(1)) {
    fetch(block.bits + block.fetch, block.fetch_words);
    if constexpr (Case::kReadsSecond) fetch(block.second + block.fetch, block.fetch_words);
    for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth)
      count_lanes<Case, Q>(block, lane, query, thresholds, counts);
    if (HWY_UNLIKELY(counts.profiles != 0)) break;
  }
  return blocks.n_blocks - block.n_blocks;
}

// The bits of one plane, or with kEither of both together.
template <bool kEither>
void count_bits(const Word* plane, const Word* other, std::size_t n_words, std::size_t n_blocks,
                std::uint32_t* denominators) {
  for (std::size_t block = 0; block < n_blocks; ++block, denominators += kLanes)
    for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth) {
      std::size_t at = block * n_words * kLanes + lane;
      Vec sum[kVectors];
      FASTID_UNROLL for (Vec& vector : sum) vector = hn::Zero(kTag);
      for (std::size_t word = 0; word < n_words; ++word, at += kLanes) {
        fetch_row(plane + at);
        if constexpr (kEither) fetch_row(other + at);
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
          Vec bits = hn::Load(kTag, plane + at + v * kWidth);
          if constexpr (kEither) bits = hn::Or(bits, hn::Load(kTag, other + at + v * kWidth));
          add_bits(sum[v], bits);
        }
      }
      FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
          hn::Store(sum[v], kTag, denominators + lane + v * kWidth);
    }
}

// The largest denominator that the profile's planes allow (terms_of()).
template <KernelCase kWhich>
void count_bound(const Word* minor, const Word* major, std::size_t n_words, std::size_t n_blocks,
                 std::uint32_t* denominators) {
  constexpr Terms kTerms = terms_of(kWhich);
  for (std::size_t block = 0; block < n_blocks; ++block, denominators += kLanes)
    for (std::size_t lane = 0; lane < kLanes; lane += kVectors * kWidth) {
      Vec first[kVectors], second[kVectors];
      FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) first[v] = second[v] = hn::Zero(kTag);
      std::size_t at = block * n_words * kLanes + lane;
      for (std::size_t word = 0; word < n_words; ++word, at += kLanes) {
        fetch_row(minor + at);
        fetch_row(major + at);
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
          const Vec a = hn::Load(kTag, minor + at + v * kWidth), b = hn::Load(kTag, major + at + v * kWidth);
          add_bits(first[v], plane_of(kTerms.denominator[0].stored, a, b));
          if constexpr (kTerms.n_denominator == 2)
            add_bits(second[v], plane_of(kTerms.denominator[1].stored, a, b));
        }
      }
      FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
          hn::Store(kTerms.lesser ? hn::Min(first[v], second[v]) : hn::Add(first[v], second[v]), kTag,
                    denominators + lane + v * kWidth);
    }
}

template <KernelCase kWhich>
void add_case_of_table(KernelTable& table) {
  using Case = ByTerms<kWhich>;
  const auto which = static_cast<std::size_t>(kWhich);
  table.count_blocks[static_cast<std::size_t>(Encoding::kAlleles)][which] = {
      &count_blocks<Case, 1>, &count_blocks<Case, 2>, &count_blocks<Case, 4>, &count_blocks<Case, 8>};
  table.count_bound[which] = &count_bound<kWhich>;
}

template <class Case>
void add_kernels(KernelTable& table, Encoding encoding, KernelCase which) {
  table.count_blocks[static_cast<std::size_t>(encoding)][static_cast<std::size_t>(which)] = {
      &count_blocks<Case, 1>, &count_blocks<Case, 2>, &count_blocks<Case, 4>, &count_blocks<Case, 8>};
}

template <class Case>
void add_case(KernelTable& table, KernelCase which = Case::kCase) {
  add_kernels<Case>(table, Encoding::kMinor, which);
  if constexpr (Case::kReadsSecond)
    add_kernels<AlleleTraits<Case>>(table, Encoding::kAlleles, which);
  else
    add_kernels<Case>(table, Encoding::kAlleles, which);
}

const KernelTable* kernel_table() {
  static const KernelTable table = [] {
    KernelTable made;
    add_case<Differ>(made);
    add_case<DifferQueryMask>(made);
    add_case<DifferStoredMask>(made);
    add_case<DifferBothMasks>(made);
    add_case<Inside>(made);
    add_case<Inside>(made, KernelCase::kInsideMasked);  // the mask affects only the denominator
    add_case<Missing>(made);
    add_case<MissingMasked>(made);
    [&]<std::size_t... kRow>(std::index_sequence<kRow...>) {
      (add_case_of_table<by_alleles(static_cast<Comparison>(kRow))>(made), ...);
    }
    (std::make_index_sequence<kComparisons>());
    made.count_bits = &count_bits<false>;
    made.count_bits_of_either = &count_bits<true>;
    made.count_shared = &count_blocks<Shared, 1>;
    made.count_shared_called = &count_blocks<SharedCalled, 1>;
    made.lookup = {lookup_kernels(2), lookup_kernels(4)};
    return made;
  }();
  return &table;
}

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <hwy/nanobenchmark.h>

#include "base/cpu_dispatch.hpp"  // after cpu_target.hpp, which defines the targets

/// Replaces Highway's own function, which runs whenever a program starts and spends 8 ms on measuring the
/// resolution of a timer that fastid never uses.
std::uint64_t hwy::platform::TimerResolution() {
  return 1;
}

namespace fastid::engine {

HWY_EXPORT(kernel_table);

void count_own_bits(const KernelTable& kernels, KernelCase which, const BlocksView& blocks, std::size_t first,
                    std::size_t n_blocks, std::uint32_t* denominators) {
  const std::size_t at = first * blocks.shape.block_words();
  const bool of_alleles = blocks.shape.encoding == Encoding::kAlleles;
  if (counts_both_alleles(which))
    return kernels.count_bound[static_cast<std::size_t>(which)](
        blocks.bits + at, blocks.second + at, blocks.shape.n_words(), n_blocks, denominators);
  if (reads_second(which) && of_alleles)
    return kernels.count_bits_of_either(blocks.bits + at, blocks.second + at, blocks.shape.n_words(),
                                        n_blocks, denominators);
  kernels.count_bits((reads_second(which) ? blocks.second : blocks.bits) + at, nullptr,
                     blocks.shape.n_words(), n_blocks, denominators);
}

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
  return dispatched_to(name, [] { return HWY_DYNAMIC_DISPATCH(kernel_table)(); });
}

}  // namespace fastid::engine
#endif
