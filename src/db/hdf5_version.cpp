#include "db/hdf5_version.hpp"

#include <fmt/format.h>

#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

std::string hdf5_version() {
  const h5::Session session;
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace fastid::db
