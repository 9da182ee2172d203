#include "db/number_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "db/hdf5/attributes.hpp"
#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64}
                                   << 20;  // that are read together, if these are whole blocks
constexpr std::size_t kLargestNumberChunk = std::size_t{512}
                                            << 20;  // bytes of a chunk, which the library holds in memory
/// A small file must not ask for much memory: no numbers are compressed so well.
constexpr double kMostOfAByte = 256, kAlways = 1 << 24;
constexpr const char* kRewrite = "write a two-dimensional dataset of float or double";

h5::File open(const std::string& path) {
  const h5::Properties access = h5::file_access();
  h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file) h5::fail_to_read(path, "");
  return file;
}

struct Datasets {
  h5::ObjectCount objects;
  std::vector<std::string> names;  ///< two-dimensional datasets of this file, reached by hard links alone
};

extern "C" herr_t note_dataset(hid_t root, const char* name, const H5L_info_t* link, void* into) {
  if (link->type != H5L_TYPE_HARD) return 0;
  if (static_cast<Datasets*>(into)->objects.too_many(name)) return 1;
  H5O_info_t object{};
  if (H5Oget_info_by_name2(root, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
  if (object.type != H5O_TYPE_DATASET) return 0;
  const h5::Dataset dataset(H5Dopen2(root, name, H5P_DEFAULT));
  const h5::Properties list(dataset ? H5Dget_create_plist(dataset.get()) : H5I_INVALID_HID);
  if (!list) return -1;
  if (H5Pget_layout(list.get()) == H5D_VIRTUAL) return 0;  // asked for its space, HDF5 would open other files
  const h5::Space space(H5Dget_space(dataset.get()));
  if (!space) return -1;
  if (H5Sget_simple_extent_ndims(space.get()) == 2) static_cast<Datasets*>(into)->names.emplace_back(name);
  return 0;
}

/// The dataset that is meant, by its name.
std::string choose(const h5::File& file, const std::string& path, const std::string& wanted) {
  Datasets found;
  h5::got(H5Lvisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, note_dataset, &found), path, "its groups");
  if (found.objects.over()) throw InputError(path, "", "has more groups than a file of matrices", kRewrite);
  const std::string name = wanted.starts_with('/') ? wanted.substr(1) : wanted;
  if (name.empty() && found.names.size() == 1) return found.names.front();
  if (!name.empty() && std::ranges::count(found.names, name) > 0) return name;
  if (found.names.empty()) throw InputError(path, "", "has no two-dimensional dataset", kRewrite);
  constexpr std::size_t kNamed = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, found.names.size()); ++i)
    names += (i == 0 ? "" : ", ") + printable(found.names[i]);
  if (found.names.size() > kNamed) names += ", ...";
  throw InputError(path, printable(wanted),
                   wanted.empty() ? fmt::format("has {} two-dimensional datasets", found.names.size())
                                  : "there is no such two-dimensional dataset of this file's own",
                   fmt::format("name one by FILE:DATASET: {}", names));
}

class NumberDataset {
 public:
  NumberDataset(const h5::File& file, const std::string& path, const std::string& name)
      : path_(path),
        place_(printable(name)),
        dataset_(h5::open_dataset(file.get(), name, path, place_)),
        type_(number_type()) {
    const h5::Space space(h5::got(H5Dget_space(dataset_.get()), path_, place_));
    h5::got(H5Sget_simple_extent_dims(space.get(), extent_, nullptr), path_, place_);
    if (extent_[0] == 0 || extent_[1] == 0)
      reject(fmt::format("is {} x {}: it has no numbers", with_commas(extent_[0]), with_commas(extent_[1])),
             "name a dataset with some");
    check_storage(file);
  }

  /// The dataset as RealRows, without a function to read it.
  engine::RealRows facts() const { return {path_ + ":" + place_, type_, extent_[0], extent_[1], {}}; }
  void append(const Range& rows, const Range& columns, engine::RealMatrix& matrix) const {
    engine::with_real(type_, [&](auto zero) { read_rows<decltype(zero)>(rows, columns, matrix); });
  }

 private:
  [[noreturn]] void reject(const std::string& problem, const std::string& cure) const {
    throw InputError(path_, place_, problem, cure);
  }

  engine::RealType number_type() const {
    const h5::Type type(h5::got(H5Dget_type(dataset_.get()), path_, place_));
    for (const hid_t known : {H5T_IEEE_F32LE, H5T_IEEE_F32BE})
      if (H5Tequal(type.get(), known) > 0) return engine::RealType::kFloat;
    for (const hid_t known : {H5T_IEEE_F64LE, H5T_IEEE_F64BE})
      if (H5Tequal(type.get(), known) > 0) return engine::RealType::kDouble;
    reject("does not hold numbers of type float or double", kRewrite);
  }

  /// Checks that the data lie in this file, in chunks that fit in memory, without filters by foreign code.
  void check_storage(const h5::File& file) {
    const h5::Properties list(h5::got(H5Dget_create_plist(dataset_.get()), path_, place_));
    const H5D_layout_t layout = h5::got(H5Pget_layout(list.get()), path_, place_);
    const int filters = h5::got(H5Pget_nfilters(list.get()), path_, place_);
    for (int i = 0; i < filters; ++i) check_filter(list, static_cast<unsigned>(i));
    hsize_t file_bytes = 0;
    h5::got(H5Fget_filesize(file.get(), &file_bytes), path_, place_);
    const hsize_t stored = H5Dget_storage_size(dataset_.get());
    const double bytes = static_cast<double>(extent_[0]) * static_cast<double>(extent_[1]) *
                         static_cast<double>(engine::bytes_of(type_));
    const double most =
        filters == 0 ? static_cast<double>(stored) : static_cast<double>(stored) * kMostOfAByte + kAlways;
    if (stored > file_bytes || most < bytes)
      reject(fmt::format("claims {} x {} numbers, which the file does not hold", with_commas(extent_[0]),
                         with_commas(extent_[1])),
             "restore it from a copy, or write it again");
    if (layout == H5D_CHUNKED) check_chunk(list);
  }

  void check_filter(const h5::Properties& list, unsigned i) const {
    unsigned flags = 0, config = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(list.get(), i, &flags, &n_values, nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      reject(fmt::format("is packed by a filter (number {}) that fastid does not read", filter),
             "write it with gzip, or without compression (h5repack -f NONE)");
  }

  void check_chunk(const h5::Properties& list) {
    hsize_t chunk[2] = {0, 0};
    h5::got(H5Pget_chunk(list.get(), 2, chunk), path_, place_);
    const double bytes = static_cast<double>(chunk[0]) * static_cast<double>(chunk[1]) *
                         static_cast<double>(engine::bytes_of(type_));
    if (bytes > static_cast<double>(kLargestNumberChunk))
      reject(fmt::format("is stored in chunks of {} x {} numbers", chunk[0], chunk[1]),
             "store it in smaller chunks (h5repack -l CHUNK=256x256)");
    chunk_rows_ = static_cast<std::size_t>(chunk[0]);
  }

  /// Reads whole rows of chunks where these are small, so that one call unpacks no chunk twice; always whole
  /// blocks of rows. Calls for different ranges of columns may each unpack the same chunk.
  template <class T>
  void read_rows(const Range& rows, const Range& columns, engine::RealMatrix& matrix) const {
    const std::size_t width = matrix.n_columns();
    const std::size_t most = std::max<std::size_t>(1, kReadBytes / (width * sizeof(T)) / kLanes) * kLanes;
    const std::size_t at_once = std::min(most, ceil_div(chunk_rows_, kLanes) * kLanes);
    WordBuffer buffer(checked_mul(checked_mul(at_once, width), sizeof(T) / sizeof(Word)));
    T* const numbers = reinterpret_cast<T*>(buffer.data());
    for (hsize_t row = rows.first; row < rows.end; row += at_once) {
      check_interrupt();
      const hsize_t n = std::min<hsize_t>(at_once, rows.end - row);
      read({row, row + n}, columns, width, numbers);
      matrix.append(std::span<const T>(numbers, n * width));
    }
  }
  /// \param width  numbers from a row to the next one in memory
  void read(const Range& rows, const Range& columns, hsize_t width, void* into) const {
    const hsize_t begin[2] = {rows.first, columns.first}, extent[2] = {rows.size(), columns.size()};
    const hsize_t there[2] = {rows.size(), width}, origin[2] = {0, 0};
    const hid_t type = type_ == engine::RealType::kFloat ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const h5::Space in_file(h5::got(H5Dget_space(dataset_.get()), path_, place_));
    const h5::Space in_memory(h5::got(H5Screate_simple(2, there, nullptr), path_, place_));
    h5::got(H5Sselect_hyperslab(in_memory.get(), H5S_SELECT_SET, origin, nullptr, extent, nullptr), path_,
            place_);
    h5::got(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, begin, nullptr, extent, nullptr), path_,
            place_);
    h5::got(H5Dread(dataset_.get(), type, in_memory.get(), in_file.get(), H5P_DEFAULT, into), path_, place_);
  }

  std::string path_, place_;
  h5::Dataset dataset_;
  engine::RealType type_;
  hsize_t extent_[2] = {0, 0};
  std::size_t chunk_rows_ = 1;
};

}  // namespace

bool is_number_file(const std::string& path) {
  if (!is_database(path)) return false;
  const h5::Session session;
  const h5::Properties access = h5::file_access();
  const h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  return file && !states_database(file);
}

engine::RealRows rows_of_number_dataset(const std::string& path, const std::string& dataset) {
  const h5::Session session;
  const h5::File opened = open(path);
  const std::string name = choose(opened, path, dataset);
  engine::RealRows rows = NumberDataset(opened, path, name).facts();
  rows.dataset = name;
  rows.append = [path, name](const Range& wanted, const Range& columns, engine::RealMatrix& matrix) {
    const h5::Session again;
    const h5::File file = open(path);
    NumberDataset(file, path, name).append(wanted, columns, matrix);
  };
  return rows;
}

engine::RealMatrix read_number_dataset(const std::string& path, const std::string& dataset) {
  return rows_of_number_dataset(path, dataset).read();
}

}  // namespace fastid::db
