/* bench_popcount.cl: how fast a device counts bits, as bounds for compare.cl. OpenCL C 1.2. */

/* Each work-item computes eight independent chains of `rounds` popcounts. Adding `salt` keeps the compiler from
 * removing any. */
__kernel void popcount_rate(uint rounds, uint salt, __global uint *out) {
  uint8 x = (uint8)(0, 1, 2, 3, 4, 5, 6, 7) * salt + (uint)get_global_id(0);
  for (uint i = 0; i < rounds; ++i) x = popcount(x) + salt;
  out[get_global_id(0)] = x.s0 + x.s1 + x.s2 + x.s3 + x.s4 + x.s5 + x.s6 + x.s7;
}

/* A kernel to compare with: identity over rows of 64-bit words, in vectors of eight, as one would write it by hand for
 * a CPU. A work-item compares one profile with all queries and stores how many counts are below `limit`. A row is
 * `eights` vectors long. */
__kernel void row_major(__global const ulong8 *queries, uint n_queries, __global const ulong8 *profiles, uint eights,
                        ulong limit, __global uint *passed) {
  const ulong profile = get_global_id(0);
  uint n = 0;
  for (uint query = 0; query < n_queries; ++query) {
    ulong8 sum = (ulong8)(0);
    for (uint i = 0; i < eights; ++i) sum += popcount(queries[query * eights + i] ^ profiles[profile * eights + i]);
    const ulong4 four = sum.lo + sum.hi;
    const ulong2 two = four.lo + four.hi;
    n += two.x + two.y < limit ? 1 : 0;
  }
  passed[profile] = n;
}
