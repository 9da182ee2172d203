// db build: inputs are read onto the panel in parallel and kept in a file beside the target until the longest
// id is known, then written in one pass. A single input without --resume is written directly.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "db/linked_panel.hpp"
#include "import/site_report.hpp"
#include "ingest/ingest.hpp"
#include "ingest/internal/chosen_sites.hpp"
#include "ingest/internal/gather.hpp"
#include "ingest/internal/inputs.hpp"
#include "ingest/internal/people_writer.hpp"
#include "ingest/sample_sheet.hpp"
#include "panel/build_detector.hpp"
#include "panel/named_panels.hpp"

namespace fastid::ingest {
namespace {

/// The options of an input that is read alone, with all threads.
imports::ImportOptions import_with_all(const BuildOptions& options, ThreadPool& pool) {
  imports::ImportOptions import = options.import;
  import.threads = pool.threads() - 1;
  import.pool = &pool;
  return import;
}

/// The panel and, where it was derived in the same pass, the first input's people.
imports::PanelAndProfiles panel_of(const BuildOptions& options, ThreadPool& pool) {
  if (options.panel) return {PanelSource(*options.panel).read(), std::nullopt};
  if (options.inputs.front() == "-")
    throw UsageError(
        "a panel cannot be derived from standard input, which is read once; name the file, or give --panel");
  return imports::derive_panel_and_profiles(options.inputs.front(), import_with_all(options, pool));
}

db::LogRecord log_record(const BuildOptions& options) {
  return {
      .action = "build", .command = options.command, .derived_panel = !options.panel, .audit = options.audit};
}

/// The panel with the build that is asked for. Checks that positions do not contradict it.
Panel with_build(const Panel& panel, GenomeBuild build, const std::string& source) {
  const GenomeBuild detected = detect_build(panel);
  for (const auto& [of, what] :
       {std::pair(panel.build(), "is of"), std::pair(detected, "has the positions of")})
    if (of != GenomeBuild::kUnknown && of != build)
      throw InputError(source, "", fmt::format("{} build {}, not {}", what, name_of(of), name_of(build)),
                       "leave --build out, or give positions of that build");
  return {panel.sites(), panel.populations(), build, source};
}

/// The panel, or the chosen sites of it. \param record  takes the r2 to which sites were pruned
imports::PanelAndProfiles chosen_panel(const BuildOptions& options, ThreadPool& pool, db::LogRecord& record) {
  imports::PanelAndProfiles all = panel_of(options, pool);
  if (options.build && *options.build != all.panel.build()) {
    all.panel = with_build(all.panel, *options.build, options.panel.value_or(options.inputs.front()));
    all.profiles.reset();  // which sites are on X or PAR may be another matter now
  }
  if (options.sites.empty()) return all;
  ChosenSites chosen = chosen_sites(all.panel, options.sites);
  record.pruned_r2 = chosen.pruned_r2;
  return {std::move(chosen.panel), std::nullopt};
}

BuildSummary build_from_many(const BuildOptions& options, const Panel& panel, ThreadPool& pool,
                             std::optional<imports::ImportedProfiles> first,
                             const std::optional<FileState>& before, db::LogRecord record) {
  ProfileSpool spool = gather(options, panel, pool, std::move(first));
  const Roster roster = roster_of(spool, options, record);
  const Encoding encoding = options.import.encoding;
  db::Writer writer(options.output, panel,
                    {.kind = options.kind,
                     .encoding = encoding,
                     .id_bytes = roster.longest_id(),
                     .pool = &pool,
                     .over = before});
  PeopleWriter(spool, writer, panel, encoding, options.output).write(roster.people());
  std::vector<std::string> ids;
  for (const Roster::Person& person : roster.people()) ids.push_back(person.id);
  writer.set_tags(tags_by_sheet(options.sample_sheet, ids));
  writer.finish(std::move(record));
  spool.remove();
  return {roster.people().size(), panel.n_sites()};
}

BuildSummary build_from_one(const BuildOptions& options, const Panel& panel, ThreadPool& pool,
                            imports::ImportedProfiles people, const std::optional<FileState>& before,
                            db::LogRecord record) {
  check_encoding(people, panel, options.import);
  announce(people, panel, options.import);
  if (options.import.report) options.import.report->commit();
  std::size_t longest_id = 1;
  for (const std::string& id : people.ids) longest_id = std::max(longest_id, id.size());
  db::Writer writer(options.output, panel,
                    {.kind = options.kind,
                     .encoding = options.import.encoding,
                     .id_bytes = longest_id,
                     .pool = &pool,
                     .over = before});
  writer.set_tags(tags_by_sheet(options.sample_sheet, people.ids));
  writer.append(people.ids, people.blocks.view());
  record.inputs.push_back({options.inputs.front(), people.sha256.get(), people.ids.size()});
  writer.finish(std::move(record));
  return {people.ids.size(), panel.n_sites()};
}

}  // namespace

BuildSummary build_database(const BuildOptions& options) {
  const std::optional<FileState> before = file_state(options.output);
  {
    const StagedFile probe(options.output);
  }  // a target that cannot be written is reported now, not after hours of reading
  ThreadPool pool(threads_or_all(options.threads));
  db::LogRecord record = log_record(options);
  auto [panel, people] = chosen_panel(options, pool, record);
  log::note("panel: {}, build {}{}", counted(panel.n_sites(), "site"), fastid::name_of(panel.build()),
            panel.build() == GenomeBuild::kUnknown ? " (--build names it)" : "");
  if (const std::string linked = db::linkage_warning(panel, {&record, 1}); !linked.empty())
    log::warn_text(linked);
  if (options.inputs.size() > 1 || options.resume)
    return build_from_many(options, panel, pool, std::move(people), before, std::move(record));
  if (!people)
    people = imports::import_profiles(options.inputs.front(), panel, import_with_all(options, pool));
  return build_from_one(options, panel, pool, std::move(*people), before, std::move(record));
}

}  // namespace fastid::ingest
