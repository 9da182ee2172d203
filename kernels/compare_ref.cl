/* compare_ref.cl: the plain comparison on a device, one work-item a pair. OpenCL C 1.2, no extension.
 *
 * It is the fallback for any device and the oracle that faster kernels are checked against there, so it is written to
 * be read. Definitions: src/engine/comparison.hpp; layout: src/bits/blocks.hpp.
 *
 * Set by the build:
 *   FASTID_COMPARISON  0 identity, 1 mixture, 2 reverse mixture
 *   FASTID_MASK        0 every site of every profile is called; 1 queries have sites not called; 2 both sides have
 */
#define FASTID_LANES 32 /* profiles in a block */

/* Word `word` of profile `profile` in a plane of blocks. */
uint block_word(__global const uint *plane, uint n_words, uint profile, uint word) {
  const ulong block = (ulong)(profile / FASTID_LANES) * n_words * FASTID_LANES;
  return plane[block + (ulong)word * FASTID_LANES + profile % FASTID_LANES];
}

/* count / max(weight, 1) <= num / den and count <= max_count, in integers. bar = (max_count, num, den, unused). */
int passes(uint count, uint weight, uint4 bar) {
  return count <= bar.x && (ulong)count * bar.z <= (ulong)bar.y * max(weight, 1u);
}

/* Pairs of profiles first_profile .. end_profile - 1 with queries from first_query on, all in the tile's and the problem's
 * own numbers. Global size: at least that many profiles x exactly that many queries.
 *
 * Each pair that passes its query's bar is appended to `found` as four words: query, profile, count, weight. *n_found
 * counts them all; those past `capacity` are not stored, and the host runs the range again in pieces.
 * query_called is read where FASTID_MASK > 0, called where it is 2. */
__kernel void compare_ref(__global const uint *query_bits, __global const uint *query_called,
                          __global const uint *bits, __global const uint *called, uint n_words, uint n_sites,
                          uint first_profile, uint end_profile, uint first_query, __global const uint4 *bars,
                          uint capacity, __global uint *n_found, __global uint *found) {
  const uint profile = first_profile + (uint)get_global_id(0);
  const uint query = first_query + (uint)get_global_id(1);
  if (profile >= end_profile) return;

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
  const uint weight = minor;
#elif FASTID_MASK == 0
  const uint weight = n_sites;
#else
  const uint weight = compared;
#endif
  if (!passes(count, weight, bars[query])) return;
  const uint at = atomic_inc(n_found);
  if (at >= capacity) return;
  __global uint *const candidate = found + 4 * (ulong)at;
  candidate[0] = query;
  candidate[1] = profile;
  candidate[2] = count;
  candidate[3] = weight;
}
