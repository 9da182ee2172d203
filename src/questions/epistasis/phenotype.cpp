#include "questions/epistasis/phenotype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "asking/small_text.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "import/text_output.hpp"

namespace fastid::epistasis {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kFamColumns = 6;
constexpr std::string_view kLayout =
    "write id and phenotype, family, id and phenotype, or the six columns of a .fam file, in every line";
constexpr std::string_view kCoding =
    "write 1 for controls and 2 for cases (0: missing), or 0 and 1; -9 and NA are missing in both";

/// A line of a file.
struct Line {
  std::size_t number = 0;
  std::string_view family, id;
  std::optional<int> phenotype;  ///< 0, 1 or 2; no value: missing
};

bool is_head(std::string_view word) {
  const std::string lower = ascii_lower(word);
  return lower == "fid" || lower == "iid" || lower == "id";
}

class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path) {}

  std::vector<Line> lines(const asking::SmallText& text) {
    std::vector<Line> lines;
    for (const std::string_view line : text.lines()) {
      ++number_;
      if (line.empty()) continue;
      const std::vector<std::string_view> words = asking::columns_of(line);
      check_columns(words.size(), line);
      if (lines.empty() && !any_ && is_head(words[0])) {
        any_ = true;
        continue;
      }
      any_ = true;
      lines.push_back({.number = number_,
                       .family = columns_ == 2 ? std::string_view() : words[0],
                       .id = words[columns_ == 2 ? 0 : 1],
                       .phenotype = phenotype(words.back())});
    }
    return lines;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, std::string_view cure) const {
    throw InputError(path_, fmt::format("line {}", number_), problem, cure);
  }

  void check_columns(std::size_t n, std::string_view line) {
    if (n == 1) refuse_semicolons(line, path_, fmt::format("line {}", number_));
    if (columns_ != 0 && n != columns_)
      refuse(fmt::format("has {}, unlike the lines before it", counted(n, "column")), kLayout);
    if (n != 2 && n != 3 && n != kFamColumns) refuse(fmt::format("has {}", counted(n, "column")), kLayout);
    columns_ = n;
  }

  std::optional<int> phenotype(std::string_view word) const {
    if (asking::is_missing_code(word)) return std::nullopt;
    const auto number = parse_number<int>(word);
    if (!number || *number < 0 || *number > 2)
      refuse(fmt::format("'{}' is neither a case nor a control", printable(word)), kCoding);
    return number;
  }

  const std::string& path_;
  std::size_t number_ = 0, columns_ = 0;
  bool any_ = false;  ///< a line was seen
};

/// Case, control, or neither.
std::optional<engine::Class> class_of(const Line& line, bool one_two) {
  if (!line.phenotype || (one_two && *line.phenotype == 0)) return std::nullopt;
  return *line.phenotype == (one_two ? 2 : 1) ? engine::Class::kCase : engine::Class::kControl;
}

asking::SmallText text_of(const std::string& path) {
  asking::SmallText text{.content = imports::first_text_of(path, kMostBytes), .sha256 = {}};
  text.sha256 = sha256_of(text.content);
  text.content = without_encoding_mark(std::move(text.content), path);
  if (text.content.size() >= kMostBytes)
    throw InputError(path, "", "is larger than a file of phenotypes can be", kLayout);
  return text;
}

/// Places of the people of a cohort by their ids, which may have the family's before them.
class Roster {
 public:
  explicit Roster(std::span<const std::string> ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) places_.emplace(ids[i], i);
  }

  std::optional<std::size_t> find(const Line& line) const {
    auto at = places_.find(line.id);
    std::string with_family;
    if (at == places_.end() && !line.family.empty()) {
      with_family = fmt::format("{}:{}", line.family, line.id);
      at = places_.find(with_family);
    }
    if (at == places_.end()) return std::nullopt;
    return at->second;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace

Phenotypes read_phenotypes(const std::string& path, PhenotypeCoding coding,
                           std::span<const std::string> ids) {
  const asking::SmallText text = text_of(path);
  const std::vector<Line> lines = Parser(path).lines(text);
  const bool one_two = coding == PhenotypeCoding::kOneTwo ||
                       std::ranges::any_of(lines, [](const Line& line) { return line.phenotype == 2; });
  const Roster roster(ids);
  Phenotypes made{.path = path, .sha256 = text.sha256, .people = {}};
  std::unordered_map<std::size_t, std::size_t> seen;  // place -> line
  for (const Line& line : lines) {
    const auto place = roster.find(line);
    if (!place) {
      ++made.strangers;
      continue;
    }
    const auto [at, is_new] = seen.try_emplace(*place, line.number);
    if (!is_new)
      throw InputError(path, fmt::format("line {}", line.number),
                       fmt::format("{} is in line {} too", printable(line.id), at->second),
                       "leave one of the two lines out");
    if (const auto of = class_of(line, one_two)) made.people[static_cast<std::size_t>(*of)].push_back(*place);
  }
  if (seen.empty())
    throw InputError(path, "", "names nobody of the cohort", "give ids as the cohort has them");
  for (auto& people : made.people) std::ranges::sort(people);
  made.missing = ids.size() - made.people[0].size() - made.people[1].size();
  if (made.people[0].empty() || made.people[1].empty())
    throw InputError(path, "",
                     fmt::format("has {} and {} of the cohort", counted(made.people[1].size(), "case"),
                                 counted(made.people[0].size(), "control")),
                     coding == PhenotypeCoding::kOneTwo
                         ? "a .fam has 1 for controls and 2 for cases; for 0 and 1 give --phenotype FILE"
                         : kCoding);
  return made;
}

}  // namespace fastid::epistasis
