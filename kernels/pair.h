/* pair.h: what a pair of a query and a stored profile counts, word by word, and how one that may pass is decided.
 * compare.cl and compare_matrix.cl have it in common: their products may let through too much, never too little, and
 * settle() decides exactly. OpenCL C 1.2. bars.h comes before it.
 *
 * Set by the build:
 *   FASTID_CASE   what is counted, as KernelCase of src/engine/kernel_case.hpp numbers it
 * Defined by the kernel: query_word(), since each has the queries in an order of its own.
 */
#define INLINE __attribute__((always_inline)) /* or counts would leave the registers */

/* d, c: words of a stored profile, its bits and its called sites; q, m: the query's first and second word. WEIGHT: what
 * to count for the pair's weight, where it depends on the stored profile. */
#if FASTID_CASE == 0 /* identity, nothing masked */
#define COUNT(d, c, q, m) ((d) ^ (q))
#elif FASTID_CASE == 1 /* identity, no called plane */
#define COUNT(d, c, q, m) (((d) & (m)) ^ (q))
#define QUERY_PLANES 2
#elif FASTID_CASE == 2 /* identity, queries all called */
#define COUNT(d, c, q, m) (((c) & (q)) ^ (d))
#define WEIGHT(d, c, q, m) (c)
#define READS_CALLED
#elif FASTID_CASE == 3 /* identity */
#define COUNT(d, c, q, m) (((d) ^ (q)) & (m) & (c))
#define WEIGHT(d, c, q, m) ((c) & (m))
#define QUERY_PLANES 2
#define READS_CALLED
#elif FASTID_CASE == 4 /* mixture, queries all called */
#define COUNT(d, c, q, m) ((d) & (q))
#define WEIGHT(d, c, q, m) (d)
#elif FASTID_CASE == 5 /* mixture */
#define COUNT(d, c, q, m) ((d) & (q))
#define WEIGHT(d, c, q, m) ((d) & (m))
#define QUERY_PLANES 2
#elif FASTID_CASE == 6 /* reverse mixture, no called plane */
#define COUNT(d, c, q, m) (~(d) & (q))
#elif FASTID_CASE == 7 /* reverse mixture */
#define COUNT(d, c, q, m) (((c) ^ (d)) & (q))
#define WEIGHT(d, c, q, m) ((c) & (q))
#define READS_CALLED
#else
#error "fastid: FASTID_CASE must be 0 to 7"
#endif
#ifndef QUERY_PLANES
#define QUERY_PLANES 1
#endif

/* Word `word` of plane `plane` (0: q, 1: m, as COUNT has them) of query `row`. */
uint query_word(__global const uint *queries, uint n_words, uint row, uint word, uint plane);

/* What a pair counts, word by word: (count, weight). `weight` where it is the query's own. */
uint2 count_pair(__global const uint *queries, uint weight, __global const uint *bits, __global const uint *called,
                 uint n_words, uint query, uint profile) {
  const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  uint2 sum = (uint2)(0, 0);
  for (uint word = 0; word < n_words; ++word) {
    const uint q = query_word(queries, n_words, query, word, 0);
    const uint d = bits[first + (ulong)word * BLOCK];
#if QUERY_PLANES == 2
    const uint m = query_word(queries, n_words, query, word, 1);
#endif
#ifdef READS_CALLED
    const uint c = called[first + (ulong)word * BLOCK];
#endif
    sum.x += popcount(COUNT(d, c, q, m));
#ifdef WEIGHT
    sum.y += popcount(WEIGHT(d, c, q, m));
#endif
  }
#ifndef WEIGHT
  sum.y = weight;
#endif
  return sum;
}

/* Appends a pair to `found`, if it does pass its bar. Where more do than are stored, the host runs the range again in
 * pieces. */
void settle(uint query, uint profile, __global const uint *queries, __global const uint *bars, uint n_rows,
            __global const uint *bits, __global const uint *called, uint n_words, uint capacity,
            __global uint *found) {
  const uint2 pair = count_pair(queries, BAR(OWN_WEIGHT, query), bits, called, n_words, query, profile);
  if (passes_bar(pair, bars, n_rows, query)) append_pair((uint4)(query, profile, pair.x, pair.y), capacity, found);
}

/* Bits of each profile in one plane, and 1 at least: what bounds a pair's weight, or is it; for compare_matrix.cl with
 * FASTID_SIMILAR what |q & d| starts from, less half of them. One work-item a profile. */
__kernel void weigh(__global const uint *restrict plane, uint n_words, uint n_profiles,
                    __global uint *restrict weights) {
  const uint profile = (uint)get_global_id(0);
  if (profile >= n_profiles) return;
  const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  uint sum = 0;
  for (uint word = 0; word < n_words; ++word) sum += popcount(plane[first + (ulong)word * BLOCK]);
#if FASTID_SIMILAR
  weights[profile] = -(sum / 2);
#else
  weights[profile] = max(sum, 1u);
#endif
}

/* (count, weight) of every pair of the profiles of blocks first_block, first_block + step, ... with queries from
 * first_query on; 0 from profile n_profiles of the tile on. Global size: 32 x the blocks, x queries, in this order. */
__kernel void count_all(__global const uint *queries, __global const uint *bars, uint n_rows,
                        __global const uint *bits, __global const uint *called, uint n_words, uint first_block,
                        uint step, uint n_profiles, uint first_query, __global uint2 *counts) {
  const ulong at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  const uint place = (uint)get_global_id(0);
  const uint profile = (first_block + place / BLOCK * step) * BLOCK + place % BLOCK;
  const uint query = first_query + (uint)get_global_id(1);
  counts[at] = (uint2)(0, 0);
  if (profile < n_profiles)
    counts[at] = count_pair(queries, BAR(OWN_WEIGHT, query), bits, called, n_words, query, profile);
}
