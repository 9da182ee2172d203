/* min_plus.cl: the product of matrices in which min stands for the multiplication: of two vectors of numbers, the sum of the
 * lesser of their elements (src/engine/real_matrix.hpp). OpenCL C 1.2; double where FASTID_DOUBLE is 1.
 *
 * Vectors lie in blocks of 32, [block][q][32]. A work-item has the sums of ROWS vectors with COLUMNS others in registers and
 * walks along the elements q in ascending order: an addition for each pair and element, and no multiplication that could be
 * fused with it, so that sums have the bits that every other engine gives them.
 *
 *   FASTID_STAGED 1   a group of ITEMS x ITEMS work-items copies STEP elements of its rows and columns to local memory while
 *                     it adds up those that it copied before: for GPUs
 *                 0   a work-item by itself, which reads vectors where they lie: for CPUs, whose registers hold a Vec
 *
 * The sizes are this kernel's own. Those of the configs are best for words of bits and popcounts; these follow from the
 * registers of a work-item, which ROWS x COLUMNS sums fill, and from 32 KiB of local memory, which every GPU has.
 *
 * Set by the build: FASTID_DOUBLE, FASTID_STAGED, FASTID_ITEMS, FASTID_ROWS, FASTID_VECTORS (of columns) and FASTID_WIDTH,
 * the numbers of a Vec.
 */
#pragma OPENCL FP_CONTRACT OFF
#if FASTID_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#define ROUNDING 1e-15 /* more than any rounding of the test, relative to its largest number */
#else
#define REAL float
#define ROUNDING 1e-6f
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")
#define UNROLL_SOME _Pragma("unroll 4")
#define ONE_BY_ONE _Pragma("unroll 1")
#define BLOCK 32
#define STEP 16
#define ITEMS FASTID_ITEMS
#define ROWS FASTID_ROWS
#define VECTORS FASTID_VECTORS
#define WIDTH FASTID_WIDTH
#define TILE_ROWS (ITEMS * ROWS)
#define TILE_COLUMNS (ITEMS * VECTORS * WIDTH)
#define GROUP (ITEMS * ITEMS)

typedef JOIN(REAL, FASTID_WIDTH) Vec;
#define LOAD(from) (*(__global const Vec *)(from)) /* vectors begin where a Vec may, and lanes of 32 are whole Vecs */
#define STORE(vec, to) JOIN(vstore, FASTID_WIDTH)(vec, 0, to)

/* The pairs of rows row_begin .. row_end - 1 with columns column_begin .. column_end - 1 that are computed. Rows are read
 * from a copy of `n_copied` blocks, of which the first is block `copied_from`; or else this is all of them. Results begin at
 * row `result_begin`. */
typedef struct {
  ulong n; /* elements */
  uint n_blocks, copied_from, n_copied;
  uint row_begin, row_end, column_begin, column_end, result_begin;
  uint pivot;        /* cut_rows(): a vector; find(): whether there is one */
  uint pair_columns; /* find(): of the products without the pivot */
  uint capacity;     /* find(): of its results */
  uint below;        /* multiply(): only pairs whose column is below their row are needed */
} Question;

/* A copy of rows, with the pivot's numbers where they are less. In three dimensions: rows of a block, elements (and some
 * more, which are none), blocks. */
__kernel void cut_rows(__global const REAL *restrict vectors, Question question, __global REAL *restrict copy) {
  const ulong lane = get_global_id(0), q = get_global_id(1), block = get_global_id(2), n = question.n;
  if (q >= n) return;
  const REAL least = vectors[(question.pivot / BLOCK * n + q) * BLOCK + question.pivot % BLOCK];
  copy[(block * n + q) * BLOCK + lane] =
      min(least, vectors[((question.copied_from + block) * n + q) * BLOCK + lane]);
}

typedef struct {
  Vec of[ROWS][VECTORS];
} Sums;

INLINE void add(Sums *sums, const REAL *rows, const Vec *columns) {
  UNROLL for (int r = 0; r < ROWS; ++r) UNROLL for (int v = 0; v < VECTORS; ++v)
    sums->of[r][v] += min((Vec)(rows[r]), columns[v]);
}

/* The first row and column of a group's tile, and their blocks. Groups in two dimensions: columns, rows. */
INLINE uint first_row(const Question *question) {
  return question->row_begin / BLOCK * BLOCK + (uint)get_group_id(1) * TILE_ROWS;
}
INLINE uint first_column(const Question *question) {
  return question->column_begin / BLOCK * BLOCK + (uint)get_group_id(0) * TILE_COLUMNS;
}

/* A work-item's row r, and the first column of its vector v. */
INLINE uint row_of(const Question *question, uint r) {
  return first_row(question) + WIDTH * ((uint)get_local_id(0) / ITEMS + r / WIDTH * ITEMS) + r % WIDTH;
}
INLINE uint column_of(const Question *question, uint v) {
  return first_column(question) + WIDTH * ((uint)get_local_id(0) % ITEMS + v * ITEMS);
}

#if FASTID_STAGED
#define FOR_WIDTH UNROLL
#define ROW_LOADS (TILE_ROWS * STEP / (WIDTH * GROUP)) /* of a work-item in a step */
#define COLUMN_LOADS (TILE_COLUMNS * STEP / (WIDTH * GROUP))
#define ROW_STAGE (STEP * TILE_ROWS / WIDTH) /* Vecs */
#define COLUMN_STAGE (STEP * TILE_COLUMNS / WIDTH)
#if WIDTH == 4
#define SPLIT(to, vec) (to)[0] = (vec).s0, (to)[1] = (vec).s1, (to)[2] = (vec).s2, (to)[3] = (vec).s3
#else
#define SPLIT(to, vec) (to)[0] = (vec).s0, (to)[1] = (vec).s1
#endif

/* What a work-item copies of `tile` vectors from block `first` on, for the step that begins with element q: Vecs [q][vector].
 * Blocks past the last are the last one again, and elements past the last are 0. */
INLINE Vec fetch(__global const REAL *vectors, ulong n, uint first, uint n_blocks, uint tile, uint i, ulong q) {
  const uint at = (uint)get_local_id(0) + i * GROUP, vector = at % (tile / WIDTH) * WIDTH;
  const ulong block = min(first + vector / BLOCK, n_blocks - 1);
  q += at / (tile / WIDTH);
  return q < n ? LOAD(vectors + (block * n + q) * BLOCK + vector % BLOCK) : (Vec)(0);
}

INLINE void add_up(Sums *sums, const Question *question, __global const REAL *rows, __global const REAL *columns,
                   __local Vec *row_stages, __local Vec *column_stages) {
  const ulong n = question->n;
  const uint item = (uint)get_local_id(0), row = first_row(question) / BLOCK - question->copied_from;
  Vec next_rows[ROW_LOADS], next_columns[COLUMN_LOADS];
#define FETCH(q)                                                                                       \
  UNROLL for (int i = 0; i < ROW_LOADS; ++i) next_rows[i] =                                            \
      fetch(rows, n, row, question->n_copied, TILE_ROWS, i, q);                                        \
  UNROLL for (int i = 0; i < COLUMN_LOADS; ++i) next_columns[i] =                                      \
      fetch(columns, n, first_column(question) / BLOCK, question->n_blocks, TILE_COLUMNS, i, q)
  FETCH(0);
  uint stage = 0;
  for (ulong q = 0; q < n; q += STEP, stage ^= 1) {
    __local Vec *const staged_rows = row_stages + stage * ROW_STAGE;
    __local Vec *const staged_columns = column_stages + stage * COLUMN_STAGE;
    UNROLL for (int i = 0; i < ROW_LOADS; ++i) staged_rows[item + i * GROUP] = next_rows[i];
    UNROLL for (int i = 0; i < COLUMN_LOADS; ++i) staged_columns[item + i * GROUP] = next_columns[i];
    barrier(CLK_LOCAL_MEM_FENCE); /* one a step: whoever is behind reads the other stage */
    if (q + STEP < n) { FETCH(q + STEP); }
    UNROLL_SOME for (int k = 0; k < STEP; ++k) {
      REAL of_rows[ROWS];
      Vec of_columns[VECTORS];
      UNROLL for (int r = 0; r < ROWS / WIDTH; ++r) {
        const Vec some = staged_rows[k * (TILE_ROWS / WIDTH) + r * ITEMS + item / ITEMS];
        SPLIT(of_rows + r * WIDTH, some);
      }
      UNROLL for (int v = 0; v < VECTORS; ++v)
        of_columns[v] = staged_columns[k * (TILE_COLUMNS / WIDTH) + v * ITEMS + item % ITEMS];
      add(sums, of_rows, of_columns);
    }
  }
}
#else
#define FOR_WIDTH ONE_BY_ONE
#define ROW_STAGE 1 /* none */
#define COLUMN_STAGE 1

INLINE void add_up(Sums *sums, const Question *question, __global const REAL *rows, __global const REAL *columns,
                   __local Vec *row_stages, __local Vec *column_stages) {
  const ulong n = question->n;
  __global const REAL *const row =
      rows + (first_row(question) / BLOCK - question->copied_from) * n * BLOCK + first_row(question) % BLOCK;
  __global const REAL *const column = columns + first_column(question) / BLOCK * n * BLOCK;
  for (ulong q = 0; q < n; ++q) {
    REAL of_rows[ROWS];
    Vec of_columns[VECTORS];
    UNROLL for (int r = 0; r < ROWS; ++r) of_rows[r] = row[q * BLOCK + r];
    UNROLL for (int v = 0; v < VECTORS; ++v) of_columns[v] = LOAD(column + q * BLOCK + v * WIDTH);
    add(sums, of_rows, of_columns);
  }
}
#endif

#define ADD_UP(sums)                                                                                  \
  Sums sums;                                                                                          \
  __local Vec row_stages[2 * ROW_STAGE], column_stages[2 * COLUMN_STAGE];                             \
  UNROLL for (int r = 0; r < ROWS; ++r) UNROLL for (int v = 0; v < VECTORS; ++v) sums.of[r][v] = (Vec)(0); \
  add_up(&sums, &question, rows, columns, row_stages, column_stages)

/* Calls WITH(row, column, product) for each pair that is asked for: a row after the other, for which sums move up, since all
 * of them unrolled would be a long program. */
#define FOR_PAIRS(sums, WITH)                                                                           \
  ONE_BY_ONE for (uint r = 0; r < ROWS; ++r) {                                                          \
    const uint row = row_of(&question, r);                                                              \
    if (row >= question.row_begin && row < question.row_end) {                                          \
      UNROLL for (uint v = 0; v < VECTORS; ++v) {                                                       \
        const uint column = column_of(&question, v);                                                    \
        REAL products[WIDTH];                                                                           \
        STORE(sums.of[0][v], products);                                                                 \
        FOR_WIDTH for (uint c = 0; c < WIDTH; ++c)                                                      \
          if (column + c >= question.column_begin && column + c < question.column_end)                  \
            WITH(row, column + c, products[c]);                                                         \
      }                                                                                                 \
    }                                                                                                   \
    UNROLL for (int k = 0; k + 1 < ROWS; ++k) UNROLL for (int v = 0; v < VECTORS; ++v)                  \
      sums.of[k][v] = sums.of[k + 1][v];                                                                \
  }

/* Where a pair is among results, [row][column], of so many columns. */
INLINE ulong place_among(const Question *question, uint row, uint column, uint columns) {
  return (ulong)(row - question->result_begin) * columns + column - question->column_begin;
}
INLINE ulong place_of(const Question *question, uint row, uint column) {
  return place_among(question, row, column, question->column_end - question->column_begin);
}

/* Whether a group has a pair whose column is below its row. */
INLINE bool has_pairs_below(const Question *question) {
  return first_column(question) + 1 < first_row(question) + TILE_ROWS;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void multiply(
    __global const REAL *restrict rows, __global const REAL *restrict columns, Question question,
    __global REAL *restrict out) {
  if (question.below && !has_pairs_below(&question)) return; /* the whole group */
  ADD_UP(sums);
#define PUT(row, column, product) out[place_of(&question, row, column)] = product
  FOR_PAIRS(sums, PUT)
}

INLINE void test(const Question *question, uint row, uint column, REAL product, __global const REAL *pairs,
                 __global const REAL *row_limits, __global const REAL *column_limits, __global uint *found,
                 __global REAL *found_products) {
  if (column >= row) return;
  const REAL row_limit = row_limits[row - question->result_begin];
  const REAL column_limit = column_limits[column - question->column_begin];
  const REAL have =
      question->pivot ? pairs[place_among(question, row, column, question->pair_columns)] - product : product;
  /* Room for what rounding has done to the limits, their sum and the difference. */
  if (!(have + have * ROUNDING >= row_limit + column_limit - ROUNDING * (fabs(row_limit) + fabs(column_limit)))) return;
  const uint at = atomic_inc(found);
  if (at >= question->capacity) return;
  found[1 + at] = (uint)place_of(question, row, column);
  found_products[at] = product;
}

/* Appends the places of pairs whose column is below their row and that may pass ProductFilter, and their products. Its
 * limits are in `row_limits`, from result_begin on, and in `column_limits`; `pairs` has the products without the pivot, which
 * begin with the same pair. The first word of `found` is the number of pairs that were found, of which `capacity` are stored. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void find(
    __global const REAL *restrict rows, __global const REAL *restrict columns, Question question,
    __global const REAL *restrict pairs, __global const REAL *restrict row_limits,
    __global const REAL *restrict column_limits, __global uint *restrict found, __global REAL *restrict found_products) {
  if (!has_pairs_below(&question)) return; /* the whole group */
  ADD_UP(sums);
#define TEST(row, column, product) \
  test(&question, row, column, product, pairs, row_limits, column_limits, found, found_products)
  FOR_PAIRS(sums, TEST)
}
