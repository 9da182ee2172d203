/* epistasis_matrix.cl: combinations of two or three sites that may go with a trait (src/engine/epistasis.hpp), by products of
 * matrices of bits. OpenCL C 1.2, and PTX where the device takes it. common.h, matrix_product.h and epistasis_test.h come
 * before it.
 *
 * Sites lie in tiles of 16, each with a plane for each genotype: 0 and 1 where everybody is called, else all three. A site's
 * words are its controls, then its cases, each class in whole steps of 8 words. Work-item 4 r + g of a warp has words g and
 * g + 4 of sites 2 r and 2 r + 1 as its operands of a step, which lie in one vector, or in two:
 *
 *   planes   [tile][step][genotype][r, g]: of site 2 r as x, z, of site 2 r + 1 as y, w
 *            [tile][step][genotype][site % 2][r, g], of three sites where not everybody is called
 *
 * This serves as the second sites, 16 rows of a product, and as later ones, two products of 8 columns each, of every other
 * site. First sites lie as all work-items of an r load them:
 *
 *   firsts   [site][step][genotype / 2][g]: words g and g + 4 of a genotype, then of the next one (after the last one: 0)
 *
 * A first site's words AND the second sites' are the planes of 16 pairs. They are made in registers: a warp multiplies
 * FIRST_SITES x 16 pairs with LATER_TILES x 16 later sites, 8 joint genotypes each; or 16 pairs with 8 later sites, 27 joint
 * genotypes each, which take as many registers. Of two sites the rows are FIRST_SITES tiles of first sites. Set by the build:
 * FASTID_SHARES (both classes may be counted once, for people dealt to classes some times), FASTID_FIRST_SITES,
 * FASTID_LATER_TILES, and how a group's warps lie, FASTID_FIRST_WARPS, FASTID_SECOND_WARPS (of two sites
 * 1) and FASTID_LATER_WARPS (of three sites where not everybody is called an even number).
 */
#define FIRST_SITES FASTID_FIRST_SITES
#define LATER_TILES FASTID_LATER_TILES
#define GENOTYPES LATER_GENOTYPES
#if FASTID_PAIRS
#define FIRST_VECTORS GENOTYPES
#define FIRST_ITEMS WARP /* a vector each of these */
#else
#define FIRST_VECTORS ((GENOTYPES + 1) / 2)
#define FIRST_ITEMS 4
#endif
#if FASTID_ALL_CALLED || FASTID_PAIRS
#define PRODUCTS 2 /* a warp's products of 8 later sites of a tile */
#define PLANE WARP
typedef uint4 Plane;
#define rows_of(plane) (*(plane))
#define multiply_laters multiply_tile
#else
#define PRODUCTS 1
#define PLANE (2 * WARP) /* vectors of a genotype in a step */
typedef uint2 Plane;
INLINE uint4 rows_of(__global const uint2 *plane) {
  const uint2 even = plane[0], odd = plane[WARP];
  return (uint4)(even.x, odd.x, even.y, odd.y);
}
#define multiply_laters multiply_half
#endif
#define LATER_SITES (FASTID_LATER_WARPS * LATER_TILES * PRODUCTS * 8) /* of a group */

/* Sums of a first site: [joint genotype of three][tile of later sites][product][j], which a work-item holds of second sites
 * (of two sites: first ones) 2 r + j / 2 and later ones 4 g + 2 (j % 2) + product. */
typedef struct {
  int of[COUNTED][LATER_TILES][PRODUCTS][4];
} Sums;
#define FOR_SUMS(DO)                                                               \
  ALL for (int i = 0; i < COUNTED; ++i) ALL for (int n = 0; n < LATER_TILES; ++n)  \
  ALL for (int t = 0; t < PRODUCTS; ++t) ALL for (int j = 0; j < 4; ++j) { DO }

typedef struct {
  uint4 firsts[FIRST_SITES][FIRST_VECTORS];
#if !FASTID_PAIRS
  uint4 seconds[GENOTYPES];
#endif
  Plane laters[LATER_TILES][GENOTYPES];
} Operands;
typedef struct {
  __global const uint4 *firsts[FIRST_SITES];
  __global const Plane *seconds, *laters[LATER_TILES];
} Place;

INLINE void load(Operands *to, const Place *from, uint step) {
  UNROLL for (int f = 0; f < FIRST_SITES; ++f) UNROLL for (int v = 0; v < FIRST_VECTORS; ++v)
    to->firsts[f][v] = from->firsts[f][(step * FIRST_VECTORS + v) * FIRST_ITEMS];
  UNROLL for (int q = 0; q < GENOTYPES; ++q) {
#if !FASTID_PAIRS
    to->seconds[q] = rows_of(from->seconds + (step * GENOTYPES + q) * PLANE);
#endif
    UNROLL for (int n = 0; n < LATER_TILES; ++n) to->laters[n][q] = from->laters[n][(step * GENOTYPES + q) * PLANE];
  }
}

INLINE __global const Plane *planes_of_tile(const Arguments *arguments, __global const Plane *planes, uint tile, uint item) {
  return planes + (ulong)min(tile, arguments->n_blocks * 2 - 1) * arguments->steps * GENOTYPES * PLANE + item;
}

/* Where counts of controls wait while cases are counted. */
#if FASTID_LARGE
typedef struct {
  int of[FIRST_SITES * 2 * 2][LATER_TILES][PRODUCTS][COUNTED]; /* [first site, j / 2, j % 2][tile][product][joint genotype] */
} Controls;
INLINE void next_class(Sums *sums, Controls *controls) {
  ALL for (int f = 0; f < FIRST_SITES; ++f) {
    FOR_SUMS(controls->of[4 * f + j][n][t][i] = sums[f].of[i][n][t][j]; sums[f].of[i][n][t][j] = 0;)
  }
}
#else
typedef int Controls;
INLINE void next_class(Sums *sums, Controls *controls) {
  ALL for (int f = 0; f < FIRST_SITES; ++f) { FOR_SUMS(sums[f].of[i][n][t][j] <<= CLASS_BITS;) }
}
#endif

/* The planes of joint genotype p of 16 pairs, or of genotype p of 16 first sites. */
INLINE uint4 rows_of_product(const Operands *with, int f, int p) {
#if FASTID_PAIRS
  return with->firsts[f][p];
#else
  const int a = p / GENOTYPES;
  const uint4 first = with->firsts[f][a / 2];
  const uint low = a % 2 == 0 ? first.x : first.z, high = a % 2 == 0 ? first.y : first.w;
  return with->seconds[p % GENOTYPES] & (uint4)(low, low, high, high);
#endif
}

INLINE void multiply_pairs(Sums *sums, const Operands *with, __local uint *exchange) {
  UNROLL for (int f = 0; f < FIRST_SITES; ++f) {
    UNROLL for (int p = 0; p < PAIR_GENOTYPES; ++p) {
      const uint4 pairs = rows_of_product(with, f, p);
      UNROLL for (int n = 0; n < LATER_TILES; ++n) UNROLL for (int q = 0; q < GENOTYPES; ++q)
        multiply_laters(sums[f].of[GENOTYPES * p + q][n], pairs, with->laters[n][q], exchange);
    }
  }
}

/* Adds the products of some steps. `next` has the operands of the first one, and then those of the step after the last. */
INLINE void multiply_steps(Sums *sums, Operands *next, const Place *place, uint begin, uint end, uint last,
                           __local uint *exchange) {
  for (uint step = begin; step < end; ++step) {
    const Operands now = *next;
    load(next, place, min(step + 1, last));
    multiply_pairs(sums, &now, exchange);
  }
}

/* Where a word of a site's genotype is: StretchPlanes of src/opencl/epistasis/people.cpp puts it there. */
INLINE ulong place_of(const Arguments *arguments, uint genotype, uint site, uint word) {
  const uint step = word / STEP, item = site % TILE / 2 * 4 + word % 4, half_step = word % STEP / 4;
  const ulong plane = (((ulong)(site / TILE) * arguments->steps + step) * GENOTYPES + genotype) * PLANE;
#if PRODUCTS == 2
  return (plane + item) * 4 + half_step * 2 + site % 2;
#else
  return (plane + site % 2 * WARP + item) * 2 + half_step;
#endif
}

#if !FASTID_PAIRS
/* The operand `firsts` of sites from `begin` on. In two dimensions: 4 work-items for each step (those past the last do
 * nothing), and sites. */
__kernel void pack_firsts(__global const uint *restrict planes, Arguments arguments, uint begin,
                          __global uint4 *restrict firsts) {
  const uint step = (uint)get_global_id(0) / 4, g = (uint)get_global_id(0) % 4, at = (uint)get_global_id(1);
  if (step >= arguments.steps) return;
  for (uint v = 0; v < FIRST_VECTORS; ++v) {
    uint words[4];
    for (uint i = 0; i < 4; ++i) {
      const uint genotype = 2 * v + i / 2;
      words[i] =
          genotype < GENOTYPES ? planes[place_of(&arguments, genotype, begin + at, step * STEP + g + i % 2 * 4)] : 0;
    }
    firsts[(((ulong)at * arguments.steps + step) * FIRST_VECTORS + v) * 4 + g] =
        (uint4)(words[0], words[1], words[2], words[3]);
  }
}
#endif

#if FASTID_ALL_CALLED && !FASTID_PAIRS
INLINE void multiply_sites(int sums[4][2][4], __global const uint4 *from, __global const uint4 *laters, uint begin, uint end,
                           __local uint *exchange) {
  ALL for (int i = 0; i < 4; ++i) ALL for (int t = 0; t < 2; ++t) ALL for (int j = 0; j < 4; ++j) sums[i][t][j] = 0;
  for (uint step = begin; step < end; ++step)
    UNROLL for (int p = 0; p < 2; ++p) UNROLL for (int q = 0; q < 2; ++q)
      multiply_tile(sums[2 * p + q], from[(step * GENOTYPES + p) * WARP], laters[(step * GENOTYPES + q) * WARP], exchange);
}

/* Counts margins of sites from `begin` on: lines of `margins` from `line` on, each ordered by IN_LINE(). A warp multiplies 16
 * sites with 16 later ones. Work-groups of a warp in two dimensions: tiles of later sites, tiles from that of `begin` on. */
__kernel __attribute__((reqd_work_group_size(WARP, 1, 1))) void count_margins(
    __global const uint4 *restrict planes, Arguments arguments, uint begin, uint end, uint line,
    __global Quantity4 *restrict margins) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0), later_tile = (uint)get_group_id(0), tile = begin / TILE + (uint)get_group_id(1);
  if (later_tile < tile) return;
  __global const uint4 *const from = planes_of_tile(&arguments, planes, tile, item);
  __global const uint4 *const laters = planes_of_tile(&arguments, planes, later_tile, item);
  int controls[4][2][4], cases[4][2][4];
  multiply_sites(controls, from, laters, 0, arguments.control_steps, exchange);
  multiply_sites(cases, from, laters, arguments.control_steps, arguments.steps, exchange);
  ALL for (int t = 0; t < 2; ++t) ALL for (int j = 0; j < 4; ++j) {
    const uint site = tile * TILE + item / 4 * 2 + j / 2, later = later_tile * TILE + item % 4 * 4 + j % 2 * 2 + t;
    if (site < begin || site >= end || later <= site || later >= arguments.n_sites) continue;
    Quantity2 of[4];
    ALL for (int i = 0; i < 4; ++i)
      of[i] = quantities(&arguments, (uint)controls[i][t][j], (uint)cases[i][t][j], 3);
    __global Quantity4 *const to = margins + 2 * ((line + site - begin) * LINE(&arguments) + IN_LINE(later));
    PUT(to[0], (Quantity4)(of[0].x, of[1].x, of[2].x, of[3].x));
    PUT(to[1], (Quantity4)(of[0].y, of[1].y, of[2].y, of[3].y));
  }
}
#endif

/* Whether a pair, or a first site, is one of this batch. */
INLINE bool is_of_batch(const Arguments *arguments, uint first, uint second) {
  const bool is = first >= arguments->batch_first && first < arguments->batch_first_end;
  if (FASTID_PAIRS) return is;
  return is && second >= arguments->batch_second && second < arguments->batch_second_end && first < second;
}

#if FASTID_STRETCHES
/* Adds what a work-item has counted of pair 2 r + odd of a first site, with later sites, to the counts of all stretches. */
INLINE void add_pair(const Arguments *arguments, const Sums *sums, const Controls *controls, int f, int odd, uint first,
                     uint second, uint later_begin, __global uint *restrict counts) {
  if (!is_of_batch(arguments, first, second)) return;
  uint pair = first - arguments->batch_first;
  if (!FASTID_PAIRS)
    pair = pair * (arguments->batch_second_end - arguments->batch_second) + second - arguments->batch_second;
  UNROLL for (int c = 0; c < 2; ++c)
  UNROLL for (int n = 0; n < LATER_TILES; ++n) UNROLL for (int t = 0; t < PRODUCTS; ++t) {
    const uint later = later_begin + n * TILE + c * 2 + t;
    if (second >= later || later >= arguments->n_sites) continue;
    UNROLL for (int i = 0; i < COUNTED; ++i) {
      counts[count_place(arguments, arguments->slab, 0, i, pair, later)] +=
          (uint)controls->of[4 * f + 2 * odd + c][n][t][i];
      counts[count_place(arguments, arguments->slab, 1, i, pair, later)] += (uint)sums[f].of[i][n][t][2 * odd + c];
    }
  }
}
#else
/* What a work-item has counted of a joint genotype: bits of floats of controls, which wait at `controls_at`, and of cases. */
INLINE uint2 counted_bits(const Sums *sums, const Controls *controls, int controls_at, int n, int t, int i) {
  const uint sum = (uint)sums->of[i][n][t][0];
  uint2 bits;
#if FASTID_LARGE
  bits = (uint2)(EXPONENT | (uint)controls->of[controls_at][n][t][i], EXPONENT | sum);
#else
  UPPER_HALF(bits.x, sum);
  LOWER_HALF(bits.y, sum);
#endif
  return bits;
}

#if !FASTID_SLABS
/* Combinations that may be among the best by CostBound, CANDIDATE vectors each: its sites; and of each joint genotype that
 * was counted the bits of controls and cases. The first word of the first vector, which the host has set to 0, is how
 * many there are, of which `capacity` are stored. */
#define CANDIDATE (1 + (COUNTED + 1) / 2)
INLINE void append(const Arguments *arguments, const Sums *sums, const Controls *controls, int controls_at, int n, int t,
                   const PairMargins *of_pair, uint later, __global uint4 *restrict candidates) {
  const uint at = atomic_inc((__global uint *)candidates);
  if (at >= arguments->capacity) return;
  __global uint4 *const to = candidates + 1 + (ulong)at * CANDIDATE;
  to[0] = (uint4)(of_pair->first, of_pair->second, later, 0);
  __global uint2 *const cells = (__global uint2 *)(to + 1);
  ALL for (int i = 0; i < COUNTED; ++i) cells[i] = counted_bits(sums, controls, controls_at, n, t, i);
}

/* Scores candidates, in one dimension. */
__kernel void score_candidates(__global const uint4 *restrict candidates, Arguments arguments,
                               __global const float4 *restrict margins, __global const float4 *restrict pairs,
                               __global const float4 *restrict own, __global const float *restrict log_terms,
                               __global uint4 *restrict found) {
  const uint n = candidates[0].x;
  if (get_global_id(0) == 0) ((__global uint *)found)[1] = n;
  for (uint at = (uint)get_global_id(0); at < min(n, arguments.capacity); at += (uint)get_global_size(0)) {
    __global const uint4 *const from = candidates + 1 + (ulong)at * CANDIDATE;
    const uint4 sites = from[0];
    float2 cells[COUNTED];
    ALL for (int i = 0; i < COUNTED; ++i) {
      const uint2 bits = ((__global const uint2 *)(from + 1))[i];
      cells[i] = of_bits(&arguments, bits.x, bits.y);
    }
    const PairMargins of_pair = margins_of_pair(&arguments, sites.x, sites.y, margins, pairs);
    float m[CELLS], d[CELLS];
    put_cells(cells, &of_pair, sites.z, own, m, d);
    score(&arguments, m, d, sites.x, sites.y, sites.z, log_terms, found);
  }
}
#define OUTPUTS __global uint4 *restrict candidates
#define TO_OUTPUTS candidates
#endif

#if FASTID_SHARES
/* People of both classes, of j = 0 to 3: in half words modulo 2^16, which the one class less the other is not. */
#if FASTID_LARGE
typedef uint4 Total;
INLINE Total total_of(const int *sums) { return (uint4)(sums[0], sums[1], sums[2], sums[3]); }
#else
typedef uint2 Total;
INLINE Total total_of(const int *sums) {
  return (uint2)((uint)sums[0] & 0xffff | (uint)sums[1] << 16, (uint)sums[2] & 0xffff | (uint)sums[3] << 16);
}
#endif
#define FOR_TOTALS(DO)                                                                                     \
  ALL for (int f = 0; f < FIRST_SITES; ++f) ALL for (int i = 0; i < COUNTED; ++i)                          \
  ALL for (int n = 0; n < LATER_TILES; ++n) ALL for (int t = 0; t < PRODUCTS; ++t) {                       \
    const uint at = (((uint)f * COUNTED + i) * LATER_TILES + n) * PRODUCTS + t; DO }

/* Where a work-item's totals begin: [first site][joint genotype of three][tile][product][work-item of the warp]. */
INLINE ulong totals_of_item(void) {
  const ulong warp = ((ulong)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * WARPS + get_local_id(0) / WARP;
  return warp * (FIRST_SITES * COUNTED * LATER_TILES * PRODUCTS * WARP) + get_local_id(0) % WARP;
}

/* Puts both classes where controls wait. */
INLINE void put_total(Sums *sums, Controls *controls, Total total, int f, int i, int n, int t) {
#if FASTID_LARGE
  const uint of[4] = {total.x, total.y, total.z, total.w};
  ALL for (int j = 0; j < 4; ++j) {
    controls->of[4 * f + j][n][t][i] = (int)of[j];
    sums[f].of[i][n][t][j] = 0;
  }
#else
  const uint of[4] = {total.x << 16, total.x & 0xffff0000u, total.y << 16, total.y & 0xffff0000u};
  ALL for (int j = 0; j < 4; ++j) sums[f].of[i][n][t][j] = (int)of[j];
#endif
}

/* Makes each class of both together and of the one that was counted, as they are where both are counted. */
INLINE void put_classes(Sums *sums, Controls *controls, bool of_cases, int f, int i, int n, int t, int j) {
  const uint sum = (uint)sums[f].of[i][n][t][j];
#if FASTID_LARGE
  const uint other = (uint)controls->of[4 * f + j][n][t][i] - sum;
  controls->of[4 * f + j][n][t][i] = (int)(of_cases ? other : sum);
  sums[f].of[i][n][t][j] = (int)(of_cases ? sum : other);
#else
  const uint one = sum & 0xffff, other = ((sum >> 16) - one) & 0xffff;
  sums[f].of[i][n][t][j] = (int)(of_cases ? other << 16 | one : one << 16 | other);
#endif
}
#endif

/* Tests a pair with the later sites of even j, then of odd j (Sums), a few at once to keep the device busy. The loop is not
 * unrolled, since its code would not fit the instruction cache. Registers need constant indices: each round tests j = 0 and
 * then moves the others down by one. `controls_at`: where the pair's controls with the first of these sites wait. */
INLINE void test_pair(const Arguments *arguments, Sums *sums, const Controls *controls, int controls_at, uint first,
                      uint second, uint later_begin, __global const float4 *restrict margins,
                      __global const float4 *restrict pairs, __global const float4 *restrict own, OUTPUTS) {
  const bool is = is_of_batch(arguments, first, second);
  const PairMargins of_pair = margins_of_pair(arguments, is ? first : arguments->batch_first,
                                              is ? second : arguments->batch_second, margins, pairs);
  const uint after = is ? second : arguments->n_sites; /* of a pair: later sites come after it; else none does */
  ONE_BY_ONE for (int c = 0; c < 2; ++c) {
#if !FASTID_SLABS
    uint pass = 0;
#endif
    ALL for (int n = 0; n < LATER_TILES; ++n) ALL for (int t = 0; t < PRODUCTS; ++t) {
      const uint later = later_begin + n * TILE + c * 2 + t;
      float2 cells[COUNTED];
      ALL for (int i = 0; i < COUNTED; ++i) {
        const uint2 bits = counted_bits(sums, controls, controls_at + c, n, t, i);
        cells[i] = of_bits(arguments, bits.x, bits.y);
      }
      float m[CELLS], d[CELLS];
      put_cells(cells, &of_pair, min(later, arguments->n_sites - 1), own, m, d);
#if FASTID_SLABS
      if (after < later && later < arguments->n_sites)
        add_slab(arguments, m, d, of_pair.first, of_pair.second, later, TO_OUTPUTS);
#else
      pass |= (uint)(may_pass(arguments, m, d) & (after < later) & (later < arguments->n_sites)) << (PRODUCTS * n + t);
#endif
    }
#if !FASTID_SLABS
    if (pass != 0)
      ALL for (int n = 0; n < LATER_TILES; ++n) ALL for (int t = 0; t < PRODUCTS; ++t)
        if (pass >> (PRODUCTS * n + t) & 1)
          append(arguments, sums, controls, controls_at + c, n, t, &of_pair, later_begin + n * TILE + c * 2 + t, TO_OUTPUTS);
#endif
    FOR_SUMS(if (j < 3) sums->of[i][n][t][j] = sums->of[i][n][t][j + 1];)
  }
}
#endif /* !FASTID_STRETCHES */

/* Where a warp's first, second and later sites begin. */
typedef struct {
  uint first, second, later;
} Sites;

/* False of a group without combinations. */
#if FASTID_PAIRS
INLINE bool put_place(const Arguments *arguments, __global const Plane *planes, __global const uint4 *firsts, uint item,
                      uint warp, Sites *sites, Place *place) {
  const uint tile = arguments->batch_first / TILE + (uint)get_group_id(0) * (FASTID_FIRST_WARPS * FIRST_SITES);
  const uint later = arguments->block_begin * BLOCK + (uint)get_group_id(1) * LATER_SITES;
  if (tile * TILE + 1 >= later + LATER_SITES) return false;
  const uint own_tile = tile + warp % FASTID_FIRST_WARPS * FIRST_SITES;
  const uint own_later = later + warp / FASTID_FIRST_WARPS * (LATER_TILES * TILE);
  UNROLL for (int f = 0; f < FIRST_SITES; ++f) place->firsts[f] = planes_of_tile(arguments, planes, own_tile + f, item);
  UNROLL for (int n = 0; n < LATER_TILES; ++n)
    place->laters[n] = planes_of_tile(arguments, planes, own_later / TILE + n, item);
  sites->first = own_tile * TILE, sites->later = own_later;
  return true;
}
#else
INLINE bool put_place(const Arguments *arguments, __global const Plane *planes, __global const uint4 *firsts, uint item,
                      uint warp, Sites *sites, Place *place) {
  const uint second_tiles = (arguments->batch_second_end - 1) / TILE - arguments->batch_second / TILE + 1;
  const uint second_groups = (second_tiles + FASTID_SECOND_WARPS - 1) / FASTID_SECOND_WARPS;
  const uint first = arguments->batch_first + (uint)get_group_id(0) * (FASTID_FIRST_WARPS * FIRST_SITES);
  const uint second = (arguments->batch_second / TILE + (uint)get_group_id(1) % second_groups * FASTID_SECOND_WARPS) * TILE;
  const uint later = arguments->block_begin * BLOCK + (uint)get_group_id(1) / second_groups * LATER_SITES;
  if (first + 1 >= second + FASTID_SECOND_WARPS * TILE) return false; /* no first site comes before a second one */
  if (second + 1 >= later + LATER_SITES || later >= arguments->n_sites) return false;
  const uint own_first = first + warp % FASTID_FIRST_WARPS * FIRST_SITES;
  const uint own_second = second + warp / FASTID_FIRST_WARPS % FASTID_SECOND_WARPS * TILE;
  const uint half_tile = warp / (FASTID_FIRST_WARPS * FASTID_SECOND_WARPS) * (LATER_TILES * PRODUCTS); /* the first one */
  const uint own_later = later + half_tile / 2 * TILE + half_tile % 2;
  UNROLL for (int f = 0; f < FIRST_SITES; ++f)
    place->firsts[f] = firsts +
                       (ulong)(min(own_first + f, arguments->batch_first_end - 1) - arguments->tile_first) * arguments->steps *
                           FIRST_VECTORS * FIRST_ITEMS +
                       item % FIRST_ITEMS;
  place->seconds = planes_of_tile(arguments, planes, own_second / TILE, item);
  UNROLL for (int n = 0; n < LATER_TILES; ++n)
    place->laters[n] = planes_of_tile(arguments, planes, own_later / TILE + n, item) + half_tile % 2 * WARP;
  sites->first = own_first, sites->second = own_second, sites->later = own_later;
  return true;
}
#endif

#if FASTID_SHARES
/* Counts both classes together, for `multiply` of the same pairs where people were dealt to classes otherwise. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void count_both_classes(
    __global const Plane *restrict planes, Arguments arguments, __global const uint4 *restrict firsts,
    __global Total *restrict totals) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
  Sites sites;
  Place place;
  if (!put_place(&arguments, planes, firsts, item, warp, &sites, &place)) return;
  Sums sums[FIRST_SITES];
  UNROLL for (int f = 0; f < FIRST_SITES; ++f) { FOR_SUMS(sums[f].of[i][n][t][j] = 0;) }
  Operands next;
  load(&next, &place, 0);
  multiply_steps(sums, &next, &place, 0, arguments.steps, arguments.steps - 1, exchange);
  __global Total *const to = totals + totals_of_item();
  FOR_TOTALS(to[at * WARP] = total_of(sums[f].of[i][n][t]);)
}
#define TOTALS , __global const Total *restrict totals
#else
#define TOTALS
#endif

/* Work-groups in two dimensions: first sites from batch_first on, of two sites their tiles; and second ones from the tile of
 * batch_second on, of each later ones from block_begin on. So groups that run together have second and later sites, and their
 * margins, in common. OUTPUTS: `candidates`; of epistasis_test.h four sites' `slabs` and `candidates`, by stretches `counts`.
 * TOTALS: those of count_both_classes() of the same batch; not read where both classes are counted. */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void multiply(
    __global const Plane *restrict planes, Arguments arguments, __global const uint4 *restrict firsts,
    __global const Quantity4 *restrict margins, __global const Quantity4 *restrict pairs,
    __global const Quantity4 *restrict own, OUTPUTS TOTALS) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
  Sites sites;
  Place place;
  if (!put_place(&arguments, planes, firsts, item, warp, &sites, &place)) return;
  Sums sums[FIRST_SITES];
  Controls controls;
  UNROLL for (int f = 0; f < FIRST_SITES; ++f) { FOR_SUMS(sums[f].of[i][n][t][j] = 0;) }
  Operands next;
  const bool both = !FASTID_SHARES || arguments.counted_class == BOTH_CLASSES;
  const bool of_controls = FASTID_SHARES && arguments.counted_class == ONLY_CONTROLS; /* else cases are counted last */
  const uint begin = of_controls ? 0 : arguments.control_steps, end = of_controls ? arguments.control_steps : arguments.steps;
  load(&next, &place, both ? 0 : begin);
  multiply_steps(sums, &next, &place, 0, both ? arguments.control_steps : 0, arguments.steps - 1, exchange);
  next_class(sums, &controls);
#if FASTID_SHARES
  if (!both) {
    __global const Total *const from = totals + totals_of_item();
    FOR_TOTALS(put_total(sums, &controls, from[at * WARP], f, i, n, t);)
  }
#endif
  multiply_steps(sums, &next, &place, begin, end, arguments.steps - 1, exchange);
#if FASTID_SHARES
  if (!both)
    ALL for (int f = 0; f < FIRST_SITES; ++f) {
      FOR_SUMS(put_classes(sums, &controls, !of_controls, f, i, n, t, j);)
    }
#endif

#if FASTID_PAIRS
#define FIRST(f, odd) (sites.first + (f) * TILE + item / 4 * 2 + (odd))
#define SECOND(f, odd) FIRST(f, odd)
#else
#define FIRST(f, odd) (sites.first + (f))
#define SECOND(f, odd) (sites.second + item / 4 * 2 + (odd))
#endif
#if FASTID_STRETCHES
  UNROLL for (int f = 0; f < FIRST_SITES; ++f) UNROLL for (int odd = 0; odd < 2; ++odd)
    add_pair(&arguments, sums, &controls, f, odd, FIRST(f, odd), SECOND(f, odd), sites.later + item % 4 * 4, TO_OUTPUTS);
#else
  ONE_BY_ONE for (int f = 0; f < FIRST_SITES; ++f) {
    ONE_BY_ONE for (int odd = 0; odd < 2; ++odd)
      test_pair(&arguments, sums, &controls, 4 * f + 2 * odd, FIRST(f, odd), SECOND(f, odd),
                sites.later + item % 4 * 4, margins, pairs, own, TO_OUTPUTS);
    ALL for (int g = 0; g + 1 < FIRST_SITES; ++g) sums[g] = sums[g + 1];
  }
#endif
}
