// Adds profiles to a copy of a database, which then takes its place.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/staged_file.hpp"
#include "base/threads.hpp"
#include "base/write_lock.hpp"
#include "db/attributes.hpp"
#include "db/column.hpp"
#include "db/database.hpp"
#include "db/hdf5_handle.hpp"
#include "db/log_json.hpp"
#include "db/plane_writer.hpp"
#include "db/profile_ids.hpp"

namespace fastid::db {
namespace {

h5::File open_copy(const std::string& path, const std::string& target) {
  const h5::Session session;
  const h5::Properties access = h5::file_access();
  return h5::File(h5::wrote(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), target, "the copy"));
}

/// The ids of the copy. Rows that exist cannot grow: where a longer id comes, all are written once more.
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
    write_wider(std::max(bytes, room));  // some room, lest each file of a long list brings a rewrite
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

/// What is being written. Members are closed in the reverse order: datasets before their group, this before
/// the file.
struct Copy {
  StagedFile staged;
  h5::File file;
  h5::Group profiles;
  std::optional<IdColumn> ids;
  std::optional<PlaneWriter> planes;

  explicit Copy(const Reader& old) : staged(old.path(), StagedFile::Name::kHidden) {
    const std::string& name = old.path();
    copy_content(old.descriptor(), staged.descriptor(), name, name);
    const h5::Session session;
    file = open_copy(staged.path(), name);
    profiles = h5::Group(h5::wrote(H5Gopen2(file.get(), "profiles", H5P_DEFAULT), name, "profiles"));
    ids.emplace(profiles.get(), old.shape().n_profiles, name);
    planes.emplace(profiles.get(), staged, old, name);
  }

  void add_log(const LogRecord& record, const std::string& name) const {
    const h5::Session session;
    const std::string line = to_json_line(record);
    ColumnWriter log =
        ColumnWriter::resume(file.get(), "log", StoredColumn(file.get(), "log", name).rows(), name);
    log.append(line.data(), line.size());
    log.finish();
  }

  /// Everything is flushed while a failure can still be seen.
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
  std::optional<WriteLock> lock;  ///< until the copy is in place
  Reader old;
  std::optional<Copy> copy;

  explicit Impl(const std::string& path) : lock(path), old(path) { old.log(); }
};

namespace {

/// A lock beside nothing would say less than the reader does.
const std::string& readable(const std::string& path) {
  open_for_reading(path);
  return path;
}

}  // namespace

Appender::Appender(const std::string& path) : impl_(std::make_unique<Impl>(readable(path))) {}

Appender::~Appender() = default;

const Reader& Appender::database() const {
  return impl_->old;
}

void Appender::append(std::span<const std::string> ids, const BlocksView& blocks) {
  if (ids.size() != blocks.shape.n_profiles)
    throw Failure(impl_->old.path() + ": an id for each profile is needed");
  if (!impl_->copy) impl_->copy.emplace(impl_->old);
  impl_->copy->ids->append(ids);
  impl_->copy->planes->append(blocks);
}

void Appender::finish(LogRecord record) {
  const std::string& name = impl_->old.path();
  if (!impl_->copy)
    throw InputError(name, "", "nothing was given to append", "name an input that holds a profile");
  Copy& copy = *impl_->copy;
  copy.planes->finish();
  copy.ids->finish();
  record.created_by = this_program();
  record.utc = utc_now();
  record.profiles_before = impl_->old.shape().n_profiles;
  record.profiles_after = copy.planes->shape().n_profiles;
  update_profiles(copy.file, record.profiles_after, name);
  copy.add_log(record, name);
  copy.close(name);
  Reader(copy.staged.path()).log();  // what takes the database's place can be opened
  copy.staged.commit_over(impl_->old.opened());
  impl_->lock.reset();
}

}  // namespace fastid::db
