/// \file
/// Writes attributes of a group: fixed-length strings and whole numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

/// \throws Failure from all functions. The group and the file's name must outlive this.
class AttributeWriter {
 public:
  AttributeWriter(hid_t root, const std::string& file) : root_(root), file_(file) {}

  void put(const char* name, std::string_view text) const {
    write(name, h5::string_type(text.empty() ? 1 : text.size()), text.empty() ? "" : text.data());
  }
  void put(const char* name, std::uint32_t value) const { write(name, copy(H5T_STD_U32LE), &value); }
  void put(const char* name, std::uint64_t value) const { write(name, copy(H5T_STD_U64LE), &value); }

 private:
  h5::Type copy(hid_t type) const { return h5::Type(h5::wrote(H5Tcopy(type), file_, "a type")); }

  void write(const char* name, const h5::Type& type, const void* value) const {
    const h5::Space scalar(h5::wrote(H5Screate(H5S_SCALAR), file_, name));
    const h5::Attribute attribute(
        h5::wrote(H5Acreate2(root_, name, type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT), file_, name));
    h5::wrote(H5Awrite(attribute.get(), type.get(), value), file_, name);
  }

  hid_t root_;
  const std::string& file_;
};

}  // namespace fastid::db
