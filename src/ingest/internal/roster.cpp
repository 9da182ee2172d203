#include "ingest/internal/roster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::ingest {

void Roster::insert(const std::string& id, std::uint64_t row, const std::string& file) {
  holder_.emplace(id, Holder{people_.size(), file});
  people_.push_back({id, {row}});
  longest_id_ = std::max(longest_id_, id.size());
}

const Roster::Person* Roster::find(const std::string& id) const {
  const auto holder = holder_.find(id);
  return holder == holder_.end() ? nullptr : &people_[holder->second.person];
}

void Roster::add(const std::string& id, std::uint64_t row, const std::string& file) {
  const auto before = holder_.find(id);
  if (before == holder_.end()) return insert(id, row, file);
  if (rule_ == DuplicateRule::kRefuse)
    throw InputError(
        display_name(file), fmt::format("profile '{}'", printable(id)),
        fmt::format("the same id is in {}", display_name(before->second.file)),
        "give each person one id, leave one of the files out, or say --duplicates rename or another rule");
  if (rule_ == DuplicateRule::kReplace) {
    people_[before->second.person].rows = {row};
    before->second.file = file;
    ++replaced_;
    return;
  }
  if (rule_ == DuplicateRule::kMerge) {
    people_[before->second.person].rows.push_back(row);
    ++merged_;
    return;
  }
  std::uint64_t& number = last_number_.try_emplace(id, 1).first->second;
  std::string fresh;
  do {
    fresh = fmt::format("{}.{}", id, ++number);
  } while (holder_.contains(fresh));
  insert(fresh, row, file);
  ++renamed_;
}

void say_duplicates(const Roster& roster) {
  if (roster.renamed() > 0)
    log::warn("{} renamed: their ids were taken", counted(roster.renamed(), "profile"));
  if (roster.merged() > 0)
    log::note("{} merged into others of the same id", counted(roster.merged(), "profile"));
  if (roster.replaced() > 0)
    log::note("{} replaced by later ones of the same id", counted(roster.replaced(), "profile"));
}

}  // namespace fastid::ingest
