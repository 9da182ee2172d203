/* product_filter.h: whether a product may pass a filter (ProductFilter of src/engine/similarity.hpp), what min_plus.cl and
 * bit_products.cl share. OpenCL C 1.2. May be set by the build: FASTID_DOUBLE_LIMITS.
 */
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif
#if FASTID_DOUBLE_LIMITS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
typedef double4 Limits;
#define ROUNDING 1e-15 /* more than any rounding of the test, relative to the largest number in it */
#else
#define REAL float
typedef float4 Limits; /* of a vector: least, sum, there, and 0 */
#define ROUNDING 1e-6f
#endif

/* There is room for what rounding has done to the limits and does here. */
INLINE bool may_pass(REAL has, Limits of_row, Limits of_column) {
  const REAL least = min(of_row.s0, of_column.s0), have = has + of_row.s2 + of_column.s2;
  const REAL room = ROUNDING * (have + least * (fabs(of_row.s1) + fabs(of_column.s1)));
  return have + room >= least * (of_row.s1 + of_column.s1);
}
