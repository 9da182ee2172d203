/* configs/nvidia_sm80.h: NVIDIA Volta to Ada (sm_70 to sm_89).
 *
 * Popcounts take a quarter of the rate of logic operations, so one level of full adders halves the popcounts and costs
 * two operations a word: CUDA C++ Programming Guide, "Arithmetic Instructions", throughput of native instructions.
 * The shape is that of nvidia_sm90.h. */
#define FASTID_CONFIG_NAME "nvidia_sm80"
#define FASTID_CONFIG_ORIGIN "model"

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
#define FASTID_MATRIX_TILES 4        /* [16 queries] of a warp */
#define FASTID_MATRIX_BLOCKS 2       /* [blocks of 32 profiles] of a warp */
#define FASTID_MATRIX_HELD_WORDS 64  /* [32-bit words] of registers for queries, where a panel is short */
#define FASTID_MATRIX_HELD_TILES 4   /* [16 queries] of a warp there */
#define FASTID_MATRIX_HELD_BLOCKS 1  /* [blocks of 32 profiles] of a warp there */
#define FASTID_MATRIX_AHEAD 2        /* [steps] of 256 sites that are loaded ahead there */
#define FASTID_MATRIX_ROWS 2         /* [warps] of a work-group along the queries */
#define FASTID_MATRIX_COLUMNS 2      /* [warps] of a work-group along the profiles */
#define FASTID_MATRIX_RUN 32         /* [column tiles] that a work-group takes at most */
#define FASTID_RATE_POPCOUNT 110000  /* [10^9 bits a second] compared by compare.cl */
#define FASTID_START_POPCOUNT 100    /* [sites] that a pair costs besides */
#define FASTID_RATE_MATRIX 1200000   /* [10^9 bits a second] compared by compare_matrix.cl */
#define FASTID_START_MATRIX 100      /* [sites] that a pair costs besides */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 49152  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 128      /* [32-bit words] of a work-item: 64 Ki for 512 work-items */
#define FASTID_HW_POPCOUNTS 16       /* [32-bit popcounts] a clock and compute unit */
#define FASTID_HW_LOGIC 64           /* [32-bit logic operations] a clock and compute unit */
#define FASTID_HW_MATRIX 16384       /* [bits] that the matrix unit counts a clock and compute unit */
#define FASTID_HW_MEMORY_MBYTES 1500000 /* [10^6 bytes a second] read from its own memory */
