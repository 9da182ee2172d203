/* configs/portable_matrix.h: the matrix kernel with its instruction made of plain OpenCL C.
 *
 * No device is given this config: it is slow. It is for tests, which hold the kernel's layout, its edges and its masks to
 * the definition on any device, and for whoever writes the instruction of another device. The matrix kernel serves
 * every problem here. */
#define FASTID_CONFIG_NAME "portable_matrix"
#define FASTID_CONFIG_ORIGIN "model"

/* The popcount kernel's shape: as configs/generic.h, with little local memory. */
#define FASTID_M_C 16                /* [queries] of a work-group */
#define FASTID_K_C 16                /* [32-bit words] of each query in local memory */
#define FASTID_M_R 4                 /* [queries] of a work-item */
#define FASTID_N_R 128               /* [profiles] of a work-group */
#define FASTID_N_VEC 4               /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 4          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 16      /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 0        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 1            /* [0, 1] popcount() is an instruction */
#define FASTID_LOAD_AHEAD 0          /* [0, 1] the next words are loaded before these are compared */
#define FASTID_RUN 1                 /* [column tiles] that a work-group takes in turn at most */

/* The matrix kernel. */
#define FASTID_MATRIX 1              /* the instruction: by OpenCL C */
#define FASTID_MATRIX_TILES 2        /* [16 queries] of a warp */
#define FASTID_MATRIX_BLOCKS 1       /* [blocks of 32 profiles] of a warp */
#define FASTID_MATRIX_HELD_WORDS 0   /* [32-bit words] of registers for queries, where a panel is short */
#define FASTID_MATRIX_HELD_TILES 1   /* [16 queries] of a warp there */
#define FASTID_MATRIX_HELD_BLOCKS 1  /* [blocks of 32 profiles] of a warp there */
#define FASTID_MATRIX_AHEAD 2        /* [steps] of 256 sites that are loaded ahead there */
#define FASTID_MATRIX_ROWS 2         /* [warps] of a work-group along the queries */
#define FASTID_MATRIX_COLUMNS 1      /* [warps] of a work-group along the profiles */
#define FASTID_MATRIX_RUN 4          /* [column tiles] that a work-group takes at most */
#define FASTID_RATE_MATRIX 1         /* no rate for the popcount kernel: it is never chosen */

/* The hardware: the least that the standard asks for. */
#define FASTID_HW_LOCAL_BYTES 32768  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 128      /* [32-bit words] of a work-item */
