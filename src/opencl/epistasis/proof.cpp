#include "opencl/epistasis/proof.hpp"

#include <array>
#include <random>
#include <vector>

#include "opencl/kernel/programs.hpp"

namespace fastid::opencl {

// Of some combinations there are too few people, where not everybody is called.
void prove_epistasis(
    const std::string& name, const EpistasisShape& shape,
    const std::function<void(const engine::EpistasisProblem&, engine::BestCombinations&)>& find) {
  const std::uint32_t kSites = shape.way == 4 ? 20 : 40;
  constexpr std::array<std::uint32_t, engine::kClasses> kPeople = {301, 200};
  std::minstd_rand rng(1);
  std::vector<BitBlocks> classes;
  for (const std::uint32_t n : kPeople) {
    classes.emplace_back(BlockShape{kSites, n, Encoding::kAlleles});
    for (std::uint32_t person = 0; person < n; ++person)
      for (std::uint32_t site = 0; site < kSites; ++site) {
        constexpr Seen kSeen[] = {kMajorSeen, kMajorSeen, kBothSeen, kBothSeen, kMinorSeen};
        if (shape.by_rest || rng() % 16 != 0) classes.back().set_seen(site, person, kSeen[rng() % 5]);
      }
  }
  const engine::EpistasisProblem problem{
      {classes[0].view(), classes[1].view()}, shape.way, shape.score, shape.by_rest ? 0U : 420U};
  engine::BestCombinations right(30), found(30);
  engine::make_epistasis_engine("reference", problem)->find({0, kSites, 0, kSites}, right);
  find(problem, found);
  if (found.kept() != right.kept())
    throw KernelFault(name, "the device finds other combinations than the definition");
}

}  // namespace fastid::opencl
