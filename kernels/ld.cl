/* ld.cl: pairs of sites that may be linked (src/engine/ld.hpp), by popcounts. OpenCL C 1.2, no extension.
 *
 * The product is that of compare.cl (blocked.h): first sites stand in local memory as queries do, and second ones are
 * streamed past them as profiles are. Both planes of a site lie in the blocks' order, and what is multiplied comes from the
 * table of sums (src/opencl/kernel/case_macros.hpp), which also says
 *
 *   SUMS                      how many numbers are counted of a pair, each in counters of its own
 *   FOR_TERMS(X, second_minor, second_major, first_minor, first_major)
 *                             X(sum, weight, word) for each word whose bits are added to a sum, of the sites' words of
 *                             minor and of major alleles seen
 *
 * Sums are tested in the registers (ld_test.h), or stored. common.h, the macros of the table, blocked.h and ld_test.h come
 * before it.
 */

/* [row block of M_C sites][word][plane][site of the row block]. Two dimensions: sites of all row blocks (items past
 * them do nothing), words. Sites past the last are 0. */
__kernel void pack_sites(__global const uint *restrict minor, __global const uint *restrict major, uint n_words,
                         uint n_sites, __global uint *restrict packed) {
  const uint site = (uint)get_global_id(0), word = (uint)get_global_id(1);
  if (site / FASTID_M_C > (n_sites - 1) / FASTID_M_C) return;
  const ulong from = ((ulong)(site / BLOCK) * n_words + word) * BLOCK + site % BLOCK;
  __global uint *const to =
      packed + ((ulong)(site / FASTID_M_C) * n_words + word) * (QUERY_PLANES * FASTID_M_C) + site % FASTID_M_C;
  to[0] = site < n_sites ? minor[from] : 0;
#if QUERY_PLANES == 2
  to[FASTID_M_C] = site < n_sites ? major[from] : 0;
#endif
}

struct Counts_ {
  Counter sum[SUMS][FASTID_M_R][VECS];
};

/* What blocked.h calls: `of` has the second sites' words, `minor` and `major` the first one's. */
INLINE void add_words(Counts *to, int row, int v, const Words *of, uint minor[CHUNK][AT_ONCE], uint major[CHUNK][AT_ONCE],
                      int r, uint words) {
  VEC w[CHUNK];
#define ADD_WORDS(i, weight, word)                          \
  _Pragma("unroll") for (int j = 0; j < CHUNK; ++j) w[j] = j < words ? (word) : (VEC)(0); \
  add_term(&to->sum[i][row][v], weight, w);
  FOR_TERMS(ADD_WORDS, of->bits[j][v], SECOND(of, j, v), minor[j][r], major[j][r])
}

#if FASTID_COUNTS
/* Stores the sums of a strip's pairs that are of the ranges. `first`: of the strip; `second`: of the work-item. */
INLINE void store(const Counts *of, uint first, uint second, uint first_begin, uint first_end, uint second_begin,
                  uint second_end, __global uint *counted) {
#pragma unroll
  for (int v = 0; v < VECS; ++v)
#pragma unroll
    for (int i = 0; i < FASTID_M_R; ++i)
#pragma unroll
      for (uint s = 0; s < SUMS; ++s) {
        uint sums[FASTID_N_VEC];
        STORE_VEC(total_of(&of->sum[s][i][v]), sums);
#pragma unroll
        for (uint j = 0; j < FASTID_N_VEC; ++j) {
          const uint row = first + i, column = second + COLUMN_OF_VECTOR(v) + j;
          if (row >= first_begin && row < first_end && column >= second_begin && column < second_end)
            counted[counted_at(s, row - first_begin, first_end - first_begin, column - second_begin,
                               second_end - second_begin)] = sums[j];
        }
      }
}
#else
/* Whether any pair of a strip may be linked. If so, may[i][j] says whether the pair of the strip's site i and of the
 * work-item's site j may. `first`: of the strip; `second`: of the work-item. `own` has `scaled` of all sites of all
 * blocks, and then `width` (Own of ld_test.h). */
INLINE bool test(const Counts *of, __global const float *own, uint n_blocks, uint first, uint second,
                 float min_r2, float slack, int (*may)[COLS]) {
  FLAGS flags[FASTID_M_R][VECS], any_flag = (FLAGS)(0);
#pragma unroll
  for (int v = 0; v < VECS; ++v) {
    __global const float *const of_second = own + place_of(second + COLUMN_OF_VECTOR(v), 1, n_blocks);
    const Own its = {*(__global const FLOATS *)of_second, *(__global const FLOATS *)(of_second + n_blocks * BLOCK)};
#pragma unroll
    for (int i = 0; i < FASTID_M_R; ++i) {
      __global const float *const of_first = own + min(first + i, n_blocks * BLOCK - 1);
      const Own mine = {(FLOATS)(of_first[0]), (FLOATS)(of_first[n_blocks * BLOCK])};
      FLOATS sums[SUMS];
#pragma unroll
      for (int s = 0; s < SUMS; ++s) sums[s] = FLOATS_OF(total_of(&of->sum[s][i][v]));
      flags[i][v] = may_pass(sums, mine, its, min_r2, slack);
      any_flag |= flags[i][v];
    }
  }
  if (!ANY_FLAG(any_flag)) return false;
#pragma unroll
  for (int i = 0; i < FASTID_M_R; ++i)
#pragma unroll
    for (int v = 0; v < VECS; ++v) STORE_VEC(flags[i][v], &may[i][v * FASTID_N_VEC]);
  return true;
}
#endif

/* find_sites: appends pairs (first, second) with first < second that may be linked to `found`. count_sites: stores the
 * sums of each pair, whichever of its sites is first (counted_at()).
 *
 * Any number of work-groups will do: along dimension 0 they divide the column tiles of N_R second sites among them, along
 * dimension 1 the row blocks of M_C first ones. `block` has room for min(n_words, K_STEP) words of M_C sites. */
__kernel __attribute__((reqd_work_group_size(FASTID_GROUP_COLUMNS, FASTID_GROUP_ROWS, 1))) void PAIRS_KERNEL(
    __global const uint4 *restrict packed, __global const uint *restrict minor, __global const uint *restrict major,
    __global const float *restrict own, uint n_words, uint n_blocks, uint first_begin, uint first_end, uint second_begin,
    uint second_end, PAIRS_RESULT, __local uint4 *block) {
  for (uint rows = first_begin / FASTID_M_C + (uint)get_group_id(1); rows * FASTID_M_C < first_end;
       rows += (uint)get_num_groups(1)) {
    __global const uint4 *const from = packed + (ulong)rows * n_words * QUERY_PLANES * (FASTID_M_C / 4);
#if FASTID_WHOLE
    load_queries(block, from, n_words);
#endif
    for (uint tile = second_begin / FASTID_N_R + (uint)get_group_id(0); tile * FASTID_N_R < second_end;
         tile += (uint)get_num_groups(0)) {
#if !FASTID_COUNTS
      if ((tile + 1) * FASTID_N_R <= rows * FASTID_M_C + 1) continue; /* no second site comes after a first one */
#endif
      const uint site = tile * FASTID_N_R + (uint)get_local_id(0) * FASTID_N_VEC;
      for (uint strip = (uint)get_local_id(1); strip < STRIPS; strip += FASTID_GROUP_ROWS) {
        const uint row = rows * FASTID_M_C + strip * FASTID_M_R;
        Counts counts;
#pragma unroll
        for (int v = 0; v < VECS; ++v)
#pragma unroll
          for (int s = 0; s < SUMS; ++s)
#pragma unroll
            for (int i = 0; i < FASTID_M_R; ++i) clear(&counts.sum[s][i][v]);
        Place place = place_from(minor, major, site, n_words, n_blocks);
        count_strip(&counts, &place, block, from, strip, n_words);
#if FASTID_COUNTS
        store(&counts, row, site, first_begin, first_end, second_begin, second_end, counted);
#else
        int may[FASTID_M_R][COLS];
        if (!test(&counts, own, n_blocks, row, site, min_r2, slack, may)) continue;
#pragma nounroll
        for (uint i = 0; i < FASTID_M_R * COLS; ++i) {
          const uint first = row + i / COLS, j = i % COLS, second = site + COLUMN_OF(j);
          if (may[i / COLS][j] != 0 && first >= first_begin && first < min(first_end, second) &&
              second >= second_begin && second < second_end)
            append_sites(first, second, capacity, found);
        }
#endif
      }
    }
  }
}
