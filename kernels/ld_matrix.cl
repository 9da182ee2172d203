/* ld_matrix.cl: pairs of sites that may be linked (src/engine/ld.hpp), by products of matrices of bits. OpenCL C 1.2,
 * and PTX where the device takes it.
 *
 * Sites are stored as the database stores profiles, in blocks of 32, and people (or haplotypes) are bits. The stored planes
 * are where a minor and where a major allele was seen. Of these the planes are made that are multiplied, as engine::Plane
 * names them:
 *
 *   called  either allele seen (kCalled)
 *   minor   a minor allele seen (kMinor)
 *   twice   and no major one: of a genotype, two minor copies (kNoMajor)
 *
 * Of two sites these sums of products are counted, each in a register of its own, where x and y are the minor copies at the
 * first and at the second site, over the n units that both are called in:
 *
 *   haplotypes, all called    xy = minor minor
 *   haplotypes, calls missing n = called called, x = minor called, y = called minor, and xy
 *   genotypes, all called     xy = minor minor + minor twice + twice minor + twice twice
 *   genotypes, calls missing  n, minor called, twice called, called minor, called twice, and xy
 *                             (of either site x = minor + twice, xx = minor + 3 twice)
 *
 * First sites are the rows of matrix_rows.h and second ones its columns. The host writes from its table of sums what is
 * multiplied (ld_product_macros()). A pair is tested in the registers (ld_test.h), or its sums are stored.
 *
 * common.h, matrix_product.h, matrix_rows.h and ld_test.h come before it, which say what the build sets.
 */
/* [tile of 16 sites][step][plane][work-item of a warp], a uint4 each (matrix_product.h). Words past the last, and sites, are
 * 0. In two dimensions: work-items of a warp for each step, and tiles. */
__kernel void pack_sites(__global const uint *restrict minor, __global const uint *restrict major, uint n_words,
                         uint n_sites, __global uint4 *restrict packed) {
  const uint steps = (uint)get_global_size(0) / WARP, step = (uint)get_global_id(0) / WARP;
  const uint item = (uint)get_global_id(0) % WARP, tile = (uint)get_global_id(1);
  uint words[MULTIPLIED_PLANES][4];
  for (uint i = 0; i < 4; ++i) {
    const uint site = packed_row(tile, item, i), word = packed_word(step, item, i);
    const ulong place = (ulong)(site / BLOCK) * n_words * BLOCK + (ulong)word * BLOCK + site % BLOCK;
    const bool there = site < n_sites && word < n_words;
    const uint of_minor = there ? minor[place] : 0, of_major = there ? major[place] : 0;
#define PUT_PLANE(p, bits) words[p][i] = (bits);
    FOR_PLANES(PUT_PLANE, of_minor, of_major)
  }
  for (uint p = 0; p < MULTIPLIED_PLANES; ++p)
    packed[((ulong)(tile * steps + step) * MULTIPLIED_PLANES + p) * WARP + item] =
        (uint4)(words[p][0], words[p][1], words[p][2], words[p][3]);
}

/* find_sites: appends pairs (first, second) with first < second that may be linked to `found`. count_sites: stores the
 * sums of each pair, whichever of its sites is first (counted_at()).
 *
 * Work-groups in two dimensions: second sites, then first ones, both from the tile that contains the range's first site on.
 * Planes may be read up to 8 words of 32 sites past the last block. `own` has `scaled` of all sites of all blocks, and
 * then `width` (Own of ld_test.h). */
__kernel __attribute__((reqd_work_group_size(WARPS * WARP, 1, 1))) void PAIRS_KERNEL(
    __global const uint4 *restrict packed, __global const uint4 *restrict minor, __global const uint4 *restrict major,
    __global const float *restrict own, uint n_words, uint n_blocks, uint first_begin, uint first_end, uint second_begin,
    uint second_end, PAIRS_RESULT) {
  __local uint exchange[EXCHANGE_WORDS];
#if !FASTID_COUNTS
  if (group_tile(first_begin / TILE) * TILE >= (group_block(second_begin / BLOCK) + GROUP_BLOCKS) * BLOCK)
    return; /* no first site comes before a second one */
#endif
  const uint warp_tile = tile_of_warp(first_begin / TILE), warp_block = block_of_warp(second_begin / BLOCK);
  const Place place =
      place_of_item(packed, n_blocks * (BLOCK / TILE), warp_tile, minor, major, n_words, n_blocks, warp_block);
  Sums sums;
  multiply(&sums, &place, n_words, exchange);
  FOR_PAIRS {
    const uint first = row_of(warp_tile + tile, j), second = column_of(warp_block + block, t, j);
    if (first < first_begin || first >= first_end || second < second_begin || second >= second_end) continue;
#if FASTID_COUNTS
    UNROLL for (int i = 0; i < SUMS; ++i)
      counted[counted_at(i, first - first_begin, first_end - first_begin, second - second_begin,
                         second_end - second_begin)] = (uint)sums.of[tile][block][i][t][j];
#else
    if (first >= second) continue;
    const Own mine = {own[first], own[first + n_blocks * BLOCK]}, its = {own[second], own[second + n_blocks * BLOCK]};
    float of_pair[SUMS];
    UNROLL for (int i = 0; i < SUMS; ++i) of_pair[i] = sums.of[tile][block][i][t][j];
    if (may_pass(of_pair, mine, its, min_r2, slack)) append_sites(first, second, capacity, found);
#endif
  }
}
