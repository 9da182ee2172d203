/* pair.h: what is counted for a pair of a query and a stored profile, word by word. compare.cl and compare_matrix.cl share
 * it: their tests may let through too many pairs but never too few; count_found() then counts those exactly, and the host
 * drops the ones that fail. OpenCL C 1.2. common.h and found.h come before it.
 *
 * Set by the build:
 *   FASTID_ALLELES   1: a tile's second plane says where a major allele was seen; 0: which sites were called
 *   FASTID_COMPARED  1: a pair's compared sites are counted with the queries' called sites (mixtures by minor alleles,
 *                    where there is a second plane); 0: they are the denominator, or what the query has called, or BY_TABLE
 *                    are counted of its two words
 *   FASTID_WIDE      1: the shares of denominators need 64 bits (counts above 32,767)
 *   RATIO_BITS       of RATIO below: 29 if FASTID_WIDE, else 15
 *   FASTID_SIMILAR   1: count_own_bits() writes what counts of compare_matrix.cl start from, not what bounds denominators
 * Made by the host for what is counted, before this file (src/opencl/kernel/case_macros.hpp). d, c: words of a stored
 * profile's two planes, its bits and its called sites; q, m: the query's first and second word (the table in
 * src/engine/kernel_case.hpp says what they are in each case). BY_TABLE d and q are minor alleles seen, c and m major ones.
 * compare_matrix.cl packs another second word, r, of which its query_word() makes m.
 *   FOR_TERMS(X, d, c, q, m)         X(i, weight, word) for each of the TERMS words whose bits are counted
 *   FOR_DENOMINATORS(X, d, c, q, m)  X(i, word) for each word, one or two, whose bits are the pair's denominator: all, or
 *                                    if LESSER those of the word that has fewer. Defined only where the denominator
 *                                    depends on the stored profile
 *   DENOMINATOR(d, c, q, m)          that word. Defined only where it is one, which it never is BY_TABLE
 *   FOR_OWN_BITS(X, d, c)            X(i, word) for the stored profile's part of each, which bounds it
 *   QUERY_PLANES                     words of a query, 1 or 2
 *   READS_SECOND                     defined if the second plane is read
 *   COMPARED_IS_DENOMINATOR          defined if the denominator is what was compared
 *   BY_TABLE                         defined if both alleles are counted
 * Defined by the kernel: query_word(), since each kernel packs the queries in its own order.
 */
/* The queries' thresholds are a table of lines, each n_padded_queries long, a multiple of the queries that a
 * work-group takes:
 *   LIMIT              the least count that fails with every denominator
 *   RATIO, OFFSET      the test of a pair's denominator, at least 1: (count - OFFSET) << RATIO_BITS <= denominator * RATIO
 *   QUERY_DENOMINATOR  the denominator of the query's pairs if it depends on the query alone, else the largest possible
 *   NEED               for compare_matrix.cl: the least |q & d| - |d| / 2 that may pass, half of slack - (limit - 1),
 *                      rounded up
 *   SLACK              what NEED is computed from (slack_of() of src/opencl/kernel/matrix_kernel.cpp) */
#define THRESHOLD(line, query) thresholds[(line) * n_padded_queries + (query)]
#define LIMIT 0
#define RATIO 1
#define OFFSET 2
#define QUERY_DENOMINATOR 3
#define NEED 4
#define SLACK 5

/* A stored profile's called sites, and c. */
#if FASTID_ALLELES
#define CALLED_OF(d, second) ((d) | (second))
#else
#define CALLED_OF(d, second) (second)
#endif
#ifdef BY_TABLE
#define SECOND_OF(d, second) (second)
#else
#define SECOND_OF(d, second) CALLED_OF(d, second)
#endif

/* A pair's denominator, or its bound, from its parts. */
#if LESSER
#define DENOMINATOR_OF(parts) min((parts)[0], (parts)[1])
#else
#define DENOMINATOR_OF(parts) ((parts)[0] + (parts)[1])
#endif
#define ADD_TO_COUNT(i, weight, word) count += (weight) * popcount(word);
#define ADD_TO_PART(i, word) parts[i] += popcount(word);

/* Word `word` of plane `plane` (0: q, 1: m of FOR_TERMS) of a query. */
uint query_word(__global const uint *queries, uint n_words, uint query, uint word, uint plane);

/* Counts the pairs of the buffer, word by word: each pair by one work-item. `query_called`, the called sites of one query
 * after the other, is read if FASTID_COMPARED. Any global size. The host drops the few pairs that do not pass after all. */
__kernel void count_found(__global const uint *queries, __global const uint *query_called, __global const uint *thresholds,
                          uint n_padded_queries, __global const uint *bits, __global const uint *second, uint n_words,
                          uint capacity, __global uint *found) {
  const uint n = min(found[0], capacity);
  for (uint i = (uint)get_global_id(0); i < n; i += (uint)get_global_size(0)) {
    __global uint *const pair = found + ((ulong)i + 1) * PAIR_WORDS;
    const uint profile = pair[0], query = pair[2];
    const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
    uint count = 0, parts[2] = {0, 0}, compared = 0;
    for (uint word = 0; word < n_words; ++word) {
      const ulong at = first + (ulong)word * BLOCK;
      const uint q = query_word(queries, n_words, query, word, 0);
      const uint d = bits[at];
#if QUERY_PLANES == 2
      const uint m = query_word(queries, n_words, query, word, 1);
#endif
#ifdef READS_SECOND
      const uint c = SECOND_OF(d, second[at]);
#endif
      FOR_TERMS(ADD_TO_COUNT, d, c, q, m)
#ifdef FOR_DENOMINATORS
      FOR_DENOMINATORS(ADD_TO_PART, d, c, q, m)
#endif
#ifdef BY_TABLE
      compared += popcount((d | c) & (q | m));
#elif FASTID_COMPARED
      compared += popcount(CALLED_OF(d, second[at]) & query_called[(ulong)query * n_words + word]);
#endif
    }
#ifdef FOR_DENOMINATORS
    const uint denominator = DENOMINATOR_OF(parts);
#else
    const uint denominator = THRESHOLD(QUERY_DENOMINATOR, query);
#endif
    pair[3] = count;
    pair[4] = denominator;
#ifdef COMPARED_IS_DENOMINATOR
    pair[5] = denominator;
#else
    pair[5] = compared;
#endif
  }
}

/* Counts each profile's own bits (FOR_OWN_BITS), as at least 1: a pair's denominator, or its bound. For
 * compare_matrix.cl with FASTID_SIMILAR it writes minus half of the own bits, which the count of |q & d| starts from.
 * One work-item for each profile. */
__kernel void count_own_bits(__global const uint *restrict bits, __global const uint *restrict second, uint n_words,
                             uint n_profiles, __global uint *restrict own_bits) {
  const uint profile = (uint)get_global_id(0);
  if (profile >= n_profiles) return;
  const ulong first = (ulong)(profile / BLOCK) * n_words * BLOCK + profile % BLOCK;
  uint parts[2] = {0, 0};
  for (uint word = 0; word < n_words; ++word) {
    const ulong at = first + (ulong)word * BLOCK;
    const uint d = bits[at];
#ifdef READS_SECOND
    const uint c = SECOND_OF(d, second[at]);
#endif
    FOR_OWN_BITS(ADD_TO_PART, d, c)
  }
  const uint sum = DENOMINATOR_OF(parts);
#if FASTID_SIMILAR
  own_bits[profile] = -(sum / 2);
#else
  own_bits[profile] = max(sum, 1u);
#endif
}
