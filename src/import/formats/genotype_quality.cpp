#include "import/formats/genotype_quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace fastid::imports {
namespace {

constexpr double kRounding = 0.05;     ///< by which written probabilities may miss a sum of 1
constexpr double kLeastError = 1e-10;  ///< as probable as anything else can be said to be

/// The place of a genotype in a VCF's order: 0/0, 0/1, 1/1, 0/2 ...
std::size_t place_of(std::span<const std::int32_t> genotype) {
  const auto a = static_cast<std::size_t>(std::ranges::min(genotype)),
             b = static_cast<std::size_t>(std::ranges::max(genotype));
  return genotype.size() == 1 ? a : b * (b + 1) / 2 + a;
}

}  // namespace

std::vector<double> genotype_probabilities(std::span<const float> stated) {
  std::vector<double> probabilities(stated.begin(), stated.end());
  while (!probabilities.empty() && std::isnan(probabilities.back())) probabilities.pop_back();
  if (std::ranges::any_of(probabilities, [](double p) { return !(p >= 0); })) return {};
  double sum = std::reduce(probabilities.begin(), probabilities.end());
  if (std::abs(sum - 1) > kRounding) {
    for (double& value : probabilities) value = std::pow(10, -value / 10);
    sum = std::reduce(probabilities.begin(), probabilities.end());
    if (!(sum > 0)) return {};
  }
  for (double& value : probabilities) value /= sum;
  return probabilities;
}

double quality_by_probabilities(std::span<const float> given, std::span<const std::int32_t> genotype) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> probabilities = genotype_probabilities(given);
  if (genotype.empty() || genotype.size() > 2 || std::ranges::any_of(genotype, [](auto a) { return a < 0; }))
    return kUnknown;
  const std::size_t place = place_of(genotype);
  if (place >= probabilities.size()) return kUnknown;
  const double others = std::reduce(probabilities.begin(), probabilities.end()) - probabilities[place];
  const double quality = -10 * std::log10(std::max(others, kLeastError));
  return std::round(100 * quality) / 100;  // probabilities are written with a few digits
}

}  // namespace fastid::imports
