// db merge: the people of several databases are kept in a file beside the target until duplicates are
// resolved, then written as a build writes them.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "ingest/change.hpp"
#include "ingest/internal/people_writer.hpp"
#include "ingest/internal/roster.hpp"
#include "ingest/internal/spool.hpp"

namespace fastid::ingest {
namespace {

/// \throws InputError where a database cannot be joined with the first one
void check_fits(const db::Reader& first, const db::Reader& other) {
  const auto refuse = [&](const std::string& problem, const char* cure) {
    throw InputError(other.path(), "", problem, cure);
  };
  const db::Header &a = first.header(), &b = other.header();
  if (a.panel_sha256 != b.panel_sha256)
    refuse(fmt::format("has another panel than {} (sites, alleles, frequencies or build)", first.path()),
           "build it again with --panel of the first one's: `fastid db export --what panel`");
  if (a.kind != b.kind)
    refuse(fmt::format("holds {}, and {} holds {}", db::name_of(b.kind), first.path(), db::name_of(a.kind)),
           "join databases of one kind");
  if (a.shape.encoding != b.shape.encoding)
    refuse(fmt::format("is of encoding {}, and {} of {}", db::name_of(b.shape.encoding), first.path(),
                       db::name_of(a.shape.encoding)),
           "make both alike first: `fastid db convert`");
}

/// All people of all sources, and who is kept, renamed, merged or replaced.
struct Gathered {
  ProfileSpool spool;
  Roster roster;
  db::Tags tags;  ///< of the spool's rows
  db::LogRecord record;
  std::string history;
  db::Policy policy;
};

void add_source(const db::Reader& source, const MergeOptions& options, Gathered& all) {
  source.check_content();
  Progress progress(options.progress, "reading", "profiles", source.shape().n_profiles);
  source.visit_all([&](std::uint64_t, std::span<const std::string> ids, const BlocksView& blocks) {
    const ProfileSpool::Input& some =
        all.spool.add({source.path(), "", "", {ids.begin(), ids.end()}}, blocks);
    for (std::size_t i = 0; i < ids.size(); ++i) all.roster.add(ids[i], some.first_row + i, source.path());
    progress.add(ids.size());
  });
  all.tags.join(source.tags());
  all.record.inputs.push_back({source.path(), source.header().content_sha256, source.shape().n_profiles});
  all.history += source.log_text();
  all.policy.require_audit |= source.header().policy.require_audit;
  all.policy.require_case |= source.header().policy.require_case;
}

db::Tags tags_of(const Gathered& all) {
  if (all.tags.empty()) return db::Tags();
  std::vector<std::uint64_t> rows;
  for (const Roster::Person& person : all.roster.people()) rows.push_back(person.rows.back());
  return all.tags.of(rows);
}

}  // namespace

ChangeSummary merge_databases(const MergeOptions& options) {
  const std::optional<FileState> before = file_state(options.database);
  const db::Reader first(options.sources.front());
  ThreadPool pool(threads_or_all(options.threads));
  Gathered all{
      ProfileSpool(options.database, first.shape().n_sites, "", false),
      Roster(options.duplicates),
      db::Tags(),
      {.action = "merge", .command = options.command, .reason = options.reason, .audit = options.audit},
      "",
      {}};
  for (const std::string& path : options.sources) {
    const db::Reader source(path);
    check_fits(first, source);
    add_source(source, options, all);
  }
  const Encoding encoding = first.shape().encoding;
  db::Writer writer(options.database, first.panel(),
                    {.kind = first.header().kind,
                     .encoding = encoding,
                     .id_bytes = all.roster.longest_id(),
                     .pool = &pool,
                     .history = all.history,
                     .over = before,
                     .policy = all.policy});
  PeopleWriter(all.spool, writer, first.panel(), encoding, options.database).write(all.roster.people());
  writer.set_tags(tags_of(all));
  say_duplicates(all.roster);
  writer.finish(std::move(all.record));
  return {.after = all.roster.people().size()};
}

}  // namespace fastid::ingest
