// Reads a database. Opening checks all that can be checked without reading profiles, and is quick: an index
// of some hundred chunks, the panel, and eight bytes a block.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "db/hdf5/attributes.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/content.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/hdf5/log_json.hpp"
#include "db/hdf5/panel_store.hpp"
#include "db/hdf5/plane_reader.hpp"
#include "db/hdf5/profile_ids.hpp"
#include "db/hdf5/tag_store.hpp"

namespace fastid::db {
namespace {

h5::File open_file(const std::string& path) {
  open_regular(path);  // reports clearly what is wrong with the path
  const h5::Session session;
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw InputError(path, "", "is no fastid database (not an HDF5 file)", "make one with `fastid db build`");
  const h5::Properties access = h5::file_access();
  h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (file) return file;
  const std::string reason = h5::last_error();
  if (reason.find("truncated file") != std::string::npos)
    throw InputError(path, "", "the file is truncated", "restore it from a copy");
  if (reason.find("already open") != std::string::npos)
    throw InputError(path, "", "another program has it open for writing, or ended without closing it",
                     "close it there; where no program has it open, `h5clear -s` takes the mark away");
  throw InputError(path, "", fmt::format("cannot be opened: the file is damaged (HDF5: {})", reason),
                   "restore it from a copy");
}

/// The header of a file, which must not link to objects of other files.
Header checked_header(const h5::File& file, const std::string& path) {
  Header header = read_header(file, path);
  h5::check_links(file, path);
  return header;
}

/// The descriptor through which HDF5 itself reads, so that both see the same file even if it is renamed or
/// replaced.
int descriptor_of(const h5::File& file, const std::string& path) {
  const h5::Session session;
  void* handle = nullptr;
  h5::got(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle), path, "the file");
  return *static_cast<int*>(handle);
}

bool exists(const h5::File& file, const char* name, const std::string& path) {
  const h5::Session session;
  return h5::got(H5Lexists(file.get(), name, H5P_DEFAULT), path, name) > 0;
}

}  // namespace

Header header_of(const std::string& path) {
  const h5::Session session;
  return read_header(open_file(path), path);
}

// Members are closed in the reverse order: the column before its file.
struct Reader::Impl {
  std::string path;
  BlockChecks checks;
  h5::File file;
  int fd;  ///< HDF5's
  FileState opened;
  Header header;
  Panel panel;
  StoredColumn ids;
  PlaneReader planes;

  Impl(const std::string& from, BlockChecks block_checks)
      : path(from),
        checks(block_checks),
        file(open_file(path)),
        fd(descriptor_of(file, path)),
        opened(file_state(fd, path)),
        header(checked_header(file, path)),
        panel(read_panel(file, header, path)),
        ids(file.get(), "/profiles/id", path),
        planes(open_planes()) {
    ids.expect_rows(header.shape.n_profiles, "profiles");
    ids.expect_strings(kLongestProfileId);
  }

  PlaneReader open_planes() const {
    const StoredColumn sums(file.get(), "/profiles/checksum", path);
    sums.expect_rows(header.shape.n_blocks(), "blocks");
    const PlaneNames names = plane_names(header.shape.encoding);
    const std::string first_name = std::string("/profiles/") + names.bits;
    const std::string second_name = std::string("/profiles/") + names.second;
    PlaneMap bits = map_plane(file, first_name.c_str(), header.shape, opened.bytes, path), second;
    if (header.shape.encoding == Encoding::kAlleles || exists(file, second_name.c_str(), path))
      second = map_plane(file, second_name.c_str(), header.shape, opened.bytes, path);
    return PlaneReader(fd, path, header.shape, std::move(bits), std::move(second),
                       sums.read_all<std::uint64_t>(H5T_STD_U64LE, "u64"));
  }

  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second,
            const PlaneReader::Damaged& damaged) const {
    check_range(first, n, header.shape.n_blocks());
    planes.read(first, n, bits, second, damaged);
    check_padding(first, n, bits);
    if (!planes.has_second()) return;
    check_padding(first, n, second);
    if (checks == BlockChecks::kAll && header.shape.encoding == Encoding::kMinor)
      check_uncalled(first, n, bits, second);
  }

  /// Engines rely on zeros past the last site. fastid writes them, but another program might not. Only the
  /// last word of each profile has such bits, so this check costs almost nothing.
  void check_padding(std::uint64_t first, std::size_t n, const Word* plane) const {
    const BlockShape& shape = header.shape;
    const Word unused = ~sites_mask(shape.n_sites, shape.n_words() - 1);
    if (unused == 0) return;
    for (std::size_t b = 0; b < n; ++b) {
      const Word* const last = plane + (b + 1) * shape.block_words() - kLanes;
      const auto strays = [unused](Word word) { return (word & unused) != 0; };
      if (std::any_of(last, last + kLanes, strays))
        throw InputError(path, block_name(shape, first + b), "it has bits past the last site",
                         "build the database anew; `fastid db verify` lists all damage");
    }
  }

  /// Engines also rely on zeros at sites not called. Both planes are still in the cache.
  void check_uncalled(std::uint64_t first, std::size_t n, const Word* bits, const Word* called) const {
    const std::size_t words = header.shape.block_words();
    for (std::size_t b = 0; b < n; ++b, bits += words, called += words) {
      Word uncalled = 0;
      for (std::size_t i = 0; i < words; ++i) uncalled |= bits[i] & ~called[i];
      if (uncalled != 0)
        throw InputError(path, block_name(header.shape, first + b),
                         "it has alleles at sites that were not called",
                         "build the database anew; `fastid db verify` lists all damage");
    }
  }

  void check_range(std::uint64_t first, std::uint64_t n, std::uint64_t total) const {
    if (first > total || n > total - first)
      throw Failure(
          fmt::format("{}: {} + {} is past its end, {} (a defect of fastid)", path, first, n, total));
  }
};

Reader::Reader(const std::string& path, BlockChecks checks) {
  const h5::Session session;
  impl_ = std::make_unique<Impl>(path, checks);
}

Reader::~Reader() = default;

const std::string& Reader::path() const {
  return impl_->path;
}
const Header& Reader::header() const {
  return impl_->header;
}
const Panel& Reader::panel() const {
  return impl_->panel;
}
std::uint64_t Reader::file_bytes() const {
  return impl_->opened.bytes;
}
const FileState& Reader::opened() const {
  return impl_->opened;
}
int Reader::descriptor() const {
  return impl_->fd;
}
bool Reader::has_second() const {
  return impl_->planes.has_second();
}

void Reader::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  const auto refuse = [&](std::uint64_t block) {
    throw InputError(path(), block_name(shape(), block), "checksum mismatch: the file is damaged",
                     "restore it from a copy, `fastid db verify` lists all damage");
  };
  const bool checked = impl_->checks == BlockChecks::kAll;
  impl_->read(first, n, bits, second, checked ? refuse : PlaneReader::Damaged());
}

void Reader::read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  try {
    impl_->read(first, n, bits, second, {});
  } catch (const InputError&) {
    read(first, n, bits, second);  // where a block is damaged, the checksum's error is clearer
    throw;
  }
}

std::span<const std::uint64_t> Reader::checksums() const {
  if (impl_->checks != BlockChecks::kAll) return {};
  return impl_->planes.checksums();
}

std::vector<std::uint64_t> Reader::read_and_list_damaged(std::uint64_t first, std::size_t n, Word* bits,
                                                         Word* second) const {
  impl_->check_range(first, n, shape().n_blocks());
  std::vector<std::uint64_t> blocks;
  impl_->planes.read(first, n, bits, second, [&](std::uint64_t block) { blocks.push_back(block); });
  return blocks;
}

std::vector<std::string> Reader::profile_ids(std::span<const std::uint64_t> rows) const {
  std::vector<hsize_t> wanted;
  for (const std::uint64_t row : rows) {
    impl_->check_range(row, 1, shape().n_profiles);
    wanted.push_back(row);
  }
  return impl_->ids.read_strings(wanted);
}

std::vector<std::string> Reader::profile_ids(std::uint64_t first, std::size_t n) const {
  impl_->check_range(first, n, shape().n_profiles);
  return impl_->ids.read_strings(first, n);
}

void Reader::scan_ids(const std::function<bool(std::uint64_t row, const std::string& id)>& see) const {
  for_each_slab(shape().n_profiles, [&](std::uint64_t first, std::size_t n) {
    for (const std::string& id : profile_ids(first, n))
      if (!see(first++, id)) return false;
    return true;
  });
}

std::optional<std::uint64_t> Reader::row_of(const std::string& id) const {
  std::optional<std::uint64_t> found;
  scan_ids([&](std::uint64_t row, const std::string& there) {
    if (there == id) found = row;
    return !found;
  });
  return found;
}

std::vector<std::uint64_t> Reader::rows_of(std::span<const std::string> ids) const {
  constexpr std::uint64_t kNone = UINT64_MAX;
  std::unordered_map<std::string_view, std::uint64_t> found;
  for (const std::string& id : ids) found.emplace(id, kNone);
  std::size_t missing = found.size();
  scan_ids([&](std::uint64_t row, const std::string& id) {
    const auto wanted = missing > 0 ? found.find(id) : found.end();
    if (wanted != found.end() && wanted->second == kNone) {
      wanted->second = row;
      --missing;
    }
    return missing > 0;
  });
  std::vector<std::uint64_t> rows;
  for (const std::string& id : ids) {
    rows.push_back(found.at(id));
    if (rows.back() == kNone)
      throw InputError(path(), "", fmt::format("holds no profile '{}'", printable(id)),
                       "`fastid db list` lists the profiles it holds");
  }
  return rows;
}

void Reader::visit_all(const Visit& visit) const {
  const std::size_t piece = piece_blocks(shape());
  WordBuffer bits(piece * shape().block_words()), second(has_second() ? bits.size() : 0);
  ContentDigests found(shape());
  for (std::uint64_t first = 0; first < shape().n_blocks(); first += piece) {
    check_interrupt();
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(piece, shape().n_blocks() - first));
    const std::uint64_t row = first * kLanes;
    const BlockShape some = shape().with(std::min<std::uint64_t>(n * kLanes, shape().n_profiles - row));
    read(first, n, bits.data(), second.data());
    const std::vector<std::string> ids = profile_ids(row, static_cast<std::size_t>(some.n_profiles));
    found.add_ids(ids);
    found.add_bits(bits.data(), n);
    if (has_second()) found.add_second(second.data(), n);
    visit(row, ids, {some, bits.data(), has_second() ? second.data() : nullptr});
  }
  const std::vector<std::string> stored = digests();
  if (!stored.empty() && found.rows() != stored)
    throw InputError(path(), "", "profiles were changed since their checksum was made",
                     "restore it from a copy, `fastid db verify` lists all damage");
}

void Reader::check_content() const {
  check_counted(panel(), log(), path());
  const std::string& content = header().content_sha256;
  const std::vector<std::string> rows = digests();
  if (content.empty() != rows.empty() || tags().sha256() != header().tags_sha256 ||
      (!rows.empty() && content_sha256(header(), rows, log_text()) != content))
    throw InputError(path(), "", "its content checksum is not that of its content",
                     "restore it from a copy, `fastid db verify` lists all damage");
}

std::vector<std::string> Reader::tag_keys() const {
  return db::tag_keys(impl_->file, path());
}

TagColumn Reader::tag(const std::string& key) const {
  return read_tag(impl_->file, key, shape().n_profiles, path());
}

RowMask Reader::rows_with_tag(const std::string& key,
                              const std::function<bool(const std::string& value)>& passes) const {
  return rows_passing(impl_->file, key, shape().n_profiles, passes, path());
}

Tags Reader::tags() const {
  Tags all(shape().n_profiles);
  for (const std::string& key : tag_keys()) all.put(key, tag(key));
  return all;
}

std::string Reader::log_text() const {
  const h5::Session session;
  const StoredColumn column(impl_->file.get(), "/log", path());
  const std::vector<std::uint8_t> text = column.read_all<std::uint8_t>(H5T_STD_U8LE, "u8");
  return {text.begin(), text.end()};
}

std::vector<LogRecord> Reader::log() const {
  return parse_log(log_text(), path());
}

std::vector<std::string> Reader::digests() const {
  const h5::Session session;
  if (!exists(impl_->file, "/profiles/sha256", path())) return {};
  const StoredColumn column(impl_->file.get(), "/profiles/sha256", path());
  const std::size_t digits = kDigestDigits * (has_second() ? 3 : 2);
  column.expect_rows(n_pieces(shape()), "pieces");
  std::vector<std::string> rows = column.read_all_strings(digits);
  for (const std::string& row : rows)
    if (row.size() != digits || !is_lower_hex(row))
      throw InputError(path(), "/profiles/sha256", "holds what is no SHA-256", "restore it from a copy");
  return rows;
}

std::string Reader::profiles_sha256() const {
  const std::vector<std::string> rows = digests();
  return rows.empty() ? "" : db::profiles_sha256(header(), rows);
}

}  // namespace fastid::db
