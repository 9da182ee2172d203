/* product_filter.h: which planes are multiplied, and whether a product may pass a filter (ProductPlanes and ProductFilter of
 * src/engine/similarity.hpp): what min_plus.cl and bit_products.cl share. common.h comes before it. OpenCL C 1.2. May be set
 * by the build: FASTID_DOUBLE_LIMITS.
 */
/* The products of every choice of a plane of each member are summed. */
typedef struct {
  uint stride; /* vectors */
  uint column_first, columns, row_first, rows, pivot_first, pivots;
} Planes;

#if FASTID_DOUBLE_LIMITS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
typedef double4 Limits;
#define CORRELATION_ROOM 1e-12
#define ROUNDING 1e-15 /* more than any rounding of the test, relative to the largest number in it */
#else
#define REAL float
typedef float4 Limits; /* of a vector: least, sum, there, and 0 */
#define CORRELATION_ROOM 1e-5f
#define ROUNDING 1e-6f
#endif
#define MINOR_WEIGHT(share) ((3 - 2 * (share)) / 3)
#define MAJOR_WEIGHT(share) ((1 + 2 * (share)) / 3)

/* The highest value of a choice of alleles over 4.5, as highest() of src/engine/similarity.cpp. */
INLINE REAL highest_value(REAL together, REAL row, REAL column, REAL all, REAL of_row, REAL of_column) {
  const REAL row_minor = MINOR_WEIGHT(of_row), row_major = MAJOR_WEIGHT(of_row);
  const REAL column_minor = MINOR_WEIGHT(of_column), column_major = MAJOR_WEIGHT(of_column);
  return max(max(together * row_minor * column_minor, (row - together) * row_minor * column_major),
             max((column - together) * row_major * column_minor, (all - row - column + together) * row_major * column_major));
}

/* The same test of CCC (CorrelationFilter). Limits: least, share of minor alleles, that with the pivot's, and the pivot's share.
 * \param share  of the pairs, or triples, of alleles that are all minor \param pair  of two of three; less than 0 where there is
 * no pivot. Every number is 4 at most, so that all rounding is less than the room. */
INLINE bool may_correlate(REAL share, REAL pair, Limits of_row, Limits of_column) {
  const REAL least = min(of_row.s0, of_column.s0) - CORRELATION_ROOM, pivot = of_row.s3;
  if (pair < 0) return highest_value(share, of_row.s1, of_column.s1, 1, of_row.s1, of_column.s1) >= least;
  const REAL with_minor = highest_value(share, of_row.s2, of_column.s2, pivot, of_row.s1, of_column.s1);
  const REAL with_major = highest_value(pair - share, of_row.s1 - of_row.s2, of_column.s1 - of_column.s2, 1 - pivot,
                                        of_row.s1, of_column.s1);
  return max(with_minor * MINOR_WEIGHT(pivot), with_major * MAJOR_WEIGHT(pivot)) >= least;
}

/* The same where calls are missing, by sums over the units that both are called at (CommonUnits of src/engine/similarity.hpp).
 * Limits: least, and share of minor alleles where a vector is called. */
INLINE bool may_correlate_at(REAL units, REAL product, REAL of_row, REAL of_column, Limits row, Limits column) {
  const REAL least = min(row.s0, column.s0) - CORRELATION_ROOM, all = 4 * units;
  return highest_value(product, 2 * of_row, 2 * of_column, all, row.s1, column.s1) >= least * all;
}

/* There is room for what rounding has done to the limits and does here. */
INLINE bool may_pass(REAL has, Limits of_row, Limits of_column) {
  const REAL least = min(of_row.s0, of_column.s0), have = has + of_row.s2 + of_column.s2;
  const REAL room = ROUNDING * (have + least * (fabs(of_row.s1) + fabs(of_column.s1)));
  return have + room >= least * (of_row.s1 + of_column.s1);
}

/* Whether a product of bits may pass: by ccc where there is a scale. \param pair  of the row and the column alone; less than 0:
 * there is no pivot */
INLINE bool product_may_pass(int product, int pair, REAL scale, Limits of_row, Limits of_column) {
  if (scale > 0) return may_correlate(scale * product, 2 * scale * pair, of_row, of_column);
  return may_pass((REAL)(pair < 0 ? product : pair - product), of_row, of_column);
}
