/* bit_products.cl: products of vectors of bits (src/engine/similarity.hpp), by products of matrices of bits. OpenCL C 1.2, and
 * PTX where the device takes it.
 *
 * Vectors lie in blocks of 32, as profiles do. Those of a rectangle's rows are packed by pack_rows(), each AND the pivot where
 * there is one. A pair has one sum (matrix_rows.h), of one product or of several: of every choice of a plane of each member.
 * common.h, product_filter.h, matrix_product.h and matrix_rows.h come before it, which say what the build sets.
 */
#define NO_PIVOT 0xffffffffu

/* Where word `word` of a vector lies. */
INLINE ulong place_of(uint vector, uint word, uint n_words) {
  return (ulong)(vector / BLOCK) * n_words * BLOCK + (ulong)word * BLOCK + vector % BLOCK;
}

/* [pivot][its plane][the row's plane][tile of 16 rows][step][work-item of a warp], a uint4 each (matrix_product.h). Words past
 * the last, and vectors, are 0. In three dimensions: work-items of a warp for each step; tiles, from first_tile on; and pivots
 * with choices of planes. */
__kernel void pack_rows(__global const uint *restrict vectors, uint n_words, uint n_vectors, uint first_tile,
                        __global const uint *restrict pivots, Planes planes, __global uint4 *restrict packed) {
  const uint steps = (uint)get_global_size(0) / WARP, step = (uint)get_global_id(0) / WARP;
  const uint item = (uint)get_global_id(0) % WARP, tile = (uint)get_global_id(1), n_tiles = (uint)get_global_size(1);
  const uint choice = (uint)get_global_id(2), row_shift = (planes.row_first + choice % planes.rows) * planes.stride;
  const uint pivot_plane = planes.pivot_first + choice / planes.rows % planes.pivots;
  uint pivot = pivots[choice / (planes.rows * planes.pivots)];
  if (pivot != NO_PIVOT) pivot += pivot_plane * planes.stride;
  uint words[4];
  for (uint i = 0; i < 4; ++i) {
    const uint row = packed_row(first_tile + tile, item, i) + row_shift, word = packed_word(step, item, i);
    const bool there = row < n_vectors && word < n_words;
    words[i] = there ? vectors[place_of(row, word, n_words)] : 0;
    if (there && pivot != NO_PIVOT) words[i] &= vectors[place_of(pivot, word, n_words)];
  }
  packed[((get_global_id(2) * n_tiles + tile) * steps + step) * WARP + item] = (uint4)(words[0], words[1], words[2], words[3]);
}

/* The sums of this group's pivot. `tile`: from the first one that was packed on. */
INLINE void multiply_planes(Sums *sums, const Planes *planes, __global const uint4 *packed, uint n_tiles, uint tile,
                            __global const uint4 *vectors, uint n_words, uint n_blocks, uint block,
                            __local uint *exchange) {
  const uint choices = planes->rows * planes->pivots;
  packed += get_global_id(2) * choices * n_tiles * STEPS_OF(n_words) * WARP;
  clear(sums);
  for (uint choice = 0; choice < choices; ++choice) {
    for (uint p = 0; p < planes->columns; ++p) {
      const uint shift = (planes->column_first + p) * (planes->stride / BLOCK);
      const Place place = place_of_item(packed, n_tiles, tile, vectors, vectors, n_words, n_blocks, shift + block);
      add_products(sums, &place, n_words, exchange);
    }
    packed += (ulong)n_tiles * STEPS_OF(n_words) * WARP;
  }
}

/* Whether a group has a pair whose column is below its row. */
INLINE bool has_pairs_below(uint first_tile, uint column_begin) {
  return group_block(column_begin / BLOCK) * BLOCK + 1 < (group_tile(first_tile) + GROUP_TILES) * TILE;
}

/* Work-groups in three dimensions: columns, from the block of the first one on; rows, from first_tile on; and pivots, of which
 * there is one here, if any. `out` has a product for each pair, [row][column] of the rectangle; where `below` is not 0, only pairs
 * whose column is below their row are needed. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void multiply_rows(
    __global const uint4 *restrict packed, __global const uint4 *restrict vectors, uint n_words, uint n_blocks, uint first_tile,
    uint n_tiles, uint row_begin, uint row_end, uint column_begin, uint column_end, Planes planes, uint below,
    __global uint *restrict out) {
  __local uint exchange[EXCHANGE_WORDS];
  if (below != 0 && !has_pairs_below(first_tile, column_begin)) return; /* the whole group */
  const uint warp_tile = tile_of_warp(0), warp_block = block_of_warp(column_begin / BLOCK);
  Sums sums;
  multiply_planes(&sums, &planes, packed, n_tiles, warp_tile, vectors, n_words, n_blocks, warp_block, exchange);
  FOR_PAIRS {
    const uint row = row_of(first_tile + warp_tile + tile, j), column = column_of(warp_block + block, t, j);
    if (row >= row_begin && row < row_end && column >= column_begin && column < column_end)
      out[(ulong)(row - row_begin) * (column_end - column_begin) + (column - column_begin)] =
          (uint)sums.of[tile][block][0][t][j];
  }
}

/* Appends pivot (which of them), row, column and product of each pair whose column is below its row, and that below the pivot,
 * and that may pass to `found`, whose first word is how many there are; the first `capacity` are stored behind it, and three
 * more words. With pivots `pairs` has the products without one, [row][column] from the rectangle's first pair on, of
 * pair_columns columns; this is 0 without a pivot. Limits are [pivot][row] and [pivot][column]. `scale` is that of a
 * CorrelationFilter. Where of_rows and of_columns are not null, these and `pairs` are sums over common units. */
#define FIND_PARAMETERS                                                                                                    \
  __global const uint4 *restrict packed, __global const uint4 *restrict vectors, uint n_words, uint n_blocks,              \
      uint first_tile, uint n_tiles, uint row_begin, uint row_end, uint column_begin, uint column_end, Planes planes,      \
      __global const uint *restrict pivots, __global const uint *restrict pairs, uint pair_columns,                        \
      __global const Limits *restrict row_limits, __global const Limits *restrict column_limits, float scale,              \
      uint capacity, __global uint *restrict found

INLINE void find(FIND_PARAMETERS, __global const uint *of_rows, __global const uint *of_columns, __local uint *exchange) {
  const uint n_columns = column_end - column_begin, n_rows = row_end - row_begin;
  const uint filter = (uint)get_group_id(2), rows_end = min(row_end, pivots[filter]); /* NO_PIVOT is above all rows */
  if (!has_pairs_below(first_tile, column_begin) || group_tile(first_tile) * TILE >= rows_end) return; /* the whole group */
  const uint warp_tile = tile_of_warp(0), warp_block = block_of_warp(column_begin / BLOCK);
  Sums sums;
  multiply_planes(&sums, &planes, packed, n_tiles, warp_tile, vectors, n_words, n_blocks, warp_block, exchange);
  row_limits += (ulong)filter * n_rows;
  column_limits += (ulong)filter * n_columns;
  FOR_PAIRS {
    const uint row = row_of(first_tile + warp_tile + tile, j), column = column_of(warp_block + block, t, j);
    if (row < row_begin || row >= rows_end || column < column_begin || column >= min(column_end, row)) continue;
    const uint at = column - column_begin;
    const int product = sums.of[tile][block][0][t][j];
    const ulong place_of_pair = (ulong)(row - row_begin) * pair_columns + at;
    if (of_rows != 0) {
      if (!may_correlate_at(pairs[place_of_pair], product, of_rows[place_of_pair], of_columns[place_of_pair],
                            row_limits[row - row_begin], column_limits[at]))
        continue;
    } else {
      const int pair = pair_columns != 0 ? (int)pairs[place_of_pair] : -1;
      if (!product_may_pass(product, pair, scale, row_limits[row - row_begin], column_limits[at])) continue;
    }
    const uint place_there = atomic_inc(found);
    if (place_there < capacity) {
      found[4 + 4 * place_there] = filter;
      found[5 + 4 * place_there] = row;
      found[6 + 4 * place_there] = column;
      found[7 + 4 * place_there] = (uint)product;
    }
  }
}

/* Three kernels, since the tests of correlations take registers that the other has for more work-groups. */
#define FIND_COMMON_PARAMETERS \
  FIND_PARAMETERS, __global const uint *restrict of_rows, __global const uint *restrict of_columns
#define FIND_KERNEL(name, PARAMETERS, SCALE, OF_ROWS, OF_COLUMNS)                                                          \
  __kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void name(PARAMETERS) {                               \
    __local uint exchange[EXCHANGE_WORDS];                                                                                 \
    find(packed, vectors, n_words, n_blocks, first_tile, n_tiles, row_begin, row_end, column_begin, column_end, planes,    \
         pivots, pairs, pair_columns, row_limits, column_limits, SCALE, capacity, found, OF_ROWS, OF_COLUMNS, exchange);   \
  }
FIND_KERNEL(find_proportional, FIND_PARAMETERS, 0, 0, 0)
FIND_KERNEL(find_correlated, FIND_PARAMETERS, scale, 0, 0)
FIND_KERNEL(find_by_common_units, FIND_COMMON_PARAMETERS, scale, of_rows, of_columns)
