/* compare_ref.cl: the plain comparison on a device, one work-item a pair. OpenCL C 1.2, no extension.
 *
 * It is the fallback for any device and the oracle that faster kernels are checked against there, so it is written to
 * be read. Definitions: src/engine/comparison.hpp; layout: src/bits/blocks.hpp. thresholds.h comes before it.
 *
 * Set by the build:
 *   FASTID_COMPARISON  0 identity, 1 mixture, 2 reverse mixture
 *   FASTID_MASK        0 every site of every profile is called; 1 queries have sites not called; 2 both sides have
 */
/* Word `word` of profile `profile` in a plane of blocks. */
uint block_word(__global const uint *plane, uint n_words, uint profile, uint word) {
  const ulong block = (ulong)(profile / BLOCK) * n_words * BLOCK;
  return plane[block + (ulong)word * BLOCK + profile % BLOCK];
}

/* (count, denominator) of a pair. query_called is read where FASTID_MASK > 0, called where it is 2. */
uint2 count_pair(__global const uint *query_bits, __global const uint *query_called, __global const uint *bits,
                 __global const uint *called, uint n_words, uint n_sites, uint query, uint profile) {
  uint count = 0, minor = 0, compared = 0;
  for (uint word = 0; word < n_words; ++word) {
    const uint q = query_bits[(ulong)query * n_words + word];
    const uint d = block_word(bits, n_words, profile, word);
    uint both = 0xFFFFFFFFu; /* bits past n_sites are 0 in q and d */
#if FASTID_MASK > 0
    both = query_called[(ulong)query * n_words + word];
#endif
#if FASTID_MASK == 2
    both &= block_word(called, n_words, profile, word);
#endif

#if FASTID_COMPARISON == 0
    count += popcount((q ^ d) & both);
    compared += popcount(both);
#elif FASTID_COMPARISON == 1
    count += popcount(d & ~q & both);
    minor += popcount(d & both);
#elif FASTID_COMPARISON == 2
    count += popcount(q & ~d & both);
    minor += popcount(q & both);
#else
#error "fastid: FASTID_COMPARISON must be 0, 1 or 2"
#endif
  }

#if FASTID_COMPARISON != 0
  return (uint2)(count, minor);
#elif FASTID_MASK == 0
  return (uint2)(count, n_sites);
#else
  return (uint2)(count, compared);
#endif
}

/* Pairs of profiles first_profile .. end_profile - 1 with queries from first_query on, all in the tile's and the problem's
 * own numbers. Global size: at least that many profiles x exactly that many queries.
 *
 * Each pair that passes its query's threshold is appended to `found`. Where more do than are stored, the host runs the range
 * again in pieces. */
__kernel void compare_ref(__global const uint *query_bits, __global const uint *query_called,
                          __global const uint *bits, __global const uint *called, uint n_words, uint n_sites,
                          uint first_profile, uint end_profile, uint first_query, __global const uint *thresholds,
                          uint n_rows, uint capacity, __global uint *found) {
  const uint profile = first_profile + (uint)get_global_id(0);
  const uint query = first_query + (uint)get_global_id(1);
  if (profile >= end_profile) return;
  const uint2 pair = count_pair(query_bits, query_called, bits, called, n_words, n_sites, query, profile);
  if (passes_threshold(pair, thresholds, n_rows, query)) append_pair((uint4)(query, profile, pair.x, pair.y), capacity, found);
}

/* (count, denominator) of every pair of the profiles of blocks first_block, first_block + step, ... with queries from
 * first_query on; 0 from profile n_profiles of the tile on. Global size: 32 x the blocks, x queries, in this order. */
__kernel void count_ref(__global const uint *query_bits, __global const uint *query_called,
                        __global const uint *bits, __global const uint *called, uint n_words, uint n_sites,
                        uint first_block, uint step, uint n_profiles, uint first_query, __global uint2 *counts) {
  const ulong at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  const uint place = (uint)get_global_id(0);
  const uint profile = (first_block + place / BLOCK * step) * BLOCK + place % BLOCK;
  const uint query = first_query + (uint)get_global_id(1);
  counts[at] = (uint2)(0, 0);
  if (profile < n_profiles)
    counts[at] = count_pair(query_bits, query_called, bits, called, n_words, n_sites, query, profile);
}
