/* blocked.h: a product of bits by popcount in BLIS's structure, what compare.cl and ld.cl share. OpenCL C 1.2, no
 * extension.
 *
 *                     N_R profiles                 A work-group holds M_C queries x K_C words in local memory and
 *               +--------------------+             streams the profiles past it from global memory, in the
 *    M_C        |      |M_R x COLS|  |             database's own layout (src/bits/blocks.hpp). Each work-item keeps
 *    queries    |      | counts   |  |             M_R x COLS counts in registers: VECS vectors of N_VEC neighbouring
 *               +--------------------+             profiles, each vector from one load.
 *
 * Where adding bits is cheaper than counting them, full adders come first (CARRY_LEVELS): words of a profile are added,
 * each bit position by itself, into words of weight 1, 2 and 4, and only what is carried out of the last is counted.
 *
 * Of ld.cl queries are first sites, and profiles are second ones. In a config's names rows are queries, and columns profiles.
 *
 * common.h comes before it, and QUERY_PLANES, READS_SECOND and SECOND_OF as pair.h has them. Defined by the kernel:
 * Counts_, the counts of a strip of queries with a work-item's profiles, and add_words(). Set by the build: a config's
 * FASTID_..., and
 *   FASTID_WHOLE  1: local memory holds all words of M_C queries, loaded once for many profile tiles (N_R each)
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if FASTID_N_VEC == 1
#define VEC uint
#define STORE_VEC(value, to) ((to)[0] = (value))
#define ANY_TOP_BIT(x) ((int)(x) < 0)
#else
#define VEC JOIN(uint, FASTID_N_VEC)
#define STORE_VEC(value, to) JOIN(vstore, FASTID_N_VEC)(value, 0, to)
#define ANY_TOP_BIT(x) any(JOIN(as_int, FASTID_N_VEC)(x))
#endif

#define K_STEP (FASTID_K_C / QUERY_PLANES)           /* words of each query that local memory holds at once */
#define CHUNK (1 << FASTID_CARRY_LEVELS)             /* words that the full adders take at once */
#define COLS (FASTID_N_R / FASTID_GROUP_COLUMNS)     /* profiles of a work-item */
#define VECS (COLS / FASTID_N_VEC)                   /* vectors of a work-item */
#define STRIPS (FASTID_M_C / FASTID_M_R)             /* of M_R queries, divided among GROUP_ROWS work-items */

/* Words of neighbouring queries are adjacent, and four are read at once if M_R is a multiple of 4. */
#if FASTID_M_R % 4
#define AT_ONCE 1
#define READ_QUERIES(to, space, from) ((to)[0] = *(from))
#else
#define AT_ONCE 4
#define READ_QUERIES(to, space, from)                     \
  do {                                                    \
    const uint4 four = *(space const uint4 *)(from);      \
    (to)[0] = four.s0, (to)[1] = four.s1, (to)[2] = four.s2, (to)[3] = four.s3; \
  } while (0)
#endif

#if FASTID_GROUP_ROWS * FASTID_GROUP_COLUMNS == 1
#define GROUP_BARRIER
#else
#define GROUP_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif

#if FASTID_POPCOUNT
#define BITS(x) popcount(x)
#else /* in each 32-bit word, without a popcount instruction */
INLINE VEC BITS(VEC x) {
  x = x - ((x >> 1) & 0x55555555u);
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0Fu;
  return (x * 0x01010101u) >> 24;
}
#endif

/* Adds a and b to *sum in each bit position by itself. The sum's low bit stays in *sum; the carry is returned. A device
 * with logic instructions of three inputs needs one or two of them for the carry and one for the sum. */
INLINE VEC full_add(VEC *sum, VEC a, VEC b) {
  const VEC carry = (a & b) | (*sum & (a | b));
  *sum = a ^ b ^ *sum;
  return carry;
}

/* A count in progress. The bits of the last few words are still in words of weight 1, 2 and 4; `chunks` counts what was
 * carried out of these, in units of CHUNK. */
typedef struct {
  VEC chunks;
#if FASTID_CARRY_LEVELS >= 1
  VEC ones;
#endif
#if FASTID_CARRY_LEVELS >= 2
  VEC twos;
#endif
#if FASTID_CARRY_LEVELS >= 3
  VEC fours;
#endif
} Counter;

INLINE void clear(Counter *n) {
  n->chunks = (VEC)(0);
#if FASTID_CARRY_LEVELS >= 1
  n->ones = (VEC)(0);
#endif
#if FASTID_CARRY_LEVELS >= 2
  n->twos = (VEC)(0);
#endif
#if FASTID_CARRY_LEVELS >= 3
  n->fours = (VEC)(0);
#endif
}

/* Adds the bits of CHUNK words. */
INLINE void add_chunk(Counter *n, const VEC *w) {
#if FASTID_CARRY_LEVELS == 0
  n->chunks += BITS(w[0]);
#elif FASTID_CARRY_LEVELS == 1
  n->chunks += BITS(full_add(&n->ones, w[0], w[1]));
#else
  VEC twos = full_add(&n->ones, w[0], w[1]);
  const VEC fours = full_add(&n->twos, twos, full_add(&n->ones, w[2], w[3]));
#if FASTID_CARRY_LEVELS == 2
  n->chunks += BITS(fours);
#else
  twos = full_add(&n->ones, w[4], w[5]);
  const VEC more = full_add(&n->twos, twos, full_add(&n->ones, w[6], w[7]));
  n->chunks += BITS(full_add(&n->fours, fours, more));
#endif
#endif
}

/* Adds the bits of CHUNK words, each `weight` times, 1 or 2. */
INLINE void add_term(Counter *n, uint weight, const VEC *w) {
#if FASTID_CARRY_LEVELS == 0
  n->chunks += BITS(w[0]) * weight;
#else
  add_chunk(n, w);
  if (weight == 2) add_chunk(n, w);
#endif
}

INLINE VEC total_of(const Counter *n) {
  VEC total = n->chunks << FASTID_CARRY_LEVELS;
#if FASTID_CARRY_LEVELS >= 1
  total += BITS(n->ones);
#endif
#if FASTID_CARRY_LEVELS >= 2
  total += BITS(n->twos) << 1;
#endif
#if FASTID_CARRY_LEVELS >= 3
  total += BITS(n->fours) << 2;
#endif
  return total;
}

/* 1 or CHUNK words of each of a work-item's profiles. */
typedef struct {
  VEC bits[CHUNK][VECS];
#ifdef READS_SECOND
  VEC second[CHUNK][VECS];
#endif
} Words;

/* A work-item's position in its profiles. */
typedef struct {
  __global const VEC *bits[VECS];
#ifdef READS_SECOND
  __global const VEC *second[VECS];
#endif
} Place;

/* A work-item's profiles: vectors v of neighbouring ones, from that of its first profile on. */
#define COLUMN_OF_VECTOR(v) ((v) * (FASTID_GROUP_COLUMNS * FASTID_N_VEC))
#define COLUMN_OF(j) (COLUMN_OF_VECTOR((j) / FASTID_N_VEC) + (j) % FASTID_N_VEC)

/* Where a work-item's vector of profiles begins in the planes. Past the last block this one is read again but not
 * reported. */
INLINE ulong place_of(uint profile, uint n_words, uint n_blocks) {
  return (ulong)min(profile / BLOCK, n_blocks - 1) * n_words * BLOCK + profile % BLOCK;
}

INLINE Place place_from(__global const uint *bits, __global const uint *second, uint first, uint n_words,
                        uint n_blocks) {
  Place place;
#pragma unroll
  for (int v = 0; v < VECS; ++v) {
    const ulong at = place_of(first + COLUMN_OF_VECTOR(v), n_words, n_blocks);
    place.bits[v] = (__global const VEC *)(bits + at);
#ifdef READS_SECOND
    place.second[v] = (__global const VEC *)(second + at);
#endif
  }
  return place;
}

/* Loads the next `words` words, 1 or CHUNK. */
INLINE void load(Words *to, Place *from, uint words) {
#pragma unroll
  for (int v = 0; v < VECS; ++v) {
#pragma unroll
    for (int j = 0; j < CHUNK; ++j) {
      if (j >= words) continue;
      to->bits[j][v] = from->bits[v][j * (BLOCK / FASTID_N_VEC)];
#ifdef READS_SECOND
      to->second[j][v] = SECOND_OF(to->bits[j][v], from->second[v][j * (BLOCK / FASTID_N_VEC)]);
#endif
    }
    from->bits[v] += words * (BLOCK / FASTID_N_VEC);
#ifdef READS_SECOND
    from->second[v] += words * (BLOCK / FASTID_N_VEC);
#endif
  }
}

/* The counts of a strip, and what adds to them `words` words, 1 or CHUNK, of the strip's query `query` and of a work-item's
 * vector v of profiles. q, m: words of AT_ONCE neighbouring queries, of which this is number `nth`. */
typedef struct Counts_ Counts;
INLINE void add_words(Counts *to, int query, int v, const Words *of, uint q[CHUNK][AT_ONCE], uint m[CHUNK][AT_ONCE], int nth,
                      uint words);
#ifdef READS_SECOND
#define SECOND(of, j, v) (of)->second[j][v]
#else
#define SECOND(of, j, v) 0
#endif

/* Counts `words` words, 1 or CHUNK, of a strip of queries (in local memory) with a work-item's profiles. */
INLINE void multiply(Counts *counts, __local const uint *strip, const Words *of, uint words) {
#pragma unroll
  for (int i = 0; i < FASTID_M_R; i += AT_ONCE) {
    uint q[CHUNK][AT_ONCE], m[CHUNK][AT_ONCE];
#pragma unroll
    for (int j = 0; j < CHUNK; ++j) {
      if (j >= words) continue;
      READ_QUERIES(q[j], __local, strip + j * QUERY_PLANES * FASTID_M_C + i);
#if QUERY_PLANES == 2
      READ_QUERIES(m[j], __local, strip + (j * QUERY_PLANES + 1) * FASTID_M_C + i);
#endif
    }
#pragma unroll
    for (int nth = 0; nth < AT_ONCE; ++nth)
#pragma unroll
      for (int v = 0; v < VECS; ++v) add_words(counts, i + nth, v, of, q, m, nth, words);
  }
}

/* Loads `n` words of each of the M_C queries of a query block, all planes, into local memory; the whole work-group
 * does it together. */
INLINE void load_queries(__local uint4 *block, __global const uint4 *from, uint n) {
  const uint item = (uint)(get_local_id(1) * FASTID_GROUP_COLUMNS + get_local_id(0));
  const uint fours = n * QUERY_PLANES * (FASTID_M_C / 4);
  GROUP_BARRIER;
  for (uint i = item; i < fours; i += FASTID_GROUP_ROWS * FASTID_GROUP_COLUMNS) block[i] = from[i];
  GROUP_BARRIER;
}

/* Counts all words of a strip of queries. `block`: the query block in local memory, `from` the same in global memory. */
INLINE void count_strip(Counts *counts, Place *place, __local uint4 *block, __global const uint4 *from, uint strip,
                        uint n_words) {
  for (uint step = 0; step < n_words; step += K_STEP) {
    const uint n = min((uint)K_STEP, n_words - step);
#if !FASTID_WHOLE
    load_queries(block, from + (ulong)step * QUERY_PLANES * (FASTID_M_C / 4), n);
#endif
    __local const uint *at = (__local const uint *)block + strip * FASTID_M_R;
    uint k = 0;
#if FASTID_LOAD_AHEAD
    Words next;
    if (CHUNK <= n) load(&next, place, CHUNK);
#endif
    for (; k + CHUNK <= n; k += CHUNK) {
#if FASTID_LOAD_AHEAD
      const Words words = next;
      if (k + 2 * CHUNK <= n) load(&next, place, CHUNK);
#else
      Words words;
      load(&words, place, CHUNK);
#endif
      multiply(counts, at, &words, CHUNK);
      at += CHUNK * QUERY_PLANES * FASTID_M_C;
    }
    for (; k < n; ++k) {
      Words words;
      load(&words, place, 1);
      multiply(counts, at, &words, 1);
      at += QUERY_PLANES * FASTID_M_C;
    }
  }
}
