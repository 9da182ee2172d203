#include "questions/epistasis/permutations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "simulate/random.hpp"

namespace fastid::epistasis {
namespace {

std::array<std::vector<Word>, engine::kClasses> others(
    const engine::EpistasisProblem& problem, std::array<std::vector<Word>, engine::kClasses> masks) {
  for (std::size_t of = 0; of < engine::kClasses; ++of)
    for (std::size_t word = 0; word < masks[of].size(); ++word)
      masks[of][word] = ~masks[of][word] & sites_mask(problem.n_people(of), word);
  return masks;
}

}  // namespace

// The people who are cases now, among controls and among cases of before.
PermutedTrait::Masks PermutedTrait::drawn_cases(const engine::EpistasisProblem& of, std::uint64_t seed,
                                                std::uint64_t index) {
  simulate::Stream random(seed, simulate::Purpose::kPermutations, index);
  std::vector<std::uint32_t> people(of.n_people());
  std::iota(people.begin(), people.end(), 0U);
  Masks cases;
  for (std::size_t c = 0; c < engine::kClasses; ++c) cases[c].resize(of.classes[c].shape.n_words());
  for (std::size_t i = 0; i < of.n_people(1); ++i) {
    std::swap(people[i], people[i + random.below(people.size() - i)]);
    const std::size_t before = people[i] < of.n_people(0) ? 0 : 1;
    const std::uint32_t place = before == 0 ? people[i] : people[i] - of.n_people(0);
    cases[before][place / kWordBits] |= Word{1} << place % kWordBits;
  }
  return cases;
}

PermutedTrait::PermutedTrait(const engine::EpistasisProblem& of, std::uint64_t seed, std::uint64_t index)
    : PermutedTrait(of, drawn_cases(of, seed, index)) {}

PermutedTrait::PermutedTrait(const engine::EpistasisProblem& of, const Masks& cases)
    : of_(of), controls_(of.classes, others(of, cases)), cases_(of.classes, cases) {}

engine::EpistasisProblem PermutedTrait::problem() const {
  engine::EpistasisProblem made = of_;
  made.classes = {controls_.view(), cases_.view()};
  return made;
}

void for_permutations(std::size_t permutations, std::size_t at_once,
                      const std::function<void(std::size_t first, std::size_t n)>& act) {
  for (std::size_t first = 0; first < permutations;) {
    const std::size_t n = std::min(at_once, permutations - first);
    try {
      act(first, n);
      first += n;
    } catch (const DeviceMemoryError& error) {
      if (n == 1) throw;
      at_once = 1;
      log::detail("{}; searching one permutation at a time", error.what());
    }
  }
}

double as_good_as(double cost) {
  return cost + 1e-9 * (1 + std::abs(cost));
}

double p_of_permutations(double cost, std::span<const double> best) {
  const auto as_good = std::ranges::count_if(best, [&](double one) { return one <= as_good_as(cost); });
  return (1 + static_cast<double>(as_good)) / (1 + static_cast<double>(best.size()));
}

}  // namespace fastid::epistasis
