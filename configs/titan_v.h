/* configs/titan_v.h: NVIDIA Titan V (Volta, sm_70).
 *
 * Shape, grids and hardware are those of E. Binder, T. M. Low, D. T. Popovici,
 * "A Portable GPU Framework for SNP Comparisons", Tables I and II. Not measured with fastid. */
#define FASTID_CONFIG_NAME "titan_v"
#define FASTID_CONFIG_ORIGIN "paper"

/* The shape. */
#define FASTID_M_C 32                /* [queries] of a work-group */
#define FASTID_K_C 383               /* [32-bit words] of each query in local memory */
#define FASTID_M_R 4                 /* [queries] of a work-item */
#define FASTID_N_R 1024              /* [profiles] of a work-group */
#define FASTID_N_VEC 4               /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 8          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 64      /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 0        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 1            /* [0, 1] popcount() is an instruction */

/* The grid of work-groups. */
#define FASTID_GRID_ROWS 1           /* [work-groups] along the queries; 0: one for each M_C */
#define FASTID_GRID_COLUMNS 80       /* [work-groups] along the profiles; 0: one for each N_R */
#define FASTID_LD_N_R 1024           /* [profiles] N_R where there are as many queries as profiles */
#define FASTID_LD_GRID_ROWS 80       /* [work-groups] likewise */
#define FASTID_LD_GRID_COLUMNS 1     /* [work-groups] likewise */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 49152  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 128      /* [32-bit words] of a work-item: 64 Ki for 512 work-items */
#define FASTID_HW_COMPUTE_UNITS 80   /* [compute units] */
#define FASTID_HW_CLOCK_MHZ 1455     /* [MHz] */
#define FASTID_HW_POPCOUNTS 16       /* [32-bit popcounts] a clock and compute unit */
#define FASTID_HW_LOGIC 64           /* [32-bit logic operations] a clock and compute unit */
#define FASTID_HW_N_T 32             /* [threads] of a thread group */
#define FASTID_HW_N_CL 4             /* [clusters] of a compute unit */
#define FASTID_HW_L_FN 4             /* [clocks] latency of a popcount */
#define FASTID_HW_N_B 32             /* [banks] of local memory */
