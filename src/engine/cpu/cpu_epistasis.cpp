// The kernels of cpu_epistasis.hpp in Google Highway: this file is compiled once for each instruction set.
// cpu_kernel.cpp's rules for a fast inner loop hold here too.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/cpu_epistasis.cpp"
#include "engine/cpu/cpu_epistasis.hpp"

#include "base/cpu_target.hpp"
// In this order.
#include "engine/cpu/cpu_cases.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
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

// Both quantities of some cells that were counted together.
template <std::size_t kCells>
HWY_INLINE void quantities_of(Vec controls, Vec cases, const CostBound& bound, FloatVec& people,
                              FloatVec& excess) {
  const auto prior = [](float of_a_cell) { return hn::Set(kFloatTag, of_a_cell * kCells); };
  people = hn::Add(float_of(hn::Add(controls, cases)), prior(bound.prior_people));
  excess = hn::NegMulAdd(hn::Set(kFloatTag, bound.share), people,
                         hn::Add(float_of(cases), prior(bound.prior_cases)));
}

// A table's cells in vectors of combinations.
template <std::size_t kCells>
struct Cells {
  FloatVec of[kQuantities][kCells];
};

HWY_INLINE FloatVec reciprocal(FloatVec v) {
#if HWY_ARCH_X86
  return hn::ApproximateReciprocal(v);  // to 12 bits
#else
  return hn::Div(hn::Set(kFloatTag, 1.0F), v);
#endif
}

// The bits of a float of at least 1, less those of 1, are its logarithm, cut from below by straight lines, in
// units of 2^-23. Their sum is below 2^32 for kMostTraitPeople.
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

// Where everybody is called, everywhere, `bound` has their numbers in its rest.
template <bool kLogs, bool kEverybody, std::size_t kCells>
HWY_INLINE std::uint32_t may_pass(const Cells<kCells>& cells, const CostBound& bound) {
  LongSum squares = no_sum(), people = no_sum(), excess = no_sum();
  Vec logs = hn::Zero(kTag);
  _Pragma("GCC unroll 32") for (std::size_t i = 0; i < kCells; ++i) {
    const std::size_t part = i % kParts;
    const FloatVec m = cells.of[0][i], d = cells.of[1][i];
    squares.parts[part] = hn::MulAdd(hn::Mul(d, reciprocal(m)), d, squares.parts[part]);
    if constexpr (kLogs) logs = hn::Add(logs, hn::BitCast(kTag, m));
    if constexpr (!kEverybody) {
      people.parts[part] = hn::Add(people.parts[part], m);
      excess.parts[part] = hn::Add(excess.parts[part], d);
    }
  }
  FloatVec have = hn::Mul(sum_of(squares), hn::Set(kFloatTag, bound.squares));
  if constexpr (kLogs) have = hn::NegMulAdd(logs_of(logs, kCells), hn::Set(kFloatTag, bound.logs), have);
  FloatVec need = hn::Set(kFloatTag, bound.rest);
  if constexpr (!kEverybody)
    need = hn::MulAdd(sum_of(people), hn::Set(kFloatTag, bound.people),
                      hn::MulAdd(sum_of(excess), hn::Set(kFloatTag, bound.excess), need));
  return bits_of(hn::RebindMask(kTag, hn::Ge(have, need)));
}

template <std::size_t kCells>
HWY_INLINE void store(const Cells<kCells>& cells, std::size_t lane, BlockTables& tables) {
  for (std::size_t q = 0; q < kQuantities; ++q)
    for (std::size_t i = 0; i < kCells; ++i) hn::StoreU(cells.of[q][i], kFloatTag, &tables[q][i][lane]);
}

// All cells are counted: a genotype of the block after the other.
template <std::size_t kFirst, bool kLogs>
HWY_NOINLINE std::uint32_t find_all(const EpistasisRun& run, const KnownCells& /*known*/,
                                    const CostBound& bound, BlockTables& tables) {
  std::uint32_t all = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    Cells<kSiteGenotypes * kFirst> cells[kVectors];
    for (std::size_t k = 0; k < kSiteGenotypes; ++k) {
      Counts<kFirst, 1> controls, cases;
      count(run.first[0], &run.block[0][k], lane, run.n_words[0], controls);
      count(run.first[1], &run.block[1][k], lane, run.n_words[1], cases);
      FASTID_UNROLL for (std::size_t i = 0; i < kFirst; ++i) FASTID_UNROLL for (std::size_t v = 0;
                                                                                v < kVectors; ++v)
          quantities_of<1>(controls.of[i][0][v], cases.of[i][0][v], bound,
                           cells[v].of[0][kSiteGenotypes * i + k], cells[v].of[1][kSiteGenotypes * i + k]);
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::uint32_t may = may_pass<kLogs, false>(cells[v], bound);
      if (HWY_UNLIKELY(may != 0)) store(cells[v], lane + v * kWidth, tables);
      all |= may << (lane + v * kWidth);
    }
  }
  return all;
}

HWY_INLINE FloatVec less(FloatVec all, FloatVec a, FloatVec b) {
  return hn::Sub(hn::Sub(all, a), b);
}

// The 19 cells that follow from those of genotypes 0 and 1, in one quantity.
HWY_INLINE void put_rest(const KnownCells& known, std::size_t quantity, std::size_t lane, FloatVec* cells) {
  const auto at = [](std::size_t a, std::size_t b, std::size_t c) { return 9 * a + 3 * b + c; };
  const auto pair = [&](std::size_t a, std::size_t b) {
    return hn::Set(kFloatTag, known.of_pair[quantity][3 * a + b]);
  };
  const auto margin = [&](const SiteMargins& margins, std::size_t g, std::size_t k) {
    return hn::LoadU(kFloatTag, &margins[quantity][g][k][lane]);
  };
  FASTID_UNROLL for (std::size_t k = 0; k < 2; ++k) {
    FASTID_UNROLL for (std::size_t a = 0; a < 2; ++a) cells[at(a, 2, k)] =
        less(margin(*known.with_first, a, k), cells[at(a, 0, k)], cells[at(a, 1, k)]);
    FASTID_UNROLL for (std::size_t b = 0; b < 3; ++b) cells[at(2, b, k)] =
        less(margin(*known.with_second, b, k), cells[at(0, b, k)], cells[at(1, b, k)]);
  }
  FASTID_UNROLL for (std::size_t a = 0; a < 3; ++a) FASTID_UNROLL for (std::size_t b = 0; b < 3; ++b)
      cells[at(a, b, 2)] = less(pair(a, b), cells[at(a, b, 0)], cells[at(a, b, 1)]);
}

// What was counted of both classes.
struct CountedCells {
  Counts<4, 2> of[kClasses];
};

HWY_INLINE Cells<kMostCells> cells_by_rest(const CountedCells& counted, const KnownCells& known,
                                           const CostBound& bound, std::size_t lane, std::size_t v) {
  Cells<kMostCells> cells;
  FASTID_UNROLL for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t cell = 9 * (i / 4) + 3 * (i / 2 % 2) + i % 2;
    quantities_of<1>(counted.of[0].of[i / 2][i % 2][v], counted.of[1].of[i / 2][i % 2][v], bound,
                     cells.of[0][cell], cells.of[1][cell]);
  }
  FASTID_UNROLL for (std::size_t q = 0; q < kQuantities; ++q)
      put_rest(known, q, lane + v * kWidth, cells.of[q]);
  return cells;
}

// Not inlined: cells that may be stored would not stay in registers.
HWY_NOINLINE void store_by_rest(const CountedCells& counted, const KnownCells& known, const CostBound& bound,
                                std::size_t lane, std::size_t v, BlockTables& tables) {
  store(cells_by_rest(counted, known, bound, lane, v), lane + v * kWidth, tables);
}

template <bool kLogs>
HWY_NOINLINE std::uint32_t find_by_rest(const EpistasisRun& run, const KnownCells& known,
                                        const CostBound& bound, BlockTables& tables) {
  std::uint32_t all = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    CountedCells counted;
    for (std::size_t of = 0; of < kClasses; ++of) {
      Counts<4, 2> counts;  // whose address nobody else has, so that it stays in registers
      count(run.first[of], run.block[of].data(), lane, run.n_words[of], counts);
      counted.of[of] = counts;
    }
    FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      const std::uint32_t may = may_pass<kLogs, true>(cells_by_rest(counted, known, bound, lane, v), bound);
      if (HWY_UNLIKELY(may != 0)) store_by_rest(counted, known, bound, lane, v, tables);
      all |= may << (lane + v * kWidth);
    }
  }
  return all;
}

HWY_NOINLINE void count_margins(const EpistasisRun& run, const BlockCells& of_block, const CostBound& bound,
                                SiteMargins& out) {
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    Counts<2, 2> controls, cases;
    count(run.first[0], run.block[0].data(), lane, run.n_words[0], controls);
    count(run.first[1], run.block[1].data(), lane, run.n_words[1], cases);
    FASTID_UNROLL for (std::size_t k = 0; k < 2; ++k)
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = lane + v * kWidth;
      FloatVec counted[2][kQuantities];
      FASTID_UNROLL for (std::size_t g = 0; g < 2; ++g) quantities_of<kSiteGenotypes>(
          controls.of[g][k][v], cases.of[g][k][v], bound, counted[g][0], counted[g][1]);
      FASTID_UNROLL for (std::size_t q = 0; q < kQuantities; ++q) {
        hn::StoreU(counted[0][q], kFloatTag, &out[q][0][k][at]);
        hn::StoreU(counted[1][q], kFloatTag, &out[q][1][k][at]);
        hn::StoreU(less(hn::LoadU(kFloatTag, &of_block[q][k][at]), counted[0][q], counted[1][q]), kFloatTag,
                   &out[q][2][k][at]);
      }
    }
  }
}

template <bool kLogs>
EpistasisKernel kernel_of(std::size_t way, bool by_rest) {
  if (by_rest) return {&find_by_rest<kLogs>, &count_margins};
  return {way == 2 ? &find_all<3, kLogs> : &find_all<9, kLogs>, nullptr};
}

}  // namespace

EpistasisKernel make_epistasis_kernel(std::size_t way, bool by_rest, bool with_logs) {
  return with_logs ? kernel_of<true>(way, by_rest) : kernel_of<false>(way, by_rest);
}

}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid {

HWY_EXPORT(make_epistasis_kernel);

EpistasisKernel epistasis_kernel(std::size_t way, bool by_rest, bool with_logs) {
  return HWY_DYNAMIC_DISPATCH(make_epistasis_kernel)(way, by_rest, with_logs);
}

}  // namespace fastid
#endif
