/* configs/generic.h: any full-profile OpenCL device.
 *
 * The last config of every chain of registry.tsv. Local memory is the least that the standard asks for. */
#define FASTID_CONFIG_NAME "generic"
#define FASTID_CONFIG_ORIGIN "model"

/* The shape. */
#define FASTID_M_C 16                /* [queries] of a work-group */
#define FASTID_K_C 256               /* [32-bit words] of each query in local memory */
#define FASTID_M_R 4                 /* [queries] of a work-item */
#define FASTID_N_R 128               /* [profiles] of a work-group */
#define FASTID_N_VEC 4               /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 4          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 16      /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 0        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 1            /* [0, 1] popcount() is an instruction */
#define FASTID_LOAD_AHEAD 0          /* [0, 1] the next words are loaded before these are compared */

/* The grid of work-groups. */
#define FASTID_RUN 1                 /* [column tiles] that a work-group takes in turn at most */
#define FASTID_GRID_ROWS 0           /* [work-groups] along the queries; 0: one for each M_C */
#define FASTID_GRID_COLUMNS 0        /* [work-groups] along the profiles; 0: one for each RUN x N_R */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 32768  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 64       /* [32-bit words] of a work-item: a low guess */
