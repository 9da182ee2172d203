/* matrix_product.h: the product of 16 queries and a block of 32 profiles over 256 sites, on a unit that multiplies matrices
 * of bits, or by what any device has. OpenCL C 1.2, and PTX where the device takes it. pair.h comes before it.
 *
 * A warp's work-items hold the operands and the results together: compare_matrix.cl has the picture. Set by the build: a
 * config's FASTID_MATRIX (1: by OpenCL C, 2: mma.m16n8k256), FASTID_MATRIX_ROWS and FASTID_MATRIX_COLUMNS.
 */
#define WARP 32
#define STEP 8                  /* words of a product */
#define TILE 16                 /* queries of a product */
#define WARPS (FASTID_MATRIX_ROWS * FASTID_MATRIX_COLUMNS)

/* Four instructions: sums, of 16 queries and the 32 profiles of a block, += the product of a, those queries, and the
 * words `low` and `high` of those profiles. `starts`: sums is that and what lies in `from`, of the same profiles. */
#if FASTID_MATRIX == 2
#define UNROLL _Pragma("unroll")
#define CONVERGE __asm__ volatile("threshold.warp.sync 0xffffffff;")
#define EXCHANGE_WORDS 1
#define PRODUCT                                                            \
  "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "             \
  "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
#define OPERANDS(a, low, high) "r"((a).x), "r"((a).y), "r"((a).z), "r"((a).w), "r"(low), "r"(high)
#define MULTIPLY_ADD(sum, a, low, high)                                                                   \
  __asm__ volatile(PRODUCT "{%0,%1,%2,%3};"                                                               \
                   : "+r"((sum)[0]), "+r"((sum)[1]), "+r"((sum)[2]), "+r"((sum)[3])                       \
                   : OPERANDS(a, low, high))
#define MULTIPLY_START(sum, a, low, high, from)                                                           \
  __asm__ volatile(PRODUCT "{%10,%11,%10,%11};"                                                           \
                   : "=r"((sum)[0]), "=r"((sum)[1]), "=r"((sum)[2]), "=r"((sum)[3])                       \
                   : OPERANDS(a, low, high), "r"((from)[0]), "r"((from)[1]))

INLINE void multiply_block(int sums[4][4], uint4 a, uint4 low, uint4 high, bool starts, int from[4][2],
                           __local uint *exchange) {
  if (starts) {
    MULTIPLY_START(sums[0], a, low.x, high.x, from[0]);
    MULTIPLY_START(sums[1], a, low.y, high.y, from[1]);
    MULTIPLY_START(sums[2], a, low.z, high.z, from[2]);
    MULTIPLY_START(sums[3], a, low.w, high.w, from[3]);
  } else {
    MULTIPLY_ADD(sums[0], a, low.x, high.x);
    MULTIPLY_ADD(sums[1], a, low.y, high.y);
    MULTIPLY_ADD(sums[2], a, low.z, high.z);
    MULTIPLY_ADD(sums[3], a, low.w, high.w);
  }
}
#else /* the same by what any device has: a warp's operands meet in local memory */
#define UNROLL _Pragma("nounroll") /* barriers make drivers for CPUs slow to build what is unrolled */
#define CONVERGE
#define LINES (TILE + BLOCK) /* of STEP words: the queries, then the profiles */
#define EXCHANGE_WORDS (WARPS * LINES * STEP)

INLINE void multiply_block(int sums[4][4], uint4 a, uint4 low, uint4 high, bool starts, int from[4][2],
                           __local uint *exchange) {
  const uint lane = (uint)get_local_id(0) % WARP, r = lane / 4, g = lane % 4;
  __local uint *const rows = exchange + (uint)get_local_id(0) / WARP * (LINES * STEP);
  __local uint *const columns = rows + TILE * STEP;
  barrier(CLK_LOCAL_MEM_FENCE); /* the last product was read */
  rows[r * STEP + g] = a.x;
  rows[(r + 8) * STEP + g] = a.y;
  rows[r * STEP + g + 4] = a.z;
  rows[(r + 8) * STEP + g + 4] = a.w;
  const uint lows[4] = {low.x, low.y, low.z, low.w}, highs[4] = {high.x, high.y, high.z, high.w};
  for (uint t = 0; t < 4; ++t) {
    columns[(8 * t + r) * STEP + g] = lows[t];
    columns[(8 * t + r) * STEP + g + 4] = highs[t];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = 0; t < 4; ++t)
    for (uint j = 0; j < 4; ++j) {
      int sum = starts ? from[t][j % 2] : sums[t][j];
      for (uint k = 0; k < STEP; ++k)
        sum += popcount(rows[(r + 8 * (j / 2)) * STEP + k] & columns[(8 * t + 2 * g + j % 2) * STEP + k]);
      sums[t][j] = sum;
    }
}
#endif
