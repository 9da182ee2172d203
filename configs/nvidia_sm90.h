/* configs/nvidia_sm90.h: NVIDIA Hopper (sm_90: H100, H200) and later.
 *
 * Popcounts take a quarter of the rate of logic operations, so one level of full adders halves the popcounts and costs
 * two operations a word: CUDA C++ Programming Guide, "Arithmetic Instructions", throughput of native instructions.
 * Shape: the fastest of forty on an H200 (driver 580.159.04, November 2026) by opencl_bench. Bits compared, with their
 * selection, as a share of the bits that its popcount unit counts, identity, 1,048,576 profiles:
 *
 *   queries   256 sites   1,024 sites
 *        32        113 %         144 %
 *       512        129 %         155 %
 *
 * The matrix kernel's shape: the fastest of seventy there. 10^12 bits compared a second, identity, 20,000,000 profiles
 * (the matrix unit's own rate: 5,126; 32 queries x 1,024 sites: 98 % of the rate at which the device reads):
 *
 *   queries   512 sites   1,024 sites
 *        32       1,040         1,107
 *     2,048       2,499         2,619 */
#define FASTID_CONFIG_NAME "nvidia_sm90"
#define FASTID_CONFIG_ORIGIN "measured"

/* The shape. */
#define FASTID_M_C 32                /* [queries] of a work-group */
#define FASTID_K_C 256               /* [32-bit words] of each query in local memory */
#define FASTID_M_R 16                /* [queries] of a work-item */
#define FASTID_N_R 64                /* [profiles] of a work-group */
#define FASTID_N_VEC 1               /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 2          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 64      /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 1        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 1            /* [0, 1] popcount() is an instruction */
#define FASTID_LOAD_AHEAD 1          /* [0, 1] the next words are loaded before these are compared */

/* The grid of work-groups. */
#define FASTID_RUN 16                /* [column tiles] that a work-group takes in turn at most */
#define FASTID_GRID_ROWS 0           /* [work-groups] along the queries; 0: one for each M_C */
#define FASTID_GRID_COLUMNS 0        /* [work-groups] along the profiles; 0: one for each RUN x N_R */

/* The matrix kernel: compare_matrix.cl. */
#define FASTID_MATRIX 2              /* the instruction: mma.m16n8k256 */
#define FASTID_MATRIX_TILES 5        /* [16 queries] of a warp */
#define FASTID_MATRIX_BLOCKS 2       /* [blocks of 32 profiles] of a warp */
#define FASTID_MATRIX_HELD_WORDS 64  /* [32-bit words] of registers for queries, where a panel is short */
#define FASTID_MATRIX_HELD_TILES 4   /* [16 queries] of a warp there */
#define FASTID_MATRIX_HELD_BLOCKS 1  /* [blocks of 32 profiles] of a warp there */
#define FASTID_MATRIX_AHEAD 2        /* [steps] of 256 sites that are loaded ahead there */
#define FASTID_MATRIX_ROWS 2         /* [warps] of a work-group along the queries */
#define FASTID_MATRIX_COLUMNS 2      /* [warps] of a work-group along the profiles */
#define FASTID_MATRIX_RUN 32         /* [column tiles] that a work-group takes at most */
#define FASTID_RATE_POPCOUNT 215000  /* [10^9 bits a second] compared by compare.cl */
#define FASTID_START_POPCOUNT 78     /* [sites] that a pair costs besides */
#define FASTID_RATE_MATRIX 3200000   /* [10^9 bits a second] compared by compare_matrix.cl */
#define FASTID_START_MATRIX 280      /* [sites] that a pair costs besides */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 49152  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 128      /* [32-bit words] of a work-item: 64 Ki for 512 work-items */
#define FASTID_HW_POPCOUNTS 16       /* [32-bit popcounts] a clock and compute unit */
#define FASTID_HW_LOGIC 64           /* [32-bit logic operations] a clock and compute unit */
#define FASTID_HW_MATRIX 19500       /* [bits] that the matrix unit counts a clock and compute unit */
#define FASTID_HW_MEMORY_MBYTES 4400000 /* [10^6 bytes a second] read from its own memory */
#define FASTID_HW_UPLOAD_MBYTES 55000 /* [10^6 bytes a second] from pinned memory */
#define FASTID_HW_UPLOAD_NS 16000    /* [10^-9 s] that each upload takes besides */
#define FASTID_HW_LAUNCH_NS 3900     /* [10^-9 s] from one kernel to the next */
