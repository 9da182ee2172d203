// db append: adds each input, read onto the panel, to a copy of the database, which then replaces it.
#include "ingest/append.hpp"

#include <fmt/format.h>

#include <algorithm>
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

namespace fastid {
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
                     "give each person one id, leave one of the files out, or say --duplicates rename");
  }

  const db::Reader& database_;
  std::vector<std::uint64_t> stored_;                           ///< sorted hashes
  std::unordered_map<std::string, std::string> added_;          ///< id -> the file that it came from
  std::unordered_map<std::string, std::uint64_t> last_number_;  ///< last number appended to an id
};

}  // namespace

AppendSummary append_database(const AppendOptions& options) {
  ThreadPool pool(options.threads > 0 ? options.threads : available_cpus());
  db::Appender appender(options.database, &pool);
  const db::Reader& database = appender.database();
  TakenIds taken(database);
  db::LogRecord record{.action = "append", .command = options.command};
  AppendSummary summary{database.shape().n_profiles, database.shape().n_profiles, 0};
  const auto take = [&](std::size_t i, ImportedProfiles file) {
    const std::string& input = options.inputs[i];
    for (std::string& id : file.ids) {
      const std::string given = taken.take(id, input, options.rename);
      summary.renamed += given != id;
      id = given;
    }
    appender.append(file.ids, file.blocks.view());
    record.inputs.push_back({input, file.sha256.get(), file.ids.size()});
    summary.after += file.ids.size();
  };
  ImportOptions import = options.import;
  import.encoding = database.shape().encoding;
  import.individuals = database.header().kind == db::Kind::kIndividuals;
  {
    Progress progress(options.progress, "reading", "files", options.inputs.size());
    read_inputs(options.inputs, database.panel(), import, pool, take,
                [&](std::uint64_t n) { progress.add(n); });
  }
  appender.finish(std::move(record));
  if (options.import.report) options.import.report->commit();
  return summary;
}

}  // namespace fastid
