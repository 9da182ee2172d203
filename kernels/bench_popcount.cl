/* bench_popcount.cl: how fast a device counts bits, and adds minima, as bounds for compare.cl and min_plus.cl. OpenCL C 1.2;
 * minima of doubles where FASTID_DOUBLE is defined. */

/* Each work-item computes eight independent chains of `rounds` popcounts. Adding `salt` keeps the compiler from
 * removing any. */
__kernel void popcount_rate(uint rounds, uint salt, __global uint *out) {
  uint8 x = (uint8)(0, 1, 2, 3, 4, 5, 6, 7) * salt + (uint)get_global_id(0);
  for (uint i = 0; i < rounds; ++i) x = popcount(x) + salt;
  out[get_global_id(0)] = x.s0 + x.s1 + x.s2 + x.s3 + x.s4 + x.s5 + x.s6 + x.s7;
}

/* Each work-item computes sixteen independent chains of `rounds` minima and additions. */
#ifdef FASTID_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#define REAL16 double16
#else
#define REAL float
#define REAL16 float16
#endif
__kernel void minima_rate(uint rounds, REAL least, REAL step, __global REAL *out) {
  REAL16 x = (REAL16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) * step + (REAL)get_global_id(0);
  for (uint i = 0; i < rounds; ++i) x = min(x, (REAL16)(least)) + step;
  out[get_global_id(0)] = x.s0 + x.s1 + x.s2 + x.s3 + x.s4 + x.s5 + x.s6 + x.s7 + x.s8 + x.s9 + x.sa + x.sb + x.sc +
                          x.sd + x.se + x.sf;
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
