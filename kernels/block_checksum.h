/* block_checksum.h: checks whether blocks on the device are those of the database, by the checksum that the database
 * has of each block: XXH3-64 of the block's bits followed by its called plane, 256 bytes or more in all. Comes after
 * common.h and found.h. OpenCL C 1.2.
 *
 * XXH3 processes stripes of 64 bytes, with an accumulator for each of a stripe's 8 words. The accumulators are
 * scrambled after each round of 16 stripes. A block has BLOCK_ITEMS work-items, each for one pair of words of every
 * second stripe. A work-item reads its pairs of a whole round at once and computes what they add to their accumulators;
 * 8 of the work-items then sum these. Constants and steps are those of XXH3's specification (the "long" case, with the
 * default secret and seed 0).
 */
#define STRIPE_WORDS 8     /* of 64 bits */
#define STRIPE_PAIRS 4     /* of words */
#define ROUND 16           /* stripes */
#define SIDE_BY_SIDE 2     /* stripes that different work-items process at the same time */
#define CHECKED_TOGETHER 8 /* blocks of a work-group */
#define BLOCK_ITEMS (SIDE_BY_SIDE * STRIPE_PAIRS)
#define PRIME32_1 0x9e3779b1UL
#define PRIME64_1 0x9e3779b185ebca87UL

__constant ulong xxh3_start[STRIPE_WORDS] = {
    0x00000000c2b2ae3dUL, 0x9e3779b185ebca87UL, 0xc2b2ae3d27d4eb4fUL, 0x165667b19e3779f9UL,
    0x85ebca77c2b2ae63UL, 0x0000000085ebca77UL, 0x27d4eb2f165667c5UL, 0x000000009e3779b1UL};
/* The 192 bytes of the secret; below, its bytes from 121 on, for the last stripe, and from 11 on, for the end. */
#define SECRET_WORDS 24
__constant ulong xxh3_secret[SECRET_WORDS] = {
    0xbe4ba423396cfeb8UL, 0x1cad21f72c81017cUL, 0xdb979083e96dd4deUL, 0x1f67b3b7a4a44072UL,
    0x78e5c0cc4ee679cbUL, 0x2172ffcc7dd05a82UL, 0x8e2443f7744608b8UL, 0x4c263a81e69035e0UL,
    0xcb00c391bb52283cUL, 0xa32e531b8b65d088UL, 0x4ef90da297486471UL, 0xd8acdea946ef1938UL,
    0x3f349ce33f76faa8UL, 0x1d4f0bc7c7bbdcf9UL, 0x3159b4cd4be0518aUL, 0x647378d9c97e9fc8UL,
    0xc3ebd33483acc5eaUL, 0xeb6313faffa081c5UL, 0x49daf0b751dd0d17UL, 0x9e68d429265516d3UL,
    0xfca1477d58be162bUL, 0xce31d07ad1b8f88fUL, 0x280416958f3acb45UL, 0x7e404bbbcafbd7afUL};
__constant ulong xxh3_last_secret[STRIPE_WORDS] = {
    0xea647378d9c97e9fUL, 0xc5c3ebd33483acc5UL, 0x17eb6313faffa081UL, 0xd349daf0b751dd0dUL,
    0x2b9e68d429265516UL, 0x8ffca1477d58be16UL, 0x45ce31d07ad1b8f8UL, 0xaf280416958f3acbUL};
__constant ulong xxh3_end_secret[STRIPE_WORDS] = {
    0x6dd4de1cad21f72cUL, 0xa44072db979083e9UL, 0xe679cb1f67b3b7a4UL, 0xd05a8278e5c0cc4eUL,
    0x4608b82172ffcc7dUL, 0x9035e08e2443f774UL, 0x52283c4c263a81e6UL, 0x65d088cb00c391bbUL};

/* What a pair of words adds to the two words' accumulators. */
ulong2 xxh3_added(ulong2 pair, ulong2 secret) {
  const ulong2 keyed = pair ^ secret;
  return pair.yx + (keyed & 0xffffffffUL) * (keyed >> 32);
}

/* Adds to found[N_SOUND] how many of the tile's n_blocks blocks have the expected checksums. `expected` has 64-bit
 * words: block 0's checksum is word `first_expected`, and the others follow. `called` is read if n_planes is 2. Local
 * size: CHECKED_TOGETHER * BLOCK_ITEMS. Global size: BLOCK_ITEMS for each block, rounded up to whole work-groups. */
__kernel void count_sound(
    __global const ulong *restrict bits, __global const ulong *restrict called, uint n_planes, uint n_words,
    uint n_blocks, __global const ulong *restrict expected, ulong first_expected, __global uint *restrict found) {
  __local ulong secrets[SECRET_WORDS]; /* a copy, since some GPUs read constants one address at a time */
  __local ulong2 added[CHECKED_TOGETHER][SIDE_BY_SIDE][STRIPE_PAIRS];
  __local ulong sums[CHECKED_TOGETHER][STRIPE_WORDS];
  const uint place = (uint)get_local_id(0) / BLOCK_ITEMS, item = (uint)get_local_id(0) % BLOCK_ITEMS;
  const uint block = (uint)get_group_id(0) * CHECKED_TOGETHER + place;
  const uint stripe = item / STRIPE_PAIRS, pair = item % STRIPE_PAIRS, word = item % STRIPE_WORDS;
  const uint plane_stripes = n_words * (BLOCK / 2) / STRIPE_WORDS, n_stripes = plane_stripes * n_planes;
  if (get_local_id(0) < SECRET_WORDS) secrets[get_local_id(0)] = xxh3_secret[get_local_id(0)];
  const ulong2 last_secret = vload2(pair, xxh3_last_secret);
  ulong sum = xxh3_start[word];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint first = 0; first < n_stripes; first += ROUND) {
    ulong2 read[ROUND / SIDE_BY_SIDE], mine = 0;
#pragma unroll
    for (uint j = 0; j < ROUND / SIDE_BY_SIDE; ++j) { /* past the end the last stripe is read again but not added */
      const uint i = min(first + j * SIDE_BY_SIDE + stripe, n_stripes - 1);
      const uint in_plane = i < plane_stripes ? i : i - plane_stripes;
      const ulong at = ((ulong)min(block, n_blocks - 1) * plane_stripes + in_plane) * STRIPE_PAIRS + pair;
      read[j] = vload2(at, i < plane_stripes ? bits : called);
    }
#pragma unroll
    for (uint j = 0; j < ROUND / SIDE_BY_SIDE; ++j) {
      const uint in_round = j * SIDE_BY_SIDE + stripe, i = first + in_round;
      const ulong2 secret = i == n_stripes - 1 ? last_secret : vload2(0, secrets + in_round + 2 * pair);
      if (i < n_stripes) mine += xxh3_added(read[j], secret);
    }
    added[place][stripe][pair] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; item < STRIPE_WORDS && j < SIDE_BY_SIDE; ++j) sum += ((__local ulong *)added[place][j])[word];
    if (first + ROUND < n_stripes) sum = (sum ^ sum >> 47 ^ secrets[ROUND + word]) * PRIME32_1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < STRIPE_WORDS) sums[place][word] = sum ^ xxh3_end_secret[word];
  barrier(CLK_LOCAL_MEM_FENCE);
  __local uint sound[CHECKED_TOGETHER];
  if (item == 0) {
    ulong hash = (ulong)n_stripes * STRIPE_WORDS * 8 * PRIME64_1;
    for (uint i = 0; i < STRIPE_WORDS; i += 2)
      hash += sums[place][i] * sums[place][i + 1] ^ mul_hi(sums[place][i], sums[place][i + 1]);
    hash = (hash ^ hash >> 37) * 0x165667919e3779f9UL;
    hash ^= hash >> 32;
    sound[place] = block < n_blocks && hash == expected[first_expected + min(block, n_blocks - 1)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) != 0) return;
  uint n = 0;
  for (uint i = 0; i < CHECKED_TOGETHER; ++i) n += sound[i];
  atomic_add(found + N_SOUND, n);
}
