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

/// What an append changes, in a database that has its attributes: the number of profiles and the content
/// checksum. \throws Failure.
void update_header(const h5::File& database, const Header& header, const std::string& file);

/// Checks that it is a database at all, and of a version that this program knows, then every attribute.
/// \throws InputError.
Header read_header(const h5::File& database, const std::string& file);

}  // namespace fastid::db
