/* matrix_product.h: the product of 16 rows and a block of 32 columns over 256 bits, on a unit that multiplies matrices of
 * bits, or in OpenCL C for any device. OpenCL C 1.2, and PTX where the device takes it. common.h comes before it.
 *
 * Here and in matrix_rows.h rows and columns are the two sides of a product:
 *
 *                  compare_matrix.cl    ld_matrix.cl   bit_products.cl        epistasis_matrix.cl
 *   rows           queries              first sites    rows of a rectangle    pairs of sites, or first sites
 *   columns        stored profiles      second sites   columns of it          later sites
 *
 * Elsewhere a row is a stored profile's place in the database: here these are columns, as they are stored, in blocks
 * (src/bits/blocks.hpp). Rows are packed; columns are too in epistasis_matrix.cl alone.
 *
 *              32 columns                 A warp is 32 work-items that hold a product's operands and results together.
 *            +----------------------+     Work-item 4 i + g (i = 0 to 7, g = 0 to 3) has as operands words g and g + 4
 *   16 rows  |  sums, in the        |     of rows i and i + 8, and of columns 4 i to 4 i + 3, whose words are one uint4 of
 *            |  registers of a warp |     a block. Instruction t = 0 to 3 takes the 8 columns 4 i + t, part t of each
 *            +----------------------+     work-item's uint4, so that nothing is repacked. Its result j = 0 to 3 is, in
 *                                         work-item 4 i + g, the sum of row i + 8 (j / 2) and column 8 g + 4 (j % 2) + t.
 *
 * Which site is row i is the kernel's choice: in epistasis_matrix.cl, where i is called r, sites 2 r and 2 r + 1 are rows r
 * and r + 8.
 *
 * Set by the build: a config's FASTID_MATRIX (1: OpenCL C, 2: mma.m16n8k256), FASTID_MATRIX_ROWS and
 * FASTID_MATRIX_COLUMNS.
 */
#define WARP 32
#define STEP 8                  /* words of a product */
#define TILE 16                 /* rows of a product */
#define WARPS (FASTID_MATRIX_ROWS * FASTID_MATRIX_COLUMNS)

/* The order in which warps load the rows of a tile: work-item 4 i + g has words g and g + 4 of a step, of rows i and i + 8, in
 * a uint4 for each plane. These are the row and the word of its part 0 to 3, x to w. */
INLINE uint packed_row(uint tile, uint item, uint part) { return tile * TILE + item / 4 + part % 2 * 8; }
INLINE uint packed_word(uint step, uint item, uint part) { return step * STEP + item % 4 + part / 2 * 4; }

/* multiply_block(): four instructions that add a product to `sums`, [t][j], of 16 rows and the 32 columns of a block. The
 * product's operands are `a` (words of the rows), and `low` and `high` (words g and g + 4 of the columns). If `starts`, the
 * sums are set to `from`, which has a value for each column, [t][j % 2], plus the product. */
#if FASTID_MATRIX == 2
#define UNROLL _Pragma("unroll")
#define CONVERGE __asm__ volatile("bar.warp.sync 0xffffffff;")
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

/* multiply_tile(): two of these instructions, for 16 columns, 2 i + t for t = 0 and 1: words g and g + 4 of column 2 i + t are
 * x, z for t = 0 and y, w for t = 1. Result j is of column 4 g + 2 (j % 2) + t. */
INLINE void multiply_tile(int sums[2][4], uint4 a, uint4 b, __local uint *exchange) {
  MULTIPLY_ADD(sums[0], a, b.x, b.z);
  MULTIPLY_ADD(sums[1], a, b.y, b.w);
}

/* multiply_half(): one of these instructions, for the 8 columns of one t: words g and g + 4 are x, y. */
INLINE void multiply_half(int sums[1][4], uint4 a, uint2 b, __local uint *exchange) {
  MULTIPLY_ADD(sums[0], a, b.x, b.y);
}
#else /* the same in OpenCL C: a warp's work-items exchange their operands through local memory */
#define UNROLL _Pragma("nounroll") /* drivers for CPUs are slow to build unrolled loops with barriers */
#define CONVERGE
#define LINES (TILE + BLOCK) /* each of STEP words: the rows, then the columns */
#define EXCHANGE_WORDS (WARPS * LINES * STEP)

/* Of n of the four instructions. */
INLINE void multiply_columns(int sums[][4], uint n, uint4 a, uint4 low, uint4 high, bool starts, int from[][2],
                             __local uint *exchange) {
  const uint item = (uint)get_local_id(0) % WARP, i = item / 4, g = item % 4;
  __local uint *const rows = exchange + (uint)get_local_id(0) / WARP * (LINES * STEP);
  __local uint *const columns = rows + TILE * STEP;
  barrier(CLK_LOCAL_MEM_FENCE); /* all work-items have read the last product's operands */
  rows[i * STEP + g] = a.x;
  rows[(i + 8) * STEP + g] = a.y;
  rows[i * STEP + g + 4] = a.z;
  rows[(i + 8) * STEP + g + 4] = a.w;
  const uint lows[4] = {low.x, low.y, low.z, low.w}, highs[4] = {high.x, high.y, high.z, high.w};
  for (uint t = 0; t < n; ++t) {
    columns[(8 * t + i) * STEP + g] = lows[t];
    columns[(8 * t + i) * STEP + g + 4] = highs[t];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = 0; t < n; ++t)
    for (uint j = 0; j < 4; ++j) {
      int sum = starts ? from[t][j % 2] : sums[t][j];
      for (uint k = 0; k < STEP; ++k)
        sum += popcount(rows[(i + 8 * (j / 2)) * STEP + k] & columns[(8 * t + 2 * g + j % 2) * STEP + k]);
      sums[t][j] = sum;
    }
}

INLINE void multiply_block(int sums[4][4], uint4 a, uint4 low, uint4 high, bool starts, int from[4][2],
                           __local uint *exchange) {
  multiply_columns(sums, 4, a, low, high, starts, from, exchange);
}

INLINE void multiply_tile(int sums[2][4], uint4 a, uint4 b, __local uint *exchange) {
  multiply_columns(sums, 2, a, (uint4)(b.xy, 0, 0), (uint4)(b.zw, 0, 0), false, 0, exchange);
}

INLINE void multiply_half(int sums[1][4], uint4 a, uint2 b, __local uint *exchange) {
  multiply_columns(sums, 1, a, (uint4)(b.x, 0, 0, 0), (uint4)(b.y, 0, 0, 0), false, 0, exchange);
}
#endif
