/* config_check.h: the rules for a valid config, checked by the device's compiler; src/model/config.cpp has the same
 * rules. A config that breaks one stops the build with the reason; nothing is rounded silently. */
#if FASTID_M_C < 4 || FASTID_M_C % 4
#error "fastid config: M_C must be a multiple of 4"
#endif
#if FASTID_M_R < 1 || FASTID_M_R > FASTID_M_C || FASTID_M_C % FASTID_M_R
#error "fastid config: M_R must divide M_C"
#endif
#if FASTID_GROUP_ROWS < 1 || (FASTID_M_C / FASTID_M_R) % FASTID_GROUP_ROWS
#error "fastid config: GROUP_ROWS must divide M_C / M_R, the strips that its work-items share"
#endif
#if FASTID_GROUP_COLUMNS < 1 || FASTID_N_R < 1 || FASTID_N_R % FASTID_GROUP_COLUMNS
#error "fastid config: GROUP_COLUMNS must divide N_R"
#endif
#if FASTID_N_VEC != 1 && FASTID_N_VEC != 2 && FASTID_N_VEC != 4 && FASTID_N_VEC != 8 && FASTID_N_VEC != 16
#error "fastid config: N_VEC must be 1, 2, 4, 8 or 16"
#endif
#if FASTID_N_R / FASTID_GROUP_COLUMNS % FASTID_N_VEC
#error "fastid config: N_VEC must divide N_R / GROUP_COLUMNS, the profiles of a work-item"
#endif
#if FASTID_N_R / FASTID_GROUP_COLUMNS > 32
#error "fastid config: N_R / GROUP_COLUMNS, the profiles of a work-item, must be 32 at most"
#endif
#if FASTID_CARRY_LEVELS < 0 || FASTID_CARRY_LEVELS > 3
#error "fastid config: CARRY_LEVELS must be 0 to 3"
#endif
#if FASTID_POPCOUNT != 0 && FASTID_POPCOUNT != 1
#error "fastid config: POPCOUNT must be 0 or 1"
#endif
#if FASTID_LOAD_AHEAD != 0 && FASTID_LOAD_AHEAD != 1
#error "fastid config: LOAD_AHEAD must be 0 or 1"
#endif
#if FASTID_RUN < 1
#error "fastid config: RUN must be 1 at least"
#endif
#if FASTID_K_C < 2
#error "fastid config: K_C must be 2 at least: one word of each of a query's planes"
#endif
#if 4 * FASTID_M_C * FASTID_K_C > FASTID_HW_LOCAL_BYTES
#error "fastid config: the M_C x K_C query block does not fit in HW_LOCAL_BYTES of local memory"
#endif
#if FASTID_M_R * (FASTID_N_R / FASTID_GROUP_COLUMNS) * (1 + FASTID_CARRY_LEVELS) > FASTID_HW_REG_WORDS / 2
#error "fastid config: counts take more than half of HW_REG_WORDS; they would spill"
#endif
#if FASTID_MATRIX < 0 || FASTID_MATRIX > 2
#error "fastid config: MATRIX must be 0, 1 or 2"
#endif
#if FASTID_MATRIX
#if FASTID_MATRIX_TILES < 1 || FASTID_MATRIX_TILES > 8
#error "fastid config: MATRIX_TILES must be 1 to 8"
#endif
#if FASTID_MATRIX_BLOCKS < 1 || FASTID_MATRIX_BLOCKS > 4
#error "fastid config: MATRIX_BLOCKS must be 1 to 4"
#endif
/* Registers for counts and for the operands of this step and the next; 240 leaves some for addresses and thresholds. */
#if 16 * FASTID_MATRIX_TILES * FASTID_MATRIX_BLOCKS + 8 * FASTID_MATRIX_TILES + 16 * FASTID_MATRIX_BLOCKS > 240
#error "fastid config: MATRIX_TILES x MATRIX_BLOCKS takes more registers than a work-item has"
#endif
#if FASTID_MATRIX_ROWS < 1 || FASTID_MATRIX_COLUMNS < 1 || FASTID_MATRIX_ROWS * FASTID_MATRIX_COLUMNS > 32
#error "fastid config: MATRIX_ROWS x MATRIX_COLUMNS must be 1 to 32 warps"
#endif
#if FASTID_MATRIX_RUN < 1
#error "fastid config: MATRIX_RUN must be 1 at least"
#endif
#if FASTID_MATRIX_HELD_WORDS
#if FASTID_MATRIX_HELD_TILES < 1 || FASTID_MATRIX_HELD_TILES > 8
#error "fastid config: MATRIX_HELD_TILES must be 1 to 8"
#endif
#if FASTID_MATRIX_HELD_BLOCKS < 1 || FASTID_MATRIX_HELD_BLOCKS > 4
#error "fastid config: MATRIX_HELD_BLOCKS must be 1 to 4"
#endif
#if FASTID_MATRIX_AHEAD < 1 || FASTID_MATRIX_AHEAD > 8
#error "fastid config: MATRIX_AHEAD must be 1 to 8"
#endif
#if FASTID_MATRIX_HELD_WORDS > 240 || 16 * FASTID_MATRIX_HELD_TILES * FASTID_MATRIX_HELD_BLOCKS + \
    16 * FASTID_MATRIX_HELD_BLOCKS + FASTID_MATRIX_HELD_WORDS > 240
#error "fastid config: MATRIX_HELD_WORDS beside its counts takes more registers than a work-item has"
#endif
#endif
#endif
