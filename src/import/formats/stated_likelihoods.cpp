#include "import/formats/stated_likelihoods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "import/formats/genotype_quality.hpp"

namespace fastid::imports {
namespace {

constexpr GenotypeLikelihoods kNothingSaid{1, 1, 1};

/// 10^(exponents), scaled so that the greatest becomes 1.
GenotypeLikelihoods powers(std::array<double, 3> exponents) {
  const double most = std::ranges::max(exponents);
  if (std::isinf(most)) return kNothingSaid;
  GenotypeLikelihoods likelihoods{};
  for (std::size_t g = 0; g < likelihoods.size(); ++g) likelihoods[g] = std::pow(10, exponents[g] - most);
  return likelihoods;
}

std::size_t place_of_genotype(std::size_t one, std::size_t other) {
  const auto [low, high] = std::minmax(one, other);
  return high * (high + 1) / 2 + low;
}

}  // namespace

std::span<const std::string_view> likelihood_tags(LikelihoodRule rule) {
  static constexpr std::array<std::string_view, 2> kUsual{"PL", "GL"};
  static constexpr std::array<std::string_view, 1> kProbabilities{"GP"};
  switch (rule) {
    case LikelihoodRule::kAuto:
      return kUsual;
    case LikelihoodRule::kPl:
      return std::span(kUsual).first(1);
    case LikelihoodRule::kGl:
      return std::span(kUsual).last(1);
    case LikelihoodRule::kGp:
      return kProbabilities;
    case LikelihoodRule::kOff:
      break;
  }
  return {};
}

std::array<std::size_t, 3> places_of_genotypes(std::size_t major, std::size_t minor) {
  return {place_of_genotype(major, major), place_of_genotype(major, minor), place_of_genotype(minor, minor)};
}

std::optional<GenotypeLikelihoods> likelihoods_of(std::string_view tag, std::span<const float> numbers,
                                                  std::size_t n_genotypes,
                                                  const std::array<std::size_t, 3>& places) {
  while (!numbers.empty() && std::isnan(numbers.back())) numbers = numbers.first(numbers.size() - 1);
  const bool log10 = tag == "GL";
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::ranges::any_of(numbers, [&](float number) { return log10 ? number == kInfinity : number < 0; }))
    return std::nullopt;
  if (numbers.size() != n_genotypes) return kNothingSaid;
  std::array<double, 3> values{};
  for (std::size_t g = 0; g < values.size(); ++g) values[g] = numbers[places[g]];
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) return kNothingSaid;
  if (log10) return powers(values);
  if (tag == "GP") {
    const std::vector<double> probabilities = genotype_probabilities(numbers);
    if (probabilities.empty()) return kNothingSaid;
    for (std::size_t g = 0; g < values.size(); ++g) values[g] = probabilities[places[g]];
    return std::ranges::max(values) > 0 ? GenotypeLikelihoods(values) : kNothingSaid;
  }
  for (double& value : values) value = -value / 10;
  return powers(values);
}

}  // namespace fastid::imports
