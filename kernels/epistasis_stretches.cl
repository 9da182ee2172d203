/* epistasis_stretches.cl: which combinations may be among the best (src/engine/epistasis.hpp), of counts to which one stretch
 * of people after the other was added: so there may be any number of people, whatever memory the device has. OpenCL C 1.2
 * with cl_khr_fp64. Comes after epistasis.cl or epistasis_matrix.cl. Set by the build: FASTID_TABLE, the cells of a table.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* WideCostBound. */
typedef struct {
  double share, prior_people, prior_cases, squares, logs, people, offset, least;
} Bound;

/* What was counted for a batch. Slabs lie one after the other in `margins`, `pairs` and `own`. */
typedef struct {
  __global const uint *counts;
  __global const uint4 *margins, *pairs, *own;
} BatchCounts;

/* The cells of a combination in a slab, controls and cases. */
INLINE void put_slab(const Arguments *arguments, BatchCounts from, uint slab, uint pair, uint first, uint second,
                     uint later, uint *controls, uint *cases) {
  uint2 counted[COUNTED];
  ALL for (int i = 0; i < COUNTED; ++i)
    counted[i] = (uint2)(from.counts[count_place(arguments, slab, 0, i, pair, later)],
                         from.counts[count_place(arguments, slab, 1, i, pair, later)]);
  const ulong lines = arguments->n_firsts + arguments->n_seconds, tile_pairs = arguments->n_firsts * arguments->n_seconds;
  const PairMargins of_pair = margins_of_pair(arguments, first, second, from.margins + 2 * slab * lines * LINE(arguments),
                                              from.pairs + slab * tile_pairs * PAIR_VECTORS);
  put_cells(counted, &of_pair, later, from.own + slab * LINE(arguments), controls, cases);
}

#define TABLE (1 + (2 * FASTID_TABLE + 3) / 4)

/* A work-item tests a pair with a later site. Two dimensions: later sites from block_begin on, pairs. What passes goes to
 * `found`, TABLE vectors each: its sites; and of each cell controls and cases, which are worked out a second time, so that
 * they need not be kept. The first word of the first vector is how many there are, of which `capacity` are stored. */
__kernel void test_counts(__global const uint *restrict counts, Arguments arguments, Bound bound,
                          __global const uint4 *restrict margins, __global const uint4 *restrict pairs,
                          __global const uint4 *restrict own, __global uint4 *restrict found) {
  const uint later = arguments.block_begin * BLOCK + (uint)get_global_id(0), pair = (uint)get_global_id(1);
  const uint seconds = arguments.batch_second_end - arguments.batch_second;
  const uint first = arguments.batch_first + pair / seconds;
  const uint second = FASTID_PAIRS ? first : arguments.batch_second + pair % seconds;
  if ((!FASTID_PAIRS && first >= second) || second >= later || later >= arguments.n_sites) return;
  const BatchCounts from = {counts, margins, pairs, own};
  double squares = 0, logs = 0, people = 0;
  __global uint2 *table = 0;
  for (uint i = 0; i < 2 * arguments.n_slabs; ++i) {
    const uint slab = i % arguments.n_slabs;
    if (i == arguments.n_slabs) {
      const double have = bound.squares * squares - bound.logs * logs;
      if (people < bound.least || have < people * bound.people + bound.offset) return;
      const uint at = atomic_inc((__global uint *)found);
      if (at >= arguments.capacity) return;
      __global uint4 *const to = found + 1 + (ulong)at * TABLE;
      to[0] = (uint4)(first, second, later, 0);
      table = (__global uint2 *)(to + 1);
    }
    uint controls[CELLS], cases[CELLS];
    put_slab(&arguments, from, slab, pair, first, second, later, controls, cases);
    double product = 1; /* of 27 numbers below 2^32: a double holds it */
    ONE_BY_ONE for (int cell = 0; cell < CELLS; ++cell) {
      if (table != 0) {
        table[slab * CELLS + cell] = (uint2)(controls[cell], cases[cell]);
        continue;
      }
      const double k = cases[cell], m = controls[cell] + k + bound.prior_people;
      const double d = k + bound.prior_cases - bound.share * m;
      squares += d * d / m;
      people += m;
      product *= m;
    }
    logs += log2(product);
  }
}
