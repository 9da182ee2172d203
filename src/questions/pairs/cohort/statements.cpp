#include "questions/pairs/cohort/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "asking/family.hpp"
#include "asking/small_text.hpp"
#include "base/error.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "questions/pairs/cohort/pedigree_relations.hpp"
#include "questions/pairs/cohort/relations.hpp"

namespace fastid::pairs {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kPedColumns = 6;
constexpr std::string_view kLayout =
    "write two ids (and their relation), an id and its group, or the six columns of a PED file, in every "
    "line";
constexpr std::string_view kRelationCure =
    "name same, parent-child, sibling, half-sibling, cousin or unrelated, or leave it out for same";

/// A line that is no comment.
struct Line {
  std::size_t number = 0;
  std::string_view text;
  std::vector<std::string_view> words;
};

std::vector<Line> lines_of(const asking::SmallText& text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const std::string_view line : text.lines()) {
    ++number;
    if (!line.empty()) lines.push_back({number, line, asking::columns_of(line)});
  }
  return lines;
}

/// The columns of a table of pairs with a line of names, as `fastid db simulate` writes one.
constexpr std::array<std::string_view, 3> kPairColumns{"profile", "relative", "relation"};

/// The places of the columns of pairs in a line of names; no value where it lacks one.
std::optional<std::array<std::size_t, 3>> places_of_pairs(std::span<const std::string_view> names) {
  std::array<std::size_t, 3> places{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto at = std::ranges::find(names, kPairColumns[i]);
    if (at == names.end()) return std::nullopt;
    places[i] = static_cast<std::size_t>(at - names.begin());
  }
  return places;
}

/// The lines of such a table as lines of pairs: two ids and their relation. \throws InputError
std::vector<Line> pairs_of_table(const std::string& path, std::span<const Line> lines,
                                 const std::array<std::size_t, 3>& places) {
  const Line& names = lines.front();
  std::vector<Line> pairs;
  for (const Line& line : lines.subspan(1)) {
    if (line.words.size() != names.words.size())
      throw InputError(path, fmt::format("line {}", line.number),
                       fmt::format("has {}, and the line of names has {}",
                                   counted(line.words.size(), "column"), names.words.size()),
                       "give each line all columns");
    pairs.push_back({line.number, line.text, {}});
    for (const std::size_t place : places) pairs.back().words.push_back(line.words[place]);
  }
  if (pairs.empty()) throw InputError(path, "", "names columns alone, and no pair", kLayout);
  return pairs;
}

/// Refuses tables whose fifth column is no sex, which are no pedigrees. Every PED file has a code there, of
/// one character, or a word for it.
void check_sexes(const std::string& path, std::span<const Line> lines) {
  static constexpr std::array<std::string_view, 6> kWords{"male",    "female", "other",
                                                          "unknown", "unk",    "undetermined"};
  constexpr std::size_t kSexColumn = 4;
  for (const Line& line : lines) {
    if (line.words.size() <= kSexColumn) continue;  // read_family() refuses it
    const std::string_view sex = line.words[kSexColumn];
    if (sex.size() <= 1 || asking::is_missing_code(sex) ||
        std::ranges::find(kWords, ascii_lower(sex)) != kWords.end())
      continue;
    throw InputError(path, fmt::format("line {}", line.number),
                     fmt::format("'{}', in the fifth column of {}, is no sex (1, 2 or 0), so that this is no "
                                 ".fam or PED file",
                                 printable(sex), line.words.size()),
                     "leave a line of names out, or write two ids (and their relation) in every line");
  }
}

/// Reads pairs or groups: two or three words in each line, the first being a profile.
class Reader {
 public:
  Reader(Statements& into, const Roster& roster, std::span<const Line> lines)
      : into_(into), roster_(roster), lines_(lines) {
    for (const Line& line : lines_) check_columns(line);
    std::vector<std::string_view> words;
    for (const Line& line : lines_) words.insert(words.end(), {line.words[0], line.words[1]});
    places_ = roster_.find(words);
  }

  /// \param pairs  whether the file's head states that it has pairs
  void read(bool pairs) {
    const bool groups = !pairs && are_groups();
    into_.kind = groups ? "groups" : "pairs";
    for (const Line& line : lines_)
      if (groups)
        take_member(line);
      else
        take_pair(line);
    if (groups) state_groups();
  }

 private:
  struct Group {
    std::vector<std::size_t> members;  ///< names
    std::string_view relation;
    std::size_t line = 0;  ///< its first
  };

  [[noreturn]] void refuse(const Line& line, std::string_view problem, std::string_view cure) const {
    throw InputError(into_.path, fmt::format("line {}", line.number), problem, cure);
  }

  void check_columns(const Line& line) const {
    if (line.words.size() == 2 || line.words.size() == 3) return;
    refuse_semicolons(line.text, into_.path, fmt::format("line {}", line.number));
    refuse(line, "has " + counted(line.words.size(), "column"), kLayout);
  }

  bool is_profile(std::string_view word) const { return places_.contains(word); }

  bool are_groups() const {
    const auto second = [&](const Line& line) { return is_profile(line.words[1]); };
    const auto twice = [](const Line& line) { return line.words[0] == line.words[1]; };
    return std::ranges::none_of(lines_, second) || (!roster_.has_two() && std::ranges::any_of(lines_, twice));
  }

  std::size_t name_of_profile(const Line& line, std::string_view word, std::string_view about = "") {
    const auto place = places_.find(word);
    if (place == places_.end())
      refuse(line, fmt::format("{} is no profile of {}{}", printable(word), roster_.databases(), about),
             "give ids as the database has them; a line that begins with # is a comment");
    const auto [at, is_new] = names_.try_emplace(word, into_.names.size());
    if (is_new) into_.names.push_back({std::string(word), place->second});
    return at->second;
  }

  std::string_view relation(const Line& line) const {
    if (line.words.size() < 3 || line.words[2].empty()) return kSame;
    const auto named = relation_named(line.words[2]);
    if (!named) refuse(line, fmt::format("'{}' is no relation", printable(line.words[2])), kRelationCure);
    return *named;
  }

  void check_new(const Line& line, std::string_view a, std::string_view b) {
    const auto [at, is_new] = lines_by_words_.try_emplace({a, b}, line.number);
    if (!is_new)
      refuse(line, fmt::format("{} and {} are in line {} too", printable(a), printable(b), at->second),
             "leave one of the two lines out");
  }

  void take_pair(const Line& line) {
    const std::string_view a = line.words[0], b = line.words[1];
    const std::size_t first = name_of_profile(line, a);
    const std::size_t second = name_of_profile(
        line, b, ", though other lines name two profiles (of groups, no line's second word is one)");
    check_new(line, std::min(a, b), std::max(a, b));
    into_.statements.push_back({first, second, relation(line), line.number});
  }

  void take_member(const Line& line) {
    const std::string_view name = line.words[1];
    const std::size_t member = name_of_profile(line, line.words[0]);
    check_new(line, line.words[0], name);
    const std::string_view stated = relation(line);
    const auto [at, is_new] = places_of_groups_.try_emplace(name, groups_.size());
    if (is_new) groups_.push_back({{}, stated, line.number});
    Group& group = groups_[at->second];
    if (group.relation != stated)
      refuse(line,
             fmt::format("group {} is of relation {} here, and of {} in line {}", printable(name), stated,
                         group.relation, group.line),
             "give all lines of a group the same relation");
    group.members.push_back(member);
  }

  /// States the relations of groups. For "same", a chain of pairs is as good as all pairs.
  void state_groups() {
    for (const Group& group : groups_) {
      const bool chain = group.relation == kSame;
      const std::size_t n = group.members.size();
      if (!chain && into_.statements.size() + n * (n - 1) / 2 > kMostExpected)
        throw InputError(into_.path, fmt::format("line {}", group.line),
                         fmt::format("its groups have more than {} pairs", with_commas(kMostExpected)),
                         "give smaller groups");
      for (std::size_t b = 1; b < n; ++b)
        for (std::size_t a = chain ? b - 1 : 0; a < b; ++a)
          into_.statements.push_back({group.members[a], group.members[b], group.relation, group.line});
    }
  }

  Statements& into_;
  const Roster& roster_;
  std::span<const Line> lines_;
  Roster::Places places_;
  std::map<std::string_view, std::size_t> names_;  ///< places in into_.names
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> lines_by_words_;
  std::map<std::string_view, std::size_t> places_of_groups_;
  std::vector<Group> groups_;
};

Statements read_pedigree(const std::string& path, const Roster& roster) {
  const asking::FamilyFile family = asking::read_family(path, kMostBytes);
  Statements statements{.path = path, .sha256 = family.sha256, .kind = "pedigree"};
  std::vector<std::string_view> words;
  for (const asking::Person& person : family.people) words.push_back(person.name);
  const Roster::Places places = roster.find(words);
  if (places.empty())
    throw InputError(path, "",
                     fmt::format("none of its {} is a profile of {}",
                                 counted(family.people.size(), "person name"), roster.databases()),
                     "call people as the database calls its profiles");
  std::vector<bool> wanted;
  std::vector<std::size_t> names(family.people.size());
  for (std::size_t i = 0; i < family.people.size(); ++i) {
    const auto place = places.find(family.people[i].name);
    wanted.push_back(place != places.end());
    if (!wanted.back()) continue;
    names[i] = statements.names.size();
    statements.names.push_back({family.people[i].name, place->second, family.people[i].sex});
  }
  statements.n_absent = family.people.size() - statements.names.size();
  for (const auto& [first, second, relation] : implied_relations(family, wanted, kMostExpected))
    statements.statements.push_back({names[first], names[second], relation, 0});
  return statements;
}

/// Adds the ids that both databases have as names.
void add_shared(const Roster& roster, Statements& into) {
  const std::vector<std::string_view> both = roster.in_both();
  const Roster::Places places = roster.find(both);
  std::set<std::string> named;
  for (const Statements::Name& name : into.names) named.insert(name.text);
  for (const std::string_view id : both)
    if (named.emplace(id).second) into.names.push_back({std::string(id), places.at(id)});
}

Statements read_lines(const std::string& path, const asking::SmallText& text, std::span<const Line> lines,
                      const Roster& roster, bool pairs) {
  Statements statements{.path = path, .sha256 = text.sha256, .kind = {}};
  Reader(statements, roster, lines).read(pairs);
  return statements;
}

}  // namespace

Statements read_statements(const std::string& path, const Roster& roster) {
  const asking::SmallText text = asking::read_small_text(path, kMostBytes);
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty()) throw InputError(path, "", "says nothing", kLayout);
  const auto pairs = places_of_pairs(lines[0].words);
  const bool pedigree = !pairs && lines[0].words.size() >= kPedColumns;
  if (pedigree) check_sexes(path, lines);
  Statements statements = pedigree ? read_pedigree(path, roster)
                          : pairs  ? read_lines(path, text, pairs_of_table(path, lines, *pairs), roster, true)
                                   : read_lines(path, text, lines, roster, false);
  if (roster.has_two()) add_shared(roster, statements);
  return statements;
}

}  // namespace fastid::pairs
