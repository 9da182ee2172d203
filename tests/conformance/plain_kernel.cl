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

/* Alleles of a person, the bits of `person`, that a mixture does not show; how many the person has. */
uint2 not_seen(uint person, uint mixture) {
  return (uint2)(popcount(person & ~mixture), popcount(person));
}

/* (count, denominator, compared, 0) of each pair, [query][profile]. Each side has three planes: minor and major alleles
 * seen, and called sites. Global size: profiles x queries. comparison: 0 identity, 1 mixture, 2 reverse mixture, 3
 * kinship. alleles: 1: major alleles count as minor ones do; 0: they do not count. */
__kernel void count_pairs(__global const uint *query_minor, __global const uint *query_major,
                          __global const uint *query_called, __global const uint *minor, __global const uint *major,
                          __global const uint *called, uint n_words, uint comparison, uint alleles,
                          __global uint4 *counts) {
  const uint profile = (uint)get_global_id(0), query = (uint)get_global_id(1);
  uint2 sum = (uint2)(0); /* count and denominator */
  uint compared = 0, query_het = 0, het = 0;
  for (uint word = 0; word < n_words; ++word) {
    const ulong at = (ulong)query * n_words + word;
    const uint both = query_called[at] & block_word(called, n_words, profile, word);
    const uint q = query_minor[at] & both, d = block_word(minor, n_words, profile, word) & both;
    const uint q2 = query_major[at] & both, d2 = block_word(major, n_words, profile, word) & both;
    compared += popcount(both);
    if (comparison == 0) {
      sum += (uint2)(popcount(q ^ d) + alleles * popcount(q2 ^ d2), popcount(both));
    } else if (comparison == 1) {
      sum += not_seen(d, q) + alleles * not_seen(d2, q2);
    } else if (comparison == 2) {
      sum += not_seen(q, d) + alleles * not_seen(q2, d2);
    } else {
      const uint opposite = (q ^ d) & (q2 ^ d2); /* homozygotes of different alleles: two copies apart */
      sum.x += popcount((q & q2) ^ (d & d2)) + 4 * popcount(opposite);
      query_het += popcount(q & q2);
      het += popcount(d & d2);
    }
  }
  if (comparison == 3) sum.y = min(query_het, het);
  counts[(ulong)query * get_global_size(0) + profile] = (uint4)(sum, compared, 0);
}
