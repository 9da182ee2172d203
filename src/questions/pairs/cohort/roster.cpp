#include "questions/pairs/cohort/roster.hpp"

#include <unordered_set>

#include "base/text.hpp"

namespace fastid::pairs {

Node Roster::node(std::size_t database, std::uint64_t row) const {
  return database == 0 ? row : options_.ids.size() + row;
}

std::size_t Roster::database_of(Node node) const {
  return node < options_.ids.size() ? 0 : 1;
}

std::uint64_t Roster::row_of(Node node) const {
  return database_of(node) == 0 ? node : node - options_.ids.size();
}

const std::string& Roster::id(Node node) const {
  return ids(database_of(node))[row_of(node)];
}

std::string Roster::databases() const {
  return options_.facts.database.path + (has_two() ? " or " + options_.facts.second->path : "");
}

Roster::Places Roster::find(std::span<const std::string_view> names) const {
  Places places;
  for (const std::string_view name : names) places.try_emplace(name);
  for (std::size_t database = 0; database < 2; ++database)
    for (std::uint64_t row = 0; row < ids(database).size(); ++row)
      if (const auto at = places.find(ids(database)[row]); at != places.end())
        at->second.push_back(node(database, row));
  std::erase_if(places, [](const auto& place) { return place.second.empty(); });
  return places;
}

std::vector<std::string_view> Roster::in_both() const {
  const std::unordered_set<std::string_view> of_second(options_.second_ids.begin(),
                                                       options_.second_ids.end());
  std::vector<std::string_view> both;
  for (const std::string& id : options_.ids)
    if (of_second.contains(id)) both.push_back(id);
  return both;
}

}  // namespace fastid::pairs
