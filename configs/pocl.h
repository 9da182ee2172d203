/* configs/pocl.h: PoCL on a CPU with 512-bit vectors and no vector popcount that its LLVM uses.
 *
 * A work-group is one work-item, whose vectors hold half of a block's profiles. PoCL 3.1 takes this CPU for a skylake-avx512,
 * so that a popcount is a dozen instructions: three levels of full adders leave one in eight words to it. */
#define FASTID_CONFIG_NAME "pocl"
#define FASTID_CONFIG_ORIGIN "measured"

/* The shape. */
#define FASTID_M_C 32                /* [queries] of a work-group */
#define FASTID_K_C 512               /* [32-bit words] of each query in local memory */
#define FASTID_M_R 1                 /* [queries] of a work-item */
#define FASTID_N_R 32                /* [profiles] of a work-group */
#define FASTID_N_VEC 16              /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 1          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 1       /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 3        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 0            /* [0, 1] popcount() is an instruction */

/* The grid of work-groups. */
#define FASTID_GRID_ROWS 0           /* [work-groups] along the queries; 0: one for each M_C */
#define FASTID_GRID_COLUMNS 0        /* [work-groups] along the profiles; 0: one for each N_R */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 65536  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 512      /* [32-bit words] of a work-item: 32 registers of 16 */
