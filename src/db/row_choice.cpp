#include "db/row_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "db/choice/tag_expression.hpp"
#include "db/id_list.hpp"

namespace fastid::db {
namespace {

using Node = TagExpression::Node;

class Evaluation {
 public:
  explicit Evaluation(const Reader& database) : database_(database), keys_(database.tag_keys()) {}

  RowMask of(const Node& node) const {
    if (node.kind == TagExpression::Kind::kTest) return passing(node.key, node.passes);
    RowMask rows = of(*node.left);
    if (node.kind == TagExpression::Kind::kNot) rows.flip();
    if (node.kind == TagExpression::Kind::kAnd) rows &= of(*node.right);
    if (node.kind == TagExpression::Kind::kOr) rows |= of(*node.right);
    return rows;
  }

  /// The rows that may still be searched; nothing where none has a last day.
  std::optional<RowMask> not_expired() const {
    const std::string key(kExpiryKey);
    if (!std::ranges::binary_search(keys_, key)) return std::nullopt;
    constexpr std::size_t kDay = 10;
    const std::string today = utc_clock().substr(0, kDay);
    return passing(key, [&](const std::string& day) { return day.empty() || day >= today; });
  }

 private:
  RowMask passing(const std::string& key, const std::function<bool(const std::string&)>& passes) const {
    if (!std::ranges::binary_search(keys_, key)) refuse(key);
    return database_.rows_with_tag(key, passes);
  }

  [[noreturn]] void refuse(const std::string& key) const {
    throw InputError(database_.path(), "", fmt::format("no profile of it has a tag {}", key),
                     keys_.empty() ? "`fastid db tag` gives profiles tags"
                                   : fmt::format("there are {}", fmt::join(keys_, ", ")));
  }

  const Reader& database_;
  std::vector<std::string> keys_;
};

std::string sha256_of_list(const std::vector<std::string>& ids) {
  return sha256_of(fmt::format("{}\n", fmt::join(ids, "\n")));
}

/// The rows of a list of ids. \throws InputError where an id is not there
RowMask listed(const Reader& database, const std::string& path, std::string& sha256) {
  RowMask rows(database.shape().n_profiles);
  const std::vector<std::string> ids = read_id_list(path);
  sha256 = sha256_of_list(ids);
  try {
    for (const std::uint64_t row : database.rows_of(ids)) rows.set(row, true);
  } catch (const InputError& error) {
    throw InputError(display_name(path), "", error.what(), "");
  }
  return rows;
}

/// Refuses a table in place of a list of ids, in which a line that is no id begins with a column that is one:
/// else nobody would be left out. \param unknown  lines that are no id of the database
void refuse_table(const Reader& database, const std::string& path,
                  const std::unordered_set<std::string_view>& unknown) {
  std::unordered_set<std::string_view> firsts;
  for (const std::string_view line : unknown)
    if (const std::size_t end = line.find_first_of(";,\t "); end != std::string_view::npos)
      firsts.insert(line.substr(0, end));
  if (firsts.empty()) return;
  database.scan_ids([&](std::uint64_t, const std::string& id) {
    if (firsts.contains(id))
      throw InputError(display_name(path), "",
                       fmt::format("has other columns beside the id '{}'", printable(id)),
                       "write one id on each line, and nothing else");
    return true;
  });
}

/// All rows except the listed ids. An id that the database lacks is no error.
RowMask not_listed(const Reader& database, const std::string& path, std::string& sha256) {
  RowMask rows(database.shape().n_profiles, true);
  const std::vector<std::string> list = read_id_list(path);
  sha256 = sha256_of_list(list);
  std::unordered_set<std::string_view> unknown(list.begin(), list.end());
  database.scan_ids([&](std::uint64_t row, const std::string& id) {
    if (unknown.erase(id) > 0) rows.set(row, false);
    return !unknown.empty();
  });
  if (unknown.empty()) return rows;
  refuse_table(database, path, unknown);
  log::note("{}: {} of it not in {}", display_name(path), counted(unknown.size(), "id"), database.path());
  return rows;
}

}  // namespace

ChosenRows choose_rows(const Reader& database, const RowRule& rule) {
  ChosenRows chosen{.n = database.shape().n_profiles};
  const Evaluation evaluation(database);
  std::optional<RowMask>& rows = chosen.rows;
  const auto narrow = [&rows](RowMask to) {
    if (rows)
      *rows &= to;
    else
      rows = std::move(to);
  };
  if (!rule.only.empty()) narrow(evaluation.of(TagExpression(rule.only).root()));
  if (!rule.ids.empty()) narrow(listed(database, rule.ids, chosen.ids_sha256));
  if (!rule.exclude.empty()) narrow(not_listed(database, rule.exclude, chosen.exclude_sha256));
  const std::uint64_t asked = rows ? rows->count() : chosen.n;
  if (auto valid = rule.expired ? std::nullopt : evaluation.not_expired()) narrow(std::move(*valid));
  if (rows) chosen.n = rows->count();
  chosen.expired = asked - chosen.n;
  if (chosen.n == 0)
    throw InputError(database.path(), "",
                     asked == 0 ? "no profile of it is chosen" : "all chosen profiles of it have expired",
                     "see `fastid db list`");
  if (chosen.n == database.shape().n_profiles) rows.reset();
  return chosen;
}

void say_chosen(const Reader& database, const ChosenRows& chosen) {
  if (!chosen.rows) return;
  log::note("{}: {} of {} searched{}", database.path(), with_commas(chosen.n),
            counted(database.shape().n_profiles, "profile"),
            chosen.expired > 0 ? fmt::format("; {} expired and left out", with_commas(chosen.expired)) : "");
}

}  // namespace fastid::db
