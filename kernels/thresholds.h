/* thresholds.h: the thresholds that pairs must pass, and the buffer of pairs that may pass. Comes before each
 * kernel. OpenCL C 1.2.
 */
#define BLOCK 32 /* profiles in a block of the database */
#define INLINE __attribute__((always_inline)) /* otherwise counts would leave the registers */

/* The queries' thresholds are a table of lines, each n_rows long:
 *   LIMIT            the least count that fails with every denominator
 *   RATIO, OFFSET    the test of a pair's denominator, at least 1: (count - OFFSET) << RATIO_BITS <= denominator * RATIO
 *   OWN_DENOMINATOR  the denominator of the query's pairs if it depends on the query alone, else the largest possible
 *   NEED             for compare_matrix.cl: the least |q & d| - |d| / 2 that may pass, half of slack - (limit - 1),
 *                    rounded up
 *   SLACK            what NEED is computed from (slack_of() of src/opencl/kernel/matrix_comparer.cpp) */
#define THRESHOLD(line, row) thresholds[(line) * n_rows + (row)]
#define LIMIT 0
#define RATIO 1
#define OFFSET 2
#define OWN_DENOMINATOR 3
#define NEED 4
#define SLACK 5

/* FASTID_WIDE, set by the build: 1: the shares of denominators need 64 bits (counts above 32,767). */
#if FASTID_WIDE
#define RATIO_BITS 29
#else
#define RATIO_BITS 15
#endif

/* The buffer of pairs that may pass, PAIR_WORDS words each: the profile's place in the tile, 0, the query, and the pair's
 * counts (PairCounts of src/engine/comparison.hpp), which count_found() of pair.h fills in. The first PAIR_WORDS words hold
 * no pair but totals: how many pairs there were, of which only the first `capacity` are stored; 0; how many blocks have the
 * expected checksums (block_checksum.h). */
#define PAIR_WORDS 6
#define N_SOUND 2

/* Returns where its counts belong; 0: there is no room. */
__global uint *append_pair(uint profile, uint query, uint capacity, __global uint *found) {
  const uint at = atomic_inc(found);
  if (at >= capacity) return 0;
  __global uint *const to = found + ((ulong)at + 1) * PAIR_WORDS;
  to[0] = profile;
  to[1] = 0;
  to[2] = query;
  return to;
}
