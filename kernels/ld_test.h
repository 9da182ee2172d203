/* ld_test.h: whether a pair of sites may be linked, of its sums (src/engine/ld.hpp), with room for what rounding may
 * do; the host counts what passes again, and tests it in double. OpenCL C 1.2. Set by the build:
 *   FASTID_N_VEC       pairs that are tested at once
 *   FASTID_GENOTYPES   1: units are people; 0: haplotypes
 *   FASTID_ALL_CALLED  1: every unit is called at every site
 *   FASTID_COUNTS      1: no pair is tested; the sums of all pairs are stored
 * and SUMS, how many sums a pair has.
 */
#if FASTID_N_VEC == 1
#define FLOATS float
#define FLAGS int
#define FLOATS_OF(x) ((float)(x))
#define ANY_FLAG(x) (x)
#else
#define FLOATS JOIN(float, FASTID_N_VEC) /* blocked.h */
#define FLAGS JOIN(int, FASTID_N_VEC)
#define FLOATS_OF(x) JOIN(convert_float, FASTID_N_VEC)(x)
#define ANY_FLAG(x) any(x)
#endif

/* What rounding may add to sums of a few products of whole numbers, relative to the largest of them. */
#define ROUNDING 1e-6f

/* A sum of squares about the mean, times n, less what rounding may have added. */
INLINE FLOATS least_spread(FLOATS n, FLOATS squares, FLOATS sum) {
  const FLOATS above = n * squares, below = sum * sum;
  return max(above - below - ROUNDING * (above + below), 0.0f);
}

/* What is known of sites by themselves, where all n units are called: x / sqrt(n), and sqrt(sqrt(min_r2) (n xx - x x) / n), so
 * that the product of two widths is the least |xy - x y / n| of linked sites. The host makes them (src/opencl/ld/queue.cpp). */
typedef struct {
  FLOATS scaled, width;
} Own;

/* Flags that are not 0 of pairs that may be linked. Where all are called, never of a site that does not vary (its width is
 * infinite). */
INLINE FLAGS may_pass(const FLOATS *sums, Own first, Own second, float min_r2, float slack) {
#if FASTID_ALL_CALLED
  return isgreaterequal(fabs(sums[0] - first.scaled * second.scaled), first.width * second.width - slack);
#else
  const FLOATS n = sums[0];
#if FASTID_GENOTYPES
  const FLOATS x = sums[1] + sums[2], xx = sums[1] + 3 * sums[2], y = sums[3] + sums[4], yy = sums[3] + 3 * sums[4];
  const FLOATS xy = sums[5];
#else
  const FLOATS x = sums[1], xx = x, y = sums[2], yy = y, xy = sums[3];
#endif
  const FLOATS above = n * xy, below = x * y, most = fabs(above - below) + ROUNDING * (above + below);
  const FLOATS least = least_spread(n, xx, x) * least_spread(n, yy, y) * min_r2;
  return isgreater(below, (FLOATS)(0)) & isgreaterequal(most * most, least * (1 - ROUNDING));
#endif
}

/* What the kernel is called, and its last parameters but local memory. */
#if FASTID_COUNTS
#define PAIRS_KERNEL count_sites
#define PAIRS_RESULT __global uint *restrict counted
#else
#define PAIRS_KERNEL find_sites
#define PAIRS_RESULT float min_r2, float slack, uint capacity, __global uint *restrict found
#endif

/* Where a sum of a pair is stored: [sum][first][second] of a range of first and of second sites. */
INLINE ulong counted_at(uint sum, uint first, uint n_firsts, uint second, uint n_seconds) {
  return ((ulong)sum * n_firsts + first) * n_seconds + second;
}

/* Appends a pair to `found`, whose first two words are the number of pairs, of which `capacity` are stored, and 0. */
INLINE void append_sites(uint first, uint second, uint capacity, __global uint *found) {
  const uint at = atomic_inc(found);
  if (at < capacity) found[2 + 2 * at] = first, found[3 + 2 * at] = second;
}
