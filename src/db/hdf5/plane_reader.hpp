/// \file
/// Reads the planes without HDF5: the library says once where each chunk is in the file; then any thread can
/// pread it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db {

/// "block 17 (profiles 544 to 575)".
std::string block_name(const BlockShape& shape, std::uint64_t block);

/// What the two planes are called below /profiles: "bits" and "called", or "minor" and "major".
struct PlaneNames {
  const char* bits;
  const char* second;
};
PlaneNames plane_names(Encoding encoding);

/// Where the chunks of one plane are in the file.
struct PlaneMap {
  std::size_t run = 0;                 ///< blocks in a chunk
  std::vector<std::uint64_t> offsets;  ///< of chunk i in the file, in bytes
};

/// Checks a plane's type, shape, chunks and storage against the database's shape and the file's size, and
/// maps it. \throws InputError.
PlaneMap map_plane(const h5::File& database, const char* name, const BlockShape& shape,
                   std::uint64_t file_bytes, const std::string& file);

/// Both planes of an open file. Thread-safe; takes no lock.
class PlaneReader {
 public:
  /// \param second     no chunks where the database has no such plane
  /// \param checksums  of each block
  PlaneReader(int fd, std::string file, BlockShape shape, PlaneMap bits, PlaneMap second,
              std::vector<std::uint64_t> checksums);

  bool has_second() const { return !second_.offsets.empty(); }
  const std::vector<std::uint64_t>& checksums() const { return checksums_; }

  using Damaged = std::function<void(std::uint64_t block)>;

  /// Reads blocks first .. first + n - 1, and calls `damaged(block)` for each that fails its checksum;
  /// without `damaged` no checksum is compared. \throws InputError where the file cannot be read.
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second, const Damaged& damaged) const;

 private:
  std::size_t piece_blocks(std::uint64_t first, std::size_t left) const;
  void read_plane(const PlaneMap& map, std::uint64_t first, std::size_t n, Word* into) const;

  int fd_;
  std::string file_;
  BlockShape shape_;
  PlaneMap bits_, second_;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace fastid::db
