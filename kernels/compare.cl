/* compare.cl: the blocked comparison, a popcount matrix product that keeps only the pairs that pass. OpenCL C 1.2, no
 * extension.
 *
 * The structure is that of BLIS (blocked.h), and the names are those of E. Binder, T. M. Low, D. T. Popovici, "A Portable
 * GPU Framework for SNP Comparisons". Everything specific to a device is in its config (configs/NAME.h). Counts are tested
 * in the registers and never leave them.
 *
 * The test lets through every pair that passes its threshold, and few others; count_found() then counts them word by
 * word, and the host decides exactly. So the product counts denominators that depend on masks only if FASTID_FUSED.
 *
 * common.h, found.h, pair.h and blocked.h come before it. Set by the build: what these need, and
 *   FASTID_FUSED  1: a denominator that depends on both sides is counted with the pair; 0: it is bounded
 */
#if FASTID_FUSED && !defined(DENOMINATOR)
#error "fastid: FASTID_FUSED is for denominators that depend on the stored profile, and on one word"
#endif

#if FASTID_N_VEC == 1
#define LONG long
#define TO_LONG(x) ((long)(x))
#define HIGH_WORD(x) ((uint)((x) >> 32))
#else
#define LONG JOIN(long, FASTID_N_VEC)
#define TO_LONG(x) JOIN(convert_long, FASTID_N_VEC)(x)
#define HIGH_WORD(x) JOIN(convert_uint, FASTID_N_VEC)((x) >> 32)
#endif

/* Whether a pair may pass by its denominator, at least 1 (pair.h). The top bit of each word of the result says so.
 * Never too strict. */
INLINE VEC fraction_may_pass(VEC count, uint ratio, uint offset, VEC denominator) {
#if FASTID_WIDE
  const LONG above = (TO_LONG(count) - (long)(int)offset) * (1L << RATIO_BITS);
  return ~HIGH_WORD(TO_LONG(denominator) * (long)ratio - above);
#else
  return ~(denominator * ratio + (offset << RATIO_BITS) - (count << RATIO_BITS));
#endif
}

/* The packed queries: [query block of M_C queries][word][plane][query of the query block]. Past the last query
 * thresholds let no pair pass. */
uint query_word(__global const uint *queries, uint n_words, uint query, uint word, uint plane) {
  const ulong line = ((ulong)(query / FASTID_M_C) * n_words + word) * QUERY_PLANES + plane;
  return queries[line * FASTID_M_C + query % FASTID_M_C];
}

/* The counts of a strip, and the profiles' own bits (at least 1), which bound their pairs' denominators. */
struct Counts_ {
  Counter count[FASTID_M_R][VECS];
  Counter denominator[FASTID_FUSED ? FASTID_M_R : 1][VECS];
  VEC own_bits[VECS];
};

INLINE void add_words(Counts *to, int query, int v, const Words *of, uint q[CHUNK][AT_ONCE], uint m[CHUNK][AT_ONCE], int nth,
                      uint words) {
#define SET_WORD(i, weight, word) w[i][j] = j < words ? (word) : (VEC)(0);
#define ADD_TERM(i, weight, word) add_term(count, weight, w[i]);
  VEC w[TERMS][CHUNK];
#pragma unroll
  for (int j = 0; j < CHUNK; ++j) {
    FOR_TERMS(SET_WORD, of->bits[j][v], SECOND(of, j, v), q[j][nth], m[j][nth])
  }
  Counter *const count = &to->count[query][v];
  FOR_TERMS(ADD_TERM, 0, 0, 0, 0)
#if FASTID_FUSED
#pragma unroll
  for (int j = 0; j < CHUNK; ++j)
    w[0][j] = j < words ? DENOMINATOR(of->bits[j][v], SECOND(of, j, v), q[j][nth], m[j][nth]) : (VEC)(0);
  add_chunk(&to->denominator[query][v], w[0]);
#endif
}

#ifdef FOR_DENOMINATORS
/* Whether any pair of a strip may pass by its denominator. If so, the top bit of each word of
 * hits[i][v] says whether that pair of the strip's query i may. `strip_query`: the strip's first query. */
INLINE bool test_fractions(const Counts *of, __global const uint *thresholds, uint n_padded_queries, uint strip_query,
                           VEC (*hits)[VECS]) {
  VEC any_hit = (VEC)(0);
#pragma unroll
  for (int i = 0; i < FASTID_M_R; i += AT_ONCE) {
    uint ratio[AT_ONCE], offset[AT_ONCE];
    READ_QUERIES(ratio, __global, &THRESHOLD(RATIO, strip_query + i));
    READ_QUERIES(offset, __global, &THRESHOLD(OFFSET, strip_query + i));
#pragma unroll
    for (int nth = 0; nth < AT_ONCE; ++nth)
#pragma unroll
      for (int v = 0; v < VECS; ++v) {
#if FASTID_FUSED
        const VEC denominator = max(total_of(&of->denominator[i + nth][v]), (VEC)(1));
#else
        const VEC denominator = of->own_bits[v];
#endif
        hits[i + nth][v] = fraction_may_pass(total_of(&of->count[i + nth][v]), ratio[nth], offset[nth], denominator);
        any_hit |= hits[i + nth][v];
      }
  }
  return ANY_TOP_BIT(any_hit);
}
#endif

/* Whether any pair of a strip may pass. If so, the top bit of may_pass[i][j] says whether the pair of the strip's query i and
 * the work-item's profile j may. Where the fraction decides, a pair that passes it usually passes the limit too, so the
 * limit is tested only for strips in which the fraction lets a pair through. */
INLINE bool test(const Counts *of, __global const uint *thresholds, uint n_padded_queries, uint strip_query,
                 uint (*may_pass)[COLS]) {
  VEC hits[FASTID_M_R][VECS], any_hit = (VEC)(0);
#ifdef FOR_DENOMINATORS
  if (!test_fractions(of, thresholds, n_padded_queries, strip_query, hits)) return false;
#endif
#pragma unroll
  for (int i = 0; i < FASTID_M_R; i += AT_ONCE) {
    uint limit[AT_ONCE];
    READ_QUERIES(limit, __global, &THRESHOLD(LIMIT, strip_query + i));
#pragma unroll
    for (int nth = 0; nth < AT_ONCE; ++nth)
#pragma unroll
      for (int v = 0; v < VECS; ++v) {
        const VEC below = total_of(&of->count[i + nth][v]) - limit[nth]; /* negative if the count is below the limit */
#ifdef FOR_DENOMINATORS
        hits[i + nth][v] &= below;
#else
        hits[i + nth][v] = below;
#endif
        any_hit |= hits[i + nth][v];
      }
  }
  if (!ANY_TOP_BIT(any_hit)) return false;
#pragma unroll
  for (int i = 0; i < FASTID_M_R; ++i)
#pragma unroll
    for (int v = 0; v < VECS; ++v) STORE_VEC(hits[i][v], &may_pass[i][v * FASTID_N_VEC]);
  return true;
}

/* Compares profiles first_profile .. end_profile - 1, as the tile numbers them, with queries first_query ..
 * end_query - 1, as the problem numbers them, and appends the pairs that may pass to `found`.
 *
 * Any number of work-groups will do: along dimension 0 they divide the profile tiles (N_R profiles each) among them, along
 * dimension 1 the query blocks of M_C queries. `block` has room for min(n_words, K_STEP) words of M_C queries. `second`
 * and `own_bits` (from count_own_bits()) are read only where the case needs them. The tile has n_blocks blocks. */
__kernel __attribute__((reqd_work_group_size(FASTID_GROUP_COLUMNS, FASTID_GROUP_ROWS, 1))) void compare(
    __global const uint *restrict queries, __global const uint *restrict thresholds, uint n_padded_queries,
    __global const uint *restrict bits, __global const uint *restrict second, __global const uint *restrict own_bits,
    uint n_words, uint n_blocks, uint first_profile, uint end_profile, uint first_query, uint end_query, uint capacity,
    __global uint *restrict found, __local uint4 *block) {
  for (uint query_block = first_query / FASTID_M_C + (uint)get_group_id(1); query_block * FASTID_M_C < end_query;
       query_block += (uint)get_num_groups(1)) {
    __global const uint4 *const from =
        (__global const uint4 *)queries + (ulong)query_block * n_words * QUERY_PLANES * (FASTID_M_C / 4);
#if FASTID_WHOLE
    load_queries(block, from, n_words);
#endif
    for (uint tile = first_profile / FASTID_N_R + (uint)get_group_id(0); tile * FASTID_N_R < end_profile;
         tile += (uint)get_num_groups(0)) {
      const uint first = tile * FASTID_N_R + (uint)get_local_id(0) * FASTID_N_VEC;
      for (uint strip = (uint)get_local_id(1); strip < STRIPS; strip += FASTID_GROUP_ROWS) {
        const uint strip_query = query_block * FASTID_M_C + strip * FASTID_M_R;
        Counts counts;
        Place place = place_from(bits, second, first, n_words, n_blocks);
#pragma unroll
        for (int v = 0; v < VECS; ++v) {
#if defined(FOR_DENOMINATORS) && !FASTID_FUSED
          counts.own_bits[v] = *(__global const VEC *)(own_bits + place_of(first + COLUMN_OF_VECTOR(v), 1, n_blocks));
#endif
#pragma unroll
          for (int i = 0; i < FASTID_M_R; ++i) {
            clear(&counts.count[i][v]);
#if FASTID_FUSED
            clear(&counts.denominator[i][v]);
#endif
          }
        }
        count_strip(&counts, &place, block, from, strip, n_words);
        uint may_pass[FASTID_M_R][COLS];
        if (!test(&counts, thresholds, n_padded_queries, strip_query, may_pass)) continue;
#pragma nounroll /* unrolled, it costs the loop above registers: 5 % on an H200 */
        for (uint i = 0; i < FASTID_M_R * COLS; ++i) {
          const uint query = strip_query + i / COLS, j = i % COLS, profile = first + COLUMN_OF(j);
          if (may_pass[i / COLS][j] >> 31 && query >= first_query && query < end_query &&
              profile >= first_profile && profile < end_profile)
            append_pair(profile, query, capacity, found);
        }
      }
    }
  }
}
