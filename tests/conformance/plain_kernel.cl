/* plain_kernel.cl: the plain comparison on a device, one work-item a pair, written to be read: what faster kernels are
 * held against there. It shares no code with them. OpenCL C 1.2, no extension. Definitions: src/engine/comparison.hpp;
 * layout: src/bits/blocks.hpp.
 */
#define BLOCK 32 /* profiles in a block of the database */

/* Word `word` of profile `profile` in a plane of blocks. */
uint block_word(__global const uint *plane, uint n_words, uint profile, uint word) {
  const ulong block = (ulong)(profile / BLOCK) * n_words * BLOCK;
  return plane[block + (ulong)word * BLOCK + profile % BLOCK];
}

/* (count, minor alleles, compared, 0) of each pair, [query][profile]. Both sides have both planes. Global size: profiles x
 * queries. comparison: 0 identity, 1 mixture, 2 reverse mixture. */
__kernel void count_pairs(__global const uint *query_bits, __global const uint *query_called,
                          __global const uint *bits, __global const uint *called, uint n_words, uint comparison,
                          __global uint4 *counts) {
  const uint profile = (uint)get_global_id(0), query = (uint)get_global_id(1);
  uint count = 0, minor = 0, compared = 0;
  for (uint word = 0; word < n_words; ++word) {
    const uint q = query_bits[(ulong)query * n_words + word];
    const uint d = block_word(bits, n_words, profile, word);
    const uint both =
        query_called[(ulong)query * n_words + word] & block_word(called, n_words, profile, word);
    compared += popcount(both);
    if (comparison == 0) {
      count += popcount((q ^ d) & both);
    } else if (comparison == 1) {
      count += popcount(d & ~q & both);
      minor += popcount(d & both);
    } else {
      count += popcount(q & ~d & both);
      minor += popcount(q & both);
    }
  }
  counts[(ulong)query * get_global_size(0) + profile] = (uint4)(count, minor, compared, 0);
}
