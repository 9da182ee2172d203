/// \file
/// The last look at a database before it takes the place of another.
#pragma once

#include <string>

namespace fastid::db {

/// Opens the finished file at `staged` as any reader would, and reads its header, panel, tags and log against
/// its content checksum. \throws Failure naming `target`, which stays as it is
void check_staged(const std::string& staged, const std::string& target);

}  // namespace fastid::db
