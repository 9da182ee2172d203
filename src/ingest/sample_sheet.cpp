#include "ingest/sample_sheet.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"

namespace fastid::ingest {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

std::string place_of(std::uint64_t line) {
  return fmt::format("line {}", line);
}

}  // namespace

SampleSheet::SampleSheet(const std::string& path) : path_(display_name(path)) {
  const std::string text = without_encoding_mark(read_whole_file(path, kMostBytes), path_);
  std::uint64_t number = 0;
  char separator = '\t';
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    if (!keys_.empty()) {
      add(line, number, separator);
      continue;
    }
    separator = line.find('\t') == std::string_view::npos ? ',' : '\t';
    for (const std::string_view name : split(line, separator)) keys_.push_back(ascii_lower(trim(name)));
    keys_.erase(keys_.begin());
    if (keys_.empty()) {
      refuse_semicolons(line, path_, place_of(number));
      throw InputError(path_, place_of(number), "has no column of a tag",
                       "the first line names the columns: id, then tags");
    }
    db::check_tag_count(keys_.size(), path_, place_of(number));
    for (const std::string& key : keys_) db::check_tag(key, "", path_, place_of(number));
    if (std::unordered_set(keys_.begin(), keys_.end()).size() < keys_.size())
      throw InputError(path_, place_of(number), "has two columns of one name", "rename one");
  }
  if (ids_.empty()) throw InputError(path_, "", "lists no profile", "write a line for each, below the names");
}

void SampleSheet::add(std::string_view line, std::uint64_t number, char separator) {
  const auto refuse = [&](const std::string& problem, const char* cure) {
    throw InputError(path_, place_of(number), problem, cure);
  };
  const std::vector<std::string_view> cells = split(line, separator);
  if (cells.size() > keys_.size() + 1)
    refuse(fmt::format("has {} columns where the first line names {}", cells.size(), keys_.size() + 1),
           "mend the line");
  const std::string id(trim(cells[0]));
  if (id.empty()) refuse("has no id", "mend the line");
  std::vector<std::string> values(keys_.size());
  for (std::size_t i = 1; i < cells.size(); ++i) {
    values[i - 1] = trim(cells[i]);
    if (separator == ',' && values[i - 1].find('"') != std::string::npos)
      refuse("has a cell in quotes", "save the sheet with tabs between its cells");
    db::check_tag(keys_[i - 1], values[i - 1], path_, place_of(number));
  }
  if (!values_.emplace(id, std::move(values)).second)
    refuse(fmt::format("'{}' has a line already", printable(id)), "leave one of them out");
  ids_.push_back(id);
}

bool SampleSheet::apply(const std::string& id, std::uint64_t row, db::Tags& tags) const {
  const auto found = values_.find(id);
  if (found == values_.end()) return false;
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (!found->second[i].empty()) tags.set(row, keys_[i], found->second[i]);
  return true;
}

db::Tags tags_by_sheet(const std::string& path, const std::vector<std::string>& ids) {
  if (path.empty()) return db::Tags(ids.size());
  const SampleSheet sheet(path);
  db::Tags tags(ids.size());
  std::uint64_t without = 0;
  for (std::size_t row = 0; row < ids.size(); ++row) without += !sheet.apply(ids[row], row, tags);
  if (ids.size() - without < sheet.ids().size()) {
    const std::unordered_set<std::string_view> there(ids.begin(), ids.end());
    for (const std::string& id : sheet.ids())
      if (!there.contains(id))
        throw InputError(sheet.path(), "",
                         fmt::format("has '{}', who is in none of the inputs", printable(id)),
                         "mend the id, or leave the line out");
  }
  if (without > 0) log::warn("{}: has no line for {}", sheet.path(), counted(without, "profile"));
  return tags;
}

}  // namespace fastid::ingest
