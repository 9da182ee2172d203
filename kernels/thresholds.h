/* thresholds.h: what a pair must pass, and where those that do are put. Comes before each of the comparison kernels.
 * OpenCL C 1.2.
 */
#define BLOCK 32 /* profiles in a block of the database */

/* The thresholds of the queries, line by line, each n_rows long: the least count that cannot pass whatever the
 * denominator; max_count; num; den; num / den in units of 2^-15, rounded up; the denominator of the query's pairs where it
 * is the query's own, else the most that one can be; and for compare_matrix.cl the least that |q & d| - |d| / 2 must be,
 * and its slack: the need is half of slack - (limit - 1), rounded up. */
#define THRESHOLD(line, row) thresholds[(line) * n_rows + (row)]
#define LIMIT 0
#define MAX_COUNT 1
#define NUM 2
#define DEN 3
#define RATIO 4
#define OWN_DENOMINATOR 5
#define NEED 6
#define SLACK 7

/* Whether the exact threshold lets a pair (count, denominator) through. */
int passes_threshold(uint count, uint denominator, __global const uint *thresholds, uint n_rows, uint query) {
  return count <= THRESHOLD(MAX_COUNT, query) &&
         (ulong)count * THRESHOLD(DEN, query) <= (ulong)THRESHOLD(NUM, query) * max(denominator, 1u);
}

/* Pairs that passed, PAIR_WORDS each: the profile's place in the tile, 0, the query, and its counts (PairCounts of
 * src/engine/comparison.hpp). In place of a first pair: how many passed, of which those from `capacity` on are not stored;
 * 0; how many blocks have the checksums that were expected (block_checksum.h). */
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
