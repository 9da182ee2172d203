#include "db/hdf5/format_mark.hpp"

#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

bool has_format(const std::string& path, std::string_view name) {
  const h5::Session session;
  const h5::Properties access = h5::file_access();
  const h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  return h5::has_format(file, name);
}

}  // namespace fastid::db
