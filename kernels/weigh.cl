/* weigh.cl: sums of weights by what stored people show (src/engine/weighted_count.hpp), for queries that say of each site
 * how probable each genotype is. OpenCL C 1.2, no extension. common.h and found.h come before it.
 *
 * A work-item adds up one pair. Weights are cut into bits, in two's complement: where a kind is seen its weight's bits are,
 * so that all sites of a word are one count of bits for each place. All work-items of a group read the same weights. The
 * limit is exact, and a pair that passes is counted at once: there are few.
 *
 * Set by the build:
 *   FASTID_SECOND   1: there is a second plane
 *   FASTID_ALLELES  1: it says where a major allele was seen; 0: which sites were called
 *   FASTID_KINDS    3: a major allele alone, both, a minor one alone; 2: no minor allele, a minor one
 *   FASTID_NO_WEIGHT   the count of a sum of 0
 */
/* What is seen at a word's sites, 32 of them, and which are called. */
typedef struct {
  uint kinds[3], called;
} Shown;

INLINE Shown shown_at(__global const uint *bits, __global const uint *second, ulong at) {
  Shown shown;
  const uint minor = bits[at];
#if FASTID_SECOND
  const uint other = second[at];
  shown.kinds[0] = other & ~minor;
  shown.called = FASTID_ALLELES ? other | minor : other;
#else
  const uint other = 0;
  shown.kinds[0] = ~minor; /* also past the last site, where nothing has a weight */
  shown.called = ~0u;
#endif
  shown.kinds[1] = FASTID_KINDS == 3 ? minor & other : minor;
  shown.kinds[2] = minor & ~other;
  return shown;
}

/* The sum of one set. `weights`: for each word and kind the eight bits' sites. */
INLINE int sum_of(__global const uint *restrict bits, __global const uint *restrict second, ulong first,
                  __global const uint2 *restrict words, uint n, __global const uint8 *restrict weights) {
  uint8 counts = 0;
  for (uint i = 0; i < n; ++i, weights += 3) {
    const Shown shown = shown_at(bits, second, first + (ulong)words[i].x * BLOCK);
    uint8 sites = (shown.kinds[0] & weights[0]) | (shown.kinds[1] & weights[1]);
#if FASTID_KINDS == 3
    sites |= shown.kinds[2] & weights[2];
#endif
    counts += popcount(sites);
  }
  const uint8 shifted = counts << (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
  return (int)(shifted.s0 + shifted.s1 + shifted.s2 + shifted.s3 + shifted.s4 + shifted.s5 + shifted.s6 - shifted.s7);
}

/* Appends the pairs of queries first_query + dimension 1 with profiles first_profile + dimension 0, as the tile numbers
 * them, whose counts are below their query's limit. A query has a uint4 of `queries`: its first of `words` (a word's place,
 * and its sites with weights), how many they are, its sets of weights, and where in `weights` the first one begins. */
__kernel void weigh(__global const uint4 *restrict queries, __global const uint2 *restrict words,
                    __global const uint8 *restrict weights, __global const uint *restrict limits,
                    __global const uint *restrict bits, __global const uint *restrict second, uint n_words,
                    uint first_profile, uint end_profile, uint first_query, uint capacity,
                    __global uint *restrict found) {
  const uint profile = first_profile + (uint)get_global_id(0), query = first_query + (uint)get_global_id(1);
  if (profile >= end_profile) return;
  const uint4 of = queries[query];
  const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  int highest = INT_MIN;
  for (uint set = 0; set < of.z; ++set)
    highest = max(highest, sum_of(bits, second, first, words + of.x, of.y, weights + ((ulong)of.w + set * of.y) * 3));
  const uint count = (uint)(FASTID_NO_WEIGHT - clamp(highest, 1 - FASTID_NO_WEIGHT, FASTID_NO_WEIGHT - 1));
  if (count >= limits[query]) return;
  __global uint *const pair = append_pair(profile, query, capacity, found);
  if (pair == 0) return;
  uint compared = 0;
  for (uint i = 0; i < of.y; ++i) {
    const uint2 word = words[of.x + i];
    compared += popcount(shown_at(bits, second, first + (ulong)word.x * BLOCK).called & word.y);
  }
  pair[3] = count;
  pair[4] = 1;
  pair[5] = compared;
}
