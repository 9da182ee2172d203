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

/* What is asked. `rest` and the next ones: CostBound. */
typedef struct {
  uint n_sites, n_blocks;
  uint steps;          /* of 8 words, of both classes */
  uint control_steps;  /* of these, the first */
  uint first_begin, second_begin, n_seconds; /* pair p: sites first_begin + p / n_seconds and second_begin + p % n_seconds */
  uint pair_begin, pair_end;                 /* the pairs of this run */
  uint block_begin;
  uint capacity;       /* of `found` */
  float share, squares, logs, people, cases, rest;
  float worst;         /* the highest cost of interest, with room for rounding */
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

/* The people of both classes, and cases, of a counted word; its halves are below 2^16, so that they are exact. */
INLINE float2 quantities(uint cell) {
  const float zero = 8388608.0f; /* 2^23, whose last bit is worth 1 */
  const float controls = as_float(0x4B000000u | cell >> CLASS_BITS) - zero;
  const float cases = as_float(0x4B000000u | (cell & 0xFFFF)) - zero;
  return (float2)(controls + cases, cases);
}

/* CostBound's test; by the rest, of_everybody()'s. Two cells share a reciprocal and a logarithm. */
INLINE bool may_pass(const Question *question, const uint *cells) {
  float squares = 0, people = 0, cases = 0;
  uint logs = 0;
  ALL for (int i = 0; i < CELLS; i += 2) {
    const float2 x = quantities(cells[i]), y = i + 1 < CELLS ? quantities(cells[i + 1]) : (float2)(0, 0);
    const float dx = x.y - question->share * x.x, dy = y.y - question->share * y.x;
    const float n = max(x.x, 1.0f), m = max(y.x, 1.0f), both = n * m;
    squares += (dx * dx * m + dy * dy * n) * native_recip(both);
    logs += as_uint(both) - 0x3F800000u;
#if !FASTID_BY_REST
    people += x.x + y.x;
    cases += x.y + y.y;
#endif
  }
  const float need = people * question->people + cases * question->cases + question->rest;
  return squares * question->squares - (float)logs * (1.0f / (1 << 23)) * question->logs >= need;
}

/* The cost by a table of ln n! (K2) or n ln n. */
INLINE float cost_of(const uint *cells, __global const float *restrict terms) {
  float sum = 0;
  uint all = 0;
  ALL for (int i = 0; i < CELLS; ++i) { /* so that cells stay in registers */
    const uint controls = cells[i] >> CLASS_BITS, cases = cells[i] & 0xFFFF;
#if FASTID_K2
    sum += terms[controls + cases + 1] - terms[controls] - terms[cases];
#else
    sum += terms[controls + cases] - terms[controls] - terms[cases];
    all += cells[i];
#endif
  }
#if !FASTID_K2
  const uint controls = all >> CLASS_BITS, cases = all & 0xFFFF, n = controls + cases;
  sum = n == 0 ? 0 : (sum + terms[controls] + terms[cases] - terms[n]) / (float)n;
#endif
  return sum;
}

/* Appends a combination that may be among the best to `found`, whose first two words are the number of combinations, of
 * which `capacity` are stored, and 0: the pair's place, and the later site. */
INLINE void test(const Question *question, const uint *cells, uint pair, uint later, __global const float *restrict terms,
                 __global uint *restrict found) {
  if (pair >= question->pair_end || later >= question->n_sites) return;
  const uint first = first_of(question, pair);
#if FIRSTS == 3
  if (later <= first) return;
#else
  const uint second = second_of(question, pair);
  if (second <= first || later <= second) return;
#endif
  if (!may_pass(question, cells)) return;
  if (!(cost_of(cells, terms) <= question->worst)) return;
  const uint at = atomic_inc(found);
  if (at < question->capacity) found[2 + 2 * at] = pair, found[3 + 2 * at] = later;
}

#if FASTID_BY_REST
/* All cells, of the 8 that were counted: [2 (joint genotype of the pair) + genotype of the later site]. `own`: genotypes
 * 0 and 1 of a site, and everybody. */
INLINE void put_rest(uint *cells, const uint *counted, const Question *question, uint pair, uint later,
                     __global const uint4 *restrict margins, __global const uint4 *restrict own) {
  const uint first = first_of(question, pair), second = second_of(question, pair);
  const ulong line = (ulong)question->n_blocks * BLOCK;
  const uint4 with_first = margins[first * line + later], with_second = margins[second * line + later];
  const uint4 both = margins[first * line + second], of_first = own[first], of_second = own[second], of_later = own[later];
  const uint a_c[2][2] = {{with_first.x, with_first.y}, {with_first.z, with_first.w}};
  const uint b_c[3][2] = {{with_second.x, with_second.y}, {with_second.z, with_second.w},
                          {of_later.x - with_second.x - with_second.z, of_later.y - with_second.y - with_second.w}};
  const uint a_2 = of_first.z - of_first.x - of_first.y;
  const uint zero_2 = of_first.x - both.x - both.y, one_2 = of_first.y - both.z - both.w;
  const uint two_0 = of_second.x - both.x - both.z, two_1 = of_second.y - both.y - both.w;
  const uint a_b[3][3] = {{both.x, both.y, zero_2}, {both.z, both.w, one_2}, {two_0, two_1, a_2 - two_0 - two_1}};
#define CELL(a, b, c) cells[9 * (a) + 3 * (b) + (c)]
  ALL for (int i = 0; i < 8; ++i) CELL(i / 4, i / 2 % 2, i % 2) = counted[i];
  ALL for (int c = 0; c < 2; ++c) {
    ALL for (int a = 0; a < 2; ++a) CELL(a, 2, c) = a_c[a][c] - CELL(a, 0, c) - CELL(a, 1, c);
    ALL for (int b = 0; b < 3; ++b) CELL(2, b, c) = b_c[b][c] - CELL(0, b, c) - CELL(1, b, c);
  }
  ALL for (int a = 0; a < 3; ++a) ALL for (int b = 0; b < 3; ++b)
    CELL(a, b, 2) = a_b[a][b] - CELL(a, b, 0) - CELL(a, b, 1);
}
#endif

/* By popcounts: a work-item counts a pair with a later site. Two dimensions: later sites from block_begin on, pairs. */
#define PACKED_WORD(packed, tile, step, p, item) packed[((ulong)((tile) * question.steps + (step)) * FIRSTS + (p)) * WARP + (item)]
__kernel void find(__global const uint *restrict planes, Question question, __global const uint4 *restrict packed,
                   __global const uint4 *restrict margins, __global const uint4 *restrict own,
                   __global const float *restrict terms, __global uint *restrict found) {
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
#if FASTID_BY_REST
  uint cells[CELLS];
  put_rest(cells, counted, &question, min(pair, question.pair_end - 1), later, margins, own);
  test(&question, cells, pair, later, terms, found);
#else
  test(&question, counted, pair, later, terms, found);
#endif
}

#if FASTID_BY_REST
/* By products of matrices of bits: a warp multiplies 16 pairs with a block, as link_sites.cl does; that file says which
 * sums a work-item holds. Work-groups in two dimensions: blocks from block_begin on, tiles of pairs. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void multiply(
    __global const uint4 *restrict planes, Question question, __global const uint4 *restrict packed,
    __global const uint4 *restrict margins, __global const uint4 *restrict own, __global const float *restrict terms,
    __global uint *restrict found) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
  const uint n_pairs = question.pair_end - question.pair_begin, n_tiles = (n_pairs + TILE - 1) / TILE;
  const uint tile = (uint)get_group_id(1) * FASTID_MATRIX_ROWS + warp % FASTID_MATRIX_ROWS;
  const uint block = question.block_begin + (uint)get_group_id(0) * FASTID_MATRIX_COLUMNS + warp / FASTID_MATRIX_ROWS;
  const uint words = WORDS(&question);
  __global const uint4 *const rows = packed + (ulong)min(tile, n_tiles - 1) * question.steps * FIRSTS * WARP + item;
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
        multiply_block(sums[2 * p + q], rows[(step * FIRSTS + p) * WARP], low, high, false, from, exchange);
    }
  }
  /* The program of one test, 16 times: unrolled it would not fit the cache of instructions. So sums move up. */
  ONE_BY_ONE for (int t = 0; t < 4; ++t) {
    ONE_BY_ONE for (int j = 0; j < 4; ++j) {
      const uint pair = question.pair_begin + tile * TILE + item / 4 + j / 2 * 8;
      const uint later = block * BLOCK + item % 4 * 8 + j % 2 * 4 + t;
      uint counted[8], cells[CELLS];
      ALL for (int i = 0; i < 8; ++i) {
        counted[i] = (uint)sums[i][0][0];
        ALL for (int k = 0; k < 3; ++k) sums[i][0][k] = sums[i][0][k + 1];
      }
      if (pair < question.pair_end && later < question.n_sites) {
        put_rest(cells, counted, &question, pair, later, margins, own);
        test(&question, cells, pair, later, terms, found);
      }
    }
    ALL for (int i = 0; i < 8; ++i) ALL for (int k = 0; k < 3; ++k) ALL for (int j = 0; j < 4; ++j)
      sums[i][k][j] = sums[i][k + 1][j];
  }
}
#endif
