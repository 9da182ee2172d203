// Writes a database: the panel first, then profiles as they come, the header and the log at the end.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/staged_file.hpp"
#include "base/thread_pool.hpp"
#include "base/write_lock.hpp"
#include "db/database.hpp"
#include "db/hdf5/attributes.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/content.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/hdf5/log_json.hpp"
#include "db/hdf5/panel_store.hpp"
#include "db/hdf5/plane_writer.hpp"
#include "db/hdf5/profile_ids.hpp"
#include "db/hdf5/staged_check.hpp"
#include "db/hdf5/tag_store.hpp"

namespace fastid::db {
// Members are closed in the reverse order: datasets before their groups, these before the file.
struct Writer::Impl {
  std::string target;
  ThreadPool alone{1};
  ThreadPool& pool;
  std::optional<WriteLock> lock;    ///< until the database is in place
  std::optional<FileState> before;  ///< of the file that it replaces
  StagedFile staged;
  h5::File file;
  h5::Group profiles;
  std::optional<ColumnWriter> ids;
  ContentDigests digests;
  std::optional<PlaneWriter> planes;
  Header header;
  std::string history;
  std::string counted;  ///< counted_sha256() of the panel
  Tags tags;

  Impl(const std::string& to, const Panel& panel, const Options& options)
      : target(to),
        pool(options.pool ? *options.pool : alone),
        lock(to),
        before(options.over ? *options.over : file_state(to)),
        staged(to, StagedFile::Name::kHidden),
        file(h5::create_file(staged.path(), to)),
        profiles(make_group(file.get(), "profiles", to)),
        digests(BlockShape{0, panel.n_sites()}),
        history(options.history),
        counted(counted_sha256(panel)) {
    const BlockShape empty{0, panel.n_sites(), options.encoding};
    ids.emplace(profiles.get(), "id", h5::string_type(std::max<std::size_t>(1, options.id_bytes)), to);
    planes.emplace(profiles.get(), staged, digests, pool, empty, options.chunk_blocks, to);
    header.kind = options.kind;
    header.build = panel.build();
    header.policy = options.policy;
    header.created_by = options.created_by;
    header.created_utc = options.created_utc;
    if (before != file_state(to)) refuse_changed(to);  // now, and not after hours of writing
    header.panel_sha256 = panel.sha256();
    write_panel(file, panel, to);
  }

  void write_digests(const std::vector<std::string>& rows) const {
    const h5::Session session;
    write_strings(
        profiles.get(), "sha256", rows.size(), [&](std::size_t i) { return std::string_view(rows[i]); },
        target);
  }

  void write_log(const std::string& lines) const {
    const h5::Session session;
    h5::Type byte(h5::wrote(H5Tcopy(H5T_STD_U8LE), target, "a type"));
    write_column(file.get(), "log", std::move(byte), lines.data(), lines.size(), target);
  }

  /// Flushes everything while a failure can still be reported; closing then has only the end mark to write.
  void close() {
    const h5::Session session;
    h5::wrote(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), target, "the file");
    ids.reset();
    planes.reset();
    profiles.reset();
    if (!file.reset()) h5::fail_to_write(target, "the file");
  }
};

Writer::Writer(const std::string& target, const Panel& panel, const Options& options) {
  check_id_bytes(options.id_bytes, target);
  const h5::Session session;
  impl_ = std::make_unique<Impl>(target, panel, options);
}

Writer::~Writer() = default;

void Writer::append(std::span<const std::string> ids, const BlocksView& blocks) {
  if (ids.size() != blocks.shape.n_profiles)
    throw Failure(impl_->target + ": an id for each profile is needed");
  impl_->planes->expect(blocks.shape);
  const std::string rows = padded_ids(ids, impl_->ids->row_bytes(), impl_->target);
  ThreadPool::Task digested = impl_->pool.start([&] { impl_->digests.add_ids(ids); });
  impl_->planes->append(blocks);
  impl_->ids->append(rows.data(), ids.size());
  digested.get();
}

void Writer::set_tags(Tags tags) {
  impl_->tags = std::move(tags);
}

void Writer::finish(LogRecord record) {
  Impl& db = *impl_;
  db.header.shape = db.planes->shape();
  if (db.header.shape.n_profiles == 0)
    throw InputError(db.target, "", "a database needs at least one profile", "name an input that holds one");
  db.planes->finish();
  db.ids->finish();
  check_record(record, db.target);
  record.created_by = this_program();
  record.utc = utc_now();
  if (db.header.created_by.empty()) db.header.created_by = record.created_by;
  if (db.header.created_utc.empty()) db.header.created_utc = record.utc;
  db.tags = db.tags.of_all();
  db.header.tags_sha256 = db.tags.sha256();
  if (!db.tags.empty() && db.tags.rows() != db.header.shape.n_profiles)
    throw Failure(db.target + ": tags of another number of profiles (a defect of fastid)");
  if (db.history.empty()) record.counted_sha256 = db.counted;
  record.profiles_after = db.header.shape.n_profiles;
  const std::string log = db.history + to_json_line(record);
  const std::vector<std::string> rows = db.digests.rows();
  db.write_digests(rows);
  db.header.content_sha256 = content_sha256(db.header, rows, log);
  write_header(db.file, db.header, db.target);
  write_tags(db.file, db.tags, db.target);
  db.write_log(log);
  db.close();
  check_staged(db.staged.path(), db.target);
  db.staged.commit_over(db.before);
  db.lock.reset();
}

}  // namespace fastid::db
