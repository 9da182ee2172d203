// db build: every input is read onto the panel, packed, then written in one go.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

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

/// Profiles of all inputs, in memory until the longest id is known. A block has room for 32 people, so that
/// files of a person each would take 32 times what they need: such people share blocks.
class Gathered {
 public:
  struct Piece {
    std::vector<std::string> ids;
    BitBlocks blocks;  ///< at least ids.size() profiles
  };

  /// \throws InputError where a profile's id is there already: no two profiles of a database share one.
  void add(ImportedProfiles file) {
    for (const std::string& id : file.ids) take_id(id, file.file);
    if (file.ids.size() >= kLanes) {
      pieces_.push_back({std::move(file.ids), std::move(file.blocks)});
      return;
    }
    const BlocksView view = file.blocks.view();
    for (std::uint64_t i = 0; i < file.ids.size(); ++i) share(file.ids[i], view, i);
  }

  const std::vector<Piece>& pieces() const { return pieces_; }
  std::uint64_t profiles() const { return holder_.size(); }
  std::size_t longest_id() const { return longest_id_; }

 private:
  void take_id(const std::string& id, const std::string& file) {
    const auto [at, fresh] = holder_.emplace(id, file);
    if (!fresh)
      throw InputError(display_name(file), fmt::format("profile '{}'", printable(id)),
                       fmt::format("the same id is in {}", display_name(at->second)),
                       "give each person one id, or leave one of the files out");
    longest_id_ = std::max(longest_id_, id.size());
  }

  /// Into the last piece where that is a shared block with room, else into a new one.
  void share(const std::string& id, const BlocksView& from, std::uint64_t profile) {
    if (pieces_.empty() || pieces_.back().ids.size() == pieces_.back().blocks.shape().n_profiles)
      pieces_.push_back({{}, BitBlocks({kLanes, from.shape.n_sites})});
    Piece& last = pieces_.back();
    last.blocks.copy_profile(last.ids.size(), from, profile);
    last.ids.push_back(id);
  }

  std::vector<Piece> pieces_;
  std::unordered_map<std::string, std::string> holder_;  ///< id -> the file that it came from
  std::size_t longest_id_ = 1;
};

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

  Gathered gathered;
  db::LogRecord record{.action = "build", .command = options.command};
  Progress progress(options.progress, "reading", "files", options.inputs.size());
  for (const std::string& input : options.inputs) {
    ImportedProfiles file = read_profiles(input, panel, options.import);
    log::note("{}: {}", display_name(input), describe(file.counts, panel.n_sites()));
    record.inputs.push_back({input, file.sha256, file.ids.size()});
    gathered.add(std::move(file));
    progress.add(1);
  }

  db::Writer writer(options.output, panel, {options.kind, gathered.longest_id()});
  Groups groups(writer, panel.n_sites());
  for (const auto& [ids, blocks] : gathered.pieces()) {
    const BlocksView view = blocks.view();
    for (std::uint64_t i = 0; i < ids.size(); ++i) groups.add(ids[i], view, i);
  }
  groups.finish();
  writer.finish(std::move(record));
  return {gathered.profiles(), panel.n_sites()};
}

}  // namespace fastid
