/* epistasis_test.h: what is asked of combinations of sites, and which of them may be among the best. Comes
 * before epistasis.cl and epistasis_matrix.cl, after common.h and matrix_product.h. OpenCL C 1.2, and PTX where the device
 * takes it.
 *
 * A table has a cell for each joint genotype. The people of a cell are counted in two words, controls and cases
 * (FASTID_LARGE), or where no class has more than 65,535 people in one: the controls, shifted by 16 bits, then the cases.
 * From then on a cell is CostBound's m and d, in float, by which those cells that are not counted follow from others by
 * subtraction, as its people do. All these numbers are exact.
 *
 * What passes CostBound's test is scored by a table of logarithms, with room for what rounding may do. The host scores the
 * tables of what may be among the best of that in double. Set by the build:
 *   FASTID_ALL_CALLED  1: everybody is called at every site: of three sites the 8 cells of genotypes 0 and 1 are counted, and
 *                    19 follow by subtraction; of two sites 4 are, and 5 follow
 *   FASTID_PAIRS     1: combinations have two sites
 *   FASTID_SLABS     1: of four sites the people with one genotype of the first, of whom the other three are counted as three
 *                    sites are: for one slab after the other, whose share of the test is added up
 *   FASTID_PAIR_GENOTYPES  joint genotypes of a pair of sites that are counted with each later site: 4 if FASTID_ALL_CALLED,
 *                    else 9; if FASTID_PAIRS the 2 or 3 of the first site
 *   FASTID_K2        1: the score is K2; 0: mutual information
 *   FASTID_LARGE     1: a class may have more than 65,535 people
 *   FASTID_STRETCHES 1: people are counted a stretch after the other, in whole numbers (epistasis_stretches.cl): where this
 *                    file speaks of m and d, there are controls and cases
 */
#define PAIR_GENOTYPES FASTID_PAIR_GENOTYPES
#define LATER_GENOTYPES (FASTID_ALL_CALLED ? 2 : 3) /* genotypes of a later site that are counted */
#define COUNTED (LATER_GENOTYPES * PAIR_GENOTYPES)
#define CELLS (FASTID_PAIRS ? 9 : FASTID_ALL_CALLED ? 27 : COUNTED)
#define CLASS_BITS 16
#define ALL _Pragma("unroll")
#define ONE_BY_ONE _Pragma("unroll 1")

/* A number of a cell, or of cells together: m or d; by stretches people of a class. */
#if FASTID_STRETCHES
typedef uint Quantity;
typedef uint2 Quantity2;
typedef uint4 Quantity4;
#define PUT(to, quantities) (to) += (quantities)
#else
typedef float Quantity;
typedef float2 Quantity2;
typedef float4 Quantity4;
#define PUT(to, quantities) (to) = (quantities)
#endif

/* The arguments of a launch: EpistasisArguments of src/opencl/epistasis/people.hpp is the same struct, member by member. From
 * `steps` to `all_cases` it is PeopleArguments, `people` there; from `share` to `least` CostBound of
 * src/engine/epistasis.hpp, `bound` there. */
typedef struct {
  uint n_sites, n_blocks;       /* blocks of 32 sites */
  uint steps;                   /* of 8 words, of both classes */
  uint control_steps;           /* of these, the first */
  float all_people, all_excess; /* m and d of all cells together where everybody is called */
  uint all_controls, all_cases; /* of a slab, by stretches */
  uint tile_first, tile_second; /* the tile's first pair of sites */
  uint n_firsts, n_seconds;     /* how many sites it has of each */
  uint batch_first, batch_first_end, batch_second, batch_second_end; /* this batch: a rectangle of the tile's pairs */
  uint block_begin;             /* of later sites */
  uint capacity;                /* combinations that `found` holds, and `candidates` */
  uint slab;                    /* 0, 1 or 2 */
  float share, prior_people, prior_cases, squares, logs, people, offset, least;
  float worst;        /* the highest cost of interest, with room for rounding; if FASTID_ALL_CALLED and FASTID_K2 plus K2
                         of all people in one cell, which is the same for all combinations and is not taken off here */
  uint n_slabs;       /* by stretches: 1, or of four sites 3 */
  uint counted_class; /* BOTH_CLASSES; or the one that is counted, where count_both_classes() has counted everybody */
} Arguments;

#define BOTH_CLASSES 0
#define ONLY_CONTROLS 1
#define ONLY_CASES 2

#define WORDS(arguments) ((arguments)->steps * STEP)

/* The pairs of this batch. */
INLINE uint n_pairs(const Arguments *arguments) {
  return (arguments->batch_first_end - arguments->batch_first) * (arguments->batch_second_end - arguments->batch_second);
}

/* The float of the whole number below 2^23 that these bits are with the exponent of 2^23, plus `more`, which with it must have
 * few enough bits: 0 or 1/2. */
#define EXPONENT 0x4B000000u
INLINE float float_of(uint bits, float more) { return as_float(bits) - (8388608.0f - more); }

/* A word's upper or lower half with that exponent. */
#if FASTID_MATRIX == 2
#define WITH_EXPONENT(bits, word, bytes) __asm__("prmt.b32 %0, %1, 0x4B00, " bytes ";" : "=r"(bits) : "r"(word))
#define UPPER_HALF(bits, word) WITH_EXPONENT(bits, word, "0x5432")
#define LOWER_HALF(bits, word) WITH_EXPONENT(bits, word, "0x5410")
#else
#define UPPER_HALF(bits, word) (bits) = EXPONENT | (word) >> CLASS_BITS
#define LOWER_HALF(bits, word) (bits) = EXPONENT | ((word) & 0xffff)
#endif

#if FASTID_STRETCHES
#define ALL_PEOPLE(arguments) (arguments)->all_controls
#define ALL_EXCESS(arguments) (arguments)->all_cases
INLINE uint2 quantities(const Arguments *arguments, uint controls, uint cases, float n_cells) {
  return (uint2)(controls, cases);
}
#else
#define ALL_PEOPLE(arguments) (arguments)->all_people
#define ALL_EXCESS(arguments) (arguments)->all_excess

/* m and d of some cells that were counted together. */
INLINE float2 quantities(const Arguments *arguments, uint controls, uint cases, float n_cells) {
  const float k = float_of(EXPONENT | cases, 0);
  const float m = float_of(EXPONENT | controls, 0) + k + n_cells * arguments->prior_people;
  return (float2)(m, k + n_cells * arguments->prior_cases - arguments->share * m);
}

/* m and d of one cell, of the bits of its controls and cases with EXPONENT: by K2 it has a person more, half a case; by mutual
 * information `prior_people` people, `share` of them cases. */
INLINE float2 of_bits(const Arguments *arguments, uint controls, uint cases) {
  const float half_person = FASTID_K2 ? 0.5f : 0.0f;
  const float k = float_of(cases, half_person), m = float_of(controls, half_person) + k;
  const float d = k - arguments->share * m;
  return (float2)(FASTID_K2 ? m : m + arguments->prior_people, d);
}
INLINE float2 of_cell(const Arguments *arguments, uint controls, uint cases) {
  return of_bits(arguments, EXPONENT | controls, EXPONENT | cases);
}

/* 1 / x, but for rounding, of an x that is neither tiny nor huge: of which native_recip() is made for NVIDIA's devices with
 * four instructions more. */
#if FASTID_MATRIX == 2
INLINE float reciprocal(float x) {
  float y;
  __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
#define reciprocal(x) native_recip(x)
#endif

/* The sums of CostBound's test (if FASTID_ALL_CALLED of_everybody()'s) over cells with these m and d: its left side, and M,
 * which is 0 if FASTID_ALL_CALLED. A float's bits are its logarithm, cut from below by straight lines. Three cells
 * share a reciprocal and a logarithm. */
INLINE float2 weigh(const Arguments *arguments, const float *m, const float *d) {
  float squares[2] = {0, 0}, people = 0; /* two sums, which do not wait for each other */
  uint logs = 0;
  ALL for (int i = 0; i < CELLS; i += 3) {
    const float two = m[i] * m[i + 1], three = two * m[i + 2];
    const float of_two = d[i] * d[i] * m[i + 1] + d[i + 1] * d[i + 1] * m[i];
    squares[i / 3 % 2] += (of_two * m[i + 2] + d[i + 2] * d[i + 2] * two) * reciprocal(three);
    logs += as_uint(three) - 0x3F800000u;
#if !FASTID_ALL_CALLED
    people += m[i] + m[i + 1] + m[i + 2];
#endif
  }
  float have = (squares[0] + squares[1]) * arguments->squares;
#if FASTID_K2
  have -= (float)logs * (1.0f / (1 << 23)) * arguments->logs;
#endif
  return (float2)(have, people);
}
INLINE bool is_enough(const Arguments *arguments, float2 sums) {
#if FASTID_ALL_CALLED
  return sums.x >= arguments->offset;
#else
  if (sums.y < arguments->least) return false;
  return sums.x >= (FASTID_K2 ? arguments->offset : arguments->offset + sums.y * arguments->people);
#endif
}
INLINE bool may_pass(const Arguments *arguments, const float *m, const float *d) {
  return is_enough(arguments, weigh(arguments, m, d));
}

#if FASTID_SLABS
/* What the slabs so far have of each combination of a batch, [pair][later site from the first block on]. */
#if FASTID_ALL_CALLED
typedef float Sum;
#define SUM_OF(sums) ((sums).x)
#define SUMS_OF(sum) ((float2)(sum, 0))
#else
typedef float2 Sum;
#define SUM_OF(sums) (sums)
#define SUMS_OF(sum) (sum)
#endif

/* Adds a slab's cells of a combination; after the last one appends its sites to `candidates`, a vector each, if it may be
 * among the best. The first word of the first vector is how many there are, of which `capacity` are stored. */
INLINE void add_slab(const Arguments *arguments, const float *m, const float *d, uint first, uint second, uint later,
                     __global Sum *restrict slabs, __global uint4 *restrict candidates) {
  const uint begin = arguments->block_begin * BLOCK;
  const uint pair = (first - arguments->batch_first) * (arguments->batch_second_end - arguments->batch_second) +
                    second - arguments->batch_second;
  __global Sum *const at = slabs + (ulong)pair * (arguments->n_blocks * BLOCK - begin) + later - begin;
  float2 sums = weigh(arguments, m, d);
  if (arguments->slab > 0) sums += SUMS_OF(*at);
  if (arguments->slab < 2) {
    *at = SUM_OF(sums);
  } else if (is_enough(arguments, sums)) {
    const uint place = atomic_inc((__global uint *)candidates);
    if (place < arguments->capacity) candidates[1 + place] = (uint4)(first, second, later, 0);
  }
}
#define OUTPUTS __global Sum *restrict slabs, __global uint4 *restrict candidates
#define TO_OUTPUTS slabs, candidates
#endif

/* The people, and of these the cases, of a cell that has these m and d. */
INLINE uint2 people_of(const Arguments *arguments, float m, float d) {
  return (uint2)((uint)(m - arguments->prior_people + 0.5f),
                 (uint)(d + arguments->share * m - arguments->prior_cases + 0.5f));
}

/* A cost in the making, by `log_terms`, a table of ln n! (K2) or n ln n: the sum over cells, their people, and of these the
 * cases. */
typedef struct {
  float sum;
  uint people, cases;
} Cost;
INLINE void add_cells(Cost *cost, const Arguments *arguments, const float *m, const float *d,
                      __global const float *restrict log_terms) {
  ALL for (int i = 0; i < CELLS; ++i) { /* so that cells stay in registers */
    const uint2 people = people_of(arguments, m[i], d[i]);
    cost->sum += log_terms[people.x + FASTID_K2] - log_terms[people.x - people.y] - log_terms[people.y];
    cost->people += people.x;
    cost->cases += people.y;
  }
}
INLINE float whole_cost(const Cost *cost, __global const float *restrict log_terms) {
  const uint all = cost->people, all_cases = cost->cases;
  float sum = cost->sum;
#if !FASTID_K2
  sum = all == 0 ? 0 : (sum + log_terms[all - all_cases] + log_terms[all_cases] - log_terms[all]) / (float)all;
#elif !FASTID_ALL_CALLED
  sum -= log_terms[all + 1] - log_terms[all - all_cases] - log_terms[all_cases];
#endif
  return sum;
}

/* Appends a combination to `found` if its cost is of interest, FOUND vectors each: its sites (of two, the second is 0) and
 * its cost; and of each cell controls and cases. The first words of the first vector are the number of combinations, of
 * which `capacity` are stored; how many candidates there were (epistasis_matrix.cl); and 0. */
#define FOUND 15
INLINE void score(const Arguments *arguments, const float *m, const float *d, uint first, uint second, uint later,
                  __global const float *restrict log_terms, __global uint4 *restrict found) {
  Cost sums = {0, 0, 0};
  add_cells(&sums, arguments, m, d, log_terms);
  const float cost = whole_cost(&sums, log_terms);
  if (!(cost <= arguments->worst)) return;
  const uint at = atomic_inc((__global uint *)found);
  if (at >= arguments->capacity) return;
  __global uint4 *const to = found + 1 + (ulong)at * FOUND;
  to[0] = (uint4)(first, second, later, as_uint(cost));
  __global uint2 *const cells = (__global uint2 *)(to + 1);
  ALL for (int i = 0; i < CELLS; ++i) {
    const uint2 people = people_of(arguments, m[i], d[i]);
    cells[i] = (uint2)(people.x - people.y, people.y);
  }
}

#endif /* !FASTID_STRETCHES */

/* Margins, from which cells that are not counted follow, as m and d: of each site genotypes 0 and 1, m then d in the vector
 * `own`; in a tile of each pair 9 joint genotypes, m then d, in PAIR_VECTORS of `pairs`; and of each first, then each second
 * site with each later one two vectors in `margins`, m and d of the joint genotypes 00, 01, 10, 11. 16 later sites
 * lie as 0, 4, 8, 12, 1, 5, ..., so that work-items of a warp, which have four later sites each, load neighbours. */
#define PAIR_VECTORS 5
#define LINE(arguments) ((ulong)(arguments)->n_blocks * BLOCK)
#define IN_LINE(later) ((later) / 16 * 16 + (later) % 4 * 4 + (later) / 4 % 4)

INLINE void put_pair(Quantity4 both, Quantity2 first, Quantity2 second, Quantity all, Quantity *to) {
  const Quantity two_0 = second.x - both.x - both.z, two_1 = second.y - both.y - both.w;
  to[0] = both.x, to[1] = both.y, to[2] = first.x - both.x - both.y;
  to[3] = both.z, to[4] = both.w, to[5] = first.y - both.z - both.w;
  to[6] = two_0, to[7] = two_1, to[8] = all - first.x - first.y - two_0 - two_1;
}

/* Of a tile's pairs, in one dimension; items past the last pair do nothing. */
__kernel void count_pairs(__global const Quantity4 *restrict margins, Arguments arguments,
                          __global const Quantity4 *restrict own, __global Quantity4 *restrict pairs) {
  const uint pair = (uint)get_global_id(0), in_firsts = pair / arguments.n_seconds;
  const uint first = arguments.tile_first + in_firsts, second = arguments.tile_second + pair % arguments.n_seconds;
  if (in_firsts >= arguments.n_firsts || first >= second) return;
#if FASTID_STRETCHES
  margins += 2 * arguments.slab * (ulong)(arguments.n_firsts + arguments.n_seconds) * LINE(&arguments);
  own += arguments.slab * LINE(&arguments);
  pairs += (ulong)arguments.slab * arguments.n_firsts * arguments.n_seconds * PAIR_VECTORS;
#endif
  __global const Quantity4 *const both = margins + 2 * (in_firsts * LINE(&arguments) + IN_LINE(second));
  Quantity cells[18];
  put_pair(both[0], own[first].xy, own[second].xy, ALL_PEOPLE(&arguments), cells);
  put_pair(both[1], own[first].zw, own[second].zw, ALL_EXCESS(&arguments), cells + 9);
  __global Quantity *const to = (__global Quantity *)(pairs + (ulong)pair * PAIR_VECTORS);
  ALL for (int i = 0; i < 18; ++i) to[i] = cells[i];
}

#define PAIRS_BY_SUBTRACTION (FASTID_PAIRS && FASTID_ALL_CALLED)
#define TRIPLES_BY_SUBTRACTION (!FASTID_PAIRS && FASTID_ALL_CALLED)

/* The margins from which the cells of a pair's, or of a first site's, combinations follow that are not counted. */
typedef struct {
  uint first, second;
#if PAIRS_BY_SUBTRACTION
  Quantity all_m, all_d; /* of everybody */
#elif TRIPLES_BY_SUBTRACTION
  __global const Quantity4 *with_first, *with_second; /* lines of `margins` */
  Quantity cells[4 * PAIR_VECTORS];                   /* joint genotypes, m then d, and 2 of no use */
#endif
} PairMargins;

INLINE PairMargins margins_of_pair(const Arguments *arguments, uint first, uint second,
                                   __global const Quantity4 *restrict margins, __global const Quantity4 *restrict pairs) {
#if TRIPLES_BY_SUBTRACTION
  const uint in_firsts = first - arguments->tile_first, in_seconds = second - arguments->tile_second;
  PairMargins of_pair;
  of_pair.first = first;
  of_pair.second = second;
  of_pair.with_first = margins + 2 * in_firsts * LINE(arguments);
  of_pair.with_second = margins + 2 * (arguments->n_firsts + in_seconds) * LINE(arguments);
  ALL for (int i = 0; i < PAIR_VECTORS; ++i) {
    const Quantity4 some = pairs[(ulong)(in_firsts * arguments->n_seconds + in_seconds) * PAIR_VECTORS + i];
    of_pair.cells[4 * i] = some.x, of_pair.cells[4 * i + 1] = some.y;
    of_pair.cells[4 * i + 2] = some.z, of_pair.cells[4 * i + 3] = some.w;
  }
#elif PAIRS_BY_SUBTRACTION
  const PairMargins of_pair = {first, second, ALL_PEOPLE(arguments), ALL_EXCESS(arguments)};
#else
  const PairMargins of_pair = {first, second};
#endif
  return of_pair;
}

#if TRIPLES_BY_SUBTRACTION
/* All cells in m, or in d, of the 8 that were counted: [2 (joint genotype of the pair) + genotype of the later site].
 * `later`: its genotypes 0 and 1. */
INLINE void put_triple(Quantity *cells, const Quantity *counted, const Quantity *of_pair, Quantity4 with_first,
                     Quantity4 with_second, Quantity2 later) {
  const Quantity a_c[2][2] = {{with_first.x, with_first.y}, {with_first.z, with_first.w}};
  const Quantity b_c[3][2] = {{with_second.x, with_second.y}, {with_second.z, with_second.w},
                           {later.x - with_second.x - with_second.z, later.y - with_second.y - with_second.w}};
#define CELL(a, b, c) cells[9 * (a) + 3 * (b) + (c)]
  ALL for (int i = 0; i < 8; ++i) CELL(i / 4, i / 2 % 2, i % 2) = counted[i];
  ALL for (int c = 0; c < 2; ++c) {
    ALL for (int a = 0; a < 2; ++a) CELL(a, 2, c) = a_c[a][c] - CELL(a, 0, c) - CELL(a, 1, c);
    ALL for (int b = 0; b < 3; ++b) CELL(2, b, c) = b_c[b][c] - CELL(0, b, c) - CELL(1, b, c);
  }
  ALL for (int a = 0; a < 3; ++a) ALL for (int b = 0; b < 3; ++b)
    CELL(a, b, 2) = of_pair[3 * a + b] - CELL(a, b, 0) - CELL(a, b, 1);
}
#endif

/* The cells of a combination, of which these were counted: m and d. */
INLINE void put_cells(const Quantity2 *counted, const PairMargins *of_pair, uint later, __global const Quantity4 *restrict own,
                      Quantity *m, Quantity *d) {
#if TRIPLES_BY_SUBTRACTION
  __global const Quantity4 *const with_first = of_pair->with_first + 2 * IN_LINE(later);
  __global const Quantity4 *const with_second = of_pair->with_second + 2 * IN_LINE(later);
  const Quantity4 alone = own[later];
  Quantity counted_m[8], counted_d[8];
  ALL for (int i = 0; i < 8; ++i) counted_m[i] = counted[i].x, counted_d[i] = counted[i].y;
  put_triple(m, counted_m, of_pair->cells, with_first[0], with_second[0], alone.xy);
  put_triple(d, counted_d, of_pair->cells + 9, with_first[1], with_second[1], alone.zw);
#elif PAIRS_BY_SUBTRACTION
  const Quantity4 first = own[of_pair->first], alone = own[later];
  put_pair((Quantity4)(counted[0].x, counted[1].x, counted[2].x, counted[3].x), first.xy, alone.xy, of_pair->all_m, m);
  put_pair((Quantity4)(counted[0].y, counted[1].y, counted[2].y, counted[3].y), first.zw, alone.zw, of_pair->all_d, d);
#else
  ALL for (int i = 0; i < CELLS; ++i) m[i] = counted[i].x, d[i] = counted[i].y;
#endif
}

#if FASTID_STRETCHES
/* Where a batch's counts are: [slab][class][joint genotype that is counted][pair][later site from the first block on]. Each
 * stretch adds its people to them. */
INLINE ulong count_place(const Arguments *arguments, uint slab, uint class, uint i, uint pair, uint later) {
  const uint begin = arguments->block_begin * BLOCK, laters = arguments->n_blocks * BLOCK - begin;
  return ((ulong)((slab * 2 + class) * COUNTED + i) * n_pairs(arguments) + pair) * laters + later - begin;
}
#define OUTPUTS __global uint *restrict counts
#define TO_OUTPUTS counts
#endif
