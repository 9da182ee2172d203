#include "analysis/cohort/roster.hpp"

#include "base/text.hpp"

namespace fastid::cohort {

std::uint64_t Roster::size() const {
  return sides_[0].ids.size() + (has_two() ? sides_[1].ids.size() : 0);
}

Node Roster::node(std::size_t database, std::uint64_t row) const {
  return database == 0 ? row : sides_[0].ids.size() + row;
}

std::size_t Roster::database_of(Node node) const {
  return node < sides_[0].ids.size() ? 0 : 1;
}

std::uint64_t Roster::row_of(Node node) const {
  return database_of(node) == 0 ? node : node - sides_[0].ids.size();
}

const std::string& Roster::id(Node node) const {
  return sides_[database_of(node)].ids[row_of(node)];
}

std::string Roster::databases() const {
  return sides_[0].database.path + (has_two() ? " or " + sides_[1].database.path : "");
}

Roster::Places Roster::find(std::span<const std::string_view> names) const {
  Places places;
  for (const std::string_view name : names) places.try_emplace(name);
  for (std::size_t database = 0; database < sides_.size(); ++database)
    for (std::uint64_t row = 0; row < sides_[database].ids.size(); ++row)
      if (const auto at = places.find(sides_[database].ids[row]); at != places.end())
        at->second.push_back(node(database, row));
  std::erase_if(places, [](const auto& place) { return place.second.empty(); });
  return places;
}

}  // namespace fastid::cohort
