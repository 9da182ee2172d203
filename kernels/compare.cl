/* compare.cl: the blocked comparison, a popcount matrix product that keeps only the pairs that pass. OpenCL C 1.2, no
 * extension.
 *
 * The structure is that of BLIS, and the names are those of E. Binder, T. M. Low, D. T. Popovici, "A Portable GPU
 * Framework for SNP Comparisons". Everything specific to a device is in its config (configs/NAME.h).
 *
 *                     N_R profiles                 A work-group holds M_C queries x K_C words in local memory and
 *               +--------------------+             streams the profiles past it from global memory, in the
 *    M_C        |      |M_R x COLS|  |             database's own layout (src/bits/blocks.hpp). Each work-item keeps
 *    queries    |      | counts   |  |             M_R x COLS counts in registers: VECS vectors of N_VEC neighbouring
 *               +--------------------+             profiles, each vector from one load. Counts are tested in the
 *                                                  registers and never leave them.
 *
 * The test lets through every pair that passes its threshold, and few others; count_found() then counts them word by
 * word, and the host decides exactly. So the product counts denominators that depend on masks only if FASTID_FUSED.
 *
 * Where adding bits is cheaper than counting them, full adders come first (CARRY_LEVELS): words of a profile are added,
 * each bit position by itself, into words of weight 1, 2 and 4, and only what is carried out of the last is counted.
 *
 * thresholds.h and pair.h come before it. Set by the build: a config's FASTID_..., what pair.h needs, and
 *   FASTID_FUSED  1: a denominator that depends on both sides is counted with the pair; 0: it is bounded
 *   FASTID_WHOLE  1: local memory holds all words of M_C queries, loaded once for many column tiles
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if FASTID_N_VEC == 1
#define VEC uint
#define STORE_VEC(value, to) ((to)[0] = (value))
#else
#define VEC JOIN(uint, FASTID_N_VEC)
#define STORE_VEC(value, to) JOIN(vstore, FASTID_N_VEC)(value, 0, to)
#endif

#define K_STEP (FASTID_K_C / QUERY_PLANES)           /* words of each query that local memory holds at once */
#define CHUNK (1 << FASTID_CARRY_LEVELS)             /* words that the full adders take at once */
#define COLS (FASTID_N_R / FASTID_GROUP_COLUMNS)     /* profiles of a work-item */
#define VECS (COLS / FASTID_N_VEC)                   /* vectors of a work-item */
#define STRIPS (FASTID_M_C / FASTID_M_R)             /* of M_R queries, divided among the rows of work-items */

/* Words of neighbouring queries are adjacent, and four are read at once if M_R is a multiple of 4. */
#if FASTID_M_R % 4
#define AT_ONCE 1
#define READ_ROWS(to, space, from) ((to)[0] = *(from))
#else
#define AT_ONCE 4
#define READ_ROWS(to, space, from)                        \
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

#if FASTID_FUSED && !defined(DENOMINATOR)
#error "fastid: FASTID_FUSED is for denominators that depend on the stored profile, and on one word"
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

#if FASTID_N_VEC == 1
#define ANY_TOP_BIT(x) ((int)(x) < 0)
#define LONG long
#define TO_LONG(x) ((long)(x))
#define HIGH_WORD(x) ((uint)((x) >> 32))
#else
#define ANY_TOP_BIT(x) any(JOIN(as_int, FASTID_N_VEC)(x))
#define LONG JOIN(long, FASTID_N_VEC)
#define TO_LONG(x) JOIN(convert_long, FASTID_N_VEC)(x)
#define HIGH_WORD(x) JOIN(convert_uint, FASTID_N_VEC)((x) >> 32)
#endif

/* Whether a pair may pass by its denominator, at least 1 (thresholds.h). The top bit of each word of the result says so.
 * Never too strict. */
INLINE VEC fraction_may_pass(VEC count, uint ratio, uint offset, VEC denominator) {
#if FASTID_WIDE
  const LONG above = (TO_LONG(count) - (long)(int)offset) * (1L << RATIO_BITS);
  return ~HIGH_WORD(TO_LONG(denominator) * (long)ratio - above);
#else
  return ~(denominator * ratio + (offset << RATIO_BITS) - (count << RATIO_BITS));
#endif
}

/* The packed queries: word k of plane p of row r of row block b is at ((b * n_words + k) * QUERY_PLANES + p) * M_C + r.
 * Rows past the last query have thresholds that no pair passes. */
uint query_word(__global const uint *queries, uint n_words, uint row, uint word, uint plane) {
  const ulong line = ((ulong)(row / FASTID_M_C) * n_words + word) * QUERY_PLANES + plane;
  return queries[line * FASTID_M_C + row % FASTID_M_C];
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

/* Counts `words` words, 1 or CHUNK, of a strip of queries (in local memory) with a work-item's profiles. */
INLINE void multiply(Counter (*count)[VECS], Counter (*denominator)[VECS], __local const uint *strip, const Words *of,
                     uint words) {
#ifdef READS_SECOND
#define SECOND(j, v) of->second[j][v]
#else
#define SECOND(j, v) 0
#endif
#define SET_WORD(i, weight, word) w[i][j] = j < words ? (word) : (VEC)(0);
#define ADD_TERM(i, weight, word) add_term(to, weight, w[i]);
#pragma unroll
  for (int i = 0; i < FASTID_M_R; i += AT_ONCE) {
    uint q[CHUNK][AT_ONCE], m[CHUNK][AT_ONCE];
#pragma unroll
    for (int j = 0; j < CHUNK; ++j) {
      if (j >= words) continue;
      READ_ROWS(q[j], __local, strip + j * QUERY_PLANES * FASTID_M_C + i);
#if QUERY_PLANES == 2
      READ_ROWS(m[j], __local, strip + (j * QUERY_PLANES + 1) * FASTID_M_C + i);
#endif
    }
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r)
#pragma unroll
      for (int v = 0; v < VECS; ++v) {
        VEC w[TERMS][CHUNK];
#pragma unroll
        for (int j = 0; j < CHUNK; ++j) {
          FOR_TERMS(SET_WORD, of->bits[j][v], SECOND(j, v), q[j][r], m[j][r])
        }
        Counter *const to = &count[i + r][v];
        FOR_TERMS(ADD_TERM, 0, 0, 0, 0)
#if FASTID_FUSED
#pragma unroll
        for (int j = 0; j < CHUNK; ++j)
          w[0][j] = j < words ? DENOMINATOR(of->bits[j][v], SECOND(j, v), q[j][r], m[j][r]) : (VEC)(0);
        add_chunk(&denominator[i + r][v], w[0]);
#endif
      }
  }
}

/* Loads `n` words of each query of a row block, all planes, into local memory; the whole work-group does it
 * together. */
INLINE void load_queries(__local uint4 *block, __global const uint4 *from, uint n) {
  const uint item = (uint)(get_local_id(1) * FASTID_GROUP_COLUMNS + get_local_id(0));
  const uint fours = n * QUERY_PLANES * (FASTID_M_C / 4);
  GROUP_BARRIER;
  for (uint i = item; i < fours; i += FASTID_GROUP_ROWS * FASTID_GROUP_COLUMNS) block[i] = from[i];
  GROUP_BARRIER;
}

/* The counts of a strip, and the profiles' own bits (at least 1), which bound their pairs' denominators. */
typedef struct {
  Counter count[FASTID_M_R][VECS];
  Counter denominator[FASTID_FUSED ? FASTID_M_R : 1][VECS];
  VEC own_bits[VECS];
} Counts;

#ifdef FOR_DENOMINATORS
/* Whether any pair of a strip may pass by its denominator. If so, the top bit of each word of
 * hits[i][v] says whether that pair of row i may. */
INLINE bool test_fractions(const Counts *of, __global const uint *thresholds, uint n_rows, uint row,
                           VEC (*hits)[VECS]) {
  VEC any_hit = (VEC)(0);
#pragma unroll
  for (int i = 0; i < FASTID_M_R; i += AT_ONCE) {
    uint ratio[AT_ONCE], offset[AT_ONCE];
    READ_ROWS(ratio, __global, &THRESHOLD(RATIO, row + i));
    READ_ROWS(offset, __global, &THRESHOLD(OFFSET, row + i));
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r)
#pragma unroll
      for (int v = 0; v < VECS; ++v) {
#if FASTID_FUSED
        const VEC denominator = max(total_of(&of->denominator[i + r][v]), (VEC)(1));
#else
        const VEC denominator = of->own_bits[v];
#endif
        hits[i + r][v] = fraction_may_pass(total_of(&of->count[i + r][v]), ratio[r], offset[r], denominator);
        any_hit |= hits[i + r][v];
      }
  }
  return ANY_TOP_BIT(any_hit);
}
#endif

/* Whether any pair of a strip may pass. If so, the top bit of may_pass[i][j] says whether the pair of row i and the
 * work-item's profile j may. Where the fraction decides, a pair that passes it usually passes the limit too, so the
 * limit is tested only for strips in which the fraction lets a pair through. */
INLINE bool test(const Counts *of, __global const uint *thresholds, uint n_rows, uint row, uint (*may_pass)[COLS]) {
  VEC hits[FASTID_M_R][VECS], any_hit = (VEC)(0);
#ifdef FOR_DENOMINATORS
  if (!test_fractions(of, thresholds, n_rows, row, hits)) return false;
#endif
#pragma unroll
  for (int i = 0; i < FASTID_M_R; i += AT_ONCE) {
    uint limit[AT_ONCE];
    READ_ROWS(limit, __global, &THRESHOLD(LIMIT, row + i));
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r)
#pragma unroll
      for (int v = 0; v < VECS; ++v) {
        const VEC below = total_of(&of->count[i + r][v]) - limit[r]; /* negative if the count is below the limit */
#ifdef FOR_DENOMINATORS
        hits[i + r][v] &= below;
#else
        hits[i + r][v] = below;
#endif
        any_hit |= hits[i + r][v];
      }
  }
  if (!ANY_TOP_BIT(any_hit)) return false;
#pragma unroll
  for (int i = 0; i < FASTID_M_R; ++i)
#pragma unroll
    for (int v = 0; v < VECS; ++v) STORE_VEC(hits[i][v], &may_pass[i][v * FASTID_N_VEC]);
  return true;
}

/* Compares profiles first_profile .. end_profile - 1, as the tile numbers them, with queries first_query ..
 * end_query - 1, as the problem numbers them, and appends the pairs that may pass to `found`.
 *
 * Any number of work-groups will do: along dimension 0 they divide the column tiles of N_R profiles among them, along
 * dimension 1 the row blocks of M_C queries. `block` has room for min(n_words, K_STEP) words of M_C queries. `second`
 * and `own_bits` (from count_own_bits()) are read only where the case needs them. The tile has n_blocks blocks. */
__kernel __attribute__((reqd_work_group_size(FASTID_GROUP_COLUMNS, FASTID_GROUP_ROWS, 1))) void compare(
    __global const uint *restrict queries, __global const uint *restrict thresholds, uint n_rows,
    __global const uint *restrict bits, __global const uint *restrict second, __global const uint *restrict own_bits,
    uint n_words, uint n_blocks, uint first_profile, uint end_profile, uint first_query, uint end_query, uint capacity,
    __global uint *restrict found, __local uint4 *block) {
  for (uint rows = first_query / FASTID_M_C + (uint)get_group_id(1); rows * FASTID_M_C < end_query;
       rows += (uint)get_num_groups(1)) {
    __global const uint4 *const from =
        (__global const uint4 *)queries + (ulong)rows * n_words * QUERY_PLANES * (FASTID_M_C / 4);
#if FASTID_WHOLE
    load_queries(block, from, n_words);
#endif
    for (uint tile = first_profile / FASTID_N_R + (uint)get_group_id(0); tile * FASTID_N_R < end_profile;
         tile += (uint)get_num_groups(0)) {
      const uint first = tile * FASTID_N_R + (uint)get_local_id(0) * FASTID_N_VEC;
      for (uint strip = (uint)get_local_id(1); strip < STRIPS; strip += FASTID_GROUP_ROWS) {
        const uint row = rows * FASTID_M_C + strip * FASTID_M_R;
        Counts counts;
        Place place;
#pragma unroll
        for (int v = 0; v < VECS; ++v) { /* past the tile's end its last block is read again but not reported */
          const uint profile = first + v * (FASTID_GROUP_COLUMNS * FASTID_N_VEC);
          const uint in_block = min(profile / BLOCK, n_blocks - 1);
          const ulong at = (ulong)in_block * n_words * BLOCK + profile % BLOCK;
          place.bits[v] = (__global const VEC *)(bits + at);
#ifdef READS_SECOND
          place.second[v] = (__global const VEC *)(second + at);
#endif
#if defined(FOR_DENOMINATORS) && !FASTID_FUSED
          counts.own_bits[v] = *(__global const VEC *)(own_bits + in_block * BLOCK + profile % BLOCK);
#endif
#pragma unroll
          for (int i = 0; i < FASTID_M_R; ++i) {
            clear(&counts.count[i][v]);
#if FASTID_FUSED
            clear(&counts.denominator[i][v]);
#endif
          }
        }
        for (uint step = 0; step < n_words; step += K_STEP) {
          const uint n = min((uint)K_STEP, n_words - step);
#if !FASTID_WHOLE
          load_queries(block, from + (ulong)step * QUERY_PLANES * (FASTID_M_C / 4), n);
#endif
          __local const uint *at = (__local const uint *)block + strip * FASTID_M_R;
          uint k = 0;
#if FASTID_LOAD_AHEAD
          Words next;
          if (CHUNK <= n) load(&next, &place, CHUNK);
#endif
          for (; k + CHUNK <= n; k += CHUNK) {
#if FASTID_LOAD_AHEAD
            const Words words = next;
            if (k + 2 * CHUNK <= n) load(&next, &place, CHUNK);
#else
            Words words;
            load(&words, &place, CHUNK);
#endif
            multiply(counts.count, counts.denominator, at, &words, CHUNK);
            at += CHUNK * QUERY_PLANES * FASTID_M_C;
          }
          for (; k < n; ++k) {
            Words words;
            load(&words, &place, 1);
            multiply(counts.count, counts.denominator, at, &words, 1);
            at += QUERY_PLANES * FASTID_M_C;
          }
        }
        uint may_pass[FASTID_M_R][COLS];
        if (!test(&counts, thresholds, n_rows, row, may_pass)) continue;
#pragma nounroll /* unrolled, it costs the loop above registers: 5 % on an H200 */
        for (uint i = 0; i < FASTID_M_R * COLS; ++i) {
          const uint query = row + i / COLS, j = i % COLS;
          const uint profile = first + j / FASTID_N_VEC * (FASTID_GROUP_COLUMNS * FASTID_N_VEC) + j % FASTID_N_VEC;
          if (may_pass[i / COLS][j] >> 31 && query >= first_query && query < end_query &&
              profile >= first_profile && profile < end_profile)
            append_pair(profile, query, capacity, found);
        }
      }
    }
  }
}
