#include "questions/dvi/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>

#include "base/text.hpp"
#include "page/svg_picture.hpp"

namespace fastid::dvi {
namespace {

constexpr double kApart = 96, kBetween = 92, kHalfSymbol = 13,
                 kAbove = 30;  ///< between members, at least; half a symbol
constexpr double kLetter = 7;  ///< about the width of a letter of a name

/// The distance between members that leaves room for their names.
double distance_in(const fastid::dvi::Family& family) {
  constexpr std::size_t kMostLetters = 30;
  std::size_t letters = 0;
  for (const stats::Relative& member : family.members)
    letters = std::max(letters, display_width(printable(member.name)));
  return std::max(kApart, kLetter * static_cast<double>(std::min(letters, kMostLetters) + 2));
}

struct Place {
  std::size_t generation = 0;
  double x = 0;
};

using Couple = std::pair<std::size_t, std::size_t>;

/// The children of each couple whose two members are listed.
std::map<Couple, std::vector<std::size_t>> couples_of(const fastid::dvi::Family& family) {
  std::map<Couple, std::vector<std::size_t>> couples;
  for (std::size_t i = 0; i < family.members.size(); ++i)
    if (const auto& [father, mother] = family.members[i].parents; father && mother)
      couples[{*father, *mother}].push_back(i);
  return couples;
}

/// Whether `from` descends from `ancestor`.
bool descends(const fastid::dvi::Family& family, std::size_t from, std::size_t ancestor) {
  for (const auto& parent : {family.members[from].parents.father, family.members[from].parents.mother})
    if (parent && (*parent == ancestor || descends(family, *parent, ancestor))) return true;
  return false;
}

/// Children stand one below their parents, and the two of a couple side by side.
std::vector<Place> places_of(const fastid::dvi::Family& family,
                             const std::map<Couple, std::vector<std::size_t>>& couples, double apart) {
  const std::size_t n = family.members.size();
  std::vector<Place> places(n);
  std::set<Couple> unlike;  // a member and a descendant
  for (const auto& [couple, children] : couples)
    if (descends(family, couple.first, couple.second) || descends(family, couple.second, couple.first))
      unlike.insert(couple);
  for (std::size_t round = 0; round < n; ++round) {  // no chain of births and marriages is longer
    for (std::size_t i = 0; i < n; ++i)
      for (const auto& parent : {family.members[i].parents.father, family.members[i].parents.mother})
        if (parent) places[i].generation = std::max(places[i].generation, places[*parent].generation + 1);
    for (const auto& [couple, children] : couples) {
      if (unlike.contains(couple)) continue;
      const std::size_t both = std::max(places[couple.first].generation, places[couple.second].generation);
      places[couple.first].generation = places[couple.second].generation = both;
    }
  }
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::map<std::size_t, double> next;  // of each generation
  for (std::size_t generation = 0; generation <= n; ++generation) {
    std::vector<std::size_t> here;
    for (const std::size_t i : order)
      if (places[i].generation == generation) here.push_back(i);
    const auto below = [&](std::size_t i) {
      double sum = 0;
      std::size_t parents = 0;
      for (const auto& parent : {family.members[i].parents.father, family.members[i].parents.mother})
        if (parent) {
          sum += places[*parent].x;
          ++parents;
        }
      return parents == 0 ? 1e9 : sum / static_cast<double>(parents);
    };
    std::ranges::stable_sort(here, {}, below);
    // A partner without parents in the drawing stands beside the partner who has some.
    for (const auto& [couple, children] : couples) {
      const auto first = std::ranges::find(here, couple.first),
                 second = std::ranges::find(here, couple.second);
      if (first == here.end() || second == here.end() || generation == 0) continue;
      const bool second_moves = below(couple.second) >= 1e9;
      const std::size_t moving = second_moves ? couple.second : couple.first;
      std::erase(here, moving);
      const auto beside = std::ranges::find(here, second_moves ? couple.first : couple.second);
      here.insert(beside + 1, moving);
    }
    double x = apart / 2;
    for (const std::size_t i : here) {
      places[i].x = x;
      x += apart;
    }
  }
  return places;
}

std::string symbol(const std::optional<Sex>& sex, MemberState state, double x, double y) {
  constexpr std::array kStates{"untyped", "typed", "missing", "found"};
  const char* const kind = kStates[static_cast<std::size_t>(state)];
  if (sex == Sex::kMale)
    return fmt::format("<rect class=\"member {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n",
                       kind, x - kHalfSymbol, y - kHalfSymbol, 2 * kHalfSymbol, 2 * kHalfSymbol);
  if (sex == Sex::kFemale)
    return fmt::format("<circle class=\"member {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", kind, x, y,
                       kHalfSymbol);
  return fmt::format("<path class=\"member {}\" d=\"M{:.1f} {:.1f}l{} {}l{} {}l{} {}z\"/>\n", kind, x,
                     y - kHalfSymbol, kHalfSymbol, kHalfSymbol, -kHalfSymbol, kHalfSymbol, -kHalfSymbol,
                     -kHalfSymbol);
}

}  // namespace

std::string pedigree_drawing(const fastid::dvi::Family& family, const std::vector<MemberState>& states,
                             const std::string& id) {
  const std::map<Couple, std::vector<std::size_t>> couples = couples_of(family);
  const double apart = distance_in(family);
  const std::vector<Place> places = places_of(family, couples, apart);
  const auto y_of = [&](std::size_t i) {
    return kAbove + kBetween * static_cast<double>(places[i].generation);
  };
  page::SvgPicture picture;
  double width = 0, height = 0;
  for (const auto& [couple, children] : couples) {
    const auto& [father, mother] = couple;
    const double middle = (places[father].x + places[mother].x) / 2, y = y_of(father),
                 branch = y + kBetween * 0.6;
    picture.line("axis", places[father].x, y, places[mother].x, y);
    picture.line("axis", middle, y, middle, branch);
    for (const std::size_t child : children) {
      picture.line("axis", middle, branch, places[child].x, branch);
      picture.line("axis", places[child].x, branch, places[child].x, y_of(child));
    }
  }
  std::string words;
  constexpr std::array kWords{"not typed", "typed", "missing", "named"};
  for (std::size_t i = 0; i < places.size(); ++i) {
    // A single listed parent.
    const auto& [father, mother] = family.members[i].parents;
    if (father.has_value() != mother.has_value()) {
      const std::size_t parent = father ? *father : *mother;
      picture.line("axis", places[parent].x, y_of(parent), places[i].x, y_of(i));
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    picture.add(symbol(family.sexes[i], states[i], places[i].x, y_of(i)));
    if (states[i] == MemberState::kMissing)
      picture.add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">?</text>\n",
                              places[i].x, y_of(i) + 5));
    picture.text(places[i].x, y_of(i) + kHalfSymbol + 15, "middle", printable(family.members[i].name));
    width = std::max(width, places[i].x + apart / 2);
    height = std::max(height, y_of(i) + kHalfSymbol + 24);
    words += fmt::format("{}{}: {}", i == 0 ? "" : "; ", printable(family.members[i].name),
                         kWords[static_cast<std::size_t>(states[i])]);
  }
  return fmt::format("<div class=\"drawing\" style=\"max-width: {:.0f}px\">\n{}</div>\n", width,
                     picture.finish(id, width, height, "Family " + printable(family.name), words));
}

}  // namespace fastid::dvi
