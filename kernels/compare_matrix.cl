/* compare_matrix.cl: the comparison on a unit that multiplies matrices of bits: 16 queries x 8 profiles x 256 sites an
 * instruction, each entry a count of common bits. OpenCL C 1.2, and PTX where the device takes it.
 *
 * Every count of fastid can be computed from such products: the host writes them as macros, from one table
 * (src/opencl/kernel/case_macros.hpp). q and r are a query's words as it is packed here, d and c a profile's:
 *
 *              q                                r                          d                    c
 *              its bits (of mixtures the sites  its other called sites     its bits             its called sites
 *              called without a minor allele)
 *   BY_TABLE   minor alleles seen               major alleles seen         minor alleles seen   major alleles seen
 *
 * pair.h knows a query as q and m: query_word() makes m of r. A product of weight 2 is added twice.
 *
 * |d| or |c| of a profile, where needed, is a product with ones, or is counted once for the tile by count_own_bits(), as it
 * always is BY_TABLE.
 *
 * A work-group has query_warps warps along the queries and its other warps along the profiles. It processes `run` profile
 * tiles, one after the other, and loads the next step while it multiplies one. A profile tile is the WARPS / query_warps x
 * FASTID_BLOCKS blocks that a work-group's warps take at once; a tile without such a word is 16 queries. Work-groups with
 * neighbouring numbers have neighbouring queries and the same profiles, which they find in the cache. Counts never leave
 * the registers: one maximum or minimum over a query's counts says whether any of them may pass.
 *
 * common.h, found.h, pair.h and matrix_product.h come before it. Set by the build: a config's
 * FASTID_MATRIX_..., what pair.h needs, and
 *   FASTID_TILES    tiles of 16 queries that a warp takes
 *   FASTID_BLOCKS   blocks of 32 profiles that a warp takes
 *   FASTID_AHEAD    steps that are loaded before they are multiplied, if the queries' words stay in registers
 *   FASTID_WORDS    words of a profile, if the queries' words stay in registers for a whole run; 0: each step loads
 *                   them
 *   FASTID_SIMILAR  1: the product is |q & d|, and a high one is good
 *   FASTID_OWN_BITS  1: the profiles' own bits come from count_own_bits(), which if FASTID_SIMILAR are minus half of them
 * Made by the host for what is counted, before this file (BY_TABLE: with PLANES and PLANES_LOADED 2, ADDS_COUNT 0, and
 * neither DENOMINATOR_QUERY nor DENOMINATOR_STORED):
 *   FOR_PRODUCTS(X, d, c, q, r)  X(i, weight, query's words, profile's words) for each product
 *   DENOMINATOR_QUERY(q, r)      the query's words of a denominator's product, which is counted with the pair
 *   DENOMINATOR_STORED(d, c)     the profile's words of it; neither macro is defined where the denominator is bounded
 *   ADDS_COUNT                   1: the count is a part of this denominator
 *   OWN_PLANE(d, c)              the plane whose own bits bound a pair's count or denominator. Not defined where none does.
 *                                BY_TABLE: defined without arguments and as nothing, since only count_own_bits() counts them
 *   PLANES, PLANES_LOADED        of a query, 1 (q) or 2 (q and r): packed; loaded for products. count_found() needs r too
 */
#define FRAGMENTS (2 * FASTID_BLOCKS) /* operands of a step: words g and g + 4 of each block */

#define STEPS ((FASTID_WORDS + STEP - 1) / STEP) /* of a profile, if queries stay in registers */
#if FASTID_WORDS
#define AHEAD FASTID_AHEAD /* steps that are loaded before they are multiplied */
#else
#define AHEAD 1
#endif

#if defined(BY_TABLE) && !FASTID_OWN_BITS
#error "fastid: where both alleles are counted, denominators are bounded by count_own_bits()"
#endif

/* The packed queries, in the order in which warps load them: [warp's tiles][step][tile of 16][plane][work-item], a
 * uint4 each (packed_row() and packed_word() of matrix_product.h). Words past the last are 0, so that whatever the database
 * has there is multiplied by 0. Returns q, or m made of r. */
uint query_word(__global const uint *queries, uint n_words, uint query, uint word, uint plane) {
  const uint steps = (n_words + STEP - 1) / STEP;
  const ulong warp = query / (TILE * FASTID_TILES), tile = query / TILE % FASTID_TILES;
  const ulong line = ((warp * steps + word / STEP) * FASTID_TILES + tile) * PLANES;
  const uint item = query % 8 * 4 + word % 4, at = word % STEP / 4 * 2 + query % TILE / 8;
  const uint q = queries[((line * WARP) + item) * 4 + at];
#if PLANES == 2
  if (plane == 1) {
    const uint r = queries[((line + 1) * WARP + item) * 4 + at];
#ifdef BY_TABLE
    return r; /* its major alleles seen */
#else
    return q | r; /* all that the query has called */
#endif
  }
#endif
  return q;
}

/* The operands of a step. */
typedef struct {
  uint4 d[FRAGMENTS];
#ifdef READS_SECOND
  uint4 c[FRAGMENTS];
#endif
#if !FASTID_WORDS
  uint4 q[FASTID_TILES][PLANES_LOADED];
#endif
} Operands;

/* A work-item's results: [tile][block][t][j], result j of instruction t of a block (matrix_product.h). */
typedef struct {
  int count[FASTID_TILES][FASTID_BLOCKS][4][4];
#ifdef DENOMINATOR_STORED
  int denominator[FASTID_TILES][FASTID_BLOCKS][4][4];
#endif
#ifdef OWN_PLANE
  /* of the profiles, the same for every query; minus half of them if FASTID_SIMILAR and FASTID_OWN_BITS */
  int own_bits[FASTID_BLOCKS][4][4];
#endif
} Results;

/* What the counts with a block's profiles start from: 0, or minus half of the profiles' own bits. */
INLINE void load_start(int from[4][2], const Results *of, int block) {
  UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 2; ++j)
#if FASTID_SIMILAR && FASTID_OWN_BITS
    from[t][j] = of->own_bits[block][t][j];
#else
    from[t][j] = 0;
#endif
}

/* A block's two fragments, words g and g + 4: of the profiles' first plane; of their second. */
#define BITS_OF(with, block) (uint8)((with)->d[2 * (block)], (with)->d[2 * (block) + 1])
#ifdef READS_SECOND
#define SECOND_PLANE_OF(with, block) (uint8)((with)->c[2 * (block)], (with)->c[2 * (block) + 1])
#else
#define SECOND_PLANE_OF(with, block) (uint8)(0)
#endif

/* Adds `weight` times a product of queries and a block's profiles. */
INLINE void add_product(int sums[4][4], uint weight, uint4 a, uint8 stored, bool starts, int from[4][2],
                        __local uint *exchange) {
  multiply_block(sums, a, stored.lo, stored.hi, starts, from, exchange);
  UNROLL for (uint i = 1; i < weight; ++i) multiply_block(sums, a, stored.lo, stored.hi, false, from, exchange);
}

#if !FASTID_WORDS
/* Sets the results before the first step, where steps are not unrolled. */
INLINE void start(Results *of) {
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) {
    int from[4][2];
    load_start(from, of, block);
    UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j) {
      UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile) {
        of->count[tile][block][t][j] = from[t][j % 2];
#ifdef DENOMINATOR_STORED
        of->denominator[tile][block][t][j] = 0;
#endif
      }
#if defined(OWN_PLANE) && !FASTID_OWN_BITS
      of->own_bits[block][t][j] = 0;
#endif
    }
  }
}
#endif

/* Multiplies one step; the first step `starts` the results. `ones` is 1 at the sites that the panel has. */
INLINE void multiply(Results *to, const Operands *with, const uint4 (*q)[PLANES_LOADED], uint4 ones, bool starts,
                     __local uint *exchange) {
  int zero[4][2] = {{0}};
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) {
    int from[4][2];
    load_start(from, to, block);
    const uint8 d = BITS_OF(with, block), c = SECOND_PLANE_OF(with, block);
    UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile) {
      int(*const count)[4] = to->count[tile][block];
#define ADD_PRODUCT(i, weight, query, stored) \
  add_product(count, weight, query, stored, starts && (i) == 0, from, exchange);
      FOR_PRODUCTS(ADD_PRODUCT, d, c, q[tile][0], q[tile][PLANES_LOADED - 1])
#ifdef DENOMINATOR_STORED
      add_product(to->denominator[tile][block], 1, DENOMINATOR_QUERY(q[tile][0], q[tile][PLANES_LOADED - 1]),
                  DENOMINATOR_STORED(d, c), starts, zero, exchange);
#endif
    }
#if defined(OWN_PLANE) && !FASTID_OWN_BITS
    add_product(to->own_bits[block], 1, ones, OWN_PLANE(d, c), starts, zero, exchange);
#endif
  }
}

/* Where a work-item's operands begin; those of each step are at the same offsets from here. */
typedef struct {
  __global const uint4 *d[FASTID_BLOCKS], *c[FASTID_BLOCKS];
} Place;

/* The place of blocks from `first_block` on. Past the end of the worker's tile its last block is read again but not reported. */
INLINE Place place_of(__global const uint4 *bits, __global const uint4 *second, uint n_words, uint n_blocks,
                      uint first_block) {
  const uint item = (uint)get_local_id(0) % WARP;
  Place place;
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) {
    const ulong at = ((ulong)min(first_block + block, n_blocks - 1) * n_words + item % 4) * (BLOCK / 4) + item / 4;
    place.d[block] = bits + at;
    place.c[block] = second + at;
  }
  return place;
}

/* Loads step k. Past a block's last word the next block's words, or the tile's padding, are read, and multiplied by
 * 0. */
INLINE void load(Operands *to, const Place *from, __global const uint4 *queries, uint n_words, uint k) {
  UNROLL for (int i = 0; i < FRAGMENTS; ++i) {
#if FASTID_MATRIX == 2
    const uint at = (k * STEP + i % 2 * 4) * (BLOCK / 4);
#else /* never past the last word, for tools that report reads of uninitialised memory */
    const int g = (int)get_local_id(0) % 4, at = ((int)min(k * STEP + i % 2 * 4 + g, n_words - 1) - g) * (BLOCK / 4);
#endif
    to->d[i] = from->d[i / 2][at];
#ifdef READS_SECOND
    to->c[i] = SECOND_OF(to->d[i], from->c[i / 2][at]);
#endif
  }
#if !FASTID_WORDS
  const uint item = (uint)get_local_id(0) % WARP;
  UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile)
  UNROLL for (int p = 0; p < PLANES_LOADED; ++p)
    to->q[tile][p] = queries[((k * FASTID_TILES + tile) * PLANES + p) * WARP + item];
#endif
}

/* The results of count_own_bits() for the work-item's profiles: two times four neighbours of each block. */
typedef struct {
  int4 four[FASTID_BLOCKS][2];
} OwnBits;

INLINE void load_own_bits(OwnBits *to, __global const uint *own_bits, uint n_blocks, uint first_block) {
#if defined(OWN_PLANE) && FASTID_OWN_BITS
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) {
    const uint first = min(first_block + block, n_blocks - 1) * BLOCK + (uint)get_local_id(0) % 4 * 8;
    to->four[block][0] = *(__global const int4 *)(own_bits + first);
    to->four[block][1] = *(__global const int4 *)(own_bits + first + 4);
  }
#endif
}

INLINE void take_own_bits(Results *to, const OwnBits *from) {
#if defined(OWN_PLANE) && FASTID_OWN_BITS
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) UNROLL for (int j = 0; j < 2; ++j) {
    to->own_bits[block][0][j] = from->four[block][j].x;
    to->own_bits[block][1][j] = from->four[block][j].y;
    to->own_bits[block][2][j] = from->four[block][j].z;
    to->own_bits[block][3][j] = from->four[block][j].w;
  }
#endif
}

/* A query's threshold as work-items hold it. */
typedef struct {
#if FASTID_SIMILAR
  int need; /* the least that count - |d| / 2 must be */
#else
  uint limit; /* the least count that fails */
#if defined(OWN_PLANE) || defined(DENOMINATOR_STORED)
  uint ratio, offset;
#endif
#endif
} QueryThreshold;

INLINE void load_thresholds(QueryThreshold (*to)[2], __global const uint *thresholds, uint n_padded_queries,
                            uint first_tile) {
  UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile) UNROLL for (int h = 0; h < 2; ++h) {
    const uint query = (first_tile + tile) * TILE + (uint)get_local_id(0) % WARP / 4 + 8 * h;
#if FASTID_SIMILAR
    to[tile][h].need = (int)THRESHOLD(NEED, query);
#else
    to[tile][h].limit = THRESHOLD(LIMIT, query);
#if defined(OWN_PLANE) || defined(DENOMINATOR_STORED)
    to[tile][h].ratio = THRESHOLD(RATIO, query);
    to[tile][h].offset = THRESHOLD(OFFSET, query);
#endif
#endif
  }
}

#if !FASTID_SIMILAR && (defined(OWN_PLANE) || defined(DENOMINATOR_STORED))
/* Whether a pair may pass by its denominator (pair.h). Never too strict. */
INLINE bool fraction_may_pass(uint count, const QueryThreshold *threshold, uint denominator) {
#if FASTID_WIDE
  const long above = ((long)count - (long)(int)threshold->offset) * (1L << RATIO_BITS);
  return (long)max(denominator, 1u) * (long)threshold->ratio >= above;
#else
  return (int)(max(denominator, 1u) * threshold->ratio - ((count - threshold->offset) << RATIO_BITS)) >= 0;
#endif
}
#endif

/* The value that is compared with `need`: a count minus half of the profile's own bits. */
#if FASTID_SIMILAR && !FASTID_OWN_BITS
#define ABOVE(of, tile, block, t, j) ((of)->count[tile][block][t][j] - ((of)->own_bits[block][t][(j) % 2] >> 1))
#else
#define ABOVE(of, tile, block, t, j) (of)->count[tile][block][t][j]
#endif

/* Whether pair (tile, block, t, j) may pass. j / 2 is the place of its query of the two, j % 2 that of its profile. */
INLINE bool may_pass(const Results *of, const QueryThreshold (*threshold)[2], int tile, int block, int t, int j) {
  const int count = ABOVE(of, tile, block, t, j);
#if FASTID_SIMILAR
  return count >= threshold[tile][j / 2].need;
#else
  if ((uint)count >= threshold[tile][j / 2].limit) return false;
#ifdef DENOMINATOR_STORED
  const int denominator = of->denominator[tile][block][t][j] + (ADDS_COUNT ? count : 0);
  return fraction_may_pass(count, &threshold[tile][j / 2], denominator);
#elif defined(OWN_PLANE)
  return fraction_may_pass(count, &threshold[tile][j / 2], of->own_bits[block][t][j % 2]);
#else
  return true;
#endif
#endif
}

/* Whether any pair of the work-item may pass: one operation for each count. */
INLINE bool any_may_pass(const Results *of, const QueryThreshold (*threshold)[2]) {
  bool any = false;
#if defined(OWN_PLANE) && !FASTID_SIMILAR
  int most = 0;
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) UNROLL for (int t = 0; t < 4; ++t)
  UNROLL for (int j = 0; j < 2; ++j) most = max(most, of->own_bits[block][t][j]);
#endif
  UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile) UNROLL for (int h = 0; h < 2; ++h) {
#if FASTID_SIMILAR
    int best = INT_MIN;
#else
    int best = INT_MAX;
#endif
    UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block)
    UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 2; ++j) {
      const int count = ABOVE(of, tile, block, t, 2 * h + j);
#if FASTID_SIMILAR
      best = max(best, count);
#else
      best = min(best, count);
#endif
    }
#if FASTID_SIMILAR
    any |= best >= threshold[tile][h].need;
#elif defined(OWN_PLANE)
    any |= (uint)best < threshold[tile][h].limit && fraction_may_pass(best, &threshold[tile][h], most);
#else
    any |= (uint)best < threshold[tile][h].limit;
#endif
  }
  return any;
}

/* Bit 4 t + j: whether pair (tile, block, t, j) may pass. */
INLINE uint hits_of(const Results *of, const QueryThreshold (*threshold)[2], int tile, int block) {
  uint hits = 0;
  UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j)
    hits |= may_pass(of, threshold, tile, block, t, j) ? 1u << (4 * t + j) : 0;
  return hits;
}

/* Compares profiles first_profile .. end_profile - 1, as the tile numbers them, with queries first_query .. end_query - 1, as
 * the problem numbers them, and appends the pairs that may pass to `found`. Comparer (src/opencl/kernel/comparer.cpp) sets the
 * arguments up to `found`; matrix_launch() (matrix_kernel.cpp) sets `query_groups`, the number of work-groups along the
 * queries, along which work-groups are numbered first, `query_warps` and `run`. `second` and `own_bits` (from
 * count_own_bits()) are read only where the case needs them. Planes may be read up to 8 words of 32 profiles past the tile's
 * last block. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void compare(
    __global const uint *restrict queries, __global const uint *restrict thresholds, uint n_padded_queries,
    __global const uint *restrict bits, __global const uint *restrict second, __global const uint *restrict own_bits,
    uint n_words, uint n_blocks, uint first_profile, uint end_profile, uint first_query, uint end_query, uint capacity,
    __global uint *restrict found, uint query_groups, uint query_warps, uint run) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
#if FASTID_WORDS
  n_words = FASTID_WORDS; /* the same value, but known when the kernel is built */
#endif
  const uint steps = (n_words + STEP - 1) / STEP;
  const uint group = (uint)get_group_id(0), profile_group = group / query_groups, profile_warp = warp / query_warps;
  const uint query_group = first_query / (query_warps * FASTID_TILES * TILE) + (group - profile_group * query_groups);
  const uint warp_tile = (query_group * query_warps + (warp - profile_warp * query_warps)) * FASTID_TILES;
  const uint stride = WARPS / query_warps * FASTID_BLOCKS;
  const uint first_block = first_profile / BLOCK + profile_group * run * stride;
  const uint end_block = min(first_block + run * stride, (end_profile + BLOCK - 1) / BLOCK);
  __global const uint4 *const warp_queries = (__global const uint4 *)queries + (ulong)warp_tile * steps * PLANES * WARP;
  __global const uint4 *const bits4 = (__global const uint4 *)bits, *const second4 = (__global const uint4 *)second;
  QueryThreshold threshold[FASTID_TILES][2];
  load_thresholds(threshold, thresholds, n_padded_queries, warp_tile);
#if FASTID_WORDS
  uint4 held[STEPS][FASTID_TILES][PLANES_LOADED];
  UNROLL for (int k = 0; k < STEPS; ++k) UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile)
  UNROLL for (int p = 0; p < PLANES_LOADED; ++p)
    held[k][tile][p] = warp_queries[((k * FASTID_TILES + tile) * PLANES + p) * WARP + item];
#endif

  uint warp_block = first_block + profile_warp * FASTID_BLOCKS; /* the first of the blocks that the warp compares */
  uint coming = warp_block; /* of those that it loads */
  Place place = place_of(bits4, second4, n_words, n_blocks, coming);
  Operands next[AHEAD];
  UNROLL for (uint k = 0; k < AHEAD; ++k) {
    load(&next[k], &place, warp_queries, n_words, k % steps);
    if ((k + 1) % steps == 0) place = place_of(bits4, second4, n_words, n_blocks, coming += stride);
  }
  OwnBits next_own_bits;
  load_own_bits(&next_own_bits, own_bits, n_blocks, warp_block);
  for (uint at = first_block; at < end_block; at += stride, warp_block += stride) { /* at: the same for the whole group */
    Results results;
    take_own_bits(&results, &next_own_bits);
    load_own_bits(&next_own_bits, own_bits, n_blocks, warp_block + stride);
#if FASTID_WORDS
    UNROLL for (uint k = 0; k < STEPS; ++k) {
      const uint ahead = (k + AHEAD) % STEPS;
#else
    start(&results);
    for (uint k = 0; k < steps; ++k) {
      const uint ahead = k + 1 == steps ? 0 : k + 1;
#endif
      const Operands now = next[0];
      UNROLL for (int i = 0; i + 1 < AHEAD; ++i) next[i] = next[i + 1];
      load(&next[AHEAD - 1], &place, warp_queries, n_words, ahead);
      if (ahead + 1 == steps) place = place_of(bits4, second4, n_words, n_blocks, coming += stride);
      const uint low = k * STEP + item % 4 < n_words ? ~0u : 0, high = k * STEP + item % 4 + 4 < n_words ? ~0u : 0;
#if FASTID_WORDS
      multiply(&results, &now, held[k], (uint4)(low, low, high, high), k == 0, exchange);
#else
      multiply(&results, &now, now.q, (uint4)(low, low, high, high), false, exchange);
#endif
    }
    if (any_may_pass(&results, threshold)) {
      uint hits[FASTID_TILES * FASTID_BLOCKS];
      UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile)
      UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block)
        hits[tile * FASTID_BLOCKS + block] = hits_of(&results, threshold, tile, block);
      for (uint i = 0; i < FASTID_TILES * FASTID_BLOCKS; ++i)
        for (uint left = hits[i]; left != 0; left &= left - 1) {
          const uint hit = 31 - clz(left & -left); /* 4 t + j */
          const uint query = (warp_tile + i / FASTID_BLOCKS) * TILE + item / 4 + hit / 2 % 2 * 8;
          const uint profile = (warp_block + i % FASTID_BLOCKS) * BLOCK + item % 4 * 8 + hit % 2 * 4 + hit / 4;
          if (query >= first_query && query < end_query && profile >= first_profile && profile < end_profile)
            append_pair(profile, query, capacity, found);
        }
    }
    CONVERGE;
  }
}
