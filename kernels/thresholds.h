/* thresholds.h: the thresholds that pairs must pass, and the buffer of pairs that passed. Comes before each of the
 * comparison kernels. OpenCL C 1.2.
 */
#define BLOCK 32 /* profiles in a block of the database */

/* The queries' thresholds are a table of lines, each n_rows long:
 *   LIMIT            the least count that fails with every denominator
 *   MAX_COUNT,
 *   NUM, DEN         the exact threshold
 *   RATIO            num / den in units of 2^-15, rounded up
 *   OWN_DENOMINATOR  the denominator of the query's pairs if it depends on the query alone, else the largest possible
 *   NEED             for compare_matrix.cl: the least |q & d| - |d| / 2 that may pass, half of slack - (limit - 1),
 *                    rounded up
 *   SLACK            what NEED is computed from (slack_of() of src/opencl/kernel/matrix_comparer.cpp) */
#define THRESHOLD(line, row) thresholds[(line) * n_rows + (row)]
#define LIMIT 0
#define MAX_COUNT 1
#define NUM 2
#define DEN 3
#define RATIO 4
#define OWN_DENOMINATOR 5
#define NEED 6
#define SLACK 7

/* Whether a pair with this count and denominator passes the query's exact threshold. */
int passes_threshold(uint count, uint denominator, __global const uint *thresholds, uint n_rows, uint query) {
  return count <= THRESHOLD(MAX_COUNT, query) &&
         (ulong)count * THRESHOLD(DEN, query) <= (ulong)THRESHOLD(NUM, query) * max(denominator, 1u);
}

/* The buffer of pairs that passed, PAIR_WORDS words each: the profile's place in the tile, 0, the query, and the pair's
 * counts (PairCounts of src/engine/comparison.hpp). The first PAIR_WORDS words hold no pair but totals: how many pairs
 * passed, of which only the first `capacity` are stored; 0; how many blocks have the expected checksums
 * (block_checksum.h). */
#define PAIR_WORDS 6
#define N_SOUND 2

void append_pair(uint profile, uint query, uint count, uint minor_alleles, uint compared, uint capacity,
                 __global uint *found) {
  const uint at = atomic_inc(found);
  if (at >= capacity) return;
  __global uint *const to = found + ((ulong)at + 1) * PAIR_WORDS;
  to[0] = profile;
  to[1] = 0;
  to[2] = query;
  to[3] = count;
  to[4] = minor_alleles;
  to[5] = compared;
}
