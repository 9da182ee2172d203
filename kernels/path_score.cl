/* path_score.cl: pairs whose likeliest paths along the sites pass (src/engine/path_score.hpp). OpenCL C 1.2, no extension.
 * thresholds.h comes before it.
 *
 * A work-item has one profile and QUERIES queries, whose ratios and scores stay in registers. A work-group takes the sites
 * word by word: while it walks along one, the scores of its queries at each two sites of the next are copied to local
 * memory, 16 bytes for each query, one of which the profile's code picks. All work-items of a warp read the 16 bytes of one
 * query at a time, which lie in four banks.
 *
 * Ratios have 32 bits. They are held within 8 bits as src/engine/path_score.cpp does it, but where the next step does so
 * anyway; scores, which only grow, are at the end.
 */
#define QUERIES 16
#define CODES 16                        /* of two sites */
#define STEPS 8                         /* of four sites, in a word */
#define ROWS (2 * STEPS * QUERIES)      /* of scores, for a word: [two sites][query] */
#define PASSES 0u                       /* counts of PathCount (src/engine/path_count.hpp) */
#define FAILS 1u

/* The codes of each two sites of a word, four bits each: those of the first two of each four sites, and of the others. */
typedef struct {
  uint first, second;
} Coded;

INLINE Coded coded(uint minor, uint major) {
  const uint first = 0x33333333u;
  const Coded codes = {(minor & first) << 2 | (major & first), (minor & ~first) | (major & ~first) >> 2};
  return codes;
}

/* Copies the scores of a word for a work-group's queries. `queries`: [of 16][word][query of 16], minor and major words;
 * `scores`: of the word, [two sites][code of the query], 16 bytes by the profile's code. */
INLINE void load_rows(__local uint4 *rows, __global const uint2 *queries,
                      __global const uint4 *scores, uint n_words, uint word, uint first_query, uint end_query) {
  for (uint i = (uint)get_local_id(0); i < ROWS; i += (uint)get_local_size(0)) {
    const uint query = min(first_query + i % QUERIES, end_query - 1), at = i / QUERIES;
    const uint2 seen = queries[((ulong)(query / QUERIES) * n_words + word) * QUERIES + query % QUERIES];
    const Coded codes = coded(seen.x, seen.y);
    const uint code = (at % 2 == 0 ? codes.first : codes.second) >> 4 * (at / 2) & (CODES - 1);
    rows[i] = scores[at * CODES + code];
  }
}

/* A word's eight steps, for all queries. `bounds`: of each step, the least and the most ratio. */
INLINE void walk(int *ratio, int *score, __local const char *rows, __global const char2 *bounds, Coded codes) {
  for (uint step = 0; step < STEPS; ++step, rows += 2 * QUERIES * CODES, ++bounds) {
    const int least = bounds->x, most = bounds->y;
    __local const char *const first = rows + (codes.first >> 4 * step & (CODES - 1));
    __local const char *const second = rows + QUERIES * CODES + (codes.second >> 4 * step & (CODES - 1));
#pragma unroll
    for (uint q = 0; q < QUERIES; ++q) {
      const int at_most = min(ratio[q], most);
      score[q] += ratio[q] - at_most;
      const int half_way = max(at_most, least) + first[q * CODES];
      ratio[q] = min(min(max(half_way, -128), 127) + second[q * CODES], 127);
    }
  }
}

/* Appends the pairs of queries first_query .. end_query - 1 with profiles first_profile .. end_profile - 1, as the tile
 * numbers them, whose counts are below their query's limit. Two dimensions: profiles, which work-items past the last do
 * nothing with; QUERIES queries each.
 *
 *   queries    as load_rows() has them
 *   missing    of each query, how many of `sites`, a row of bits, are not called
 *   scores     [population][word] as load_rows() has them, and bounds [population][word][step]
 *   tests      of each population: the least score that passes, by how much a missing site lowers it in 1/65,536, and how
 *              many may be missing of a pair that is tested
 *   rows       two times ROWS, 16 bytes each */
__kernel void find_paths(__global const uint2 *restrict queries, __global const uint *restrict missing,
                         __global const uint *restrict limits, __global const uint *restrict sites,
                         __global const uint4 *restrict scores, __global const char2 *restrict bounds,
                         __global const uint4 *restrict tests, uint n_populations, __global const uint *restrict bits,
                         __global const uint *restrict second, uint n_words, uint first_profile, uint end_profile,
                         uint first_query, uint end_query, uint capacity, __global uint *restrict found,
                         __local uint4 *restrict rows) {
  const uint item = first_profile + (uint)get_global_id(0), profile = min(item, end_profile - 1);
  const uint query = first_query + (uint)get_global_id(1) * QUERIES;
  const ulong at = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  uint passing = ~0u; /* a bit for each query */
  for (uint population = 0; population < n_populations; ++population) {
    __global const uint4 *const its_scores = scores + (ulong)population * n_words * (2 * STEPS * CODES);
    __global const char2 *const its_bounds = bounds + (ulong)population * n_words * STEPS;
    int ratio[QUERIES], score[QUERIES];
#pragma unroll
    for (uint q = 0; q < QUERIES; ++q) ratio[q] = score[q] = 0;
    uint of_profile = 0;
    load_rows(rows, queries, its_scores, n_words, 0, query, end_query);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint word = 0; word < n_words; ++word) {
      const uint minor = bits[at + (ulong)word * BLOCK], major = second[at + (ulong)word * BLOCK];
      if (word + 1 < n_words)
        load_rows(rows + (word + 1) % 2 * ROWS, queries, its_scores + (ulong)(word + 1) * (2 * STEPS * CODES), n_words,
                  word + 1, query, end_query);
      of_profile += popcount(sites[word] & ~(minor | major));
      walk(ratio, score, (__local const char *)(rows + word % 2 * ROWS), its_bounds + (ulong)word * STEPS,
           coded(minor, major));
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint4 test = tests[population];
#pragma unroll
    for (uint q = 0; q < QUERIES; ++q) {
      const ulong of_pair = (ulong)of_profile + missing[min(query + q, end_query - 1)];
      const ulong reached = (ulong)min(score[q] + max(ratio[q], 0), 255);
      if (of_pair <= test.z && (reached << 16) + test.y * of_pair < (ulong)test.x << 16) passing &= ~(1u << q);
    }
  }
  if (item >= end_profile) return;
  for (uint q = 0; q < QUERIES && query + q < end_query; ++q) {
    const uint count = (passing >> q & 1u) != 0 ? PASSES : FAILS;
    if (count >= limits[query + q]) continue;
    __global uint *const pair = append_pair(profile, query + q, capacity, found);
    if (pair == 0) continue;
    pair[3] = count;
    pair[4] = 1;
    pair[5] = 0;
  }
}
