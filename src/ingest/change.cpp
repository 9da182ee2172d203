#include "ingest/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "ingest/internal/rewrite.hpp"

namespace fastid::ingest {
namespace {

db::LogRecord record_of(const char* action, const ChangeOptions& options) {
  return {.action = action, .command = options.command, .reason = options.reason, .audit = options.audit};
}

RowChanges removals(const db::Reader& database, const std::vector<std::string>& ids) {
  RowChanges changes;
  const std::vector<std::uint64_t> rows = database.rows_of(ids);
  for (const std::uint64_t row : rows) changes.emplace(row, std::nullopt);
  if (changes.size() == database.shape().n_profiles)
    throw InputError(database.path(), "", "would hold nobody: all of its profiles are to be removed",
                     "remove the file itself");
  return changes;
}

/// Writes the same profiles anew, with another policy or tags.
ChangeSummary rewritten(Rewrite& rewrite, db::LogRecord record, const db::Policy& policy, db::Tags tags) {
  rewrite.copy({}, longest_id(rewrite.old()), rewrite.old().log_text(), policy);
  return rewrite.finish(std::move(record), std::move(tags));
}

/// The words that the log must no longer contain: the ids, and the tags that no profile has any more, as in
/// "case=K-4711".
std::vector<std::string> words_to_remove(const std::vector<std::string>& ids, const db::Tags& before,
                                         const db::Tags& after) {
  std::vector<std::string> words = ids;
  for (const auto& [key, column] : before.columns()) {
    const auto left = after.columns().find(key);
    for (const std::string& value : column.values())
      if (!value.empty() &&
          (left == after.columns().end() || !std::ranges::binary_search(left->second.values(), value)))
        words.push_back(key + "=" + value);
  }
  return words;
}

}  // namespace

ChangeSummary remove_profiles(const RemoveOptions& options) {
  Rewrite rewrite(options);
  const db::Reader& old = rewrite.old();
  const RowChanges changes = removals(old, options.ids);
  const db::Tags before = old.tags();
  db::Tags tags = before.empty() ? before : before.of(kept_rows(old.shape().n_profiles, changes));
  db::LogRecord record = record_of("remove", options);
  for (const std::string& id : options.ids) record.ids_sha256.push_back(sha256_of(id));
  std::string history = old.log_text();
  if (options.keep_ids) {
    record.ids = options.ids;
  } else {
    const db::Forgotten gone(words_to_remove(options.ids, before, tags), &tags);
    record.command = gone.command_without(record.command);
    record.reason = gone.without(record.reason);
    history = db::log_without(history, gone, old.path());
  }
  rewrite.copy(changes, longest_id(old, changes), std::move(history), old.header().policy);
  return rewrite.finish(std::move(record), std::move(tags));
}

ChangeSummary compact_database(const ChangeOptions& options) {
  Rewrite rewrite(options);
  return rewritten(rewrite, record_of("compact", options), rewrite.old().header().policy,
                   rewrite.old().tags());
}

ChangeSummary change_tags(const ChangeOptions& options,
                          const std::function<void(const db::Reader& database, db::Tags& tags)>& change) {
  Rewrite rewrite(options);
  db::Tags tags = rewrite.old().tags();
  change(rewrite.old(), tags);
  tags = tags.of_all();
  db::check_tag_count(tags.columns().size(), options.database, "");
  return rewritten(rewrite, record_of("tag", options), rewrite.old().header().policy, std::move(tags));
}

ChangeSummary change_policy(const ChangeOptions& options, const db::Policy& policy) {
  Rewrite rewrite(options);
  return rewritten(rewrite, record_of("policy", options), policy, rewrite.old().tags());
}

}  // namespace fastid::ingest
