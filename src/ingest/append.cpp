// db append: adds each input, read onto the panel, to a copy of the database, which then replaces it.
#include "ingest/append.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "db/database.hpp"
#include "import/site_report.hpp"
#include "ingest/internal/inputs.hpp"
#include "ingest/internal/rewrite.hpp"
#include "ingest/sample_sheet.hpp"

namespace fastid::ingest {
namespace {

std::uint64_t hash_of(const std::string& id) {
  return xxh3_64(id.data(), id.size());
}

/// The ids that are in use, at eight bytes for each profile of the database. Equal hashes are confirmed by a
/// lookup of the id.
class TakenIds {
 public:
  explicit TakenIds(const db::Reader& database) : database_(database) {
    stored_.reserve(static_cast<std::size_t>(database.shape().n_profiles));
    database.scan_ids([this](std::uint64_t, const std::string& id) {
      stored_.push_back(hash_of(id));
      return true;
    });
    std::sort(stored_.begin(), stored_.end());
  }

  /// The id that the profile gets. \throws InputError where its own is in use and `rename` is false, because
  /// ids in a database are unique.
  std::string take(const std::string& id, const std::string& file, bool rename) {
    if (taken(id) && !rename)
      refuse(id, file, added_.contains(id) ? display_name(added_.at(id)) : "the database");
    std::string fresh = id;
    if (taken(id)) {
      std::uint64_t& number = last_number_.try_emplace(id, 1).first->second;
      do {
        fresh = fmt::format("{}.{}", id, ++number);
      } while (taken(fresh));
    }
    added_.emplace(fresh, file);
    return fresh;
  }

 private:
  bool taken(const std::string& id) const {
    if (added_.contains(id)) return true;
    return std::binary_search(stored_.begin(), stored_.end(), hash_of(id)) && database_.row_of(id);
  }

  [[noreturn]] static void refuse(const std::string& id, const std::string& file, const std::string& holder) {
    throw InputError(display_name(file), fmt::format("profile '{}'", printable(id)),
                     fmt::format("the same id is in {}", holder),
                     "give each person one id, leave one of the files out, or say --duplicates rename or "
                     "replace");
  }

  const db::Reader& database_;
  std::vector<std::uint64_t> stored_;                           ///< sorted hashes
  std::unordered_map<std::string, std::string> added_;          ///< id -> the file that it came from
  std::unordered_map<std::string, std::uint64_t> last_number_;  ///< last number appended to an id
};

/// The import options that the database needs.
imports::ImportOptions import_for(const AppendOptions& options, const db::Reader& database) {
  imports::ImportOptions import = options.import;
  import.encoding = database.shape().encoding;
  import.individuals = database.header().kind == db::Kind::kIndividuals;
  return import;
}

using TakeInput = std::function<void(std::size_t input, imports::ImportedProfiles profiles)>;

void read_all(const AppendOptions& options, const db::Reader& database, ThreadPool& pool,
              const TakeInput& take) {
  Progress progress(options.progress, "reading", "files", options.inputs.size());
  read_inputs(options.inputs, database.panel(), import_for(options, database), pool, take,
              [&](std::uint64_t n) { progress.add(n); });
}

constexpr std::size_t kAppended = 32 * kLanes;  ///< profiles that are added at a time

/// Profiles that were read, and which of them the database already has.
class Corrections {
 public:
  Corrections(const AppendOptions& options, Rewrite& rewrite) : options_(options), old_(rewrite.old()) {
    record_ = {.action = options.only_known ? "replace" : "append",
               .command = options.command,
               .reason = options.reason,
               .audit = options.audit};
    read_all(options, old_, rewrite.pool(), [&](std::size_t i, imports::ImportedProfiles file) {
      record_.inputs.push_back({options.inputs[i], file.sha256.get(), file.ids.size()});
      for (std::size_t p = 0; p < file.ids.size(); ++p)
        add(file.ids[p], {files_.size(), p}, options.inputs[i]);
      files_.push_back(std::move(file));
    });
    find_rows();
  }

  /// The changes of profiles that the database already has, by row.
  RowChanges changes() const {
    RowChanges changes;
    for (const auto& [id, person] : people_)
      if (person.row)
        changes.emplace(*person.row, Replacement{&files_[person.place.file].blocks, person.place.profile});
    return changes;
  }

  std::size_t longest_id() const {
    std::size_t longest = fastid::ingest::longest_id(old_);
    for (const auto& [id, person] : people_) longest = std::max(longest, id.size());
    return longest;
  }

  /// Appends the profiles that are not in the database, in the order of the inputs.
  void append_new(db::Writer& writer) const {
    std::vector<std::string> fresh;
    std::ranges::copy_if(order_, std::back_inserter(fresh),
                         [&](const std::string& id) { return !people_.at(id).row; });
    for (std::size_t first = 0; first < fresh.size(); first += kAppended) {
      check_interrupt();
      const auto some = std::span(fresh).subspan(first, std::min(kAppended, fresh.size() - first));
      BitBlocks blocks(old_.shape().with(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) {
        const Place place = people_.at(some[i]).place;
        blocks.copy_profile(i, files_[place.file].blocks.view(), place.profile);
      }
      writer.append(some, blocks.view());
    }
  }

  db::LogRecord record() const {
    db::LogRecord record = record_;
    for (const std::string& id : order_)
      if (people_.at(id).row) record.ids_sha256.push_back(sha256_of(id));
    return record;
  }

  std::uint64_t replaced() const { return replaced_; }
  std::uint64_t fresh() const { return people_.size() - replaced_; }

 private:
  struct Place {
    std::size_t file;
    std::uint64_t profile;
  };
  struct Person {
    Place place;
    std::string file;
    std::optional<std::uint64_t> row = {};
  };

  void add(const std::string& id, Place place, const std::string& file) {
    const auto [other, is_new] = people_.emplace(id, Person{place, file});
    if (!is_new)
      throw InputError(display_name(file), fmt::format("profile '{}'", printable(id)),
                       fmt::format("the same id is in {}", display_name(other->second.file)),
                       "give each person one id, or leave one of the files out");
    order_.push_back(id);
  }

  void find_rows() {
    old_.scan_ids([this](std::uint64_t row, const std::string& id) {
      if (const auto person = people_.find(id); person != people_.end()) {
        person->second.row = row;
        ++replaced_;
      }
      return replaced_ < people_.size();
    });
    for (const std::string& id : order_)
      if (options_.only_known && !people_.at(id).row)
        throw InputError(display_name(people_.at(id).file), fmt::format("profile '{}'", printable(id)),
                         fmt::format("is not in {}, so that there is nothing to replace", old_.path()),
                         "mend the id, or add it by `fastid db append`");
  }

  const AppendOptions& options_;
  const db::Reader& old_;
  db::LogRecord record_;
  std::vector<imports::ImportedProfiles> files_;
  std::unordered_map<std::string, Person> people_;
  std::vector<std::string> order_;  ///< ids in the order of the inputs
  std::uint64_t replaced_ = 0;
};

AppendSummary replace_in_database(const AppendOptions& options) {
  Rewrite rewrite({.database = options.database,
                   .command = options.command,
                   .progress = options.progress,
                   .threads = options.threads});
  const Corrections corrections(options, rewrite);
  db::Tags tags = rewrite.old().tags();
  tags.extend(corrections.fresh());
  rewrite.copy(corrections.changes(), corrections.longest_id(), rewrite.old().log_text(),
               rewrite.old().header().policy);
  corrections.append_new(rewrite.writer());
  const ChangeSummary changed = rewrite.finish(corrections.record(), std::move(tags));
  return {.before = changed.before,
          .after = changed.after,
          .replaced = corrections.replaced(),
          .not_overwritten = changed.not_overwritten};
}

}  // namespace

AppendSummary append_database(const AppendOptions& options) {
  if (options.duplicates == DuplicateRule::kReplace) return replace_in_database(options);
  ThreadPool pool(threads_or_all(options.threads));
  db::Appender appender(options.database, &pool);
  const db::Reader& database = appender.database();
  TakenIds taken(database);
  db::LogRecord record{.action = "append", .command = options.command, .audit = options.audit};
  std::vector<std::string> added;  // where they have tags
  AppendSummary summary{.before = database.shape().n_profiles, .after = database.shape().n_profiles};
  const auto take = [&](std::size_t i, imports::ImportedProfiles file) {
    const std::string& input = options.inputs[i];
    for (std::string& id : file.ids) {
      const std::string given = taken.take(id, input, options.duplicates == DuplicateRule::kRename);
      summary.renamed += given != id;
      id = given;
    }
    appender.append(file.ids, file.blocks.view());
    if (!options.sample_sheet.empty()) added.insert(added.end(), file.ids.begin(), file.ids.end());
    record.inputs.push_back({input, file.sha256.get(), file.ids.size()});
    summary.after += file.ids.size();
  };
  read_all(options, database, pool, take);
  appender.finish(std::move(record), tags_by_sheet(options.sample_sheet, added));
  if (options.import.report) options.import.report->commit();
  return summary;
}

}  // namespace fastid::ingest
