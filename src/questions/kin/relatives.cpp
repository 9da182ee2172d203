#include "questions/kin/relatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace fastid::kin {
namespace {

using QueryOf = std::vector<std::optional<std::size_t>>;  ///< of each person of the file, if typed

std::string untyped_of(const asking::FamilyFile& family, const QueryOf& query_of) {
  constexpr std::size_t kMost = 10;
  std::string names;
  std::size_t n = 0;
  for (std::size_t i = 0; i < family.people.size(); ++i)
    if (!query_of[i] && ++n <= kMost) names += (n == 1 ? "" : ", ") + printable(family.people[i].name);
  return n > kMost ? names + fmt::format(" and {} more", n - kMost) : names;
}

QueryOf typed_in(const asking::FamilyFile& family, const match::Queries& queries) {
  QueryOf query_of(family.people.size());
  for (std::size_t q = 0; q < queries.sources.size(); ++q) {
    const match::QuerySource& source = queries.sources[q];
    const auto person = family.find(source.name);
    if (!person)
      throw InputError(family.path, "",
                       fmt::format("names no {}, who is a sample of {}", printable(source.name),
                                   display_name(source.file)),
                       "call samples what the family calls its people (#sample NAME in a .snp), each once");
    query_of[*person] = q;
  }
  return query_of;
}

/// The missing members where none is named: the only person who is not typed, or everybody in the typed
/// members' family whom the file marks.
std::vector<std::size_t> looked_for(const asking::FamilyFile& family, const QueryOf& query_of) {
  std::vector<std::size_t> untyped;
  std::string of_typed;
  for (std::size_t i = query_of.size(); i-- > 0;)
    if (query_of[i]) of_typed = family.people[i].family;
  for (std::size_t i = 0; i < query_of.size(); ++i)
    if (!query_of[i]) untyped.push_back(i);
  if (untyped.size() > 1)
    std::erase_if(untyped, [&](std::size_t i) {
      return !family.people[i].looked_for || family.people[i].family != of_typed;
    });
  return untyped;
}

std::size_t place_of(const asking::FamilyFile& family, const std::string& asked, const QueryOf& query_of) {
  const auto person = family.find(asked);
  if (!person)
    throw InputError(family.path, "", fmt::format("names no {}, whom --missing asks for", printable(asked)),
                     "name one of " + untyped_of(family, query_of));
  if (query_of[*person])
    throw InputError(family.path, "",
                     fmt::format("{}, whom --missing asks for, is among the samples", printable(asked)),
                     "leave that sample out, or name one of " + untyped_of(family, query_of));
  return *person;
}

/// The places of the missing members, each once.
std::vector<std::size_t> missing_of(const asking::FamilyFile& family, const std::vector<std::string>& asked,
                                    const QueryOf& query_of) {
  const std::string untyped = untyped_of(family, query_of);
  if (untyped.empty())
    throw InputError(family.path, "", "all of its people are typed, so that nobody is missing",
                     "leave out the samples of the one who is looked for");
  std::vector<std::size_t> missing;
  for (const std::string& name : asked)
    if (const std::size_t place = place_of(family, name, query_of); !std::ranges::count(missing, place))
      missing.push_back(place);
  if (asked.empty()) missing = looked_for(family, query_of);
  if (missing.empty())
    throw UsageError(
        fmt::format("{}: name the one who is looked for by --missing: {}", family.path, untyped));
  return missing;
}

/// \throws InputError where the people who are typed or missing are of two families
void check_one_family(const asking::FamilyFile& file, const std::vector<std::size_t>& sought,
                      const QueryOf& query_of) {
  const asking::Person& first = file.people[sought[0]];
  const auto refuse_others = [&](const asking::Person& person, const char* what) {
    if (person.family != first.family)
      throw InputError(
          file.path, "",
          fmt::format("{} is of family {}, and {}, {}, of {}", printable(person.name),
                      printable(person.family), printable(first.name), what, printable(first.family)),
          "ask for one family at a time");
  };
  for (std::size_t i = 0; i < file.people.size(); ++i)
    if (query_of[i]) refuse_others(file.people[i], "the missing one");
  for (const std::size_t place : sought) refuse_others(file.people[place], "who is missing too");
}

}  // namespace

Relatives relatives_of(const asking::FamilyFile& file, const std::vector<std::string>& missing,
                       const match::Queries& queries) {
  const QueryOf query_of = typed_in(file, queries);
  const std::vector<std::size_t> sought = missing_of(file, missing, query_of);
  check_one_family(file, sought, query_of);
  Relatives relatives{.facts = {.file = file.path, .sha256 = file.sha256},
                      .members = {},
                      .missing = {},
                      .sought = sought,
                      .query_of = query_of};
  std::map<std::size_t, std::size_t> member_of;  // person -> member
  for (std::size_t i = 0; i < file.people.size(); ++i)
    if (file.people[i].family == file.people[sought[0]].family) member_of.emplace(i, member_of.size());
  const auto member = [&](const std::optional<std::size_t>& person) {
    return person ? std::optional(member_of.at(*person)) : std::nullopt;
  };
  for (const auto& [person, place] : member_of) {
    const asking::Person& of = file.people[person];
    relatives.members.push_back({member(of.father), member(of.mother), {}, printable(of.name)});
    if (!query_of[person]) continue;
    const match::QuerySource& source = queries.sources[*query_of[person]];
    relatives.members.back().typed = queries.rows.row(*query_of[person]);
    relatives.facts.relatives.push_back({source.name, source.file, source.sha256});
  }
  for (const std::size_t place : sought) {
    relatives.missing.push_back(member_of.at(place));
    relatives.facts.missing.push_back({file.people[place].name});
  }
  relatives.facts.members = relatives.members.size();
  return relatives;
}

}  // namespace fastid::kin
