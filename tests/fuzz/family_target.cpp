// A family file; in one that is taken all parents are people of it, and it has a member who is
// missing unless it has a loop.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "asking/family.hpp"
#include "fuzz/fuzz.hpp"
#include "stats/pedigree.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  const std::string path = fuzz::file_of("family.ped", bytes);
  fuzz::may_refuse([&] {
    const asking::FamilyFile family = asking::read_family(path);
    std::vector<stats::Member> members;
    for (const asking::Person& person : family.people) {
      const auto refers = [&](const auto& parent) { return !parent || *parent < family.people.size(); };
      if (!refers(person.father) || !refers(person.mother)) std::abort();
      members.push_back({person.father, person.mother, {}, person.name});
    }
    const stats::PopulationModel model("pop", std::vector{0.2}, {});
    for (std::size_t missing = 0; missing < std::min<std::size_t>(members.size(), 4); ++missing)
      stats::MissingMember(model, members, missing, path);
  });
}
