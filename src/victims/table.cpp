#include "victims/table.hpp"

namespace fastid::victims {

std::string Table::name_of_person(std::size_t person) const {
  std::string name;
  for (const std::size_t i : findings.people[person].remains) name += (name.empty() ? "" : "+") + remains[i];
  return name;
}

}  // namespace fastid::victims
