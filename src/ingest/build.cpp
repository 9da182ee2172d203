// db build: inputs are read onto the panel in parallel and kept in a file beside the target until the longest
// id is known, then written in one pass. A single input without --resume is written directly.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "import/site_report.hpp"
#include "ingest/ingest.hpp"
#include "ingest/internal/inputs.hpp"
#include "ingest/internal/spool.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kGroup = 32 * kLanes;   ///< profiles that are written at a time
constexpr std::uint64_t kFewestToJudge = 20;    ///< sites called twice; fewer cannot tell people apart
constexpr std::uint64_t kDiscordantShare = 10;  ///< more than one site in so many differs: two people

/// The options of an input that is read alone, with all threads.
ImportOptions import_with_all(const BuildOptions& options, ThreadPool& pool) {
  ImportOptions import = options.import;
  import.threads = pool.threads() - 1;
  import.pool = &pool;
  return import;
}

/// The panel and, where it was derived in the same pass, the first input's people.
PanelAndProfiles panel_of(const BuildOptions& options, ThreadPool& pool) {
  if (options.panel) return {read_panel_tsv(*options.panel), std::nullopt};
  if (options.inputs.front() == "-")
    throw UsageError(
        "a panel cannot be derived from standard input, which is read once; name the file, or give --panel");
  return derive_panel_and_profiles(options.inputs.front(), import_with_all(options, pool));
}

/// All that must be equal for a build to use what an earlier one has read.
std::string meaning_of(const Panel& panel, const BuildOptions& options) {
  const ImportOptions& import = options.import;
  std::string text =
      fmt::format("panel {} ignore-build {} absent-as-reference {} palindromic {} reference {}",
                  panel.sha256(), import.ignore_build, import.absent_as_reference,
                  static_cast<int>(import.palindromic), import.reference);
  if (import.encoding == Encoding::kAlleles) text += " encoding alleles";
  if (import.depths)
    text += fmt::format(" depths {} {}", import.depths->min_depth, import.depths->min_fraction);
  return text;
}

std::string stamp_of(const std::string& input) {
  return input == "-" ? std::string() : input_stamp(input);
}

/// Merges the rows of a person typed more than once: a site is called where all rows that call it agree in
/// both planes.
class Merger {
 public:
  /// \param row_words  of both planes
  explicit Merger(std::size_t row_words)
      : with_(row_words), without_(row_words), once_(row_words / 2), twice_(row_words / 2) {}

  void add(std::span<const Word> row) {
    const std::size_t n = once_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Word called = row[i] | row[n + i];  // in either encoding
      for (const std::size_t at : {i, n + i}) {
        with_[at] |= row[at];
        without_[at] |= called & ~row[at];
      }
      twice_[i] |= once_[i] & called;
      once_[i] |= called;
    }
  }

  /// \throws InputError where they differ too often to be one person
  void finish(const std::string& id, const std::string& target, std::span<Word> row) const {
    const std::size_t n = once_.size();
    std::uint64_t compared = 0, differ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Word both = (with_[i] & without_[i]) | (with_[n + i] & without_[n + i]);
      row[i] = with_[i] & ~both;
      row[n + i] = with_[n + i] & ~both;
      compared += static_cast<std::uint64_t>(std::popcount(twice_[i]));
      differ += static_cast<std::uint64_t>(std::popcount(both));
    }
    if (compared >= kFewestToJudge && differ * kDiscordantShare > compared)
      throw InputError(target, fmt::format("profile '{}'", printable(id)),
                       fmt::format("its inputs differ at {} of {} sites: they are not of one person",
                                   with_commas(differ), with_commas(compared)),
                       "give each person an id of their own, or say --duplicates rename");
  }

 private:
  std::vector<Word> with_, without_;  ///< rows that have a bit, and that are called and have not; both planes
  std::vector<Word> once_, twice_;    ///< called in one row or more, in two or more
};

/// Reads people from the spool and writes them in whole groups.
class GroupWriter {
 public:
  /// \param empty  the sites and the encoding
  GroupWriter(const ProfileSpool& spool, db::Writer& writer, const BlockShape& empty,
              const std::string& target)
      : spool_(spool), writer_(writer), empty_(empty), target_(target) {}

  void write(std::span<const Roster::Person> people) {
    for (std::size_t first = 0; first < people.size(); first += kGroup) {
      check_interrupt();
      write_group(people.subspan(first, std::min<std::size_t>(kGroup, people.size() - first)));
    }
  }

 private:
  void write_group(std::span<const Roster::Person> people) {
    BitBlocks blocks(empty_.with(people.size()));
    for (std::size_t first = 0; first < people.size(); first += kLanes)
      fill_block(blocks, first / kLanes, people.subspan(first, std::min(kLanes, people.size() - first)));
    std::vector<std::string> ids;
    for (const Roster::Person& person : people) ids.push_back(person.id);
    writer_.append(ids, blocks.view());
  }

  void fill_block(BitBlocks& blocks, std::uint64_t block, std::span<const Roster::Person> people) {
    const std::size_t row_words = spool_.row_words(), n_words = row_words / 2;
    rows_.assign(kLanes * row_words, 0);
    for (std::size_t lane = 0; lane < people.size(); ++lane)
      read_person(people[lane], std::span(rows_).subspan(lane * row_words, row_words));
    std::array<Word, kLanes> bits, second;
    for (std::size_t word = 0; word < n_words; ++word) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        bits[lane] = rows_[lane * row_words + word];
        second[lane] = rows_[lane * row_words + n_words + word];
      }
      blocks.set_word(block, word, ~Word{0}, bits.data(), second.data());
    }
  }

  void read_person(const Roster::Person& person, std::span<Word> row) {
    spool_.read_row(person.rows.front(), row);
    if (person.rows.size() == 1) return;
    Merger merger(row.size());
    for (const std::uint64_t at : person.rows) {
      spool_.read_row(at, row);
      merger.add(row);
    }
    merger.finish(person.id, target_, row);
  }

  const ProfileSpool& spool_;
  db::Writer& writer_;
  BlockShape empty_;
  const std::string& target_;
  std::vector<Word> rows_;
};

/// Reads the inputs that the spool lacks. `first`: the people of the first input, where they came with the
/// panel.
void fill_spool(ProfileSpool& spool, const Panel& panel, const BuildOptions& options, ThreadPool& pool,
                std::optional<ImportedProfiles> first) {
  std::vector<std::string> missing, stamps;
  for (const std::string& input : options.inputs) {
    std::string stamp = stamp_of(input);
    if (spool.find(input, stamp) != nullptr) continue;
    missing.push_back(input);
    stamps.push_back(std::move(stamp));
  }
  Progress progress(options.progress, "reading", "files", missing.size());
  const auto keep = [&](std::size_t i, ImportedProfiles profiles) {
    spool.add({missing[i], stamps[i], profiles.sha256.get(), std::move(profiles.ids)},
              profiles.blocks.view());
  };
  std::size_t read = 0;
  if (first && !missing.empty() && missing.front() == options.inputs.front()) {
    check_encoding(*first, options.import);
    announce(*first, panel, options.import);
    keep(0, std::move(*first));
    read = 1;
    progress.add(1);
  }
  first.reset();
  read_inputs(
      std::span(missing).subspan(read), panel, options.import, pool,
      [&](std::size_t i, ImportedProfiles profiles) { keep(read + i, std::move(profiles)); },
      [&progress](std::uint64_t n) { progress.add(n); });
}

db::LogRecord log_record(const BuildOptions& options) {
  return {.action = "build", .command = options.command, .derived_panel = !options.panel};
}

/// The inputs in the order of the command line, whatever the order in which they were read.
Roster roster_of(const ProfileSpool& spool, const BuildOptions& options, db::LogRecord& record) {
  Roster roster(options.duplicates);
  for (const std::string& name : options.inputs) {
    const ProfileSpool::Input& input = spool.latest(name);
    record.inputs.push_back({name, input.sha256, input.ids.size()});
    for (std::size_t i = 0; i < input.ids.size(); ++i) roster.add(input.ids[i], input.first_row + i, name);
  }
  if (roster.renamed() > 0)
    log::warn("{} renamed: their ids were taken", counted(roster.renamed(), "profile"));
  if (roster.merged() > 0)
    log::note("{} merged into others of the same id", counted(roster.merged(), "profile"));
  return roster;
}

BuildSummary build_from_many(const BuildOptions& options, const Panel& panel, ThreadPool& pool,
                             std::optional<ImportedProfiles> first) {
  ProfileSpool spool(options.output, panel.n_sites(), meaning_of(panel, options), options.resume);
  fill_spool(spool, panel, options, pool, std::move(first));
  if (options.import.report) options.import.report->commit();
  db::LogRecord record = log_record(options);
  const Roster roster = roster_of(spool, options, record);
  db::Writer writer(options.output, panel,
                    {.kind = options.kind,
                     .encoding = options.import.encoding,
                     .id_bytes = roster.longest_id(),
                     .pool = &pool});
  GroupWriter(spool, writer, {0, panel.n_sites(), options.import.encoding}, options.output)
      .write(roster.people());
  writer.finish(std::move(record));
  spool.remove();
  return {roster.people().size(), panel.n_sites()};
}

BuildSummary build_from_one(const BuildOptions& options, const Panel& panel, ThreadPool& pool,
                            ImportedProfiles people) {
  check_encoding(people, options.import);
  announce(people, panel, options.import);
  if (options.import.report) options.import.report->commit();
  std::size_t longest_id = 1;
  for (const std::string& id : people.ids) longest_id = std::max(longest_id, id.size());
  db::LogRecord record = log_record(options);
  db::Writer writer(
      options.output, panel,
      {.kind = options.kind, .encoding = options.import.encoding, .id_bytes = longest_id, .pool = &pool});
  writer.append(people.ids, people.blocks.view());
  record.inputs.push_back({options.inputs.front(), people.sha256.get(), people.ids.size()});
  writer.finish(std::move(record));
  return {people.ids.size(), panel.n_sites()};
}

}  // namespace

BuildSummary build_database(const BuildOptions& options) {
  {
    const StagedFile probe(options.output);
  }  // a target that cannot be written is reported now, not after hours of reading
  ThreadPool pool(options.threads > 0 ? options.threads : available_cpus());
  auto [panel, people] = panel_of(options, pool);
  log::note("panel: {}, build {}", counted(panel.n_sites(), "site"), name_of(panel.build()));
  if (const std::string dense = density_warning(panel); !dense.empty()) log::warn_text(dense);
  if (options.inputs.size() > 1 || options.resume)
    return build_from_many(options, panel, pool, std::move(people));
  if (!people) people = import_profiles(options.inputs.front(), panel, import_with_all(options, pool));
  return build_from_one(options, panel, pool, std::move(*people));
}

}  // namespace fastid
