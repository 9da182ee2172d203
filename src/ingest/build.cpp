// db build: every input is read onto the panel, packed, then written in one go.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "ingest/ingest.hpp"

namespace fastid {
namespace {

Panel panel_of(const BuildOptions& options) {
  if (options.panel) return read_panel_tsv(*options.panel);
  if (options.inputs.front() == "-")
    throw UsageError(
        "a panel cannot be derived from standard input, which is read once; name the file, or give --panel");
  return derive_panel(options.inputs.front());
}

/// No two profiles of a database share an id.
void check_ids(const std::vector<ImportedProfiles>& imported) {
  std::unordered_map<std::string_view, const ImportedProfiles*> holder;
  for (const ImportedProfiles& file : imported)
    for (const std::string& id : file.ids) {
      const auto [at, fresh] = holder.emplace(id, &file);
      if (!fresh)
        throw InputError(display_name(file.file), fmt::format("profile '{}'", printable(id)),
                         fmt::format("the same id is in {}", display_name(at->second->file)),
                         "give each person one id, or leave one of the files out");
    }
}

/// Profiles of all inputs one after the other, in groups that the writer takes whole.
class Groups {
 public:
  Groups(db::Writer& writer, std::uint32_t n_sites)
      : writer_(writer), shape_{kGroup, n_sites}, blocks_(shape_) {}

  void add(const std::string& id, const BlocksView& from, std::uint64_t profile) {
    blocks_.copy_profile(ids_.size(), from, profile);
    ids_.push_back(id);
    if (ids_.size() < kGroup) return;
    writer_.append(ids_, blocks_.view());
    ids_.clear();
  }

  /// Writes the last group, which need not be full.
  void finish() {
    if (ids_.empty()) return;
    BitBlocks rest({ids_.size(), shape_.n_sites});
    const BlocksView view = blocks_.view();
    for (std::uint64_t i = 0; i < ids_.size(); ++i) rest.copy_profile(i, view, i);
    writer_.append(ids_, rest.view());
  }

 private:
  static constexpr std::uint64_t kGroup = 32 * kLanes;
  db::Writer& writer_;
  BlockShape shape_;
  BitBlocks blocks_;
  std::vector<std::string> ids_;
};

}  // namespace

BuildSummary build_database(const BuildOptions& options) {
  {
    const StagedFile probe(options.output);
  }  // what cannot be written is said now, not after hours of reading
  const Panel panel = panel_of(options);
  log::note("panel: {}, build {}", counted(panel.n_sites(), "site"), name_of(panel.build()));

  std::vector<ImportedProfiles> imported;
  db::LogRecord record{.action = "build", .command = options.command};
  std::size_t id_bytes = 1;
  BuildSummary summary{.sites = panel.n_sites()};
  Progress progress(options.progress, "reading", "files", options.inputs.size());
  for (const std::string& input : options.inputs) {
    imported.push_back(read_profiles(input, panel, options.import));
    const ImportedProfiles& file = imported.back();
    log::note("{}: {}", display_name(input), describe(file.counts, panel.n_sites()));
    record.inputs.push_back({input, file.sha256, file.ids.size()});
    for (const std::string& id : file.ids) id_bytes = std::max(id_bytes, id.size());
    summary.profiles += file.ids.size();
    progress.add(1);
  }
  check_ids(imported);

  db::Writer writer(options.output, panel, {options.kind, id_bytes});
  Groups groups(writer, panel.n_sites());
  for (const ImportedProfiles& file : imported) {
    const BlocksView view = file.blocks.view();
    for (std::uint64_t i = 0; i < file.ids.size(); ++i) groups.add(file.ids[i], view, i);
  }
  groups.finish();
  writer.finish(std::move(record));
  return summary;
}

}  // namespace fastid
