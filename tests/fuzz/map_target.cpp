// A genetic map; along each chromosome of one that is taken no distance is below 0.
#include <cmath>
#include <cstdlib>

#include "fuzz/fuzz.hpp"
#include "panel/genetic_map.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  fuzz::may_refuse([&] {
    const GeneticMap map = GeneticMap::parse(bytes, "map.tsv");
    for (const char* const chrom : {"1", "2", "X", "none"}) {
      double last = map.cm(chrom, 1);
      for (std::uint32_t pos = 1; pos < UINT32_MAX / 2; pos *= 2) {
        const double here = map.cm(chrom, pos);
        if (!std::isfinite(here) || here < last) std::abort();
        last = here;
      }
    }
  });
}
