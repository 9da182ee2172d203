/* min_plus.cl: the product of matrices in which min stands for the multiplication (src/engine/similarity.hpp): of two vectors
 * of numbers, the sum of the lesser of their elements; of words of bits, where min is AND, how many bits they have in common.
 * OpenCL C 1.2; double where FASTID_TYPE is 2.
 *
 * Vectors lie in blocks of 32, [block][q][32], with 0 behind their last element up to a multiple of STEP. A work-item has the
 * sums of ROWS vectors with VECTORS x WIDTH others in registers and walks along the elements q in ascending order: an addition
 * for each pair and element, and no multiplication that could be fused with it, so that sums have the bits that every other
 * engine gives them.
 *
 *   FASTID_STAGED 1   a group of ITEMS x ITEMS work-items copies STEP elements of its rows and columns to local memory while
 *                     it adds up those that it copied before: for GPUs
 *                 0   a work-item by itself, which reads vectors where they lie: for CPUs, whose registers hold a Vec
 *
 * The sizes are this kernel's own, not a config's: they follow from the registers of a work-item, which its sums fill, and from
 * 32 KiB of local memory, which every GPU has.
 *
 * common.h and product_filter.h come before it. Set by the build: FASTID_TYPE (1: float, 2: double, 3: words of bits),
 * FASTID_STAGED, FASTID_ITEMS, FASTID_ROWS, FASTID_VECTORS (of columns) and FASTID_WIDTH, the numbers of a Vec.
 */
#pragma OPENCL FP_CONTRACT OFF
#if FASTID_TYPE == 1
#define NUMBER float
#elif FASTID_TYPE == 2
#define NUMBER double
#else
#define NUMBER uint
#endif
#if FASTID_TYPE == 3
#define LEAST(a, b) ((a) & (b))
#define TIMES(a, b) popcount((a) & (b))
#else
#define LEAST(a, b) min(a, b)
#define TIMES(a, b) min(a, b)
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define UNROLL _Pragma("unroll")
#define UNROLL_SOME _Pragma("unroll 4")
#define ONE_BY_ONE _Pragma("unroll 1")
#define STEP 16
#define ITEMS FASTID_ITEMS
#define ROWS FASTID_ROWS
#define VECTORS FASTID_VECTORS
#define WIDTH FASTID_WIDTH
#define TILE_ROWS (ITEMS * ROWS)
#define TILE_COLUMNS (ITEMS * VECTORS * WIDTH)
#define GROUP (ITEMS * ITEMS)

typedef JOIN(NUMBER, FASTID_WIDTH) Vec;
#define LOAD(from) (*(__global const Vec *)(from)) /* vectors begin where a Vec may, and lanes of 32 are whole Vecs */
#define STORE(vec, to) JOIN(vstore, FASTID_WIDTH)(vec, 0, to)

#if FASTID_TYPE == 3
#define PLANES_OF(member) question.planes.member
#else
#define PLANES_OF(member) 1 /* of numbers */
#endif

/* The pairs of rows row_begin .. row_end - 1 with columns column_begin .. column_end - 1, which are computed with each pivot,
 * a work-group with one of them. */
typedef struct {
  ulong n; /* elements, with those that fill up the last STEP, which are 0 */
  uint n_blocks;
  uint row_begin, row_end, column_begin, column_end;
  uint n_pivots;     /* 0: there is none, and in its place a vector that is nowhere the least */
  uint pair_columns; /* find(): of the products without a pivot */
  uint capacity;     /* find(): of its results */
  uint below;        /* multiply(): only pairs whose column is below their row are needed */
  float scale;       /* find(): that of a CorrelationFilter, or 0 */
  Planes planes;
} Question;

/* Copies pivots, whose numbers are in `pivots`, each as its elements one after the other: [pivot][plane][q]. In two dimensions:
 * elements, pivots with their planes. */
__kernel void copy_pivots(__global const NUMBER *restrict vectors, __global const uint *restrict pivots, Question question,
                          __global NUMBER *restrict copies) {
  const ulong q = get_global_id(0), n = question.n;
  if (q >= n) return;
  const uint choice = (uint)get_global_id(1), plane = question.planes.pivot_first + choice % PLANES_OF(pivots);
  const uint pivot = pivots[choice / PLANES_OF(pivots)] + plane * question.planes.stride;
  copies[get_global_id(1) * n + q] = vectors[(pivot / BLOCK * n + q) * BLOCK + pivot % BLOCK];
}

typedef struct {
  Vec of[ROWS][VECTORS];
} Sums;

INLINE void add(Sums *sums, const NUMBER *rows, const Vec *columns) {
  UNROLL for (int r = 0; r < ROWS; ++r) UNROLL for (int v = 0; v < VECTORS; ++v)
    sums->of[r][v] += TIMES((Vec)(rows[r]), columns[v]);
}

/* The first row and column of a group's tile. Groups in three dimensions: columns, rows, pivots. */
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

/* What a work-item copies of TILE vectors from block `first` on: Vecs, [q][vector] of a step, of which it has each GROUP-th.
 * These are of the same vectors, APART elements from one another. Blocks past the last are the last one again. */
#define APART(TILE) (GROUP / (TILE / WIDTH))
INLINE __global const NUMBER *first_of(__global const NUMBER *vectors, const Question *question, uint first, uint tile) {
  const uint item = (uint)get_local_id(0), vector = item % (tile / WIDTH) * WIDTH;
  const ulong block = min(first + vector / BLOCK, question->n_blocks - 1);
  return vectors + (block * question->n + item / (tile / WIDTH)) * BLOCK + vector % BLOCK;
}

INLINE void add_up(Sums *sums, const Question *question, __global const NUMBER *vectors, uint row_shift, uint column_shift,
                   __global const NUMBER *pivot, __local Vec *row_stages, __local Vec *column_stages) {
  const uint item = (uint)get_local_id(0);
  __global const NUMBER *row = first_of(vectors, question, row_shift + first_row(question) / BLOCK, TILE_ROWS);
  __global const NUMBER *column = first_of(vectors, question, column_shift + first_column(question) / BLOCK, TILE_COLUMNS);
  pivot += item / (TILE_COLUMNS / WIDTH);
  Vec next_rows[ROW_LOADS], next_columns[COLUMN_LOADS];
  NUMBER least[COLUMN_LOADS]; /* the pivot's elements beside next_columns */
#define FETCH                                                                                                       \
  UNROLL for (int i = 0; i < ROW_LOADS; ++i) next_rows[i] = LOAD(row + i * APART(TILE_ROWS) * BLOCK);               \
  UNROLL for (int i = 0; i < COLUMN_LOADS; ++i) next_columns[i] = LOAD(column + i * APART(TILE_COLUMNS) * BLOCK);   \
  UNROLL for (int i = 0; i < COLUMN_LOADS; ++i) least[i] = pivot[i * APART(TILE_COLUMNS)];                          \
  row += STEP * BLOCK;                                                                                              \
  column += STEP * BLOCK;                                                                                           \
  pivot += STEP
  FETCH;
  uint stage = 0;
  for (ulong left = question->n / STEP; left != 0; --left, stage ^= 1) {
    __local Vec *const staged_rows = row_stages + stage * ROW_STAGE;
    __local Vec *const staged_columns = column_stages + stage * COLUMN_STAGE;
    UNROLL for (int i = 0; i < ROW_LOADS; ++i) staged_rows[item + i * GROUP] = next_rows[i];
    UNROLL for (int i = 0; i < COLUMN_LOADS; ++i) staged_columns[item + i * GROUP] = LEAST((Vec)(least[i]), next_columns[i]);
    barrier(CLK_LOCAL_MEM_FENCE); /* one a step: whoever is behind reads the other stage */
    if (left != 1) { FETCH; }
    UNROLL_SOME for (int k = 0; k < STEP; ++k) {
      NUMBER of_rows[ROWS];
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

INLINE void add_up(Sums *sums, const Question *question, __global const NUMBER *vectors, uint row_shift, uint column_shift,
                   __global const NUMBER *pivot, __local Vec *row_stages, __local Vec *column_stages) {
  const ulong n = question->n;
  __global const NUMBER *const row = vectors + (row_shift + first_row(question) / BLOCK) * n * BLOCK + first_row(question) % BLOCK;
  __global const NUMBER *const column = vectors + (column_shift + first_column(question) / BLOCK) * n * BLOCK;
  for (ulong q = 0; q < n; ++q) {
    NUMBER of_rows[ROWS];
    Vec of_columns[VECTORS];
    UNROLL for (int r = 0; r < ROWS; ++r) of_rows[r] = row[q * BLOCK + r];
    UNROLL for (int v = 0; v < VECTORS; ++v) of_columns[v] = LEAST((Vec)(pivot[q]), LOAD(column + q * BLOCK + v * WIDTH));
    add(sums, of_rows, of_columns);
  }
}
#endif

#define ADD_UP(sums)                                                                                  \
  Sums sums;                                                                                          \
  __local Vec row_stages[2 * ROW_STAGE], column_stages[2 * COLUMN_STAGE];                             \
  UNROLL for (int r = 0; r < ROWS; ++r) UNROLL for (int v = 0; v < VECTORS; ++v) sums.of[r][v] = (Vec)(0); \
  for (uint choice = 0; choice < PLANES_OF(pivots) * PLANES_OF(rows) * PLANES_OF(columns); ++choice) {    \
    const uint column = question.planes.column_first + choice % PLANES_OF(columns);                   \
    const uint row = question.planes.row_first + choice / PLANES_OF(columns) % PLANES_OF(rows);       \
    const uint pivot = choice / (PLANES_OF(columns) * PLANES_OF(rows));                               \
    if (choice != 0) barrier(CLK_LOCAL_MEM_FENCE); /* all have read the last stage */                 \
    add_up(&sums, &question, vectors, row * (question.planes.stride / BLOCK), column * (question.planes.stride / BLOCK), \
           pivots + (get_global_id(2) * PLANES_OF(pivots) + pivot) * question.n, row_stages, column_stages); \
  }

/* Calls WITH(row, column, product) for each pair that is asked for: a row after the other, for which sums move up, since all
 * of them unrolled would be a long program. */
#define FOR_PAIRS(sums, WITH)                                                                           \
  ONE_BY_ONE for (uint r = 0; r < ROWS; ++r) {                                                          \
    const uint row = row_of(&question, r);                                                              \
    if (row >= question.row_begin && row < question.row_end) {                                          \
      UNROLL for (uint v = 0; v < VECTORS; ++v) {                                                       \
        const uint column = column_of(&question, v);                                                    \
        NUMBER products[WIDTH];                                                                         \
        STORE(sums.of[0][v], products);                                                                 \
        FOR_WIDTH for (uint c = 0; c < WIDTH; ++c)                                                      \
          if (column + c >= question.column_begin && column + c < question.column_end)                  \
            WITH(row, column + c, products[c]);                                                         \
      }                                                                                                 \
    }                                                                                                   \
    UNROLL for (int k = 0; k + 1 < ROWS; ++k) UNROLL for (int v = 0; v < VECTORS; ++v)                  \
      sums.of[k][v] = sums.of[k + 1][v];                                                                \
  }

/* Where a pair is among [row][column] of so many columns. */
INLINE ulong place_among(const Question *question, uint row, uint column, uint columns) {
  return (ulong)(row - question->row_begin) * columns + column - question->column_begin;
}

/* Whether a group has a pair whose column is below its row. */
INLINE bool has_pairs_below(const Question *question) {
  return first_column(question) + 1 < first_row(question) + TILE_ROWS;
}

/* `pivots`: [pivot][plane][q]. Products without a pivot or with one: [row][column]. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void multiply(__global const NUMBER *restrict vectors,
                                                                          __global const NUMBER *restrict pivots,
                                                                          Question question, __global NUMBER *restrict out) {
  if (question.below && !has_pairs_below(&question)) return; /* the whole group */
  ADD_UP(sums);
  const uint n_columns = question.column_end - question.column_begin;
#define PUT(row, column, product) out[place_among(&question, row, column, n_columns)] = product
  FOR_PAIRS(sums, PUT)
}

INLINE void test(const Question *question, uint rows_end, uint row, uint column, NUMBER product, __global const NUMBER *pairs,
                 __global const Limits *row_limits, __global const Limits *column_limits, __global uint *found,
                 __global NUMBER *found_products) {
  if (column >= row || row >= rows_end) return;
  const uint n_rows = question->row_end - question->row_begin, n_columns = question->column_end - question->column_begin;
  const uint pivot = (uint)get_global_id(2);
  const Limits of_row = row_limits[pivot * n_rows + row - question->row_begin];
  const Limits of_column = column_limits[pivot * n_columns + column - question->column_begin];
  const NUMBER pair = question->n_pivots != 0 ? pairs[place_among(question, row, column, question->pair_columns)] : 0;
#if FASTID_TYPE == 3
  if (!product_may_pass((int)product, question->n_pivots != 0 ? (int)pair : -1, question->scale, of_row, of_column)) return;
#else
  if (!may_pass((REAL)(question->n_pivots != 0 ? pair - product : product), of_row, of_column)) return;
#endif
  const uint at = atomic_inc(found);
  if (at >= question->capacity) return;
  found[1 + at] = pivot * n_rows * n_columns + (uint)place_among(question, row, column, n_columns);
  found_products[at] = product;
}

/* Appends the places, [pivot][row][column], of pairs whose column is below their row, and that below the pivot, and that may
 * pass ProductFilter, and their products. Its limits are in `row_limits`, [pivot][row], and in `column_limits`; `pairs` has
 * the products without a pivot, which begin with the same pair. The first word of `found` is the number of pairs that were
 * found, of which `capacity` are stored. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void find(
    __global const NUMBER *restrict vectors, __global const NUMBER *restrict pivots, Question question,
    __global const uint *restrict pivot_numbers, __global const NUMBER *restrict pairs, __global const Limits *restrict row_limits,
    __global const Limits *restrict column_limits, __global uint *restrict found, __global NUMBER *restrict found_products) {
  if (!has_pairs_below(&question)) return; /* the whole group */
  const uint rows_end = question.n_pivots != 0 ? pivot_numbers[get_global_id(2)] : question.row_end;
  if (first_row(&question) >= rows_end) return; /* the whole group */
  ADD_UP(sums);
#define TEST(row, column, product) \
  test(&question, rows_end, row, column, product, pairs, row_limits, column_limits, found, found_products)
  FOR_PAIRS(sums, TEST)
}
