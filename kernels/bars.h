/* bars.h: the queries' bars on the device, and what a device does about them by itself: it closes those that are open by
 * what a tile shows, drops pairs that do not pass any more, and gathers the profiles of those that do. Comes before each
 * of the comparison kernels. OpenCL C 1.2.
 */
#define BLOCK 32 /* profiles in a block of the database */

/* What a query's bar is, from row `row` on, each line n_rows long: the least count that cannot pass whatever the weight;
 * max_count; num; den; num / den in units of 2^-15, rounded up; the weight of its pairs where it is the query's own, else
 * the most that one weighs; and for compare_matrix.cl the least that |q & d| - |d| / 2 must be, and its slack: the need is
 * half of slack - (limit - 1), rounded up. */
#define BAR(line, row) bars[(line) * n_rows + (row)]
#define LIMIT 0
#define MAX_COUNT 1
#define NUM 2
#define DEN 3
#define RATIO 4
#define OWN_WEIGHT 5
#define NEED 6
#define SLACK 7

/* A buffer of pairs: word 0 counts them, those from `capacity` on are not stored; word 1: how many were tallied. From
 * word 4 on, for each: query, profile, count, weight. */
#define PAIR(pairs, i) vload4((ulong)(i) + 1, pairs)

/* Whether the exact bar lets a pair (count, weight) through. */
int passes_bar(uint2 pair, __global const uint *bars, uint n_rows, uint query) {
  return pair.x <= BAR(MAX_COUNT, query) &&
         (ulong)pair.x * BAR(DEN, query) <= (ulong)BAR(NUM, query) * max(pair.y, 1u);
}

/* `pair` is made of numbers: Oclgrind 21.10 reads past its memory where a vector of two becomes a part of one of four. */
void append_pair(uint4 pair, uint capacity, __global uint *pairs) {
  const uint at = atomic_inc(pairs);
  if (at < capacity) vstore4(pair, (ulong)at + 1, pairs);
}

/* A query's pairs are tallied by their share, count / weight, in steps of 1 / TALLY_STEPS, rounded up; a share of 1 closes
 * no bar. */
#define TALLY_STEPS 1024

/* Adds the pairs that have come since the last time to the tallies of queries from first_tallied on, TALLY_STEPS words
 * each, to which other runs may be adding. Those that weigh less than min_weight may turn out not to be listed, and count
 * for nothing. Any global size. */
__kernel void tally(__global const uint *restrict pairs, uint capacity, uint min_weight, uint first_tallied,
                    __global uint *restrict tallies) {
  const uint end = min(pairs[0], capacity);
  for (uint i = pairs[1] + (uint)get_global_id(0); i < end; i += (uint)get_global_size(0)) {
    const uint4 pair = PAIR(pairs, i);
    if (pair.w < min_weight) continue;
    const uint weight = max(pair.w, 1u);
    const ulong step = ((ulong)pair.z * TALLY_STEPS + weight - 1) / weight;
    if (step < TALLY_STEPS) atomic_inc(&tallies[(ulong)(pair.x - first_tallied) * TALLY_STEPS + step]);
  }
}

/* Closes the bars of queries from first_query on, a work-group each: to the least share that `keep` of the query's tallied
 * pairs have, or less, in the steps of the tally, unless a bar is closer already. A pair that is turned away is then worse
 * than `keep` others. While other runs add to the tallies, a bar may be less close than it could be. `sums` has a word for
 * each work-item, of which there are 1, 2, 4, ... or TALLY_STEPS. */
__kernel void tighten(__global uint *restrict bars, uint n_rows, uint n_sites, uint keep, uint first_query,
                      uint first_tallied, __global const uint *tallies, uint capacity, __global uint *restrict pairs,
                      __local uint *sums) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0), query = first_query + (uint)get_group_id(0);
  __global const uint *const own = tallies + (ulong)(query - first_tallied) * TALLY_STEPS;
  const uint steps = TALLY_STEPS / items;
  uint sum = 0;
  for (uint i = 0; i < steps; ++i) sum += own[item * steps + i];
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0) return;
  if (get_group_id(0) == 0) pairs[1] = min(pairs[0], capacity);
  uint so_far = 0, part = 0;
  while (part < items && so_far + sums[part] < keep) so_far += sums[part++];
  if (part == items) return;
  uint step = part * steps;
  while (step < TALLY_STEPS && (so_far += own[step]) < keep) ++step;
  if (step == TALLY_STEPS) return;
  if (BAR(DEN, query) != 0 && (ulong)step * BAR(DEN, query) >= (ulong)BAR(NUM, query) * TALLY_STEPS) return;
  const ulong most = (ulong)step * max(BAR(OWN_WEIGHT, query), 1u) / TALLY_STEPS;
  const uint limit = (uint)min(min(most, (ulong)BAR(MAX_COUNT, query)), (ulong)n_sites) + 1;
  BAR(NUM, query) = step;
  BAR(DEN, query) = TALLY_STEPS;
  BAR(LIMIT, query) = limit;
  BAR(RATIO, query) = step * (32768 / TALLY_STEPS);
  BAR(NEED, query) = (uint)(((int)BAR(SLACK, query) - (int)(limit - 1) + 1) >> 1);
}

/* Appends those of `pairs` that pass the bars as they are now to `left`, whose word 1 then says how many there were. */
__kernel void sift(__global const uint *restrict bars, uint n_rows, __global const uint *restrict pairs, uint capacity,
                   __global uint *restrict left) {
  const uint end = min(pairs[0], capacity);
  if (get_global_id(0) == 0) left[1] = pairs[0];
  for (uint i = (uint)get_global_id(0); i < end; i += (uint)get_global_size(0)) {
    const uint4 pair = PAIR(pairs, i);
    if (passes_bar(pair.zw, bars, n_rows, pair.x)) append_pair(pair, capacity, left);
  }
}

/* Profiles places[0], places[1], ... of a plane, side by side in blocks of their own. Global size: their number, filled
 * up to whole blocks, x n_words. */
__kernel void gather(__global const uint *restrict plane, uint n_words, __global const uint *restrict places,
                     uint n_profiles, __global uint *restrict to) {
  const uint i = (uint)get_global_id(0), word = (uint)get_global_id(1);
  const uint from = i < n_profiles ? places[i] : 0;
  const ulong at = ((ulong)(from / BLOCK) * n_words + word) * BLOCK + from % BLOCK;
  to[((ulong)(i / BLOCK) * n_words + word) * BLOCK + i % BLOCK] = i < n_profiles ? plane[at] : 0;
}
