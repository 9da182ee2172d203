/// \file
/// The root attributes of a database, to and from its Header.
#pragma once

#include <cstdint>
#include <string>

#include "db/database.hpp"
#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

/// \throws Failure.
void write_header(const h5::File& database, const Header& header, const std::string& file);

/// Updates what an append changes: the number of profiles and the checksums. \throws Failure.
void update_header(const h5::File& database, const Header& header, const std::string& file);

/// Whether a file's attributes say that it is a database, of any version.
bool states_database(const h5::File& file);

/// Checks that the file is a database of a version that this program knows, then reads and checks every
/// attribute. \throws InputError.
Header read_header(const h5::File& database, const std::string& file);

}  // namespace fastid::db
