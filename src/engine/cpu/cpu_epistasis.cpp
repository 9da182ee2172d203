// The kernels of cpu_epistasis.hpp in Google Highway: this file is compiled once for each instruction set.
// cpu_kernel.cpp's rules for a fast inner loop hold here too.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/cpu_epistasis.cpp"
#include "engine/cpu/cpu_epistasis.hpp"

#include "base/cpu_target.hpp"
// In this order.
#include "engine/cpu/cpu_cases.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace {

constexpr std::size_t kStep = kVectors * kWidth;  // lanes that are counted together

// Counts of kFirst joint genotypes with kSecond genotypes of a block.
template <std::size_t kFirst, std::size_t kSecond>
struct Counts {
  Vec of[kFirst][kSecond][kVectors];
};

// Those of one class. `block` has a plane for each of the block's genotypes.
template <std::size_t kFirst, std::size_t kSecond>
HWY_INLINE void count(const Word* first, const Word* const* block, std::size_t lane, std::size_t n_words,
                      Counts<kFirst, kSecond>& counts) {
  FASTID_UNROLL for (auto& row : counts.of) FASTID_UNROLL for (auto& cell : row)
      FASTID_UNROLL for (Vec& sum : cell) sum = hn::Zero(kTag);
  const Word* planes[kSecond];
  for (std::size_t k = 0; k < kSecond; ++k) planes[k] = block[k] + lane;
  for (std::size_t word = 0; word < n_words; ++word) {
    Vec second[kSecond][kVectors];
    FASTID_UNROLL for (std::size_t k = 0; k < kSecond; ++k)
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      second[k][v] = hn::Load(kTag, planes[k] + word * kLanes + v * kWidth);
      FASTID_IN_REGISTER(second[k][v]);
    }
    FASTID_UNROLL for (std::size_t i = 0; i < kFirst; ++i) {
      const Vec plane = broadcast(first + word * kFirst + i);
      FASTID_UNROLL for (std::size_t k = 0; k < kSecond; ++k)
          FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
              add_bits(counts.of[i][k][v], hn::And(plane, second[k][v]));
    }
  }
}

// Those of both classes, with genotypes of the block from `k` on of kGenotypes. Where both are known
// together, the larger class follows.
template <std::size_t kGenotypes, std::size_t kFirst, std::size_t kSecond>
HWY_INLINE void count_classes(const EpistasisRun& run, std::size_t k, std::size_t lane,
                              Counts<kFirst, kSecond>* counted) {
  const std::size_t smaller = run.smaller();
  for (std::size_t of = 0; of < kClasses; ++of) {
    if (run.together != nullptr && of != smaller) continue;
    Counts<kFirst, kSecond> counts;  // whose address nobody else has, so that it stays in registers
    count(run.first[of], run.block[of].data() + k, lane, run.n_words[of], counts);
    counted[of] = counts;
  }
  if (run.together == nullptr) return;
  FASTID_UNROLL for (std::size_t i = 0; i < kFirst; ++i)
      FASTID_UNROLL for (std::size_t j = 0; j < kSecond; ++j)
          FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
    const std::uint32_t* const all = &run.together[kGenotypes * i + k + j][lane + v * kWidth];
    counted[1 - smaller].of[i][j][v] = hn::Sub(hn::LoadU(kTag, all), counted[smaller].of[i][j][v]);
  }
}

// Both quantities of a cell, or of some together.
struct Quantities {
  FloatVec people, excess;
};
HWY_INLINE Quantities plus(const Quantities& a, const Quantities& b) {
  return {hn::Add(a.people, b.people), hn::Add(a.excess, b.excess)};
}
HWY_INLINE Quantities less(const Quantities& all, const Quantities& part) {
  return {hn::Sub(all.people, part.people), hn::Sub(all.excess, part.excess)};
}
template <std::size_t kCells>
HWY_INLINE Quantities quantities_of(Vec controls, Vec cases, const CostBound& bound) {
  const auto prior = [](float of_a_cell) { return hn::Set(kFloatTag, of_a_cell * kCells); };
  const FloatVec people = hn::Add(float_of(hn::Add(controls, cases)), prior(bound.prior_people));
  return {people, hn::NegMulAdd(hn::Set(kFloatTag, bound.share), people,
                                hn::Add(float_of(cases), prior(bound.prior_cases)))};
}

HWY_INLINE FloatVec reciprocal(FloatVec v) {
#if HWY_ARCH_X86
  return hn::ApproximateReciprocal(v);  // to 12 bits
#else
  return hn::Div(hn::Set(kFloatTag, 1.0F), v);
#endif
}

// The bits of a float of at least 1, less those of 1, are its logarithm, cut from below by straight lines, in
// units of 2^-23. Their sum is below 2^32 for kMostPeopleInFloat.
HWY_INLINE FloatVec logs_of(Vec bits, std::size_t n) {
  constexpr std::uint32_t kOne = 0x3F800000;
  const Vec logs = hn::Sub(bits, hn::Set(kTag, static_cast<std::uint32_t>(n) * kOne));
  const FloatVec half = hn::ConvertTo(kFloatTag, hn::BitCast(SignedTag(), hn::ShiftRight<1>(logs)));
  return hn::Mul(half, hn::Set(kFloatTag, 2.0F / (1 << 23)));
}

// A sum in some registers, which do not wait for each other.
constexpr std::size_t kParts = 3;
struct LongSum {
  FloatVec parts[kParts];
};
HWY_INLINE LongSum no_sum() {
  const FloatVec zero = hn::Zero(kFloatTag);
  return {{zero, zero, zero}};
}
HWY_INLINE FloatVec sum_of(const LongSum& sum) {
  return hn::Add(hn::Add(sum.parts[0], sum.parts[1]), sum.parts[2]);
}

// Whether combinations may be among the best, from their cells one after another. With logarithms it is K2,
// which has no sum of m. Where everybody is called, everywhere, `bound` has their numbers in its offset.
template <bool kLogs, bool kEverybody>
struct BoundTest {
  LongSum squares, people;
  Vec bits;       // of this slab
  FloatVec logs;  // of the slabs before

  static HWY_INLINE BoundTest of_no_cell() {
    return {no_sum(), no_sum(), hn::Zero(kTag), hn::Zero(kFloatTag)};
  }
  HWY_INLINE void add(std::size_t cell, const Quantities& cells) {
    const std::size_t part = cell % kParts;
    const FloatVec m = cells.people, d = cells.excess;
    squares.parts[part] = hn::MulAdd(hn::Mul(d, reciprocal(m)), d, squares.parts[part]);
    if constexpr (kLogs) bits = hn::Add(bits, hn::BitCast(kTag, m));
    if constexpr (!kEverybody) people.parts[part] = hn::Add(people.parts[part], m);
  }
  template <std::size_t kCells>
  HWY_INLINE void end_slab() {
    if constexpr (kLogs) logs = hn::Add(logs, logs_of(bits, kCells));
    bits = hn::Zero(kTag);
  }
  HWY_INLINE std::uint32_t passes(const CostBound& bound) const {
    FloatVec have = hn::Mul(sum_of(squares), hn::Set(kFloatTag, bound.squares));
    if constexpr (kLogs) have = hn::NegMulAdd(logs, hn::Set(kFloatTag, bound.logs), have);
    FloatVec need = hn::Set(kFloatTag, bound.offset);
    if constexpr (!kEverybody && !kLogs)
      need = hn::MulAdd(sum_of(people), hn::Set(kFloatTag, bound.people), need);
    auto may = hn::Ge(have, need);
    if constexpr (!kEverybody) may = hn::And(may, hn::Ge(sum_of(people), hn::Set(kFloatTag, bound.least)));
    return bits_of(hn::RebindMask(kTag, may));
  }
};

HWY_INLINE void store(std::size_t cell, const Quantities& cells, std::size_t lane, BlockTables& tables) {
  hn::StoreU(cells.people, kFloatTag, &tables[0][cell][lane]);
  hn::StoreU(cells.excess, kFloatTag, &tables[1][cell][lane]);
}

// All cells are counted: a genotype of the block after the other.
template <std::size_t kFirst, bool kLogs, std::size_t kSlabs>
// NOLINTNEXTLINE(readability-function-size): the two innermost loops are over registers
HWY_NOINLINE std::uint32_t find_all(const EpistasisSlab* slabs, const CostBound& bound, BlockTables* tables) {
  std::uint32_t all = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    BoundTest<kLogs, false> tests[kVectors];
    for (auto& test : tests) test = test.of_no_cell();
    for (std::size_t slab = 0; slab < kSlabs; ++slab) {
      for (std::size_t k = 0; k < kSiteGenotypes; ++k) {
        Counts<kFirst, 1> counted[kClasses];
        count_classes<kSiteGenotypes>(slabs[slab].run, k, lane, counted);
        FASTID_UNROLL for (std::size_t i = 0; i < kFirst; ++i)
            FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
          const std::size_t cell = kSiteGenotypes * i + k;
          const Quantities cells = quantities_of<1>(counted[0].of[i][0][v], counted[1].of[i][0][v], bound);
          tests[v].add(i, cells);
          store(cell, cells, lane + v * kWidth, tables[slab]);
        }
      }
      for (auto& test : tests) test.template end_slab<kSiteGenotypes * kFirst>();
    }
    for (std::size_t v = 0; v < kVectors; ++v) all |= tests[v].passes(bound) << (lane + v * kWidth);
  }
  return all;
}

// What was counted of both classes.
struct CountedCells {
  Counts<4, 2> of[kClasses];
};

// Calls use(cell, quantities) for each of the 27 cells: those of genotypes 0 and 1 were counted, and the
// others follow. The order is one in which what is still needed fits into registers.
template <class Use>
HWY_INLINE void each_cell(const CountedCells& counted, const KnownCells& known, const CostBound& bound,
                          std::size_t lane, std::size_t v, const Use& use) {
  const auto margin = [&](const SiteMargins& margins, std::size_t g, std::size_t k) {
    return Quantities{hn::LoadU(kFloatTag, &margins[0][g][k][lane + v * kWidth]),
                      hn::LoadU(kFloatTag, &margins[1][g][k][lane + v * kWidth])};
  };
  Quantities row[2], column[3][2];  // of genotypes 0 and 1 of the second, and of the first site together
  FASTID_UNROLL for (std::size_t ab = 0; ab < 9; ++ab) {
    const std::size_t a = ab / 3, b = ab % 3;
    Quantities both;  // genotypes 0 and 1 of the third site
    FASTID_UNROLL for (std::size_t k = 0; k < 2; ++k) {
      Quantities cell;
      if (a == 2)
        cell = less(margin(*known.with_second, b, k), column[b][k]);
      else if (b == 2)
        cell = less(margin(*known.with_first, a, k), row[k]);
      else
        cell = quantities_of<1>(counted.of[0].of[2 * a + b][k][v], counted.of[1].of[2 * a + b][k][v], bound);
      row[k] = b == 0 ? cell : plus(row[k], cell);
      column[b][k] = a == 0 ? cell : plus(column[b][k], cell);
      both = k == 0 ? cell : plus(both, cell);
      use(3 * ab + k, cell);
    }
    const Quantities all = {hn::Set(kFloatTag, known.of_pair[0][ab]),
                            hn::Set(kFloatTag, known.of_pair[1][ab])};
    use(3 * ab + 2, less(all, both));
  }
}

// Not inlined: it is rare.
HWY_NOINLINE void store_by_subtraction(const CountedCells& counted, const KnownCells& known,
                                       const CostBound& bound, std::size_t lane, std::size_t v,
                                       BlockTables& tables) {
  each_cell(counted, known, bound, lane, v, [&](std::size_t cell, const Quantities& cells) {
    store(cell, cells, lane + v * kWidth, tables);
  });
}

// Not inlined: the loop over vectors would first copy what is the same for all of them to the stack.
template <bool kLogs, std::size_t kSlabs>
HWY_NOINLINE std::uint32_t may_pass(const CountedCells* counted, const EpistasisSlab* slabs,
                                    const CostBound& bound, std::size_t lane, std::size_t v) {
  auto test = BoundTest<kLogs, true>::of_no_cell();
  for (std::size_t slab = 0; slab < kSlabs; ++slab) {
    each_cell(counted[slab], *slabs[slab].known, bound, lane, v,
              [&](std::size_t cell, const Quantities& cells) { test.add(cell, cells); });
    test.template end_slab<kTripleCells>();
  }
  return test.passes(bound);
}

template <bool kLogs, std::size_t kSlabs>
HWY_NOINLINE std::uint32_t find_by_subtraction(const EpistasisSlab* slabs, const CostBound& bound,
                                               BlockTables* tables) {
  std::uint32_t all = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    CountedCells counted[kSlabs];
    for (std::size_t slab = 0; slab < kSlabs; ++slab)
      count_classes<2>(slabs[slab].run, 0, lane, counted[slab].of);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::uint32_t may = may_pass<kLogs, kSlabs>(counted, slabs, bound, lane, v);
      if (HWY_UNLIKELY(may != 0))
        for (std::size_t slab = 0; slab < kSlabs; ++slab)
          store_by_subtraction(counted[slab], *slabs[slab].known, bound, lane, v, tables[slab]);
      all |= may << (lane + v * kWidth);
    }
  }
  return all;
}

HWY_NOINLINE void count_margins(const EpistasisRun& run, const BlockCells& of_block, const CostBound& bound,
                                SiteMargins& out) {
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    Counts<2, 2> of[kClasses];
    count_classes<2>(run, 0, lane, of);
    FASTID_UNROLL for (std::size_t k = 0; k < 2; ++k)
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = lane + v * kWidth;
      const auto put = [&](std::size_t g, const Quantities& cells) {
        hn::StoreU(cells.people, kFloatTag, &out[0][g][k][at]);
        hn::StoreU(cells.excess, kFloatTag, &out[1][g][k][at]);
      };
      const Quantities zero = quantities_of<kSiteGenotypes>(of[0].of[0][k][v], of[1].of[0][k][v], bound),
                       one = quantities_of<kSiteGenotypes>(of[0].of[1][k][v], of[1].of[1][k][v], bound),
                       all = {hn::LoadU(kFloatTag, &of_block[0][k][at]),
                              hn::LoadU(kFloatTag, &of_block[1][k][at])};
      put(0, zero);
      put(1, one);
      put(2, less(all, plus(zero, one)));
    }
  }
}

template <std::size_t kFirst, std::size_t kSecond, std::size_t kAtOnce>
HWY_NOINLINE void add_counts(const Word* first, const Word* const* block, std::size_t n_words,
                             LaneCounts* counts) {
  for (std::size_t lane = 0; lane < kLanes; lane += kStep)
    for (std::size_t begin = 0; begin < kSecond; begin += kAtOnce) {
      Counts<kFirst, kAtOnce> some;
      count(first, block + begin, lane, n_words, some);
      FASTID_UNROLL for (std::size_t i = 0; i < kFirst; ++i)
          FASTID_UNROLL for (std::size_t k = 0; k < kAtOnce; ++k)
              FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        std::uint32_t* const to = &counts[kSecond * i + begin + k][lane + v * kWidth];
        hn::StoreU(hn::Add(hn::LoadU(kTag, to), some.of[i][k][v]), kTag, to);
      }
    }
}

template <bool kLogs>
EpistasisKernel kernel_of(std::size_t way, bool by_subtraction) {
  if (by_subtraction)
    return {way == 4 ? &find_by_subtraction<kLogs, kSiteGenotypes> : &find_by_subtraction<kLogs, 1>,
            &add_counts<4, 2, 2>, &count_margins, &add_counts<2, 2, 2>};
  if (way == 2) return {&find_all<3, kLogs, 1>, &add_counts<3, 3, 1>};
  return {way == 3 ? &find_all<9, kLogs, 1> : &find_all<9, kLogs, kSiteGenotypes>, &add_counts<9, 3, 1>};
}

}  // namespace

EpistasisKernel make_epistasis_kernel(std::size_t way, bool by_subtraction, bool with_logs) {
  return with_logs ? kernel_of<true>(way, by_subtraction) : kernel_of<false>(way, by_subtraction);
}

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {

HWY_EXPORT(make_epistasis_kernel);

EpistasisKernel epistasis_kernel(std::size_t way, bool by_subtraction, bool with_logs) {
  return HWY_DYNAMIC_DISPATCH(make_epistasis_kernel)(way, by_subtraction, with_logs);
}

}  // namespace fastid::engine
#endif
