#include "db/hdf5/tag_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/panel_store.hpp"

namespace fastid::db {
namespace {

const std::string kValues = "/tags/values/", kCodes = "/tags/codes/";

template <class Code>
void write_codes_as(hid_t group, const std::string& key, hid_t type, const TagColumn& column,
                    const std::string& file) {
  const std::vector<Code> codes(column.codes().begin(), column.codes().end());
  write_column(group, key, h5::Type(h5::wrote(H5Tcopy(type), file, "a type")), codes.data(), codes.size(),
               file);
}

void write_codes(hid_t group, const std::string& key, const TagColumn& column, const std::string& file) {
  const std::size_t largest = column.values().size() - 1;
  if (largest <= std::numeric_limits<std::uint8_t>::max())
    write_codes_as<std::uint8_t>(group, key, H5T_STD_U8LE, column, file);
  else if (largest <= std::numeric_limits<std::uint16_t>::max())
    write_codes_as<std::uint16_t>(group, key, H5T_STD_U16LE, column, file);
  else
    write_codes_as<std::uint32_t>(group, key, H5T_STD_U32LE, column, file);
}

template <class Code>
std::vector<std::uint32_t> codes_as(const StoredColumn& column, hid_t type, const char* name) {
  const std::vector<Code> codes = column.read_all<Code>(type, name);
  return {codes.begin(), codes.end()};
}

std::vector<std::uint32_t> read_codes(const StoredColumn& column) {
  switch (column.row_bytes()) {
    case sizeof(std::uint8_t):
      return codes_as<std::uint8_t>(column, H5T_STD_U8LE, "u8");
    case sizeof(std::uint16_t):
      return codes_as<std::uint16_t>(column, H5T_STD_U16LE, "u16");
    default:
      return codes_as<std::uint32_t>(column, H5T_STD_U32LE, "u32");
  }
}

bool exists(const h5::File& database, const char* name, const std::string& file) {
  return h5::got(H5Lexists(database.get(), name, H5P_DEFAULT), file, name) > 0;
}

extern "C" herr_t note_key(hid_t, const char* name, const H5L_info_t*, void* into) {
  auto& keys = *static_cast<std::vector<std::string>*>(into);
  keys.emplace_back(name);
  return keys.size() > kMostTagKeys ? 1 : 0;
}

}  // namespace

void write_tags(const h5::File& database, const Tags& tags, const std::string& file) {
  const h5::Session session;
  if (exists(database, "/tags", file))
    h5::wrote(H5Ldelete(database.get(), "/tags", H5P_DEFAULT), file, "tags");
  if (tags.empty()) return;
  const h5::Group group = make_group(database.get(), "tags", file);
  const h5::Group values = make_group(group.get(), "values", file),
                  codes = make_group(group.get(), "codes", file);
  for (const auto& [key, column] : tags.columns()) {
    const std::vector<std::string>& all = column.values();
    write_strings(
        values.get(), key, all.size(), [&](std::size_t i) { return std::string_view(all[i]); }, file);
    write_codes(codes.get(), key, column, file);
  }
}

std::vector<std::string> tag_keys(const h5::File& database, const std::string& file) {
  const h5::Session session;
  std::vector<std::string> keys;
  if (!exists(database, "/tags", file)) return keys;
  const h5::Group group(h5::got(H5Gopen2(database.get(), "/tags/values", H5P_DEFAULT), file, "/tags/values"));
  hsize_t start = 0;
  h5::got(H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, &start, note_key, &keys), file, "/tags/values");
  if (keys.size() > kMostTagKeys)
    throw InputError(file, "/tags", fmt::format("has more than {} keys", kMostTagKeys),
                     "restore it from a copy");
  for (const std::string& key : keys) check_tag(key, "", file, "/tags");
  return keys;
}

TagColumn read_tag(const h5::File& database, const std::string& key, std::uint64_t rows,
                   const std::string& file) {
  const h5::Session session;
  std::vector<std::string> values =
      StoredColumn(database.get(), kValues + key, file).read_all_strings(kLongestTagValue);
  const StoredColumn column(database.get(), kCodes + key, file);
  column.expect_rows(rows, "profiles");
  std::vector<std::uint32_t> codes = read_codes(column);
  const auto known = [n = values.size()](std::uint32_t code) { return code < n; };
  if (values.empty() || !values[0].empty() || !std::ranges::all_of(codes, known))
    throw InputError(file, kCodes + key, "has a code without a value", "restore it from a copy");
  return {std::move(values), std::move(codes)};
}

}  // namespace fastid::db
