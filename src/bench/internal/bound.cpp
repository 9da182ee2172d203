// The loops of bound.hpp, written with Google Highway: this file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/internal/bound.cpp"
#include "bench/internal/bound.hpp"

#include <initializer_list>
#include <numeric>
#include <utility>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::bench::HWY_NAMESPACE {
namespace bound {
namespace hn = hwy::HWY_NAMESPACE;

// Makes the compiler assume that the register has changed, since it would otherwise move the work out of the
// loop.
#undef FASTID_OPAQUE
#if FASTID_AVX512
#define FASTID_OPAQUE(v) asm volatile("" : "+v"((v).raw))
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define FASTID_OPAQUE(v) asm volatile("" : "+x"((v).raw))
#elif HWY_ARCH_ARM && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define FASTID_OPAQUE(v) asm volatile("" : "+w"((v).raw))
#else
#define FASTID_OPAQUE(v) asm volatile("" : "+m"(v))
#endif

using Words = hn::CappedTag<std::uint32_t, 16>;
using Vec = hn::VFromD<Words>;

// The operands of a comparison: stored bits, the query's word, and two masks.
struct Operands {
  Vec d, q, m, c;
  alignas(64) Word memory[16] = {};
};

// The ways to combine operands. An instruction for three-way logic overwrites an operand that is still
// needed; that operand is either saved by a move or loaded again, as in the kernels.
struct Xor {
  static HWY_INLINE Vec combine(const Operands& of) { return hn::Xor(of.d, of.q); }
};
struct And {
  static HWY_INLINE Vec combine(const Operands& of) { return hn::And(of.d, of.q); }
};
struct AndNot {
  static HWY_INLINE Vec combine(const Operands& of) { return hn::AndNot(of.d, of.q); }
};
struct XorOfAnd {
  static HWY_INLINE Vec combine(const Operands& of) { return hn::Xor(hn::And(of.d, of.m), of.q); }
};
struct BothMasks {
  static HWY_INLINE Vec combine(const Operands& of) {
    return hn::And(hn::And(of.m, of.c), hn::Xor(of.d, of.q));
  }
};
#if FASTID_AVX512
template <int kLogic>
HWY_INLINE Vec three_way(Vec over, Vec a, Vec b) {
  asm("vpternlogd %3, %2, %1, %0" : "+v"(over.raw) : "v"(a.raw), "v"(b.raw), "i"(kLogic));
  return over;
}
HWY_INLINE Vec loaded(const Operands& of) {
  Vec v;
  asm volatile("vpbroadcastd %1, %0" : "=v"(v.raw) : "m"(of.memory[0]));
  return v;
}
struct XorOfAndMoved {
  static HWY_INLINE Vec combine(const Operands& of) { return three_way<0x78>(of.q, of.d, of.m); }
};
struct XorOfAndLoaded {
  static HWY_INLINE Vec combine(const Operands& of) { return three_way<0x78>(loaded(of), of.d, of.m); }
};
struct BothMasksThreeWay {
  static HWY_INLINE Vec combine(const Operands& of) {
    return three_way<0x60>(hn::And(of.m, of.c), of.d, of.q);
  }
};
#endif

HWY_INLINE void hide(Operands& of) {
  FASTID_OPAQUE(of.d);
  FASTID_OPAQUE(of.q);
  FASTID_OPAQUE(of.m);
  FASTID_OPAQUE(of.c);
}

// Counts in elements of 32 bits where an instruction does so, like the kernels; else in bytes, which takes
// fewer instructions.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET <= HWY_AVX3_DL
using Counted = Words;
#else
using Counted = hn::Repartition<std::uint8_t, Words>;
#endif

HWY_INLINE Vec popcount(Vec word) {
  return hn::BitCast(Words(), hn::PopulationCount(hn::BitCast(Counted(), word)));
}
HWY_INLINE Vec add_popcount(Vec sum, Vec word) {
  return hn::BitCast(Words(), hn::Add(hn::BitCast(Counted(), sum), hn::BitCast(Counted(), popcount(word))));
}

template <std::size_t kChains>
double bits_of(std::uint64_t rounds) {
  return static_cast<double>(rounds) * kChains * static_cast<double>(hn::Lanes(Words())) * kWordBits;
}

// Adds what a comparison counts of one word to a chain: the bits of one combination.
template <class Combine>
struct OneWord {
  static HWY_INLINE Vec add(Vec chain, Operands& of) {
    hide(of);
    return add_popcount(chain, Combine::combine(of));
  }
};
// Adds the counts of each term of the table of questions, without the shifts of weights. Which of the
// profiles' planes the operands stand for does not matter: kernels have them all in registers.
template <engine::KernelCase kWhich>
struct EachTerm {
  static constexpr engine::Terms kTerms = engine::terms_in_few_words(kWhich);

  template <std::size_t I = 0>
  static HWY_INLINE Vec add(Vec chain, Operands& of) {
    if constexpr (I < kTerms.n_count) {
      hide(of);
      Vec sites = hn::And(of.d, of.q);
      if constexpr (kTerms.count[I].n_products == 2) sites = hn::OrAnd(sites, of.m, of.c);
      return add<I + 1>(add_popcount(chain, sites), of);
    }
    return chain;
  }
};

template <class Step, std::size_t kChains>
HWY_NOINLINE double compare_loop(std::uint64_t rounds) {
  Operands of{hn::Iota(Words(), 3), hn::Iota(Words(), 77), hn::Iota(Words(), 1234), hn::Iota(Words(), 4321)};
  Vec sum[kChains];
  FASTID_UNROLL for (Vec& chain : sum) chain = hn::Zero(Words());
  for (std::uint64_t round = 0; round < rounds; ++round) FASTID_UNROLL for (Vec& chain : sum) {
      chain = Step::add(chain, of);
      FASTID_OPAQUE(chain);
    }
  return bits_of<kChains>(rounds);
}

template <std::size_t kChains>
HWY_NOINLINE double popcount_loop(std::uint64_t rounds) {
  Vec chain[kChains];
  FASTID_UNROLL for (std::size_t i = 0; i < kChains; ++i) chain[i] =
      hn::Iota(Words(), static_cast<std::uint32_t>(i));
  for (std::uint64_t round = 0; round < rounds; ++round) FASTID_UNROLL for (Vec& one : chain) {
      one = popcount(one);
      FASTID_OPAQUE(one);
    }
  return bits_of<kChains>(rounds);
}

Word read_loop(const Word* words, std::size_t n_words) {
  constexpr std::size_t kChains = 8, kWidth = hn::MaxLanes(Words());
  Vec sum[kChains];
  FASTID_UNROLL for (Vec& chain : sum) chain = hn::Zero(Words());
  for (const Word* const end = words + n_words; words != end; words += kChains * kWidth)
    FASTID_UNROLL for (std::size_t i = 0; i < kChains; ++i) sum[i] =
        hn::Xor(sum[i], hn::Load(Words(), words + i * kWidth));
  FASTID_UNROLL for (std::size_t i = 1; i < kChains; ++i) sum[0] = hn::Xor(sum[0], sum[i]);
  HWY_ALIGN Word lanes[kWidth];
  hn::Store(sum[0], Words(), lanes);
  return std::accumulate(lanes, lanes + kWidth, Word{0});
}

template <class Step>
void add_chains(std::vector<BoundLoop>& loops) {
  loops.insert(loops.end(), {&compare_loop<Step, 4>, &compare_loop<Step, 8>, &compare_loop<Step, 12>,
                             &compare_loop<Step, 16>});
}

template <class Combine>
void add_form(BoundLoops& loops, std::initializer_list<engine::KernelCase> cases) {
  for (const engine::KernelCase which : cases)
    add_chains<OneWord<Combine>>(loops.compare[static_cast<std::size_t>(which)]);
}

template <engine::KernelCase kWhich>
void add_case_of_table(BoundLoops& loops) {
  add_chains<EachTerm<kWhich>>(loops.compare[static_cast<std::size_t>(kWhich)]);
}

using FloatTag = hn::RebindToFloat<hn::RebindToSigned<Words>>;
using FloatVec = hn::VFromD<FloatTag>;

// A column of kChains rows in registers: the operations of hmm/cpu/forward.cpp for a cell, without loads and
// stores. As there, only insertions and deletions carry over to the next cell.
template <std::size_t kChains>
double cells_loop(std::uint64_t rounds) {
  constexpr FloatTag kTag;
  Vec base = hn::Iota(Words(), 1);
  const Vec row = hn::Set(Words(), 2);
  const FloatVec hit = hn::Set(kTag, 0.75F), miss = hn::Set(kTag, 0.625F), open = hn::Set(kTag, 0.125F),
                 go_on = hn::Set(kTag, 0.25F), diagonal = hn::Set(kTag, 0.5F);
  FloatVec insertion[kChains], deletion[kChains];
  FASTID_UNROLL for (std::size_t k = 0; k < kChains; ++k) insertion[k] = deletion[k] = diagonal;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    FASTID_UNROLL for (std::size_t k = 0; k < kChains; ++k) {
      FASTID_OPAQUE(base);
      const auto equal = hn::RebindMask(kTag, hn::Ne(hn::And(base, row), hn::Zero(Words())));
      const FloatVec match = hn::Mul(hn::IfThenElse(equal, hit, miss), diagonal);
      FloatVec sum = hn::MulAdd(open, deletion[k], hn::MulAdd(open, insertion[k], match));
      FASTID_OPAQUE(sum);
      deletion[k] = hn::MulAdd(go_on, deletion[k], match);
      insertion[k] = hn::MulAdd(go_on, insertion[k], match);
    }
  }
  FASTID_UNROLL for (std::size_t k = 0; k < kChains; ++k) {
    FASTID_OPAQUE(deletion[k]);
    FASTID_OPAQUE(insertion[k]);
  }
  return static_cast<double>(rounds) * kChains * static_cast<double>(hn::MaxLanes(Words()));
}

// The sums of minima: a number of each of kChains different rows with the same column.
template <class T, std::size_t kChains>
double minima_loop(std::uint64_t rounds) {
  constexpr hn::CappedTag<T, 64 / sizeof(T)> kTag;
  auto column = hn::Iota(kTag, T{1});
  hn::VFromD<decltype(kTag)> row[kChains], sum[kChains];
  FASTID_UNROLL for (std::size_t k = 0; k < kChains; ++k) {
    row[k] = hn::Set(kTag, static_cast<T>(k));
    sum[k] = hn::Zero(kTag);
  }
  for (std::uint64_t round = 0; round < rounds; ++round) {
    FASTID_OPAQUE(column);
    FASTID_UNROLL for (std::size_t k = 0; k < kChains; ++k) {
      sum[k] = hn::Add(sum[k], hn::Min(row[k], column));
      FASTID_OPAQUE(sum[k]);
    }
  }
  return static_cast<double>(rounds) * kChains * static_cast<double>(hn::MaxLanes(kTag));
}

template <class T>
std::vector<BoundLoop> minima_loops() {
  return {&minima_loop<T, 4>, &minima_loop<T, 6>, &minima_loop<T, 8>, &minima_loop<T, 12>};
}

const BoundLoops* all_loops() {
  static const BoundLoops loops = [] {
    using enum engine::KernelCase;
    BoundLoops made;
    made.popcount = {&popcount_loop<4>, &popcount_loop<8>, &popcount_loop<12>};
    made.cells = {&cells_loop<2>, &cells_loop<3>, &cells_loop<4>, &cells_loop<6>};
    made.minima_float = minima_loops<float>();
    made.minima_double = minima_loops<double>();
    made.read = &read_loop;
    add_form<Xor>(made, {kDiffer});
    add_form<XorOfAnd>(made, {kDifferQueryMask, kDifferStoredMask});
    add_form<BothMasks>(made, {kDifferBothMasks});
    add_form<And>(made, {kInside, kInsideMasked, kMissingMasked});
    add_form<AndNot>(made, {kMissing});
    [&]<std::size_t... kRow>(std::index_sequence<kRow...>) {
      (add_case_of_table<engine::by_alleles(static_cast<engine::Comparison>(kRow))>(made), ...);
    }
    (std::make_index_sequence<engine::kComparisons>());
#if FASTID_AVX512
    add_form<XorOfAndMoved>(made, {kDifferQueryMask, kDifferStoredMask});
    add_form<XorOfAndLoaded>(made, {kDifferQueryMask, kDifferStoredMask});
    add_form<BothMasksThreeWay>(made, {kDifferBothMasks});
#endif
    return made;
  }();
  return &loops;
}

}  // namespace bound

const BoundLoops* bound_loops_here() {
  return bound::all_loops();
}

}  // namespace fastid::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/cpu_dispatch.hpp"  // after cpu_target.hpp, which defines the targets

namespace fastid::bench {

HWY_EXPORT(bound_loops_here);

const BoundLoops& bound_loops() {
  return *HWY_DYNAMIC_DISPATCH(bound_loops_here)();
}

const BoundLoops* bound_loops_of(const std::string& name) {
  return dispatched_to(name, [] { return HWY_DYNAMIC_DISPATCH(bound_loops_here)(); });
}

std::string_view instructions_of(engine::KernelCase which) {
  if (which == engine::by_alleles(engine::Comparison::kIdentity)) return "2 x and + or-and, popcount, add";
  if (which == engine::by_alleles(engine::Comparison::kKinship)) return "3 x and + or-and, popcount, add";
  if (engine::counts_both_alleles(which)) return "2 x and, popcount, add";
  switch (which) {
    case engine::KernelCase::kDiffer:
      return "xor, popcount, add";
    case engine::KernelCase::kDifferQueryMask:
    case engine::KernelCase::kDifferStoredMask:
      return "and + xor, popcount, add";
    case engine::KernelCase::kDifferBothMasks:
      return "xor + and + and, popcount, add";
    case engine::KernelCase::kMissing:
      return "and-not, popcount, add";
    default:
      return "and, popcount, add";
  }
}

}  // namespace fastid::bench
#endif
