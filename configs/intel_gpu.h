/* configs/intel_gpu.h: Intel Xe GPUs.
 *
 * Sub-groups of 16 work-items share 128 registers of 32 bytes: Intel, "Xe GPU Architecture", oneAPI optimization guide.
 * Not measured with fastid. */
#define FASTID_CONFIG_NAME "intel_gpu"
#define FASTID_CONFIG_ORIGIN "model"

/* The shape. */
#define FASTID_M_C 32                /* [queries] of a work-group */
#define FASTID_K_C 256               /* [32-bit words] of each query in local memory */
#define FASTID_M_R 4                 /* [queries] of a work-item */
#define FASTID_N_R 128               /* [profiles] of a work-group */
#define FASTID_N_VEC 4               /* [32-bit words] that one load brings */
#define FASTID_GROUP_ROWS 8          /* [work-items] along the queries */
#define FASTID_GROUP_COLUMNS 16      /* [work-items] along the profiles */
#define FASTID_CARRY_LEVELS 0        /* [levels of full adders] before the popcount */
#define FASTID_POPCOUNT 1            /* [0, 1] popcount() is an instruction */

/* The grid of work-groups. */
#define FASTID_GRID_ROWS 0           /* [work-groups] along the queries; 0: one for each M_C */
#define FASTID_GRID_COLUMNS 0        /* [work-groups] along the profiles; 0: one for each N_R */

/* The hardware. */
#define FASTID_HW_LOCAL_BYTES 65536  /* [bytes] of local memory for a work-group */
#define FASTID_HW_REG_WORDS 64       /* [32-bit words] of a work-item: 4 KiB for 16 work-items */
