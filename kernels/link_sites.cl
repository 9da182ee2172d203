/* link_sites.cl: pairs of sites that may be linked (src/engine/linkage.hpp), by products of matrices of bits. OpenCL C 1.2,
 * and PTX where the device takes it.
 *
 * Sites are stored as the database stores profiles, in blocks of 32, and people (or haplotypes) are bits. Of each site the
 * planes are
 *
 *   c  called        m  a minor allele seen        a  homozygous minor
 *
 * and of two sites these sums of products are counted, each in a register of its own, where x and y are the minor copies at
 * the first and at the second site, over the units that both are called in:
 *
 *                all units called               calls missing
 *   haplotypes   xy = m m                       n = c c   x = m c   y = c m   xy = m m
 *   genotypes    xy = m m + m a + a m + a a     n = c c   m c and a c, c m and c a (x = m + a, xx = m + 3 a)   xy as before
 *
 * A warp takes FASTID_TILES x 16 first sites and FASTID_BLOCKS x 32 second ones; compare_matrix.cl has the picture of how its
 * work-items hold them. The first sites are packed by pack_sites() in the order in which warps load them; the second ones are
 * read as they are stored. A pair is tested in the registers (site_test.h), or its sums are stored.
 *
 * The host writes both from its table of sums (site_product_macros()):
 *
 *   PLANES, SUMS                     how many there are
 *   FOR_PLANES(X, minor, major)      X(plane, its word), of a site's words of minor and of major alleles seen
 *   FOR_PRODUCTS(X)                  X(sum, the first site's plane, the second site's)
 *
 * thresholds.h and matrix_product.h come before it. Set by the build: FASTID_MATRIX, FASTID_MATRIX_ROWS and
 * FASTID_MATRIX_COLUMNS as a config has them, FASTID_TILES, FASTID_BLOCKS, and what site_test.h needs.
 */
/* [tile of 16 sites][step][plane][work-item of a warp], a uint4 each: words g and g + 4 of sites r and r + 8, where the
 * work-item is 4 r + g. Words past the last, and sites, are 0. In two dimensions: work-items of a warp for each step, and
 * tiles. */
__kernel void pack_sites(__global const uint *restrict minor, __global const uint *restrict major, uint n_words,
                         uint n_sites, __global uint4 *restrict packed) {
  const uint steps = (uint)get_global_size(0) / WARP, step = (uint)get_global_id(0) / WARP;
  const uint item = (uint)get_global_id(0) % WARP, tile = (uint)get_global_id(1);
  uint words[PLANES][4];
  for (uint i = 0; i < 4; ++i) {
    const uint site = tile * TILE + item / 4 + i % 2 * 8, word = step * STEP + item % 4 + i / 2 * 4;
    const ulong place = (ulong)(site / BLOCK) * n_words * BLOCK + (ulong)word * BLOCK + site % BLOCK;
    const bool there = site < n_sites && word < n_words;
    const uint of_minor = there ? minor[place] : 0, of_major = there ? major[place] : 0;
#define PUT_PLANE(p, bits) words[p][i] = (bits);
    FOR_PLANES(PUT_PLANE, of_minor, of_major)
  }
  for (uint p = 0; p < PLANES; ++p)
    packed[((ulong)(tile * steps + step) * PLANES + p) * WARP + item] =
        (uint4)(words[p][0], words[p][1], words[p][2], words[p][3]);
}

/* The operands of a step. */
typedef struct {
  uint4 first[FASTID_TILES][PLANES];
  uint4 minor[FASTID_BLOCKS][2], major[FASTID_BLOCKS][2];
} Operands;

/* A work-item's sums: [tile][block][sum][t][j], as compare_matrix.cl has its counts. */
typedef struct {
  int of[FASTID_TILES][FASTID_BLOCKS][SUMS][4][4];
} Sums;

/* Where a work-item's operands begin. */
typedef struct {
  __global const uint4 *first[FASTID_TILES];
  __global const uint4 *minor[FASTID_BLOCKS], *major[FASTID_BLOCKS];
} Place;

/* Past the last word the next block's are read, or the padding behind the last block, and multiplied by 0. */
INLINE void load(Operands *to, const Place *from, uint n_words, uint k) {
  UNROLL for (int m = 0; m < FASTID_TILES; ++m)
  UNROLL for (int p = 0; p < PLANES; ++p) to->first[m][p] = from->first[m][(k * PLANES + p) * WARP];
  UNROLL for (int h = 0; h < 2; ++h) {
#if FASTID_MATRIX == 2
    const uint at = (k * STEP + h * 4) * (BLOCK / 4);
#else /* never past the last word, for tools that report reads of uninitialised memory */
    const int g = (int)get_local_id(0) % 4, at = ((int)min(k * STEP + h * 4 + g, n_words - 1) - g) * (BLOCK / 4);
#endif
    UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n) {
      to->minor[n][h] = from->minor[n][at];
      to->major[n][h] = from->major[n][at];
    }
  }
}

INLINE void multiply(Sums *to, const Operands *with, __local uint *exchange) {
  int from[4][2] = {{0}};
  UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n) {
    uint4 second[PLANES][2];
#define PUT_SECOND(p, bits) second[p][h] = (bits);
    UNROLL for (int h = 0; h < 2; ++h) { FOR_PLANES(PUT_SECOND, with->minor[n][h], with->major[n][h]) }
    UNROLL for (int m = 0; m < FASTID_TILES; ++m) {
#define ADD_PRODUCT(sum, p, q) \
  multiply_block(to->of[m][n][sum], with->first[m][p], second[q][0], second[q][1], false, from, exchange);
      FOR_PRODUCTS(ADD_PRODUCT)
    }
  }
}

/* find_sites: appends pairs (first, second) with first < second that may be linked to `found`. count_sites: stores the
 * sums of each pair, whichever of its sites is first (counted_at()).
 *
 * Work-groups in two dimensions: second sites, then first ones, both from the tile that contains the range's first site on.
 * Planes may be read up to 8 words of 32 sites past the last block. `own` has the sums of all sites of all blocks, and
 * then their widths (site_test.h). */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void PAIRS_KERNEL(
    __global const uint4 *restrict packed, __global const uint4 *restrict minor, __global const uint4 *restrict major,
    __global const float *restrict own, uint n_words, uint n_blocks, uint first_begin, uint first_end, uint second_begin,
    uint second_end, PAIRS_RESULT) {
  __local uint exchange[EXCHANGE_WORDS];
  const uint item = (uint)get_local_id(0) % WARP, warp = (uint)get_local_id(0) / WARP;
  const uint steps = (n_words + STEP - 1) / STEP;
  const uint group_tiles = FASTID_MATRIX_ROWS * FASTID_TILES, group_blocks = FASTID_MATRIX_COLUMNS * FASTID_BLOCKS;
  const uint group_tile = first_begin / TILE + (uint)get_group_id(1) * group_tiles;
  const uint group_block = second_begin / BLOCK + (uint)get_group_id(0) * group_blocks;
#if !FASTID_COUNTS
  if (group_tile * TILE >= (group_block + group_blocks) * BLOCK) return; /* no first site comes before a second one */
#endif
  const uint tile = group_tile + warp % FASTID_MATRIX_ROWS * FASTID_TILES;
  const uint block = group_block + warp / FASTID_MATRIX_ROWS * FASTID_BLOCKS;
  Place place;
  UNROLL for (int m = 0; m < FASTID_TILES; ++m)
    place.first[m] = packed + (ulong)min(tile + m, n_blocks * (BLOCK / TILE) - 1) * steps * PLANES * WARP + item;
  UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n) {
    const ulong at = ((ulong)min(block + n, n_blocks - 1) * n_words + item % 4) * (BLOCK / 4) + item / 4;
    place.minor[n] = minor + at;
    place.major[n] = major + at;
  }

  Sums sums;
  UNROLL for (int m = 0; m < FASTID_TILES; ++m) UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n)
  UNROLL for (int i = 0; i < SUMS; ++i) UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j)
    sums.of[m][n][i][t][j] = 0;
  Operands next;
  load(&next, &place, n_words, 0);
  for (uint k = 0; k < steps; ++k) {
    const Operands now = next;
    load(&next, &place, n_words, min(k + 1, steps - 1));
    multiply(&sums, &now, exchange);
  }

  UNROLL for (int m = 0; m < FASTID_TILES; ++m) UNROLL for (int n = 0; n < FASTID_BLOCKS; ++n)
  UNROLL for (int t = 0; t < 4; ++t) UNROLL for (int j = 0; j < 4; ++j) {
    const uint first = (tile + m) * TILE + item / 4 + j / 2 * 8;
    const uint second = (block + n) * BLOCK + item % 4 * 8 + j % 2 * 4 + t;
    if (first < first_begin || first >= first_end || second < second_begin || second >= second_end) continue;
#if FASTID_COUNTS
    UNROLL for (int i = 0; i < SUMS; ++i)
      counted[counted_at(i, first - first_begin, first_end - first_begin, second - second_begin,
                         second_end - second_begin)] = (uint)sums.of[m][n][i][t][j];
#else
    if (first >= second) continue;
    const Own mine = {own[first], own[first + n_blocks * BLOCK]}, its = {own[second], own[second + n_blocks * BLOCK]};
    float of_pair[SUMS];
    UNROLL for (int i = 0; i < SUMS; ++i) of_pair[i] = sums.of[m][n][i][t][j];
    if (may_pass(of_pair, mine, its, min_r2, slack)) append_sites(first, second, capacity, found);
#endif
  }
}
