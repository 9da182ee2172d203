/* common.h: what each kernel for blocks of profiles needs. OpenCL C 1.2. */
#define BLOCK 32 /* profiles in a block of the database */
#define INLINE __attribute__((always_inline)) /* otherwise counts would leave the registers */
