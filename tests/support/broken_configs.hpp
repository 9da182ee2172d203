/// \file
/// Configs that break one rule each, for those who must refuse them: the reader of configs and the device's
/// compiler.
#pragma once

#include <string>

#include "support/config_text.hpp"

namespace fastid::testing {

/// generic.h with one number changed.
inline std::string generic_with(const std::string& name, const std::string& value) {
  return config_with("generic", {{name, value}});
}

/// portable_matrix.h likewise, with room in the counts for the rules that follow.
inline std::string matrix_with(const std::string& name, const std::string& value) {
  return config_with("portable_matrix", {{"MATRIX_HELD_WORDS", "64"}, {name, value}});
}

struct Broken {
  const char* name;
  const char* value;
  const char* reason;
};
inline constexpr Broken kBroken[] = {{"M_C", "18", "M_C must be a multiple of 4"},
                                     {"M_C", "0", "M_C must be a multiple of 4"},
                                     {"M_R", "3", "M_R must divide M_C"},
                                     {"M_R", "0", "M_R must divide M_C"},
                                     {"GROUP_ROWS", "3", "GROUP_ROWS must divide M_C / M_R"},
                                     {"GROUP_COLUMNS", "0", "GROUP_COLUMNS must divide N_R"},
                                     {"N_R", "130", "GROUP_COLUMNS must divide N_R"},
                                     {"N_VEC", "3", "N_VEC must be 1, 2, 4, 8 or 16"},
                                     {"N_VEC", "16", "N_VEC must divide N_R / GROUP_COLUMNS"},
                                     {"N_R", "1024", "must be 32 at most"},
                                     {"CARRY_LEVELS", "4", "CARRY_LEVELS must be 0 to 3"},
                                     {"POPCOUNT", "2", "POPCOUNT must be 0 or 1"},
                                     {"LOAD_AHEAD", "2", "LOAD_AHEAD must be 0 or 1"},
                                     {"RUN", "0", "RUN must be 1 at least"},
                                     {"K_C", "1", "K_C must be 2 at least"},
                                     {"K_C", "513", "does not fit in HW_LOCAL_BYTES"},
                                     {"HW_REG_WORDS", "63", "they would spill"}};

inline constexpr Broken kBrokenMatrix[] = {{"MATRIX", "3", "MATRIX must be 0, 1 or 2"},
                                           {"MATRIX_TILES", "0", "MATRIX_TILES must be 1 to 8"},
                                           {"MATRIX_TILES", "9", "MATRIX_TILES must be 1 to 8"},
                                           {"MATRIX_BLOCKS", "0", "MATRIX_BLOCKS must be 1 to 4"},
                                           {"MATRIX_BLOCKS", "5", "MATRIX_BLOCKS must be 1 to 4"},
                                           {"MATRIX_ROWS", "0", "must be 1 to 32 warps"},
                                           {"MATRIX_COLUMNS", "17", "must be 1 to 32 warps"},
                                           {"MATRIX_RUN", "0", "MATRIX_RUN must be 1 at least"},
                                           {"MATRIX_HELD_TILES", "0", "MATRIX_HELD_TILES must be 1 to 8"},
                                           {"MATRIX_HELD_BLOCKS", "0", "MATRIX_HELD_BLOCKS must be 1 to 4"},
                                           {"MATRIX_AHEAD", "0", "MATRIX_AHEAD must be 1 to 8"},
                                           {"MATRIX_HELD_WORDS", "230", "HELD_WORDS beside its counts"}};

}  // namespace fastid::testing
