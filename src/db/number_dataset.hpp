/// \file
/// Matrices of numbers in HDF5 files, such as h5py or `fastid ld --matrix` write: a two-dimensional dataset
/// of float or double of either byte order, whose rows are vectors.
#pragma once

#include <string>

#include "engine/real_matrix.hpp"
#include "engine/real_rows.hpp"

namespace fastid::db {

/// Whether a file is an HDF5 file without fastid's database in it. \throws InputError where it cannot be read
bool is_number_file(const std::string& path);

/// A dataset's rows; the file is opened again for each read. The same parameters and errors as
/// read_number_dataset().
engine::RealRows rows_of_number_dataset(const std::string& path, const std::string& dataset);

/// \param dataset  its name ("group/name"); "": the only two-dimensional dataset of the file
/// \throws InputError naming file and dataset: there is none, it is of another type or shape, it is kept
/// outside of the file or by a filter that is no part of HDF5, or the file is damaged; Failure (memory)
engine::RealMatrix read_number_dataset(const std::string& path, const std::string& dataset);

}  // namespace fastid::db
