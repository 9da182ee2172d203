/// \file
/// Vectors of numbers from whichever file holds them.
#pragma once

#include <optional>
#include <string>

#include "engine/real_matrix.hpp"
#include "engine/real_rows.hpp"

namespace fastid::similarity {

/// Whether a path names a matrix of numbers by what is there: FILE:DATASET, an HDF5 file that is no database,
/// .npy, or text that begins with a line of two or more numbers. Standard input ("-") is not looked at.
/// \throws InputError where there is no such file
bool is_real_matrix(const std::string& path);

/// The file of a matrix that FILE or FILE:DATASET names.
std::string file_of_real_matrix(const std::string& path);

/// Its rows, where these can be read anywhere in the file: HDF5, and .npy that is not compressed.
/// \throws InputError
std::optional<engine::RealRows> rows_of_real_matrix(const std::string& path);

/// Reads it (import/numbers.hpp, db/number_dataset.hpp). \throws InputError, Failure (memory)
engine::RealMatrix read_real_matrix(const std::string& path);

}  // namespace fastid::similarity
