/// \file
/// Matrices of numbers in files that are no HDF5 (db/number_dataset.hpp has those), for vectors that are
/// compared by their proportions. Each may be compressed (import/io/byte_stream.hpp).
///
///   .npy   NumPy's file of a two-dimensional array of float32 or float64 ('<f4', '<f8') in the order of rows
///   text   a line for each vector: numbers (double) separated by tabs, without names of rows or columns
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/real_matrix.hpp"
#include "engine/real_rows.hpp"

namespace fastid::imports {

/// How a .npy file begins.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// The rows of a .npy file that is not compressed; no value for any other file. \throws InputError
std::optional<engine::RealRows> rows_of_numbers(const std::string& path);

/// Reads a file of either kind, or standard input ("-"). \throws InputError naming the place; Failure
/// (memory)
engine::RealMatrix read_numbers(const std::string& path);

}  // namespace fastid::imports
