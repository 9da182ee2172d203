#include "db/hdf5/plane_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;  ///< read, then checked while it is in the cache
constexpr const char* kRestore = "restore it from a copy, or build the database anew";

/// One plane while it is being checked.
class PlaneOpener {
 public:
  PlaneOpener(const h5::File& database, const char* name, const BlockShape& shape, const std::string& file)
      : name_(name), file_(file), shape_(shape) {
    dataset_ = h5::open_dataset(database.get(), name, file_, name_);
  }

  void check_shape() const {
    const h5::Type type(h5::got(H5Dget_type(dataset_.get()), file_, name_));
    if (H5Tequal(type.get(), H5T_STD_U32LE) <= 0) reject("is not of type u32");
    const h5::Space space(h5::got(H5Dget_space(dataset_.get()), file_, name_));
    hsize_t dims[3] = {};
    if (H5Sget_simple_extent_ndims(space.get()) != 3) reject("is not three-dimensional");
    h5::got(H5Sget_simple_extent_dims(space.get(), dims, nullptr), file_, name_);
    if (dims[0] != shape_.n_blocks() || dims[1] != shape_.n_words() || dims[2] != kLanes)
      reject(fmt::format("has shape [{}, {}, {}] where [{}, {}, 32] is due", dims[0], dims[1], dims[2],
                         shape_.n_blocks(), shape_.n_words()));
  }

  /// Blocks in a chunk.
  std::size_t run() const {
    const h5::Properties list(h5::got(H5Dget_create_plist(dataset_.get()), file_, name_));
    if (H5Pget_layout(list.get()) != H5D_CHUNKED) reject("is not chunked");
    if (h5::got(H5Pget_nfilters(list.get()), file_, name_) != 0) reject("is compressed or filtered");
    hsize_t chunk[3] = {};
    if (h5::got(H5Pget_chunk(list.get(), 3, chunk), file_, name_) != 3 || chunk[1] != shape_.n_words() ||
        chunk[2] != kLanes || chunk[0] == 0)
      reject("has chunks that are no runs of whole blocks");
    return static_cast<std::size_t>(chunk[0]);
  }

  /// A query by coordinates walks the index up to the chunk: quadratic overall, but fast for the hundreds or
  /// few thousands of chunks that there are. A query by number would always walk all of it.
  std::uint64_t chunk_offset(std::uint64_t first_block, std::uint64_t chunk_bytes,
                             std::uint64_t file_bytes) const {
    const hsize_t at[] = {first_block, 0, 0};
    unsigned filters = 0;
    haddr_t offset = HADDR_UNDEF;
    hsize_t bytes = 0;
    h5::got(H5Dget_chunk_info_by_coord(dataset_.get(), at, &filters, &offset, &bytes), file_, name_);
    if (offset == HADDR_UNDEF || bytes != chunk_bytes || filters != 0)
      reject(fmt::format("lacks the chunk of block {}", first_block));
    if (offset > file_bytes || chunk_bytes > file_bytes - offset)
      reject(fmt::format("has the chunk of block {} past the end of the file: it is truncated", first_block));
    return offset;
  }

  [[noreturn]] void reject(const std::string& problem) const {
    throw InputError(file_, name_, problem, kRestore);
  }

 private:
  const char* name_;
  const std::string& file_;
  const BlockShape& shape_;
  h5::Dataset dataset_;
};

}  // namespace

PlaneNames plane_names(Encoding encoding) {
  if (encoding == Encoding::kAlleles) return {"minor", "major"};
  return {"bits", "called"};
}

std::string block_name(const BlockShape& shape, std::uint64_t block) {
  const std::uint64_t last = std::min<std::uint64_t>(shape.n_profiles, (block + 1) * kLanes) - 1;
  return fmt::format("block {} (profiles {} to {})", block, block * kLanes, last);
}

PlaneMap map_plane(const h5::File& database, const char* name, const BlockShape& shape,
                   std::uint64_t file_bytes, const std::string& file) {
  const h5::Session session;
  const PlaneOpener plane(database, name, shape, file);
  plane.check_shape();
  PlaneMap map{plane.run(), {}};
  // A file cannot hold more chunks than fit in it: this bounds the loop and its memory, whatever the header
  // claims.
  const std::uint64_t chunk_bytes = checked_mul<std::uint64_t>(map.run, shape.block_bytes());
  const std::uint64_t n_chunks = ceil_div<std::uint64_t>(shape.n_blocks(), map.run);
  if (n_chunks > file_bytes / chunk_bytes) plane.reject("is larger than the file: it is truncated");
  for (std::uint64_t i = 0; i < n_chunks; ++i)
    map.offsets.push_back(plane.chunk_offset(i * map.run, chunk_bytes, file_bytes));
  return map;
}

PlaneReader::PlaneReader(int fd, std::string file, BlockShape shape, PlaneMap bits, PlaneMap second,
                         std::vector<std::uint64_t> checksums)
    : fd_(fd),
      file_(std::move(file)),
      shape_(shape),
      bits_(std::move(bits)),
      second_(std::move(second)),
      checksums_(std::move(checksums)) {}

/// The number of blocks that one pread can fetch from each plane.
std::size_t PlaneReader::piece_blocks(std::uint64_t first, std::size_t left) const {
  std::size_t n = std::min(left, std::max<std::size_t>(1, kPieceBytes / shape_.block_bytes()));
  n = std::min<std::size_t>(n, bits_.run - first % bits_.run);
  if (has_second()) n = std::min<std::size_t>(n, second_.run - first % second_.run);
  return n;
}

void PlaneReader::read_plane(const PlaneMap& map, std::uint64_t first, std::size_t n, Word* into) const {
  const std::uint64_t offset = map.offsets[first / map.run] + first % map.run * shape_.block_bytes();
  read_at(fd_, into, n * shape_.block_bytes(), offset, file_);
}

void PlaneReader::read(std::uint64_t first, std::size_t n, Word* bits, Word* second,
                       const Damaged& damaged) const {
  const std::size_t words = shape_.block_words();
  while (n > 0) {
    const std::size_t some = piece_blocks(first, n);
    read_plane(bits_, first, some, bits);
    if (has_second()) read_plane(second_, first, some, second);
    const BlocksView piece{shape_.with(some * kLanes), bits, has_second() ? second : nullptr};
    for (std::size_t b = 0; damaged && b < some; ++b)
      if (piece.checksum(b) != checksums_[first + b]) damaged(first + b);
    bits += some * words;
    if (has_second()) second += some * words;
    first += some;
    n -= some;
  }
}

}  // namespace fastid::db
