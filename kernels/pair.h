/* pair.h: what is counted for a pair of a query and a stored profile, word by word. compare.cl and compare_matrix.cl share
 * it: their tests may let through too many pairs but never too few; count_found() then counts those exactly, and the host
 * drops the ones that fail. OpenCL C 1.2. thresholds.h comes before it.
 *
 * Set by the build:
 *   FASTID_CASE      what is counted, as KernelCase of src/engine/kernel_case.hpp numbers it
 *   FASTID_ALLELES   1: a tile's second plane says where a major allele was seen; 0: which sites were called
 *   FASTID_COMPARED  1: a pair's compared sites are counted too (mixtures where calls are missing); 0: they are the
 *                    denominator, or the sites that the query has called
 * Defined by the kernel: query_word(), since each kernel packs the queries in its own order.
 */
#define INLINE __attribute__((always_inline)) /* otherwise counts would leave the registers */

/* d, c: words of a stored profile's bits and called sites; q, m: the query's first and second word. DENOMINATOR: what
 * to count for the pair's denominator, where it depends on the stored profile. */
#if FASTID_CASE == 0 /* identity, nothing masked */
#define COUNT(d, c, q, m) ((d) ^ (q))
#elif FASTID_CASE == 1 /* identity, no called plane */
#define COUNT(d, c, q, m) (((d) & (m)) ^ (q))
#define QUERY_PLANES 2
#elif FASTID_CASE == 2 /* identity, queries all called */
#define COUNT(d, c, q, m) (((c) & (q)) ^ (d))
#define DENOMINATOR(d, c, q, m) (c)
#define READS_CALLED
#elif FASTID_CASE == 3 /* identity */
#define COUNT(d, c, q, m) (((d) ^ (q)) & (m) & (c))
#define DENOMINATOR(d, c, q, m) ((c) & (m))
#define QUERY_PLANES 2
#define READS_CALLED
#elif FASTID_CASE == 4 /* mixture, queries all called */
#define COUNT(d, c, q, m) ((d) & (q))
#define DENOMINATOR(d, c, q, m) (d)
#elif FASTID_CASE == 5 /* mixture */
#define COUNT(d, c, q, m) ((d) & (q))
#define DENOMINATOR(d, c, q, m) ((d) & (m))
#define QUERY_PLANES 2
#elif FASTID_CASE == 6 /* reverse mixture, no called plane */
#define COUNT(d, c, q, m) (~(d) & (q))
#elif FASTID_CASE == 7 /* reverse mixture */
#define COUNT(d, c, q, m) (((c) ^ (d)) & (q))
#define DENOMINATOR(d, c, q, m) ((c) & (q))
#define READS_CALLED
#else
#error "fastid: FASTID_CASE must be 0 to 7"
#endif
#ifndef QUERY_PLANES
#define QUERY_PLANES 1
#endif

/* A stored profile's called sites. */
#if FASTID_ALLELES
#define CALLED_OF(bits, second) ((bits) | (second))
#else
#define CALLED_OF(bits, second) (second)
#endif

/* Word `word` of plane `plane` (0: q, 1: m of COUNT) of query `row`. */
uint query_word(__global const uint *queries, uint n_words, uint row, uint word, uint plane);

/* Counts the pairs of the buffer, word by word: each pair by one work-item. `query_called`, the queries' called sites row
 * by row, is read if FASTID_COMPARED. Any global size. The host drops the few pairs that do not pass after all. */
__kernel void count_found(__global const uint *queries, __global const uint *query_called, __global const uint *thresholds,
                          uint n_rows, __global const uint *bits, __global const uint *called, uint n_words, uint capacity,
                          __global uint *found) {
  const uint n = min(found[0], capacity);
  for (uint i = (uint)get_global_id(0); i < n; i += (uint)get_global_size(0)) {
    __global uint *const pair = found + ((ulong)i + 1) * PAIR_WORDS;
    const uint profile = pair[0], query = pair[2];
    const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
    uint count = 0, denominator = 0, compared = 0;
    for (uint word = 0; word < n_words; ++word) {
      const ulong at = first + (ulong)word * BLOCK;
      const uint q = query_word(queries, n_words, query, word, 0);
      const uint d = bits[at];
#if QUERY_PLANES == 2
      const uint m = query_word(queries, n_words, query, word, 1);
#endif
#ifdef READS_CALLED
      const uint c = CALLED_OF(d, called[at]);
#endif
      count += popcount(COUNT(d, c, q, m));
#ifdef DENOMINATOR
      denominator += popcount(DENOMINATOR(d, c, q, m));
#endif
#if FASTID_COMPARED
      compared += popcount(CALLED_OF(d, called[at]) & query_called[(ulong)query * n_words + word]);
#endif
    }
#ifndef DENOMINATOR
    denominator = THRESHOLD(OWN_DENOMINATOR, query);
#endif
    pair[3] = count;
#if FASTID_CASE <= 3 /* identity: the denominator is what was compared */
    pair[4] = denominator;
    pair[5] = denominator;
#else
    pair[4] = denominator;
    pair[5] = compared;
#endif
  }
}

/* Counts each profile's own bits, or its called sites if READS_CALLED, as at least 1: a pair's denominator, or its bound. For
 * compare_matrix.cl with FASTID_SIMILAR it writes minus half of the own bits, which the count of |q & d| starts from.
 * One work-item for each profile. */
__kernel void count_own_bits(__global const uint *restrict bits, __global const uint *restrict called, uint n_words,
                             uint n_profiles, __global uint *restrict own_bits) {
  const uint profile = (uint)get_global_id(0);
  if (profile >= n_profiles) return;
  const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  uint sum = 0;
  for (uint word = 0; word < n_words; ++word) {
    const ulong at = first + (ulong)word * BLOCK;
#ifdef READS_CALLED
    sum += popcount(CALLED_OF(bits[at], called[at]));
#else
    sum += popcount(bits[at]);
#endif
  }
#if FASTID_SIMILAR
  own_bits[profile] = -(sum / 2);
#else
  own_bits[profile] = max(sum, 1u);
#endif
}
