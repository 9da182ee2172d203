// Adds profiles to a copy of a database, which then takes its place.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/thread_pool.hpp"
#include "base/write_lock.hpp"
#include "db/database.hpp"
#include "db/hdf5/attributes.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/content.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/hdf5/log_json.hpp"
#include "db/hdf5/plane_writer.hpp"
#include "db/hdf5/profile_ids.hpp"
#include "db/hdf5/staged_check.hpp"
#include "db/hdf5/tag_store.hpp"

namespace fastid::db {
namespace {

h5::File open_copy(const std::string& path, const std::string& target) {
  const h5::Session session;
  const h5::Properties access = h5::file_access();
  return h5::File(h5::wrote(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), target, "the copy"));
}

/// The ids of the copy. Rows have a fixed width: where a longer id arrives, the column is rewritten wider.
class IdColumn {
 public:
  IdColumn(hid_t profiles, std::uint64_t rows, const std::string& file) : profiles_(profiles), file_(file) {
    resume(rows);
  }

  void append(std::span<const std::string> ids) {
    std::size_t longest = 0;
    for (const std::string& id : ids) longest = std::max(longest, id.size());
    if (longest > column_->row_bytes()) widen(longest);
    const std::string rows = padded_ids(ids, column_->row_bytes(), file_);
    column_->append(rows.data(), ids.size());
    rows_ += ids.size();
  }

  void finish() { column_->finish(); }

 private:
  void resume(std::uint64_t rows) {
    rows_ = rows;
    column_.emplace(ColumnWriter::resume(profiles_, "id", rows, file_));
  }

  void widen(std::size_t bytes) {
    check_id_bytes(bytes, file_);
    const std::size_t narrow = column_->row_bytes(), room = std::min(kLongestProfileId, narrow + narrow / 2);
    finish();
    column_.reset();
    write_wider(std::max(bytes, room));  // spare room, so that not every longer id needs a rewrite
    const h5::Session session;
    h5::wrote(H5Ldelete(profiles_, "id", H5P_DEFAULT), file_, "id");
    h5::wrote(H5Lmove(profiles_, "id.wider", profiles_, "id", H5P_DEFAULT, H5P_DEFAULT), file_, "id");
    resume(rows_);
  }

  void write_wider(std::size_t bytes) const {
    const h5::Session session;
    const StoredColumn old(profiles_, "id", file_);
    ColumnWriter wider(profiles_, "id.wider", h5::string_type(bytes), file_);
    for_each_slab(rows_, [&](std::uint64_t first, std::size_t n) {
      const std::string rows = padded_ids(old.read_strings(first, n), bytes, file_);
      wider.append(rows.data(), n);
      return true;
    });
    wider.finish();
  }

  hid_t profiles_;
  std::string file_;
  std::uint64_t rows_ = 0;
  std::optional<ColumnWriter> column_;
};

}  // namespace

/// The copy that is being written. Members are closed in the reverse order: datasets before their group, the
/// group before the file.
struct Copy {
  StagedFile staged;
  h5::File file;
  h5::Group profiles;
  std::optional<IdColumn> ids;
  ContentDigests digests;
  std::optional<PlaneWriter> planes;
  std::uint64_t kept = 0;  ///< pieces whose digests stay as they are

  Copy(const Reader& old, ThreadPool& pool)
      : staged(old.path(), StagedFile::Name::kHidden), digests(old.shape()) {
    const std::string& name = old.path();
    copy_content(old.descriptor(), staged.descriptor(), name, name);
    const h5::Session session;
    file = open_copy(staged.path(), name);
    profiles = h5::Group(h5::wrote(H5Gopen2(file.get(), "profiles", H5P_DEFAULT), name, "profiles"));
    ids.emplace(profiles.get(), old.shape().n_profiles, name);
    planes.emplace(profiles.get(), staged, digests, pool, old, name);
    resume_digests(old);
  }

  /// Pieces whose blocks all stay as they are keep their digests. The blocks of the others are read again and
  /// compared with the stored digests, so that a changed profile never gets a new digest.
  void resume_digests(const Reader& old) {
    const BlockShape shape = old.shape();
    const std::vector<std::string> stored = old.digests();
    const std::size_t piece = piece_blocks(shape);
    kept = stored.empty() ? 0 : planes->flushed() / piece;
    ContentDigests there(shape);
    there.resume(std::span(stored).first(kept));
    digests.resume(std::span(stored).first(kept));
    add_old_blocks(old, kept * piece, there, digests);
    for_each_slab(shape.n_profiles - kept * piece * kLanes, [&](std::uint64_t first, std::size_t n) {
      const auto some = old.profile_ids(kept * piece * kLanes + first, n);
      there.add_ids(some);
      digests.add_ids(some);
      return true;
    });
    if (!stored.empty() && there.rows() != stored)
      throw InputError(old.path(), "", "profiles were changed since their checksum was made",
                       "restore it from a copy, `fastid db verify` lists all damage");
  }

  /// Adds all blocks from `first` on to `there`, and the blocks that are not rewritten to `resumed`.
  void add_old_blocks(const Reader& old, std::uint64_t first, ContentDigests& there,
                      ContentDigests& resumed) const {
    const BlockShape shape = old.shape();
    const std::size_t piece = piece_blocks(shape);
    WordBuffer bits(piece * shape.block_words()), second(old.has_second() ? bits.size() : 0);
    for (std::uint64_t at = first; at < shape.n_blocks(); at += piece) {
      check_interrupt();
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(piece, shape.n_blocks() - at));
      old.read(at, n, bits.data(), second.data());
      const std::uint64_t flushed = std::clamp<std::uint64_t>(planes->flushed(), at, at + n) - at;
      there.add_bits(bits.data(), n);
      resumed.add_bits(bits.data(), static_cast<std::size_t>(flushed));
      if (!old.has_second()) continue;
      there.add_second(second.data(), n);
      resumed.add_second(second.data(), static_cast<std::size_t>(flushed));
    }
  }

  /// Overwrites the stored digests where their length is the same; else replaces the column.
  void write_digests(const std::vector<std::string>& rows, const std::string& name) const {
    const h5::Session session;
    const bool there = h5::wrote(H5Lexists(profiles.get(), "sha256", H5P_DEFAULT), name, "sha256") > 0;
    if (there && StoredColumn(profiles.get(), "sha256", name).row_bytes() == rows[0].size()) {
      ColumnWriter column = ColumnWriter::resume(profiles.get(), "sha256", kept, name);
      for (std::uint64_t i = kept; i < rows.size(); ++i) column.append(rows[i].data(), 1);
      column.finish();
      return;
    }
    if (there) h5::wrote(H5Ldelete(profiles.get(), "sha256", H5P_DEFAULT), name, "sha256");
    write_strings(
        profiles.get(), "sha256", rows.size(), [&](std::size_t i) { return std::string_view(rows[i]); },
        name);
  }

  void add_log(const std::string& line, const std::string& name) const {
    const h5::Session session;
    ColumnWriter log =
        ColumnWriter::resume(file.get(), "log", StoredColumn(file.get(), "log", name).rows(), name);
    log.append(line.data(), line.size());
    log.finish();
  }

  /// Flushes everything first, because a write that fails when a dataset is closed is not reported.
  void close(const std::string& name) {
    const h5::Session session;
    h5::wrote(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), name, "the file");
    ids.reset();
    planes.reset();
    profiles.reset();
    if (!file.reset()) h5::fail_to_write(name, "the file");
  }
};

struct Appender::Impl {
  std::optional<WriteLock> lock;  ///< held until the copy is in place
  Reader old;
  ThreadPool alone{1};
  ThreadPool& pool;
  std::optional<Copy> copy;

  Impl(const std::string& path, ThreadPool* given) : lock(path), old(path), pool(given ? *given : alone) {
    old.check_content();
  }
};

namespace {

/// Opens the database first, because its error for a missing file is clearer than that of the lock.
const std::string& readable(const std::string& path) {
  open_regular(path);
  return path;
}

}  // namespace

Appender::Appender(const std::string& path, ThreadPool* pool)
    : impl_(std::make_unique<Impl>(readable(path), pool)) {}

Appender::~Appender() = default;

const Reader& Appender::database() const {
  return impl_->old;
}

void Appender::append(std::span<const std::string> ids, const BlocksView& blocks) {
  if (ids.size() != blocks.shape.n_profiles)
    throw Failure(impl_->old.path() + ": an id for each profile is needed");
  if (!impl_->copy) impl_->copy.emplace(impl_->old, impl_->pool);
  impl_->copy->planes->expect(blocks.shape);
  impl_->copy->ids->append(ids);
  impl_->copy->planes->append(blocks);
  impl_->copy->digests.add_ids(ids);
}

void Appender::finish(LogRecord record, const Tags& of_new) {
  const std::string& name = impl_->old.path();
  if (!impl_->copy)
    throw InputError(name, "", "nothing was given to append", "name an input that holds a profile");
  Copy& copy = *impl_->copy;
  copy.planes->finish();
  copy.ids->finish();
  check_record(record, name);
  record.created_by = this_program();
  record.utc = utc_now();
  record.profiles_before = impl_->old.shape().n_profiles;
  record.profiles_after = copy.planes->shape().n_profiles;
  const std::string line = to_json_line(record);
  const std::vector<std::string> rows = copy.digests.rows();
  copy.write_digests(rows, name);
  Header header = impl_->old.header();
  header.shape = copy.planes->shape();
  if (!header.tags_sha256.empty() || !of_new.empty()) {
    Tags tags = impl_->old.tags();
    tags.join(of_new);
    tags.extend(header.shape.n_profiles - tags.rows());
    tags = tags.of_all();
    header.tags_sha256 = tags.sha256();
    write_tags(copy.file, tags, name);
  }
  header.content_sha256 = content_sha256(header, rows, impl_->old.log_text() + line);
  update_header(copy.file, header, name);
  copy.add_log(line, name);
  copy.close(name);
  if (file_state(name) != impl_->old.opened()) refuse_changed(name);  // the copy may be of both
  check_staged(copy.staged.path(), name);
  copy.staged.commit_over(impl_->old.opened());
  impl_->lock.reset();
}

}  // namespace fastid::db
