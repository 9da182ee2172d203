/// \file
/// The attribute "format", by which fastid knows its HDF5 files that are no databases.
#pragma once

#include <string>
#include <string_view>

namespace fastid::db {

/// Whether a file has this format; false where it cannot be read.
bool has_format(const std::string& path, std::string_view name);

}  // namespace fastid::db
