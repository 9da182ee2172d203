/* screen.cl: chains of two states along the sites (src/engine/screen_count.hpp), whose ratio a pair's count is. OpenCL C 1.2,
 * no extension. common.h and found.h come before it.
 *
 * A work-item has one profile and QUERIES queries, whose chains stay in registers. A work-group takes the sites group by
 * group: while it walks along one, what its queries emit at each site of the next is copied to local memory, 16 bytes for
 * each query, four floats, one of which the profile's genotype picks. All work-items of a warp read the 16 bytes of one query
 * at a time, which lie in four banks. Each operation is rounded by itself, as on every processor.
 */
#pragma OPENCL FP_CONTRACT OFF
#define QUERIES FASTID_QUERIES
#define MOST_SITES FASTID_MOST_SITES /* of a group */
#define ROWS (MOST_SITES * QUERIES) /* of emissions, for a group: [site][query] */
#define MANTISSA_BITS 23
#define EXPONENT_OF_1 127

/* A population's tables: sites of one word that follow each other, then figures are brought back near 1. */
typedef struct {
  uint word, first, n_sites; /* of a profile; among the steps */
  float norm, one;           /* as ScreenGroup has them */
  uint unused[3];
} Group;
typedef struct {
  float from_one, stays; /* as ScreenStep has them */
  uint bit, unused;      /* of the site in its word */
} Step;

INLINE uint seen_of(uint minor, uint major, uint bit) { return (minor >> bit & 1) << 1 | (major >> bit & 1); }

/* Copies what a group's sites emit with a work-group's queries. `queries`: [of QUERIES][word][query], minor and major words;
 * `emissions`: [site][query's genotype], four by the profile's. */
INLINE void load_rows(__local float4 *rows, __global const uint2 *queries, __global const Step *steps,
                      __global const float4 *emissions, uint n_words, const Group *group, uint first_query, uint end_query) {
  for (uint i = (uint)get_local_id(0); i < group->n_sites * QUERIES; i += (uint)get_local_size(0)) {
    const uint query = min(first_query + i % QUERIES, end_query - 1), site = group->first + i / QUERIES;
    const uint2 seen = queries[((ulong)(query / QUERIES) * n_words + group->word) * QUERIES + query % QUERIES];
    rows[i] = emissions[site * 4 + seen_of(seen.x, seen.y, steps[site].bit)];
  }
}

/* A group's sites, for all queries. */
INLINE void walk(float *none, float *one, __local const float *rows, __global const Step *steps, const Group *group,
                 uint minor, uint major) {
  for (uint s = 0; s < group->n_sites; ++s, rows += 4 * QUERIES) {
    const Step step = steps[group->first + s];
    __local const float *const emission = rows + seen_of(minor, major, step.bit);
#pragma unroll
    for (uint q = 0; q < QUERIES; ++q) {
      const float to_one = step.stays * one[q], to_none = step.from_one * one[q];
      const float kept = none[q] + to_one;
      none[q] = none[q] + to_none;
      one[q] = kept * emission[4 * q];
    }
  }
}

INLINE float sum_of(float none, float one, float share) {
  const float scaled = share * one;
  return none + scaled;
}

/* Divides by a power of 2, which is added to `exponent`, and brings back the steps' factors. */
INLINE void rescale(float *none, float *one, int *exponent, const Group *group) {
#pragma unroll
  for (uint q = 0; q < QUERIES; ++q) {
    const int of_sum = (int)(as_uint(sum_of(none[q], one[q], group->one)) >> MANTISSA_BITS) - EXPONENT_OF_1;
    const float scale = as_float((uint)(EXPONENT_OF_1 - of_sum) << MANTISSA_BITS) * group->norm;
    none[q] *= scale;
    one[q] *= scale;
    exponent[q] += of_sum;
  }
}

/* screen_count() */
INLINE uint count_of(float sum, int exponent) {
  const uint bits = as_uint(sum);
  const int most = FASTID_MOST_EXPONENT;
  const int power = clamp(exponent + (int)(bits >> MANTISSA_BITS) - EXPONENT_OF_1, -most, most);
  const uint mantissa = (bits & ((1u << MANTISSA_BITS) - 1)) >> (MANTISSA_BITS - FASTID_COUNT_BITS);
  return FASTID_COUNT_OF_1 - (uint)(power * (1 << FASTID_COUNT_BITS) + (int)mantissa);
}

/* Appends the pairs of queries first_query .. end_query - 1 with profiles first_profile .. end_profile - 1, as the tile
 * numbers them, whose counts are below their query's limit. Two dimensions: profiles, which work-items past the last do
 * nothing with; QUERIES queries each.
 *
 *   populations  of each, its first of `groups`, and how many they are
 *   queries, steps, emissions  as above: of all populations
 *   rows         two times ROWS */
__kernel void find_relatives(__global const uint2 *restrict queries, __global const uint *restrict limits,
                             __global const uint2 *restrict populations, __global const Group *restrict groups,
                             __global const Step *restrict steps, __global const float4 *restrict emissions,
                             uint n_populations, __global const uint *restrict bits, __global const uint *restrict second,
                             uint n_words, uint first_profile, uint end_profile, uint first_query, uint end_query,
                             uint capacity, __global uint *restrict found, __local float4 *restrict rows) {
  const uint item = first_profile + (uint)get_global_id(0), profile = min(item, end_profile - 1);
  const uint query = first_query + (uint)get_global_id(1) * QUERIES;
  const ulong at = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  uint counts[QUERIES];
#pragma unroll
  for (uint q = 0; q < QUERIES; ++q) counts[q] = 0;
  for (uint population = 0; population < n_populations; ++population) {
    const uint2 range = populations[population];
    float none[QUERIES], one[QUERIES];
    int exponent[QUERIES];
#pragma unroll
    for (uint q = 0; q < QUERIES; ++q) {
      none[q] = 1 - FASTID_SHARE;
      one[q] = FASTID_SHARE;
      exponent[q] = 0;
    }
    Group next = groups[range.x];
    load_rows(rows, queries, steps, emissions, n_words, &next, query, end_query);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < range.y; ++i) {
      const Group group = next;
      const uint minor = bits[at + (ulong)group.word * BLOCK], major = second[at + (ulong)group.word * BLOCK];
      if (i + 1 < range.y) {
        next = groups[range.x + i + 1];
        load_rows(rows + (i + 1) % 2 * ROWS, queries, steps, emissions, n_words, &next, query, end_query);
      }
      walk(none, one, (__local const float *)(rows + i % 2 * ROWS), steps, &group, minor, major);
      rescale(none, one, exponent, &group);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint q = 0; q < QUERIES; ++q)
      counts[q] = max(counts[q], count_of(sum_of(none[q], one[q], next.one), exponent[q]));
  }
  if (item >= end_profile) return;
#pragma unroll
  for (uint q = 0; q < QUERIES; ++q) {
    if (query + q >= end_query || counts[q] >= limits[query + q]) continue;
    __global uint *const pair = append_pair(profile, query + q, capacity, found);
    if (pair == 0) continue;
    uint compared = 0;
    for (uint word = 0; word < n_words; ++word) {
      const uint2 seen = queries[((ulong)((query + q) / QUERIES) * n_words + word) * QUERIES + (query + q) % QUERIES];
      compared += popcount((seen.x | seen.y) & (bits[at + (ulong)word * BLOCK] | second[at + (ulong)word * BLOCK]));
    }
    pair[3] = counts[q];
    pair[4] = 1;
    pair[5] = compared;
  }
}
