/* thresholds.h: the thresholds that pairs must pass. OpenCL C 1.2. Set by the build:
 *   FASTID_WIDE  1: the shares of denominators need 64 bits (counts above 32,767)
 *   RATIO_BITS   of RATIO below: 29 if FASTID_WIDE, else 15
 */

/* The queries' thresholds are a table of lines, each n_queries long:
 *   LIMIT            the least count that fails with every denominator
 *   RATIO, OFFSET    the test of a pair's denominator, at least 1: (count - OFFSET) << RATIO_BITS <= denominator * RATIO
 *   OWN_DENOMINATOR  the denominator of the query's pairs if it depends on the query alone, else the largest possible
 *   NEED             for compare_matrix.cl: the least |q & d| - |d| / 2 that may pass, half of slack - (limit - 1),
 *                    rounded up
 *   SLACK            what NEED is computed from (slack_of() of src/opencl/kernel/matrix_comparer.cpp) */
#define THRESHOLD(line, query) thresholds[(line) * n_queries + (query)]
#define LIMIT 0
#define RATIO 1
#define OFFSET 2
#define OWN_DENOMINATOR 3
#define NEED 4
#define SLACK 5
