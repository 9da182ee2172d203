#include "db/hdf5/column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kSmallestChunk = 4 << 10;
constexpr std::size_t kLargestColumnChunk = 64 << 10;
constexpr const char* kDamaged = "restore it from a copy, or build the database anew";

h5::Properties column_properties(hsize_t chunk_rows, const std::string& file) {
  h5::Properties list(h5::wrote(H5Pcreate(H5P_DATASET_CREATE), file, "properties"));
  h5::wrote(H5Pset_chunk(list.get(), 1, &chunk_rows), file, "properties");
  h5::wrote(H5Pset_fletcher32(list.get()), file, "properties");
  h5::wrote(H5Pset_obj_track_times(list.get(), false), file, "properties");
  return list;
}

}  // namespace

ColumnWriter::ColumnWriter(hid_t group, std::string name, h5::Type type, std::string file)
    : group_(group), name_(std::move(name)), file_(std::move(file)), type_(std::move(type)) {
  const h5::Session session;
  row_bytes_ = H5Tget_size(type_.get());
  chunk_rows_ = std::max<std::size_t>(1, kLargestColumnChunk / row_bytes_);
}

ColumnWriter ColumnWriter::resume(hid_t group, const std::string& name, std::uint64_t next,
                                  const std::string& file) {
  const h5::Session session;
  h5::Dataset dataset(h5::wrote(H5Dopen2(group, name.c_str(), H5P_DEFAULT), file, name));
  ColumnWriter column(group, name, h5::Type(h5::wrote(H5Dget_type(dataset.get()), file, name)), file);
  const h5::Properties list(h5::wrote(H5Dget_create_plist(dataset.get()), file, name));
  const h5::Space space(h5::wrote(H5Dget_space(dataset.get()), file, name));
  hsize_t chunk = 0;
  h5::wrote(H5Pget_chunk(list.get(), 1, &chunk), file, name);
  h5::wrote(H5Sget_simple_extent_dims(space.get(), &column.extent_, nullptr), file, name);
  column.chunk_rows_ = std::max<std::size_t>(1, chunk);
  column.written_ = next;
  column.dataset_ = std::move(dataset);
  return column;
}

/// Chooses the length of chunks by `n`, the number of rows in the first write.
void ColumnWriter::create(std::size_t n) {
  const std::size_t least = std::max<std::size_t>(1, kSmallestChunk / row_bytes_);
  chunk_rows_ = std::clamp(n, least, chunk_rows_);
  const hsize_t now = 0, most = H5S_UNLIMITED;
  const h5::Space space(h5::wrote(H5Screate_simple(1, &now, &most), file_, name_));
  const h5::Properties properties = column_properties(chunk_rows_, file_);
  dataset_ = h5::Dataset(h5::wrote(
      H5Dcreate2(group_, name_.c_str(), type_.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      file_, name_));
}

void ColumnWriter::append(const void* rows, std::size_t n) {
  const auto* from = static_cast<const unsigned char*>(rows);
  for (std::size_t left = n * row_bytes_; left > 0;) {
    const std::size_t some = std::min(left, chunk_bytes() - pending_.size());
    if (some == chunk_bytes()) {
      write(from, chunk_rows_);
    } else {
      pending_.insert(pending_.end(), from, from + some);
      if (pending_.size() == chunk_bytes()) flush();
    }
    from += some;
    left -= some;
  }
}

void ColumnWriter::finish() {
  if (!pending_.empty() || !dataset_) flush();
  // Flush HDF5's cache now: a write that fails when a dataset is closed is not reported.
  const h5::Session session;
  h5::wrote(H5Dflush(dataset_.get()), file_, name_);
}

void ColumnWriter::flush() {
  write(pending_.data(), pending_.size() / row_bytes_);
  pending_.clear();
}

void ColumnWriter::write(const void* rows, hsize_t n) {
  const h5::Session session;
  if (!dataset_) create(static_cast<std::size_t>(n));
  if (n == 0) return;
  extent_ = std::max(extent_, written_ + n);
  h5::wrote(H5Dset_extent(dataset_.get(), &extent_), file_, name_);
  const h5::Space in_file(h5::wrote(H5Dget_space(dataset_.get()), file_, name_));
  const h5::Space in_memory(h5::wrote(H5Screate_simple(1, &n, nullptr), file_, name_));
  h5::wrote(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &written_, nullptr, &n, nullptr), file_,
            name_);
  h5::wrote(H5Dwrite(dataset_.get(), type_.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, rows), file_,
            name_);
  written_ += n;
}

void ColumnWriter::rewind() {
  written_ = 0;
  pending_.clear();
}

void write_column(hid_t group, const std::string& name, h5::Type type, const void* rows, std::size_t n,
                  const std::string& file) {
  ColumnWriter column(group, name, std::move(type), file);
  column.append(rows, n);
  column.finish();
}

StoredColumn::StoredColumn(hid_t group, std::string name, std::string file)
    : name_(std::move(name)), file_(std::move(file)) {
  const h5::Session session;
  dataset_ = h5::open_dataset(group, name_, file_, name_);
  type_ = h5::Type(h5::got(H5Dget_type(dataset_.get()), file_, name_));
  row_bytes_ = H5Tget_size(type_.get());
  const h5::Space space(h5::got(H5Dget_space(dataset_.get()), file_, name_));
  if (H5Sget_simple_extent_ndims(space.get()) != 1) reject("is not one-dimensional");
  hsize_t rows = 0;
  h5::got(H5Sget_simple_extent_dims(space.get(), &rows, nullptr), file_, name_);
  rows_ = rows;
  check_storage();
  check_layout();
}

void StoredColumn::reject(const std::string& problem) const {
  throw InputError(file_, name_, problem, kDamaged);
}

void StoredColumn::check_layout() const {
  const h5::Properties list(h5::got(H5Dget_create_plist(dataset_.get()), file_, name_));
  if (H5Pget_layout(list.get()) != H5D_CHUNKED) reject("is not stored in chunks of this file");
  hsize_t chunk_rows = 0;
  h5::got(H5Pget_chunk(list.get(), 1, &chunk_rows), file_, name_);
  if (chunk_rows > kLargestColumnChunk / row_bytes_) reject(fmt::format("has chunks of {} rows", chunk_rows));
  unsigned flags = 0, config = 0;
  std::size_t n_values = 0;
  if (h5::got(H5Pget_nfilters(list.get()), file_, name_) != 1 ||
      H5Pget_filter2(list.get(), 0, &flags, &n_values, nullptr, 0, nullptr, &config) != H5Z_FILTER_FLETCHER32)
    reject("is compressed, or has not the checksums (Fletcher32) that fastid writes");
}

void StoredColumn::check_storage() const {
  std::uint64_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(rows_, std::uint64_t{row_bytes_}, &bytes);
  const hsize_t stored = H5Dget_storage_size(dataset_.get());
  hsize_t file_bytes = 0;
  const h5::File file(h5::got(H5Iget_file_id(dataset_.get()), file_, name_));
  h5::got(H5Fget_filesize(file.get(), &file_bytes), file_, name_);
  if (overflow || bytes > stored || stored > file_bytes)
    reject(fmt::format("claims {} rows, which the file does not hold", rows_));
}

void StoredColumn::expect_rows(std::uint64_t rows, const char* what) const {
  if (rows_ != rows) reject(fmt::format("has {} rows for {} {}", rows_, rows, what));
}

void StoredColumn::expect_type(hid_t type, const char* type_name) const {
  const h5::Session session;
  if (h5::got(H5Tequal(type_.get(), type), file_, name_) <= 0)
    reject(fmt::format("is not of type {}", type_name));
}

void StoredColumn::expect_strings(std::size_t longest) const {
  const h5::Session session;
  if (H5Tget_class(type_.get()) != H5T_STRING || H5Tis_variable_str(type_.get()) != 0)
    reject("does not hold fixed-length strings");
  if (row_bytes_ < 1 || row_bytes_ > longest) reject(fmt::format("holds strings of {} bytes", row_bytes_));
}

std::vector<unsigned char> StoredColumn::read(std::uint64_t first, std::size_t n) const {
  std::vector<unsigned char> rows(checked_mul(n, row_bytes_));
  read_into(first, n, rows.data());
  return rows;
}

std::vector<unsigned char> StoredColumn::read_stretches(std::span<const hsize_t> rows) const {
  constexpr hsize_t kGap = 256, kMost = 65'536;  // rows between two of a stretch, and of a stretch
  std::vector<unsigned char> bytes;
  bytes.reserve(checked_mul(rows.size(), row_bytes_));
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] - rows[end - 1] <= kGap && rows[end] - rows[begin] < kMost) ++end;
    const std::vector<unsigned char> stretch =
        read(rows[begin], static_cast<std::size_t>(rows[end - 1] - rows[begin] + 1));
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = stretch.begin() + static_cast<std::ptrdiff_t>((rows[i] - rows[begin]) * row_bytes_);
      bytes.insert(bytes.end(), row, row + static_cast<std::ptrdiff_t>(row_bytes_));
    }
    begin = end;
  }
  return bytes;
}

void StoredColumn::read_into(std::uint64_t first, std::size_t n, void* into) const {
  if (n == 0) return;
  const h5::Session session;
  const hsize_t start = first, count = n;
  const h5::Space selection(h5::got(H5Dget_space(dataset_.get()), file_, name_));
  h5::got(H5Sselect_hyperslab(selection.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr), file_,
          name_);
  transfer(selection, n, into);
}

void StoredColumn::transfer(const h5::Space& selection, std::size_t n, void* into) const {
  const hsize_t count = n;
  const h5::Space in_memory(h5::got(H5Screate_simple(1, &count, nullptr), file_, name_));
  h5::got(H5Dread(dataset_.get(), type_.get(), in_memory.get(), selection.get(), H5P_DEFAULT, into), file_,
          name_);
}

std::vector<std::string> StoredColumn::strings_of(const std::vector<unsigned char>& bytes) const {
  std::vector<std::string> strings;
  strings.reserve(bytes.size() / row_bytes_);
  for (std::size_t at = 0; at < bytes.size(); at += row_bytes_) {
    const char* const text = reinterpret_cast<const char*>(bytes.data()) + at;
    strings.emplace_back(text, strnlen(text, row_bytes_));
    const std::string& string = strings.back();
    const bool padded = std::string_view(text, row_bytes_).find_last_not_of('\0') + 1 == string.size();
    if (!padded || !is_printable_utf8(string))
      reject(fmt::format("holds a text ('{}') that has a zero byte, a control character or no valid UTF-8",
                         printable({text, row_bytes_})));
  }
  return strings;
}

std::vector<std::string> StoredColumn::read_strings(std::uint64_t first, std::size_t n) const {
  return strings_of(read(first, n));
}

std::vector<std::string> StoredColumn::read_strings(const std::vector<hsize_t>& rows) const {
  std::vector<hsize_t> once = rows;
  std::ranges::sort(once);
  once.erase(std::unique(once.begin(), once.end()), once.end());
  const std::vector<std::string> texts = strings_of(read_stretches(once));
  std::vector<std::string> strings;
  strings.reserve(rows.size());
  for (const hsize_t row : rows)
    strings.push_back(texts[static_cast<std::size_t>(std::ranges::lower_bound(once, row) - once.begin())]);
  return strings;
}

std::vector<std::string> StoredColumn::read_all_strings(std::size_t longest) const {
  expect_strings(longest);
  return read_strings(0, static_cast<std::size_t>(rows_));
}

}  // namespace fastid::db
