/* found.h: the buffer of pairs that may pass. OpenCL C 1.2.
 *
 * A pair has PAIR_WORDS words: the profile's place in the tile, 0, the query, and the pair's counts (PairCounts of
 * src/engine/comparison.hpp), which count_found() of pair.h fills in. The first PAIR_WORDS words hold no pair but totals: how
 * many pairs there were, of which only the first `capacity` are stored; 0; how many blocks have the expected checksums
 * (block_checksum.h).
 */
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
