/* bench_matrix.cl: the rates of the matrix unit and of memory, which bound compare_matrix.cl. OpenCL C 1.2. */

#if FASTID_MATRIX == 2
/* Each warp computes eight independent chains of `rounds` products of 16 x 8 x 256 bits. */
__kernel void matrix_rate(uint rounds, uint salt, __global uint *out) {
  const uint item = (uint)get_global_id(0);
  const uint4 a = (uint4)(item, salt, item ^ salt, ~item);
  const uint low = item * salt, high = item + salt;
  int sum[8][4] = {{0}};
  for (uint i = 0; i < rounds; ++i) {
#pragma unroll
    for (int chain = 0; chain < 8; ++chain)
      __asm__ volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                       "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+r"(sum[chain][0]), "+r"(sum[chain][1]), "+r"(sum[chain][2]), "+r"(sum[chain][3])
                       : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(low), "r"(high));
  }
  int all = 0;
#pragma unroll
  for (int chain = 0; chain < 8; ++chain) all += sum[chain][0] + sum[chain][1] + sum[chain][2] + sum[chain][3];
  out[item] = all;
}
#endif

/* Reads every word once. The sum keeps the compiler from removing loads. */
__kernel void read_rate(__global const uint4 *from, ulong fours, __global uint *out) {
  uint4 sum = (uint4)(0);
  for (ulong i = get_global_id(0); i < fours; i += get_global_size(0)) sum += from[i];
  out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}
