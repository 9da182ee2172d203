/// \file
/// Vectors of numbers from whichever file holds them.
#pragma once

#include <string>

#include "engine/real_matrix.hpp"

namespace fastid {

/// Whether a path names a matrix of numbers and not a database: FILE:DATASET, an HDF5 file that is no database, or
/// a file of another kind (.npy, text; "-"). \throws InputError where there is no such file
bool is_real_matrix(const std::string& path);

/// Reads it (import/numbers.hpp, db/number_dataset.hpp). \throws InputError, Failure (memory)
RealMatrix read_real_matrix(const std::string& path);

}  // namespace fastid
