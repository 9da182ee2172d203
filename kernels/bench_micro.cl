/* bench_micro.cl: properties of a device that nobody publishes, measured by `fastid tune`. OpenCL C 1.2, no extension.
 *
 * Chains. Each step takes the results of the step before it and of four steps before it: v[n] = op(v[n-1]) + v[n-4],
 * where `op` is nothing (ADD), & mask, ^ flip, or popcount; or v[n] = (v[n-1] & mask) ^ v[n-4] (LOGIC: one instruction
 * on devices that have instructions with three inputs). Every result is used twice, and mask and flip are not known
 * when the kernel is compiled, so the compiler cannot fold anything. The addition is there because compilers simplify
 * chains of & or ^ alone, and counts of counts soon stop changing. Every work-item's result is written, and the host
 * computes some of them again: a device that skipped work gives a wrong result.
 *
 *     one chain:     a -> b -> c -> d -> a ...     each step waits for the step before it: time / steps = latency
 *     four chains:   four of these side by side    steps of some chains fill the gaps of others: throughput
 *     two and two:   two chains of each of two     takes longer than the slower operation alone, the more the two
 *                    operations                    share a pipe
 *
 * Set by the build: MICRO_VEC, the 32-bit words of a value: 1, or 16 where a work-item is a vector of a CPU.
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if MICRO_VEC == 1
#define WORDS uint
#define ELEMENT ((uint)0)
#define FOLD(x) (x)
#else
#define WORDS JOIN(uint, MICRO_VEC)
#define ELEMENT ((uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
uint fold16(uint16 x) {
  const uint8 eight = x.lo ^ x.hi;
  const uint4 four = eight.lo ^ eight.hi;
  const uint2 two = four.lo ^ four.hi;
  return two.x ^ two.y;
}
#define FOLD(x) fold16(x)
#endif

#define STEPS 32 /* of each chain in a round; the host relies on it */

#define ADD(old, last) ((last) + (old))
#define AND(old, last) (((last) & mask) + (old))
#define XOR(old, last) (((last) ^ flip) + (old))
#define LOGIC(old, last) (((last) & mask) ^ (old))
#define POPCOUNT(old, last) (popcount(last) + (old))

typedef struct {
  WORDS a, b, c, d;
} Chain;

/* Start of chain `chain`: a value for each work-item, word and variable. The host computes the same. */
Chain start(uint salt, uint chain) {
  const WORDS x = ((uint)get_global_id(0) * 16 + ELEMENT) * 0x9E3779B1u + salt + chain * 0x85EBCA6Bu;
  Chain s;
  s.a = x | 0x0F0F0F00u;
  s.b = x * 3u | 0xF0F0F000u;
  s.c = x * 5u | 0x33CC3300u;
  s.d = x * 7u | 0xCC33CC00u;
  return s;
}

#define FOUR(op, s) s.a = op(s.a, s.d), s.b = op(s.b, s.a), s.c = op(s.c, s.b), s.d = op(s.d, s.c)
#define END(s) FOLD(s.a ^ s.b ^ s.c ^ s.d)

#define LATENCY(name, op)                                                    \
  __kernel void name(uint rounds, uint salt, uint mask, uint flip, __global uint *out) { \
    Chain s = start(salt, 0);                                                \
    for (uint round = 0; round < rounds; ++round) {                          \
      FOUR(op, s), FOUR(op, s), FOUR(op, s), FOUR(op, s);                    \
      FOUR(op, s), FOUR(op, s), FOUR(op, s), FOUR(op, s);                    \
    }                                                                        \
    out[get_global_id(0)] = END(s);                                          \
  }
/* Chains s and t of one operation, u and v of another (or the same). */
#define ALL(first, second) FOUR(first, s), FOUR(second, u), FOUR(first, t), FOUR(second, v)
#define THROUGHPUT(name, first, second)                                              \
  __kernel void name(uint rounds, uint salt, uint mask, uint flip, __global uint *out) { \
    Chain s = start(salt, 0), t = start(salt, 1), u = start(salt, 2), v = start(salt, 3); \
    for (uint round = 0; round < rounds; ++round) {                                  \
      ALL(first, second), ALL(first, second), ALL(first, second), ALL(first, second); \
      ALL(first, second), ALL(first, second), ALL(first, second), ALL(first, second); \
    }                                                                                \
    out[get_global_id(0)] = END(s) ^ END(t) ^ END(u) ^ END(v);                       \
  }

LATENCY(latency_add, ADD)
LATENCY(latency_and, AND)
LATENCY(latency_xor, XOR)
LATENCY(latency_logic, LOGIC)
LATENCY(latency_popcount, POPCOUNT)
THROUGHPUT(both_add_add, ADD, ADD)
THROUGHPUT(both_and_and, AND, AND)
THROUGHPUT(both_xor_xor, XOR, XOR)
THROUGHPUT(both_logic_logic, LOGIC, LOGIC)
THROUGHPUT(both_popcount_popcount, POPCOUNT, POPCOUNT)
THROUGHPUT(both_popcount_add, POPCOUNT, ADD)
THROUGHPUT(both_popcount_logic, POPCOUNT, LOGIC)
THROUGHPUT(both_logic_add, LOGIC, ADD)

/* Reads local memory of `mask` + 1 words, a power of two. Neighbouring work-items read words that are `stride` apart.
 * All work-items advance by the same distance, so the bank conflicts between them stay the same. */
__kernel void local_reads(uint rounds, uint stride, uint mask, __local uint *words, __global uint *out) {
  for (uint i = (uint)get_local_id(0); i <= mask; i += (uint)get_local_size(0)) words[i] = i * 0x9E3779B1u;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint at = (uint)get_local_id(0) * stride, sum = 0;
  for (uint round = 0; round < rounds; ++round) {
#pragma unroll
    for (uint i = 0; i < 16; ++i) sum += words[(at + i) & mask];
    at += 17;
  }
  out[get_global_id(0)] = sum;
}

/* Writes n words of local memory and reads them back: `wrong` counts the words that differ. */
__kernel void local_holds(uint n, uint salt, __local uint *words, __global uint *wrong) {
  for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) words[i] = i * 0x9E3779B1u + salt;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint bad = 0;
  for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) {
    const uint j = n - 1 - i;
    bad += words[j] != j * 0x9E3779B1u + salt;
  }
  wrong[get_global_id(0)] = bad;
}

/* Global memory. */
__kernel void fill(__global uint4 *words, uint salt) {
  const uint i = (uint)get_global_id(0);
  words[i] = (uint4)(0, 1, 2, 3) + i * 0x9E3779B1u + salt;
}
__kernel void stream(__global const uint4 *words, uint n, __global uint *out) {
  uint4 sum = (uint4)(0);
#if MICRO_VEC == 1 /* neighbouring work-items read neighbouring words at the same time */
  for (uint i = (uint)get_global_id(0); i < n; i += (uint)get_global_size(0)) sum ^= words[i];
#else /* each has a part of its own, since a line that several CPUs read by parts is fetched by each */
  const uint part = (n + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
  const uint begin = min(n, part * (uint)get_global_id(0)), end = min(n, begin + part);
  for (uint i = begin; i < end; ++i) sum ^= words[i];
#endif
  out[get_global_id(0)] = sum.x ^ sum.y ^ sum.z ^ sum.w;
}

/* Does almost nothing, to measure the time from one kernel to the next. */
__kernel void touch(__global uint *count) {
  if (get_global_id(0) == 0) count[0] += 1;
}
