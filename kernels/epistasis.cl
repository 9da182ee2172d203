/* epistasis.cl: combinations of two or three sites that may go with a trait (src/engine/epistasis.hpp), by popcounts.
 * OpenCL C 1.2. common.h, matrix_product.h and epistasis_test.h come before it, the last says what the build sets.
 *
 * Of each site there is a plane for each genotype, in blocks of 32 sites interleaved by word. A site's words are its
 * controls, then its cases, each class in whole steps of 8 words:
 *
 *   planes   [genotype][block][word][site of the block]
 *
 * A combination begins with a pair of sites (of two sites: with one), which has PAIR_GENOTYPES planes of joint genotypes.
 * They are multiplied with the planes of any later site.
 */

/* Where a word of a site's genotype is: StretchPlanes of src/opencl/epistasis/people.cpp puts it there. */
INLINE ulong place_of(const Arguments *arguments, uint genotype, uint site, uint word) {
  return (((ulong)genotype * arguments->n_blocks + site / BLOCK) * WORDS(arguments) + word) * BLOCK + site % BLOCK;
}

/* The sites of pair i of this batch. */
INLINE uint first_of(const Arguments *arguments, uint i) {
  return arguments->batch_first + i / (arguments->batch_second_end - arguments->batch_second);
}
INLINE uint second_of(const Arguments *arguments, uint i) {
  return arguments->batch_second + i % (arguments->batch_second_end - arguments->batch_second);
}

/* A word of joint genotype i of a pair. */
INLINE uint joint(const Arguments *arguments, __global const uint *restrict planes, uint pair, uint i, uint word) {
#if FASTID_PAIRS
  return planes[place_of(arguments, i, first_of(arguments, pair), word)];
#else
  const uint n = FASTID_ALL_CALLED ? 2 : 3;
  return planes[place_of(arguments, i / n, first_of(arguments, pair), word)] &
         planes[place_of(arguments, i % n, second_of(arguments, pair), word)];
#endif
}

/* The people of a cell: classes one after the other. */
#if FASTID_LARGE
typedef uint2 Count;
#define ADD(count, n) (count).y += (n)
#define NEXT_CLASS(count) (count) = (uint2)((count).y, 0)
#define CONTROLS(count) ((count).x)
#define CASES(count) ((count).y)
#else
typedef uint Count;
#define ADD(count, n) (count) += (n)
#define NEXT_CLASS(count) (count) <<= CLASS_BITS
#define CONTROLS(count) ((count) >> CLASS_BITS)
#define CASES(count) ((count) & 0xffff)
#endif

/* Counts margins of sites from `begin` on, as lines of `margins` from `line` on, in which IN_LINE() orders the later sites.
 * Two dimensions: later sites of all blocks, sites. */
__kernel void count_margins(__global const uint *restrict planes, Arguments arguments, uint begin, uint end, uint line,
                         __global Quantity4 *restrict margins) {
  const uint later = (uint)get_global_id(0), site = begin + (uint)get_global_id(1);
  if (later <= site || later >= arguments.n_sites || site >= end) return;
  Count sums[4];
  ALL for (int i = 0; i < 4; ++i) sums[i] = 0;
  for (uint word = 0; word < WORDS(&arguments); ++word) {
    if (word == arguments.control_steps * STEP)
      ALL for (int i = 0; i < 4; ++i) NEXT_CLASS(sums[i]);
    const uint a0 = planes[place_of(&arguments, 0, site, word)], a1 = planes[place_of(&arguments, 1, site, word)];
    const uint b0 = planes[place_of(&arguments, 0, later, word)], b1 = planes[place_of(&arguments, 1, later, word)];
    ADD(sums[0], popcount(a0 & b0));
    ADD(sums[1], popcount(a0 & b1));
    ADD(sums[2], popcount(a1 & b0));
    ADD(sums[3], popcount(a1 & b1));
  }
  __global Quantity4 *const to = margins + 2 * ((line + site - begin) * LINE(&arguments) + IN_LINE(later));
  Quantity2 of[4];
  ALL for (int i = 0; i < 4; ++i) of[i] = quantities(&arguments, CONTROLS(sums[i]), CASES(sums[i]), 3);
  PUT(to[0], (Quantity4)(of[0].x, of[1].x, of[2].x, of[3].x));
  PUT(to[1], (Quantity4)(of[0].y, of[1].y, of[2].y, of[3].y));
}

/* The pairs' planes: [tile of 16 pairs][step][joint genotype][work-item of a warp], a uint4 each (matrix_product.h). In two
 * dimensions: work-items of a warp for each step, and tiles. */
__kernel void pack_pairs(__global const uint *restrict planes, Arguments arguments, __global uint4 *restrict packed) {
  const uint step = (uint)get_global_id(0) / WARP, item = (uint)get_global_id(0) % WARP, tile = (uint)get_global_id(1);
  for (uint p = 0; p < PAIR_GENOTYPES; ++p) {
    uint words[4];
    for (uint i = 0; i < 4; ++i) {
      const uint pair = min(packed_row(tile, item, i), n_pairs(&arguments) - 1);
      words[i] = joint(&arguments, planes, pair, p, packed_word(step, item, i));
    }
    packed[((ulong)(tile * arguments.steps + step) * PAIR_GENOTYPES + p) * WARP + item] =
        (uint4)(words[0], words[1], words[2], words[3]);
  }
}

#if !FASTID_SLABS && !FASTID_STRETCHES
#define OUTPUTS __global const float *restrict log_terms, __global uint4 *restrict found
#define TO_OUTPUTS log_terms, found
#endif

/* A work-item counts a pair with a later site. Two dimensions: later sites from block_begin on, pairs. OUTPUTS: the table
 * `log_terms` and `found`; of four sites `slabs` and `candidates`; by stretches `counts` (epistasis_test.h). */
__kernel void find(__global const uint *restrict planes, Arguments arguments, __global const uint4 *restrict packed,
                   __global const Quantity4 *restrict margins, __global const Quantity4 *restrict pairs,
                   __global const Quantity4 *restrict own, OUTPUTS) {
  const uint later = arguments.block_begin * BLOCK + (uint)get_global_id(0), pair = (uint)get_global_id(1);
  const uint tile = pair / TILE, row = pair % TILE;
  const uint upper = row / 8, first_item = row % 8 * 4; /* the pair's words are in these work-items' vectors */
  Count counted[COUNTED];
  ALL for (uint i = 0; i < COUNTED; ++i) counted[i] = 0;
  for (uint step = 0; step < arguments.steps; ++step) {
    if (step == arguments.control_steps)
      ALL for (uint i = 0; i < COUNTED; ++i) NEXT_CLASS(counted[i]);
    for (uint g = 0; g < 4; ++g) {
      uint lows[3], highs[3];
      ALL for (uint q = 0; q < LATER_GENOTYPES; ++q) {
        const ulong place = place_of(&arguments, q, later, step * STEP + g);
        lows[q] = planes[place];
        highs[q] = planes[place + 4 * BLOCK];
      }
      ALL for (uint p = 0; p < PAIR_GENOTYPES; ++p) {
        const uint4 words = packed[((ulong)(tile * arguments.steps + step) * PAIR_GENOTYPES + p) * WARP + first_item + g];
        const uint low = upper ? words.y : words.x, high = upper ? words.w : words.z;
        ALL for (uint q = 0; q < LATER_GENOTYPES; ++q)
          ADD(counted[LATER_GENOTYPES * p + q], popcount(low & lows[q]) + popcount(high & highs[q]));
      }
    }
  }
  if (pair >= n_pairs(&arguments)) return;
  const uint first = first_of(&arguments, pair), second = FASTID_PAIRS ? first : second_of(&arguments, pair);
  if ((!FASTID_PAIRS && first >= second) || second >= later || later >= arguments.n_sites) return;
#if FASTID_STRETCHES
  ALL for (int i = 0; i < COUNTED; ++i) {
    counts[count_place(&arguments, arguments.slab, 0, i, pair, later)] += CONTROLS(counted[i]);
    counts[count_place(&arguments, arguments.slab, 1, i, pair, later)] += CASES(counted[i]);
  }
#else
  float m[CELLS], d[CELLS];
  float2 cells[COUNTED];
  ALL for (int i = 0; i < COUNTED; ++i) cells[i] = of_cell(&arguments, CONTROLS(counted[i]), CASES(counted[i]));
  const PairMargins of_pair = margins_of_pair(&arguments, first, second, margins, pairs);
  put_cells(cells, &of_pair, later, own, m, d);
#if FASTID_SLABS
  add_slab(&arguments, m, d, first, second, later, TO_OUTPUTS);
#else
  if (may_pass(&arguments, m, d)) score(&arguments, m, d, first, FASTID_PAIRS ? 0 : second, later, TO_OUTPUTS);
#endif
#endif /* !FASTID_STRETCHES */
}
