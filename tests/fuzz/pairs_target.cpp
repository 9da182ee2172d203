// Pairs of reads and haplotypes as text: what is taken has a likelihood that is no number above 1.
#include <cstdlib>

#include "fuzz/fuzz.hpp"
#include "import/pair_cases.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  static const auto reference = hmm::make_reference_engine(), native = hmm::make_cpu_engine(1);
  const std::string path = fuzz::file_of("pairs.txt", bytes);
  fuzz::may_refuse([&] {
    imports::PairCases cases(path);
    hmm::Groups groups;
    if (!cases.next(groups, 1 << 16) || groups.cells() > 1 << 18) return;
    const auto expected = reference->log10_likelihoods(groups), computed = native->log10_likelihoods(groups);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool same = expected[i] == computed[i] || std::abs(expected[i] - computed[i]) < 1e-4;
      if (!same || !(expected[i] < 0.01)) std::abort();
    }
  });
}
