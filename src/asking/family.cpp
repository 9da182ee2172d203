#include "asking/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "asking/small_text.hpp"
#include "base/error.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"

namespace fastid::asking {
namespace {

constexpr std::size_t kThree = 3, kPed = 6;  ///< columns
constexpr std::size_t kLongestName = 255;    ///< in bytes, as of samples
constexpr std::string_view kLayout =
    "write person, father and mother, or the six columns of a PED file, in every line";

/// Whether a parent's column says that the parent is not known, in any program's way.
bool means_nobody(std::string_view name) {
  return name == "0" || is_missing_code(name);
}

class FamilyParser {
 public:
  explicit FamilyParser(FamilyFile& family) : family_(family) {}

  void take(std::string_view line) {
    ++number_;
    if (line.empty()) return;
    std::vector<std::string_view> words = columns_of(line);  // one may be empty
    if (words.size() != kThree && words.size() < kPed) words = split_blanks(line);
    check_columns(words.size(), line);
    take_person(std::span(words).subspan(ped_ ? 1 : 0), ped_ ? words[0] : std::string_view());
  }

  /// Two people of one name in two families are told apart as `db build` names them: FAMILY:NAME.
  void finish() {
    std::map<std::string_view, int> people;
    for (const Person& person : family_.people) ++people[person.name];
    std::vector<std::string> names;
    for (const Person& person : family_.people)
      names.push_back(people[person.name] > 1 ? person.family + ":" + person.name : person.name);
    for (std::size_t i = 0; i < names.size(); ++i) family_.people[i].name = names[i];
    std::ranges::sort(names);
    const auto repeated = std::ranges::adjacent_find(names);
    if (repeated != names.end())
      throw InputError(
          family_.path, "",
          fmt::format("two people are called {}, with their families' names", printable(*repeated)),
          "give each a name of its own");
  }

 private:
  struct Role {
    const char* name;
    Sex sex;
  };

  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const {
    throw InputError(family_.path, fmt::format("line {}", number_), problem, cure);
  }

  void check_columns(std::size_t n, std::string_view line) {
    if (!layout_known_) ped_ = n >= kPed;
    if (ped_ ? n < kPed : n != kThree) {
      refuse_semicolons(line, family_.path, fmt::format("line {}", number_));
      refuse(
          fmt::format("has {}{}", counted(n, "column"), layout_known_ ? ", unlike the lines before it" : ""),
          kLayout);
    }
    layout_known_ = true;
  }

  /// \param columns  person, father, mother, and of a PED file sex and phenotype
  void take_person(std::span<const std::string_view> columns, std::string_view family) {
    const std::size_t person = place_of(columns[0], family);
    if (lines_[person] != 0)
      refuse(fmt::format("{} is in line {} too", printable(columns[0]), lines_[person]),
             "give each person of the file a line and a name of its own");
    lines_[person] = number_;
    if (ped_ && columns[3] == "1") set_sex(person, Sex::kMale);
    if (ped_ && columns[3] == "2") set_sex(person, Sex::kFemale);
    if (ped_) family_.people[person].looked_for = columns[4] == "2" || columns[4] == "missing";
    if (!means_nobody(columns[1]) && columns[1] == columns[2])
      refuse(fmt::format("{} is both father and mother", printable(columns[1])), "name two parents");
    const auto father = parent_of(person, columns[1], {"father", Sex::kMale}),
               mother = parent_of(person, columns[2], {"mother", Sex::kFemale});
    family_.people[person].father = father;
    family_.people[person].mother = mother;
  }

  std::optional<std::size_t> parent_of(std::size_t person, std::string_view name, const Role& role) {
    if (means_nobody(name)) return std::nullopt;
    const std::size_t parent = place_of(name, family_.people[person].family);
    if (parent == person)
      refuse(fmt::format("{} is its own {}", printable(name), role.name), "name another person, or 0");
    std::optional<Sex>& known = family_.people[parent].sex;
    if (known && *known != role.sex)
      refuse(fmt::format("{} is a {} here, but {} elsewhere", printable(name), role.name,
                         role.sex == Sex::kMale ? "female or a mother" : "male or a father"),
             "the columns are person, father, mother; a PED file's sex is 1 of males, 2 of females");
    known = role.sex;
    return parent;
  }

  void set_sex(std::size_t person, Sex sex) {
    Person& of = family_.people[person];
    if (of.sex && *of.sex != sex)
      refuse(fmt::format("{} is {} here, but a {} in a line before", printable(of.name), name_of(sex),
                         sex == Sex::kMale ? "mother" : "father"),
             "a PED file's sex is 1 of males, 2 of females");
    of.sex = sex;
  }

  /// The place of a person, who is added where the name is new.
  std::size_t place_of(std::string_view name, std::string_view family) {
    for (const std::string_view word : {name, family})
      if (word.size() > kLongestName || !is_printable_utf8(word))
        refuse(fmt::format("'{}' is no name", printable(word)),
               "write names of printable characters (UTF-8); the file must be a plain text");
    if (means_nobody(name))
      refuse(fmt::format("a person is called {}, which means nobody", printable(name)),
             "give the person another name");
    const auto [at, is_new] =
        places_.try_emplace(std::pair(std::string(family), std::string(name)), family_.people.size());
    if (is_new) {
      family_.people.push_back({std::string(name), std::string(family), {}, {}, {}});
      lines_.push_back(0);
    }
    return at->second;
  }

  FamilyFile& family_;
  std::size_t number_ = 0;
  bool layout_known_ = false, ped_ = false;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  ///< by family and name
  std::vector<std::size_t> lines_;  ///< of each person the own one; 0: none so far
};

}  // namespace

std::optional<std::size_t> FamilyFile::find(std::string_view name) const {
  const auto at = std::ranges::find(people, name, &Person::name);
  if (at == people.end()) return std::nullopt;
  return static_cast<std::size_t>(at - people.begin());
}

FamilyFile read_family(const std::string& path, std::uint64_t most_bytes) {
  const SmallText text = read_small_text(path, most_bytes);
  FamilyFile family{.path = path, .sha256 = text.sha256, .people = {}};
  FamilyParser parser(family);
  for (const std::string_view line : text.lines()) parser.take(line);
  parser.finish();
  if (family.people.empty()) throw InputError(path, "", "names no person", kLayout);
  return family;
}

}  // namespace fastid::asking
