/* bit_products.cl: products of vectors of bits (src/engine/similarity.hpp), by products of matrices of bits. OpenCL C 1.2, and
 * PTX where the device takes it.
 *
 * Vectors lie in blocks of 32, as profiles do. The rows of a rectangle are packed by pack_rows() in the order in which warps
 * load them, each AND the pivot where there is one; the columns are read as they are stored. A warp takes FASTID_TILES x 16
 * rows and FASTID_BLOCKS x 32 columns; compare_matrix.cl has the picture of how its work-items hold them.
 *
 * thresholds.h, product_filter.h and matrix_product.h come before it. Set by the build: FASTID_MATRIX, FASTID_MATRIX_ROWS and
 * FASTID_MATRIX_COLUMNS as a config has them, FASTID_TILES and FASTID_BLOCKS.
 */
#define NO_PIVOT 0xffffffffu

/* Where word `word` of a vector lies. */
INLINE ulong place_of(uint vector, uint word, uint n_words) {
  return (ulong)(vector / BLOCK) * n_words * BLOCK + (ulong)word * BLOCK + vector % BLOCK;
}

/* [pivot][tile of 16 rows][step][work-item of a warp], a uint4 each: words g and g + 4 of rows r and r + 8, where the work-item
 * is 4 r + g. Words past the last, and vectors, are 0. In three dimensions: work-items of a warp for each step; tiles, from
 * first_tile on; and pivots. */
__kernel void pack_rows(__global const uint *restrict vectors, uint n_words, uint n_vectors, uint first_tile,
                        __global const uint *restrict pivots, __global uint4 *restrict packed) {
  const uint steps = (uint)get_global_size(0) / WARP, step = (uint)get_global_id(0) / WARP;
  const uint item = (uint)get_global_id(0) % WARP, tile = (uint)get_global_id(1), n_tiles = (uint)get_global_size(1);
  const uint pivot = pivots[get_global_id(2)];
  uint words[4];
  for (uint i = 0; i < 4; ++i) {
    const uint row = (first_tile + tile) * TILE + item / 4 + i % 2 * 8, word = step * STEP + item % 4 + i / 2 * 4;
    const bool there = row < n_vectors && word < n_words;
    words[i] = there ? vectors[place_of(row, word, n_words)] : 0;
    if (there && pivot != NO_PIVOT) words[i] &= vectors[place_of(pivot, word, n_words)];
  }
  packed[((get_global_id(2) * n_tiles + tile) * steps + step) * WARP + item] = (uint4)(words[0], words[1], words[2], words[3]);
}

/* The operands of a step, and a work-item's sums: [tile][block][t][j], as compare_matrix.cl has its counts. */
typedef struct {
  uint4 rows[FASTID_TILES], columns[FASTID_BLOCKS][2];
} Operands;
typedef struct {
  int of[FASTID_TILES][FASTID_BLOCKS][4][4];
} Sums;

/* Where a work-item's operands begin, and which rows and columns are its first. */
typedef struct {
  __global const uint4 *rows[FASTID_TILES];
  __global const uint4 *columns[FASTID_BLOCKS];
  uint row, column;
} Place;

/* Past the last word the next block's are read, or the padding behind the last block, and multiplied by 0. */
INLINE void load(Operands *to, const Place *from, uint n_words, uint k) {
  UNROLL for (int m = 0; m < FASTID_TILES; ++m) to->rows[m] = from->rows[m][k * WARP];
  UNROLL for (int h = 0; h < 2; ++h) {
#if FASTID_MATRIX == 2
    const uint at = (k * STEP + h * 4) * (BLOCK / 4);
#else /* never past the last word, for tools that report reads of uninitialised memory */
    const int g = (int)get_local_id(0) % 4, at = ((int)min(k * STEP + h * 4 + g, n_words - 1) - g) * (BLOCK / 4);
#endif
    UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n) to->columns[n][h] = from->columns[n][at];
  }
}

INLINE Place place_of_item(__global const uint4 *packed, __global const uint4 *vectors, uint steps, uint n_words, uint n_tiles,
                           uint n_blocks, uint first_block) {
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
  const uint tile = ((uint)get_group_id(1) * FASTID_MATRIX_ROWS + warp % FASTID_MATRIX_ROWS) * FASTID_TILES;
  const uint block =
      first_block + ((uint)get_group_id(0) * FASTID_MATRIX_COLUMNS + warp / FASTID_MATRIX_ROWS) * FASTID_BLOCKS;
  Place place;
  UNROLL for (int m = 0; m < FASTID_TILES; ++m)
    place.rows[m] = packed + (get_global_id(2) * n_tiles + min(tile + m, n_tiles - 1)) * steps * WARP + item;
  UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n)
    place.columns[n] = vectors + ((ulong)min(block + n, n_blocks - 1) * n_words + item % 4) * (BLOCK / 4) + item / 4;
  place.row = tile * TILE + item / 4;
  place.column = block * BLOCK + item % 4 * 8;
  return place;
}

INLINE void multiply(Sums *sums, const Place *place, uint steps, uint n_words, __local uint *exchange) {
  int from[4][2] = {{0}};
  UNROLL for (int m = 0; m < FASTID_TILES; ++m) UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n)
  UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j) sums->of[m][n][t][j] = 0;
  Operands next;
  load(&next, place, n_words, 0);
  for (uint k = 0; k < steps; ++k) {
    const Operands now = next;
    load(&next, place, n_words, min(k + 1, steps - 1));
    UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n) UNROLL for (int m = 0; m < FASTID_TILES; ++m)
      multiply_block(sums->of[m][n], now.rows[m], now.columns[n][0], now.columns[n][1], false, from, exchange);
  }
}

/* Runs DO for each of a work-item's pairs, `row` and `column`, that is of the rectangle; its product is `product`. Rows are
 * counted from the first tile's first one. */
#define FOR_PAIRS(DO)                                                                                                       \
  UNROLL for (int m = 0; m < FASTID_TILES; ++m) UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n)                               \
  UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j) {                                                    \
    const uint row = place.row + m * TILE + j / 2 * 8 + first_tile * TILE;                                                   \
    const uint column = place.column + n * BLOCK + j % 2 * 4 + t;                                                            \
    const int product = sums.of[m][n][t][j];                                                                                 \
    if (row >= row_begin && row < row_end && column >= column_begin && column < column_end) { DO }                           \
  }

/* A group's first row, and whether it has a pair whose column is below its row. */
INLINE uint first_row(uint first_tile) {
  return (first_tile + (uint)get_group_id(1) * FASTID_MATRIX_ROWS * FASTID_TILES) * TILE;
}
INLINE bool has_pairs_below(uint first_tile, uint column_begin) {
  const uint first_column = (column_begin / BLOCK + (uint)get_group_id(0) * FASTID_MATRIX_COLUMNS * FASTID_BLOCKS) * BLOCK;
  return first_column + 1 < first_row(first_tile) + FASTID_MATRIX_ROWS * FASTID_TILES * TILE;
}

/* Work-groups in three dimensions: columns, from the block of the first one on; rows, from first_tile on; and pivots, of which
 * there is one here, if any. `out` has a product for each pair, [row][column] of the rectangle; where `below` is not 0, only pairs
 * whose column is below their row are needed. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void multiply_rows(
    __global const uint4 *restrict packed, __global const uint4 *restrict vectors, uint n_words, uint n_blocks, uint first_tile,
    uint n_tiles, uint row_begin, uint row_end, uint column_begin, uint column_end, uint below, __global uint *restrict out) {
  __local uint exchange[EXCHANGE_WORDS];
  if (below != 0 && !has_pairs_below(first_tile, column_begin)) return; /* the whole group */
  const uint steps = (n_words + STEP - 1) / STEP;
  const Place place = place_of_item(packed, vectors, steps, n_words, n_tiles, n_blocks, column_begin / BLOCK);
  Sums sums;
  multiply(&sums, &place, steps, n_words, exchange);
  FOR_PAIRS(out[(ulong)(row - row_begin) * (column_end - column_begin) + (column - column_begin)] = (uint)product;)
}

/* Appends pivot (which of them), row, column and product of each pair whose column is below its row, and that below the pivot,
 * and that may pass to `found`, whose first word is how many there are; the first `capacity` are stored behind it, and three
 * more words. With pivots `pairs` has the products without one, [row][column] from the rectangle's first pair on, of
 * pair_columns columns; this is 0 without a pivot. Limits are [pivot][row] and [pivot][column]. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void find_pairs(
    __global const uint4 *restrict packed, __global const uint4 *restrict vectors, uint n_words, uint n_blocks, uint first_tile,
    uint n_tiles, uint row_begin, uint row_end, uint column_begin, uint column_end, __global const uint *restrict pivots,
    __global const uint *restrict pairs, uint pair_columns, __global const Limits *restrict row_limits,
    __global const Limits *restrict column_limits, uint capacity, __global uint *restrict found) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint steps = (n_words + STEP - 1) / STEP, n_columns = column_end - column_begin, n_rows = row_end - row_begin;
  const uint filter = (uint)get_group_id(2), rows_end = min(row_end, pivots[filter]); /* NO_PIVOT is above all rows */
  if (!has_pairs_below(first_tile, column_begin) || first_row(first_tile) >= rows_end) return; /* the whole group */
  const Place place = place_of_item(packed, vectors, steps, n_words, n_tiles, n_blocks, column_begin / BLOCK);
  Sums sums;
  multiply(&sums, &place, steps, n_words, exchange);
  row_limits += (ulong)filter * n_rows;
  column_limits += (ulong)filter * n_columns;
  FOR_PAIRS(
    if (column < row && row < rows_end) {
      const uint i = row - row_begin;
      const uint at = column - column_begin;
      const float has = pair_columns != 0 ? (float)((int)pairs[(ulong)i * pair_columns + at] - product) : (float)product;
      if (may_pass(has, row_limits[i], column_limits[at])) {
        const uint place_there = atomic_inc(found);
        if (place_there < capacity) {
          found[4 + 4 * place_there] = filter;
          found[5 + 4 * place_there] = row;
          found[6 + 4 * place_there] = column;
          found[7 + 4 * place_there] = (uint)product;
        }
      }
    })
}
