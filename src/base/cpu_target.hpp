/// \file
/// What files in Google Highway have in common for each instruction set. They include this file
/// instead of hwy/highway.h, below their own HWY_TARGET_INCLUDE. It has no include guard, since it is read
/// once for each instruction set.
#define HWY_WANT_AVX3_DL 1  // without it VPOPCNTDQ and VBMI are not used
// Arrays of vectors need a size known at compile time. A CPU without AVX2 (of before 2013) takes the plain
// kernels, so that no one waits for two more instruction sets to compile.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4)

#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#undef FASTID_UNROLL
#undef FASTID_IN_REGISTER
#undef FASTID_AVX512
#undef FASTID_VECTOR_REGISTERS
#define FASTID_AVX512 (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
#define FASTID_VECTOR_REGISTERS (FASTID_AVX512 || HWY_ARCH_ARM_A64 ? 32 : 16)
#define FASTID_UNROLL _Pragma("GCC unroll 16")
// Keeps GCC 12 from loading a vector again for each use, as a memory operand.
#if FASTID_AVX512
#define FASTID_IN_REGISTER(v) asm volatile("" : "+v"((v).raw))
#else
#define FASTID_IN_REGISTER(v) static_cast<void>(v)
#endif
