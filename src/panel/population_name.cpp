#include "panel/population_name.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace fastid {

const Population* find_population(const Panel& panel, std::string_view name) {
  const auto& all = panel.populations();
  if (const auto exact = std::ranges::find(all, name, &Population::name); exact != all.end()) return &*exact;
  const std::string lower = ascii_lower(name);
  const auto is_same = [&](const Population& population) { return ascii_lower(population.name) == lower; };
  const auto found = std::ranges::find_if(all, is_same);
  return found == all.end() || std::ranges::count_if(all, is_same) > 1 ? nullptr : &*found;
}

}  // namespace fastid
