/* epistasis_slabs.cl: the cost of those combinations of four sites that may be among the best (src/engine/epistasis.hpp).
 * OpenCL C 1.2. Comes after epistasis.cl or epistasis_matrix.cl, whose place_of() finds a word of a plane.
 *
 * A cell's people were counted in one slab, and are gone when the next one is counted: of the few combinations that pass
 * the bound they are counted again, for one slab after the other. `parts` holds what the slabs so far have of the cost: the
 * sum over their cells, their people, and of these the cases.
 */

/* The cells of a slab that are counted: [joint genotype of the pair][genotype of the later site], as controls and cases. */
INLINE void count_cells(const Arguments *arguments, __global const uint *restrict planes, uint4 sites, uint2 *counted) {
  ALL for (int i = 0; i < COUNTED; ++i) counted[i] = (uint2)(0, 0);
  for (uint word = 0; word < WORDS(arguments); ++word) {
    const bool of_cases = word >= arguments->control_steps * STEP;
    uint first[LATER_GENOTYPES], second[LATER_GENOTYPES], later[LATER_GENOTYPES];
    ALL for (uint q = 0; q < LATER_GENOTYPES; ++q) {
      first[q] = planes[place_of(arguments, q, sites.x, word)];
      second[q] = planes[place_of(arguments, q, sites.y, word)];
      later[q] = planes[place_of(arguments, q, sites.z, word)];
    }
    ALL for (int i = 0; i < COUNTED; ++i) {
      const int p = i / LATER_GENOTYPES;
      const uint people = popcount(first[p / LATER_GENOTYPES] & second[p % LATER_GENOTYPES] & later[i % LATER_GENOTYPES]);
      if (of_cases)
        counted[i].y += people;
      else
        counted[i].x += people;
    }
  }
}

/* Adds a slab's share to the cost of each candidate; after the last one appends those to `found`, a vector each of sites and
 * cost, that are of interest. The first words of `found` are as epistasis_test.h has them. */
__kernel void score_slab(__global const uint *restrict planes, Arguments arguments, __global const float4 *restrict margins,
                         __global const float4 *restrict pairs, __global const float4 *restrict own,
                         __global const float *restrict log_terms, __global const uint4 *restrict candidates,
                         __global uint4 *restrict parts, __global uint4 *restrict found) {
  const uint n = candidates[0].x;
  if (get_global_id(0) == 0) ((__global uint *)found)[1] = n;
  for (uint at = (uint)get_global_id(0); at < min(n, arguments.capacity); at += (uint)get_global_size(0)) {
    const uint4 sites = candidates[1 + at];
    uint2 counted[COUNTED];
    count_cells(&arguments, planes, sites, counted);
    float2 cells[COUNTED];
    ALL for (int i = 0; i < COUNTED; ++i) cells[i] = of_cell(&arguments, counted[i].x, counted[i].y);
    float m[CELLS], d[CELLS];
    const PairMargins of_pair = margins_of_pair(&arguments, sites.x, sites.y, margins, pairs);
    put_cells(cells, &of_pair, sites.z, own, m, d);
    Cost cost = {0, 0, 0};
    if (arguments.slab > 0) {
      const uint4 before = parts[at];
      cost.sum = as_float(before.x), cost.people = before.y, cost.cases = before.z;
    }
    add_cells(&cost, &arguments, m, d, log_terms);
    if (arguments.slab < 2) {
      parts[at] = (uint4)(as_uint(cost.sum), cost.people, cost.cases, 0);
      continue;
    }
    const float all = whole_cost(&cost, log_terms);
    if (!(all <= arguments.worst)) continue;
    found[1 + atomic_inc((__global uint *)found)] = (uint4)(sites.xyz, as_uint(all)); /* no more than candidates */
  }
}
