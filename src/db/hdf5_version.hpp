/// \file
/// Which libhdf5 is loaded, for --version.
#pragma once

#include <string>

namespace fastid::db {

/// "1.10.8".
std::string hdf5_version();

}  // namespace fastid::db
