// A file that says who is a case; of one that is taken nobody is of both classes, and everybody is of the
// cohort.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "questions/epistasis/phenotype.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  static const std::vector<std::string> ids = {"P01", "P02", "P03", "F1:P04", "F2:P04", "P05"};
  const std::string path = fuzz::file_of("phenotypes.tsv", bytes);
  for (const epistasis::PhenotypeCoding coding :
       {epistasis::PhenotypeCoding::kByContent, epistasis::PhenotypeCoding::kOneTwo})
    fuzz::may_refuse([&] {
      const epistasis::Phenotypes found = epistasis::read_phenotypes(path, coding, ids);
      std::vector<std::uint64_t> all;
      for (const auto& people : found.people) {
        if (people.empty() || !std::ranges::is_sorted(people)) std::abort();
        all.insert(all.end(), people.begin(), people.end());
      }
      std::ranges::sort(all);
      const bool twice = std::ranges::adjacent_find(all) != all.end();
      if (twice || all.back() >= ids.size() || all.size() + found.missing != ids.size()) std::abort();
    });
}
