/// \file
/// The panel inside a database: /panel/id chrom pos major minor, /panel/freq/POP and, for counted
/// frequencies, /panel/counted/POP.
#pragma once

#include <span>
#include <string>

#include "db/database.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "panel/panel.hpp"

namespace fastid::db {

/// Writes the columns id chrom pos major minor into a group. \throws Failure.
void write_sites(hid_t group, std::span<const Site> sites, const std::string& file);

/// \throws Failure.
void write_panel(const h5::File& database, const Panel& panel, const std::string& file);

/// Reads the panel and compares it with the header: number of sites, build, SHA-256.
/// \throws InputError.
Panel read_panel(const h5::File& database, const Header& header, const std::string& file);

/// SHA-256 of the numbers of alleles that frequencies were counted among: for each population where they are
/// known, in order, its name, a zero byte and the numbers. "" where none are known.
std::string counted_sha256(const Panel& panel);

/// Makes a group that records the order in which its members are created. \throws Failure.
h5::Group make_group(hid_t parent, const char* name, const std::string& file);

}  // namespace fastid::db
