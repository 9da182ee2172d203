#include "db/hdf5/format_mark.hpp"

#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

bool has_format(const std::string& path, std::string_view name) {
  const h5::Session session;
  const h5::Properties access = h5::file_access();
  const h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file || H5Aexists(file.get(), "format") <= 0) return false;
  const h5::Attribute format(H5Aopen(file.get(), "format", H5P_DEFAULT));
  const h5::Type type = h5::string_type(name.size());
  const h5::Type stored(H5Aget_type(format.get()));
  std::string text(name.size(), '\0');
  return H5Tequal(stored.get(), type.get()) > 0 && H5Aread(format.get(), type.get(), text.data()) >= 0 &&
         text == name;
}

}  // namespace fastid::db
