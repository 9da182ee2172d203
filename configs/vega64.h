/* configs/vega64.h: AMD Radeon RX Vega 64 (GCN 5, gfx900).
 *
 * Shape, grids and hardware are those of E. Binder, T. M. Low, D. T. Popovici,
 * "A Portable GPU Framework for SNP Comparisons", Tables I and II. Not measured with fastid. */
#define FASTID_CONFIG_NAME "vega64"
#define FASTID_CONFIG_ORIGIN "paper"

/* The shape. */
#define FASTID_M_C 32                /* [queries] of a work-group */
#define FASTID_K_C 512               /* [32-bit words] of each query in local memory */
#define FASTID_M_R 4                 /* [queries] of a work-item */
#define FASTID_N_R 1024              /* [profiles] of a work-group */
#define FASTID_N_VEC 4               /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 8          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 32      /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 0        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 1            /* [0, 1] popcount() is an instruction */

/* The grid of work-groups. */
#define FASTID_GRID_ROWS 1           /* [work-groups] along the queries; 0: one for each M_C */
#define FASTID_GRID_COLUMNS 64       /* [work-groups] along the profiles; 0: one for each N_R */
#define FASTID_LD_N_R 1024           /* [profiles] N_R where there are as many queries as profiles */
#define FASTID_LD_GRID_ROWS 32       /* [work-groups] likewise */
#define FASTID_LD_GRID_COLUMNS 2     /* [work-groups] likewise */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 65536  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 256      /* [32-bit words] of a work-item: most that a work-item can have */
#define FASTID_HW_COMPUTE_UNITS 64   /* [compute units] */
#define FASTID_HW_CLOCK_MHZ 1663     /* [MHz] */
#define FASTID_HW_POPCOUNTS 64       /* [32-bit popcounts] a clock and compute unit */
#define FASTID_HW_LOGIC 64           /* [32-bit logic operations] a clock and compute unit */
#define FASTID_HW_N_T 64             /* [threads] of a thread group */
#define FASTID_HW_N_CL 4             /* [clusters] of a compute unit */
#define FASTID_HW_L_FN 4             /* [clocks] latency of a popcount */
#define FASTID_HW_N_B 32             /* [banks] of local memory */
