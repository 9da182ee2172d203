/* matrix_rows.h: all pairs of rows with columns, by products of matrices of bits: what ld_matrix.cl and bit_products.cl
 * share. common.h and matrix_product.h come before it; the latter says what rows and columns are, and has the picture of how a
 * warp's work-items hold them. OpenCL C 1.2.
 *
 * Rows are packed as [tile of 16][step][plane][work-item of a warp]. Columns are read as they are stored, in blocks of 32
 * interleaved by word, in one stored plane or in two. A warp takes FASTID_TILES x 16 rows and FASTID_BLOCKS x 32 columns.
 *
 * The host writes what is multiplied, and how many numbers a pair has:
 *
 *   STORED_PLANES                  planes that are read of a column, 1 or 2
 *   MULTIPLIED_PLANES              planes that are made of these and multiplied
 *   SUMS                           sums of a pair
 *   FOR_PLANES(X, word_0, word_1)  X(plane, its word), made of the stored planes' words
 *   FOR_ROW_PRODUCTS(X)            X(sum, the row's plane, the column's)
 *
 * Set by the build: FASTID_MATRIX, FASTID_MATRIX_ROWS and FASTID_MATRIX_COLUMNS as a config has them, FASTID_TILES and
 * FASTID_BLOCKS.
 */
#define STEPS_OF(n_words) (((n_words) + STEP - 1) / STEP)
#define GROUP_TILES (FASTID_MATRIX_ROWS * FASTID_TILES) /* of a work-group, and blocks */
#define GROUP_BLOCKS (FASTID_MATRIX_COLUMNS * FASTID_BLOCKS)

/* The operands of a step. */
typedef struct {
  uint4 rows[FASTID_TILES][MULTIPLIED_PLANES];
  uint4 columns[STORED_PLANES][FASTID_BLOCKS][2];
} Operands;

/* A work-item's sums: [tile][block][sum][t][j], result j of instruction t of a block (matrix_product.h). */
typedef struct {
  int of[FASTID_TILES][FASTID_BLOCKS][SUMS][4][4];
} Sums;

/* Where a work-item's operands begin. */
typedef struct {
  __global const uint4 *rows[FASTID_TILES];
  __global const uint4 *columns[STORED_PLANES][FASTID_BLOCKS];
} Place;

#define FOR_TILES_AND_BLOCKS \
  UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile) UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block)
/* For each pair of a work-item, in a loop's `tile`, `block`, t and j: its sums are sums.of[tile][block][i][t][j], its row is
 * row_of(the warp's first tile + tile, j), its column column_of(the warp's first block + block, t, j). */
#define FOR_PAIRS FOR_TILES_AND_BLOCKS UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j)
INLINE uint row_of(uint tile, int j) { return tile * TILE + (uint)get_local_id(0) % WARP / 4 + j / 2 * 8; }
INLINE uint column_of(uint block, int t, int j) {
  return block * BLOCK + (uint)get_local_id(0) % 4 * 8 + j % 2 * 4 + t;
}

/* The first tile, and block, of a work-group, and of a warp, given the range's first one. */
INLINE uint group_tile(uint first) { return first + (uint)get_group_id(1) * GROUP_TILES; }
INLINE uint group_block(uint first) { return first + (uint)get_group_id(0) * GROUP_BLOCKS; }
INLINE uint tile_of_warp(uint first) {
  return group_tile(first) + (uint)get_local_id(0) / WARP % FASTID_MATRIX_ROWS * FASTID_TILES;
}
INLINE uint block_of_warp(uint first) {
  return group_block(first) + (uint)get_local_id(0) / WARP / FASTID_MATRIX_ROWS * FASTID_BLOCKS;
}

/* The place of tiles from `first_tile` on of those that were packed, and of blocks from `first_block` on. Past the last ones
 * these are read again but not reported. plane_0, plane_1: the stored planes; of one alone, plane_1 is not read. */
INLINE Place place_of_item(__global const uint4 *packed, uint n_tiles, uint first_tile, __global const uint4 *plane_0,
                           __global const uint4 *plane_1, uint n_words, uint n_blocks, uint first_block) {
  const uint item = (uint)get_local_id(0) % WARP;
  Place place;
  UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile)
    place.rows[tile] =
        packed + (ulong)min(first_tile + tile, n_tiles - 1) * STEPS_OF(n_words) * MULTIPLIED_PLANES * WARP + item;
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) {
    const ulong at = ((ulong)min(first_block + block, n_blocks - 1) * n_words + item % 4) * (BLOCK / 4) + item / 4;
    UNROLL for (int s = 0; s < STORED_PLANES; ++s) place.columns[s][block] = (s == 0 ? plane_0 : plane_1) + at;
  }
  return place;
}

/* Past the last word the next block's are read, or the padding behind the last block, and multiplied by 0. */
INLINE void load(Operands *to, const Place *from, uint n_words, uint k) {
  UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile)
  UNROLL for (int p = 0; p < MULTIPLIED_PLANES; ++p)
    to->rows[tile][p] = from->rows[tile][(k * MULTIPLIED_PLANES + p) * WARP];
  UNROLL for (int h = 0; h < 2; ++h) {
#if FASTID_MATRIX == 2
    const uint at = (k * STEP + h * 4) * (BLOCK / 4);
#else /* never past the last word, for tools that report reads of uninitialised memory */
    const int g = (int)get_local_id(0) % 4, at = ((int)min(k * STEP + h * 4 + g, n_words - 1) - g) * (BLOCK / 4);
#endif
    UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block)
    UNROLL for (int s = 0; s < STORED_PLANES; ++s) to->columns[s][block][h] = from->columns[s][block][at];
  }
}

INLINE void multiply_step(Sums *to, const Operands *with, __local uint *exchange) {
  int from[4][2] = {{0}};
  UNROLL for (int block = 0; block < FASTID_BLOCKS; ++block) {
    uint4 columns[MULTIPLIED_PLANES][2];
#define PUT_COLUMNS(p, bits) columns[p][h] = (bits);
    UNROLL for (int h = 0; h < 2; ++h) {
      FOR_PLANES(PUT_COLUMNS, with->columns[0][block][h], with->columns[STORED_PLANES - 1][block][h])
    }
    UNROLL for (int tile = 0; tile < FASTID_TILES; ++tile) {
#define ADD_PRODUCT(sum, p, q) \
  multiply_block(to->of[tile][block][sum], with->rows[tile][p], columns[q][0], columns[q][1], false, from, exchange);
      FOR_ROW_PRODUCTS(ADD_PRODUCT)
    }
  }
}

INLINE void clear(Sums *sums) {
  FOR_PAIRS UNROLL for (int i = 0; i < SUMS; ++i) sums->of[tile][block][i][t][j] = 0;
}

/* Adds to the sums of all of a work-item's pairs. */
INLINE void add_products(Sums *sums, const Place *place, uint n_words, __local uint *exchange) {
  const uint steps = STEPS_OF(n_words);
  Operands next;
  load(&next, place, n_words, 0);
  for (uint k = 0; k < steps; ++k) {
    const Operands now = next;
    load(&next, place, n_words, min(k + 1, steps - 1));
    multiply_step(sums, &now, exchange);
  }
}

/* Sets them. */
INLINE void multiply(Sums *sums, const Place *place, uint n_words, __local uint *exchange) {
  clear(sums);
  add_products(sums, place, n_words, exchange);
}
