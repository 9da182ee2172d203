/* epistasis.cl: combinations of two or three sites that may go with a trait (src/engine/epistasis.hpp). OpenCL C 1.2, and
 * PTX where the device takes it.
 *
 * Of each site there is a plane for each genotype, in blocks of 32 sites interleaved by word. A site's words are its
 * controls, then its cases, each class in whole steps of 8 words:
 *
 *   planes   [genotype][block][word][site of the block]
 *
 * A combination begins with a pair of sites (of two sites: with one), which has FIRSTS planes of joint genotypes. They are
 * multiplied with the planes of any later site:
 *
 *   FASTID_BY_REST   three sites, everybody called: 4 x 2 cells of genotypes 0 and 1 are counted, and 19 follow
 *   FIRSTS 9, 3      three sites, two sites: all cells are counted
 *
 * Both classes are counted in one word: the controls, shifted by 16 bits, then the cases. Sums and differences of such
 * words are those of both classes, since no class has more than 65,535 people.
 *
 * What passes CostBound's test is scored by a table of logarithms, with room for what rounding may do, and the host scores
 * what passes that in double. thresholds.h and matrix_product.h come before this file. Set by the build: FASTID_MATRIX,
 * FASTID_MATRIX_ROWS and FASTID_MATRIX_COLUMNS as a config has them, FASTID_BY_REST, FASTID_FIRSTS and
 *   FASTID_K2   1: the score is K2; 0: mutual information
 */
#define FIRSTS FASTID_FIRSTS
#define COUNTED (SECONDS * FIRSTS)
#define CELLS (FASTID_BY_REST ? 27 : COUNTED)
#define SECONDS (FASTID_BY_REST ? 2 : 3) /* genotypes of a later site that are counted */
#define CLASS_BITS 16
#define ALL _Pragma("unroll")
#define ONE_BY_ONE _Pragma("unroll 1")

/* What is asked. `share` and the next ones: CostBound. */
typedef struct {
  uint n_sites, n_blocks;
  uint steps;          /* of 8 words, of both classes */
  uint control_steps;  /* of these, the first */
  uint first_begin, second_begin; /* pair p: sites first_begin + p / n_seconds and second_begin + p % n_seconds */
  uint n_firsts, n_seconds;
  uint pair_begin, pair_end;                 /* the pairs of this run */
  uint block_begin;
  uint capacity;       /* of `found` */
  float share, prior_people, prior_cases, squares, logs, people, excess, rest, least;
  float all_people, all_excess; /* m and d of all cells together where everybody is called */
  float worst;         /* the highest cost of interest, with room for rounding; by the rest of K2, before the classes' own
                          is taken off, which is the same for all */
} Question;

#define WORDS(question) ((question)->steps * STEP)

INLINE ulong place_of(const Question *question, uint genotype, uint site, uint word) {
  return (((ulong)genotype * question->n_blocks + site / BLOCK) * WORDS(question) + word) * BLOCK + site % BLOCK;
}

INLINE uint first_of(const Question *question, uint pair) { return question->first_begin + pair / question->n_seconds; }
INLINE uint second_of(const Question *question, uint pair) { return question->second_begin + pair % question->n_seconds; }

/* A word of joint genotype i of a pair. */
INLINE uint joint(const Question *question, __global const uint *restrict planes, uint pair, uint i, uint word) {
#if FIRSTS == 3
  return planes[place_of(question, i, first_of(question, pair), word)];
#else
  const uint n = FASTID_BY_REST ? 2 : 3;
  return planes[place_of(question, i / n, first_of(question, pair), word)] &
         planes[place_of(question, i % n, second_of(question, pair), word)];
#endif
}

/* Joint genotypes 0 and 1 of all pairs of sites: [site][later site], of which the components are 00, 01, 10, 11. Two
 * dimensions: later sites of all blocks, sites. */
__kernel void count_margins(__global const uint *restrict planes, Question question, __global uint4 *restrict margins) {
  const uint later = (uint)get_global_id(0), site = (uint)get_global_id(1);
  if (later / BLOCK < site / BLOCK) return;
  uint4 sum = 0;
  for (uint word = 0; word < WORDS(&question); ++word) {
    if (word == question.control_steps * STEP) sum <<= CLASS_BITS;
    const uint a0 = planes[place_of(&question, 0, site, word)], a1 = planes[place_of(&question, 1, site, word)];
    const uint b0 = planes[place_of(&question, 0, later, word)], b1 = planes[place_of(&question, 1, later, word)];
    sum += popcount((uint4)(a0 & b0, a0 & b1, a1 & b0, a1 & b1));
  }
  margins[(ulong)site * question.n_blocks * BLOCK + later] = sum;
}

/* The pairs' planes: [tile of 16 pairs][step][joint genotype][work-item of a warp], a uint4 each, as link_sites.cl packs
 * sites: words g and g + 4 of pairs r and r + 8, where the work-item is 4 r + g. In two dimensions: work-items of a warp
 * for each step, and tiles. */
__kernel void pack_pairs(__global const uint *restrict planes, Question question, __global uint4 *restrict packed) {
  const uint step = (uint)get_global_id(0) / WARP, item = (uint)get_global_id(0) % WARP, tile = (uint)get_global_id(1);
  for (uint p = 0; p < FIRSTS; ++p) {
    uint words[4];
    for (uint i = 0; i < 4; ++i) {
      const uint pair = min(question.pair_begin + tile * TILE + item / 4 + i % 2 * 8, question.pair_end - 1);
      words[i] = joint(&question, planes, pair, p, step * STEP + item % 4 + i / 2 * 4);
    }
    packed[((ulong)(tile * question.steps + step) * FIRSTS + p) * WARP + item] =
        (uint4)(words[0], words[1], words[2], words[3]);
  }
}

/* CostBound's m and d of some cells that were counted together; a word's halves are below 2^16, so that they are exact. */
INLINE float2 quantities(const Question *question, uint word, float n_cells) {
  const float zero = 8388608.0f; /* 2^23, whose last bit is worth 1 */
  const float controls = as_float(0x4B000000u | word >> CLASS_BITS) - zero;
  const float cases = as_float(0x4B000000u | (word & 0xFFFF)) - zero;
  const float m = controls + cases + n_cells * question->prior_people;
  return (float2)(m, cases + n_cells * question->prior_cases - question->share * m);
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

/* CostBound's test of cells with these m and d; by the rest, of_everybody()'s. Two cells share a reciprocal and a
 * logarithm. */
INLINE bool may_pass(const Question *question, const float *m, const float *d) {
  float squares = 0, people = 0, excess = 0;
  uint logs = 0;
  ALL for (int i = 0; i < CELLS; i += 2) {
    const bool two = i + 1 < CELLS;
    const float other = two ? m[i + 1] : 1, of_other = two ? d[i + 1] : 0, both = m[i] * other;
    squares += (d[i] * d[i] * other + of_other * of_other * m[i]) * reciprocal(both);
    logs += as_uint(both) - 0x3F800000u;
#if !FASTID_BY_REST
    people += m[i] + (two ? other : 0);
#if !FASTID_K2
    excess += d[i] + of_other;
#endif
#endif
  }
#if !FASTID_BY_REST
  if (people < question->least) return false;
#endif
  float need = question->rest;
#if !FASTID_K2
  need += people * question->people + excess * question->excess;
#endif
  float have = squares * question->squares;
#if FASTID_K2
  have -= (float)logs * (1.0f / (1 << 23)) * question->logs;
#endif
  return have >= need;
}

/* The cost by a table of ln n! (K2) or n ln n. */
INLINE float cost_of(const Question *question, const float *m, const float *d, __global const float *restrict terms) {
  float sum = 0;
  uint all = 0, all_cases = 0;
  ALL for (int i = 0; i < CELLS; ++i) { /* so that cells stay in registers */
    const uint n = (uint)(m[i] - question->prior_people + 0.5f);
    const uint cases = (uint)(d[i] + question->share * m[i] - question->prior_cases + 0.5f);
    sum += terms[n + FASTID_K2] - terms[n - cases] - terms[cases];
    all += n;
    all_cases += cases;
  }
#if !FASTID_K2
  sum = all == 0 ? 0 : (sum + terms[all - all_cases] + terms[all_cases] - terms[all]) / (float)all;
#elif !FASTID_BY_REST
  sum -= terms[all + 1] - terms[all - all_cases] - terms[all_cases];
#endif
  return sum;
}

/* Whether a pair of this run has a first site before its second one. */
INLINE bool is_pair(const Question *question, uint pair) {
  return pair < question->pair_end && (FIRSTS == 3 || first_of(question, pair) < second_of(question, pair));
}

/* Whether a site comes after a pair's. */
INLINE bool is_later(const Question *question, uint pair, uint later) {
  const uint last = FIRSTS == 3 ? first_of(question, pair) : second_of(question, pair);
  return last < later && later < question->n_sites;
}

/* Appends a combination that may be among the best to `found`, whose first two words are the number of combinations, of
 * which `capacity` are stored, and 0: the pair's place, and the later site. */
INLINE void test(const Question *question, const float *m, const float *d, uint pair, uint later,
                 __global const float *restrict terms, __global uint *restrict found) {
  if (!may_pass(question, m, d)) return;
  if (!(cost_of(question, m, d, terms) <= question->worst)) return;
  const uint at = atomic_inc(found);
  if (at < question->capacity) found[2 + 2 * at] = pair, found[3 + 2 * at] = later;
}

/* What cells that are not counted follow from, as m and d: of each site genotypes 0 and 1, m then d in the vector `own`;
 * in a tile of each pair 9 joint genotypes, m then d, in PAIR_FLOATS of `pairs`; and of each first, then each second site
 * with each later one two vectors in `rows`, m and d of the joint genotypes 00, 01, 10, 11. Later sites are in the order in
 * which a warp's work-items test them, so that neighbours load neighbours. */
#define PAIR_FLOATS 18
#define LINE(question) ((ulong)(question)->n_blocks * BLOCK)
#define IN_LINE(later) ((later) / BLOCK * BLOCK + (later) % 8 * 4 + (later) / 8 % 4)

/* Of a tile's first, then its second sites. Two dimensions: later sites of all blocks, sites of the tile. */
__kernel void spread_margins(__global const uint4 *restrict margins, Question question, __global float4 *restrict rows) {
  const uint later = (uint)get_global_id(0), row = (uint)get_global_id(1);
  const uint site = row < question.n_firsts ? question.first_begin + row : question.second_begin + row - question.n_firsts;
  if (later <= site || later >= question.n_sites) return;
  const uint4 both = margins[site * LINE(&question) + later];
  const float2 a = quantities(&question, both.x, 3), b = quantities(&question, both.y, 3);
  const float2 c = quantities(&question, both.z, 3), d = quantities(&question, both.w, 3);
  __global float4 *const to = rows + 2 * (row * LINE(&question) + IN_LINE(later));
  to[0] = (float4)(a.x, b.x, c.x, d.x);
  to[1] = (float4)(a.y, b.y, c.y, d.y);
}

INLINE void put_pair(float4 both, float2 first, float2 second, float all, __global float *restrict to) {
  const float two_0 = second.x - both.x - both.z, two_1 = second.y - both.y - both.w;
  to[0] = both.x, to[1] = both.y, to[2] = first.x - both.x - both.y;
  to[3] = both.z, to[4] = both.w, to[5] = first.y - both.z - both.w;
  to[6] = two_0, to[7] = two_1, to[8] = all - first.x - first.y - two_0 - two_1;
}

/* Of a tile's pairs, in one dimension. */
__kernel void count_pairs(__global const float4 *restrict rows, Question question, __global const float4 *restrict own,
                          __global float *restrict pairs) {
  const uint pair = (uint)get_global_id(0), first = first_of(&question, pair), second = second_of(&question, pair);
  if (first >= second) return;
  __global const float4 *const both = rows + 2 * (pair / question.n_seconds * LINE(&question) + IN_LINE(second));
  put_pair(both[0], own[first].xy, own[second].xy, question.all_people, pairs + pair * PAIR_FLOATS);
  put_pair(both[1], own[first].zw, own[second].zw, question.all_excess, pairs + pair * PAIR_FLOATS + 9);
}

#if FASTID_BY_REST
/* All cells in m, or in d, of the 8 that were counted: [2 (joint genotype of the pair) + genotype of the later site].
 * `later`: its genotypes 0 and 1. */
INLINE void put_rest(float *cells, const float *counted, const float *of_pair, float4 with_first, float4 with_second,
                     float2 later) {
  const float a_c[2][2] = {{with_first.x, with_first.y}, {with_first.z, with_first.w}};
  const float b_c[3][2] = {{with_second.x, with_second.y}, {with_second.z, with_second.w},
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

/* What is known of a pair. */
typedef struct {
  uint pair, last;                                 /* its place, its second site */
  __global const float4 *with_first, *with_second; /* lines of `rows` */
  float cells[PAIR_FLOATS];
} KnownPair;

INLINE KnownPair known_pair(const Question *question, uint pair, __global const float4 *restrict rows,
                            __global const float *restrict pairs) {
  const uint first = pair / question->n_seconds, second = pair - first * question->n_seconds;
  KnownPair known;
  known.pair = pair;
  known.last = question->second_begin + second;
  known.with_first = rows + 2 * first * LINE(question);
  known.with_second = rows + 2 * (question->n_firsts + second) * LINE(question);
  ALL for (int i = 0; i < PAIR_FLOATS; ++i) known.cells[i] = pairs[pair * PAIR_FLOATS + i];
  return known;
}

/* Of a later site with a pair's first and its second one, as m and d, and alone. */
typedef struct {
  float4 first_m, first_d, second_m, second_d, alone;
} Margins;

INLINE Margins margins_of(const KnownPair *known, uint later, __global const float4 *restrict own) {
  __global const float4 *const with_first = known->with_first + 2 * IN_LINE(later);
  __global const float4 *const with_second = known->with_second + 2 * IN_LINE(later);
  const Margins margins = {with_first[0], with_first[1], with_second[0], with_second[1], own[later]};
  return margins;
}

/* Tests the combination of which these cells were counted. */
INLINE void test_by_rest(const Question *question, const uint *counted, const KnownPair *known,
                         const Margins *margins, uint later, __global const float *restrict terms,
                         __global uint *restrict found) {
  float m[CELLS], d[CELLS], counted_m[8], counted_d[8];
  ALL for (int i = 0; i < 8; ++i) {
    const float2 cell = quantities(question, counted[i], 1);
    counted_m[i] = cell.x, counted_d[i] = cell.y;
  }
  put_rest(m, counted_m, known->cells, margins->first_m, margins->second_m, margins->alone.xy);
  put_rest(d, counted_d, known->cells + 9, margins->first_d, margins->second_d, margins->alone.zw);
  test(question, m, d, known->pair, later, terms, found);
}
#endif

/* By popcounts: a work-item counts a pair with a later site. Two dimensions: later sites from block_begin on, pairs. */
#define PACKED_WORD(packed, tile, step, p, item) packed[((ulong)((tile) * question.steps + (step)) * FIRSTS + (p)) * WARP + (item)]
__kernel void find(__global const uint *restrict planes, Question question, __global const uint4 *restrict packed,
                   __global const float4 *restrict rows, __global const float *restrict pairs,
                   __global const float4 *restrict own, __global const float *restrict terms,
                   __global uint *restrict found) {
  const uint later = question.block_begin * BLOCK + (uint)get_global_id(0), at = (uint)get_global_id(1);
  const uint pair = question.pair_begin + at, tile = at / TILE, row = at % TILE;
  const uint upper = row / 8, first_item = row % 8 * 4; /* the pair's words are in these work-items' vectors */
  uint counted[COUNTED];
  ALL for (uint i = 0; i < COUNTED; ++i) counted[i] = 0;
  for (uint step = 0; step < question.steps; ++step) {
    if (step == question.control_steps)
      ALL for (uint i = 0; i < COUNTED; ++i) counted[i] <<= CLASS_BITS;
    for (uint g = 0; g < 4; ++g) {
      uint lows[3], highs[3];
      ALL for (uint q = 0; q < SECONDS; ++q) {
        const ulong place = place_of(&question, q, later, step * STEP + g);
        lows[q] = planes[place];
        highs[q] = planes[place + 4 * BLOCK];
      }
      ALL for (uint p = 0; p < FIRSTS; ++p) {
        const uint4 words = PACKED_WORD(packed, tile, step, p, first_item + g);
        const uint low = upper ? words.y : words.x, high = upper ? words.w : words.z;
        ALL for (uint q = 0; q < SECONDS; ++q)
          counted[SECONDS * p + q] += popcount(low & lows[q]) + popcount(high & highs[q]);
      }
    }
  }
  if (!is_pair(&question, pair) || !is_later(&question, pair, later)) return;
#if FASTID_BY_REST
  const KnownPair known = known_pair(&question, pair, rows, pairs);
  const Margins margins = margins_of(&known, later, own);
  test_by_rest(&question, counted, &known, &margins, later, terms, found);
#else
  float m[CELLS], d[CELLS];
  ALL for (int i = 0; i < CELLS; ++i) {
    const float2 cell = quantities(&question, counted[i], 1);
    m[i] = cell.x, d[i] = cell.y;
  }
  test(&question, m, d, pair, later, terms, found);
#endif
}

#if FASTID_BY_REST
/* By products of matrices of bits: a warp multiplies 16 pairs with a block, as link_sites.cl does; that file says which
 * sums a work-item holds. Work-groups in two dimensions: blocks from block_begin on, tiles of pairs. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void multiply(
    __global const uint4 *restrict planes, Question question, __global const uint4 *restrict packed,
    __global const float4 *restrict rows, __global const float *restrict pairs, __global const float4 *restrict own,
    __global const float *restrict terms, __global uint *restrict found) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
  const uint n_pairs = question.pair_end - question.pair_begin, n_tiles = (n_pairs + TILE - 1) / TILE;
  const uint tile = (uint)get_group_id(1) * FASTID_MATRIX_ROWS + warp % FASTID_MATRIX_ROWS;
  const uint block = question.block_begin + (uint)get_group_id(0) * FASTID_MATRIX_COLUMNS + warp / FASTID_MATRIX_ROWS;
  const uint words = WORDS(&question);
  __global const uint4 *const firsts = packed + (ulong)min(tile, n_tiles - 1) * question.steps * FIRSTS * WARP + item;
  __global const uint4 *columns[2];
  ALL for (int q = 0; q < 2; ++q)
    columns[q] = planes + (((ulong)q * question.n_blocks + min(block, question.n_blocks - 1)) * words + item % 4) *
                              (BLOCK / 4) + item / 4;
  int sums[8][4][4], from[4][2] = {{0}};
  ALL for (int i = 0; i < 8; ++i) ALL for (int t = 0; t < 4; ++t) ALL for (int j = 0; j < 4; ++j) sums[i][t][j] = 0;
  for (uint step = 0; step < question.steps; ++step) {
    if (step == question.control_steps)
      ALL for (int i = 0; i < 8; ++i) ALL for (int t = 0; t < 4; ++t) ALL for (int j = 0; j < 4; ++j)
        sums[i][t][j] <<= CLASS_BITS;
    UNROLL for (int q = 0; q < 2; ++q) {
      const uint4 low = columns[q][step * STEP * (BLOCK / 4)], high = columns[q][(step * STEP + 4) * (BLOCK / 4)];
      UNROLL for (int p = 0; p < 4; ++p)
        multiply_block(sums[2 * p + q], firsts[(step * FIRSTS + p) * WARP], low, high, false, from, exchange);
    }
  }
  /* The program of one test, 16 times: unrolled it would not fit the cache of instructions. So sums move up. */
  ONE_BY_ONE for (int upper = 0; upper < 2; ++upper) {
    const uint pair = question.pair_begin + tile * TILE + item / 4 + upper * 8;
    const bool is = is_pair(&question, pair);
    const KnownPair known = known_pair(&question, is ? pair : question.pair_begin, rows, pairs);
    const uint before = is ? known.last : question.n_sites; /* of a pair: later sites come after it; else none does */
    Margins next = margins_of(&known, min(block * BLOCK + item % 4 * 8, question.n_sites - 1), own);
    ONE_BY_ONE for (int t = 0; t < 4; ++t) {
      ONE_BY_ONE for (int j = 0; j < 2; ++j) {
        const uint later = block * BLOCK + item % 4 * 8 + j * 4 + t;
        const Margins margins = next;
        next = margins_of(&known, min(j == 0 ? later + 4 : later - 3, question.n_sites - 1), own);
        uint counted[8];
        ALL for (int i = 0; i < 8; ++i) counted[i] = (uint)sums[i][0][0], sums[i][0][0] = sums[i][0][1];
        if (before < later && later < question.n_sites)
          test_by_rest(&question, counted, &known, &margins, later, terms, found);
      }
      ALL for (int i = 0; i < 8; ++i) ALL for (int k = 0; k < 3; ++k) ALL for (int j = 0; j < 2; ++j)
        sums[i][k][j] = sums[i][k + 1][j];
    }
    ALL for (int i = 0; i < 8; ++i) ALL for (int k = 0; k < 4; ++k) ALL for (int j = 0; j < 2; ++j)
      sums[i][k][j] = sums[i][k][j + 2];
  }
}
#endif
