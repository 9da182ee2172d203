#include "simulate/internal/trait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {
namespace {

constexpr double kCommon = 0.2;  // minor-allele frequency of sites that are drawn if there are three

/// How much at risk a joint genotype is.
double risk(EpistasisModel model, std::size_t a, std::size_t b, std::size_t c) {
  switch (model) {
    case EpistasisModel::kThreshold:
      return a > 0 && b > 0 && c > 0 ? 1 : 0;
    case EpistasisModel::kXor:
      return static_cast<double>(((a == 1) + (b == 1) + (c == 1)) % 2);
    case EpistasisModel::kMajority:
      break;
  }
  return (a > 0) + (b > 0) + (c > 0) >= 2 ? 1 : 0;
}

std::array<double, 3> proportions(double minor) {
  return {(1 - minor) * (1 - minor), 2 * minor * (1 - minor), minor * minor};
}

std::array<std::uint32_t, 3> draw_sites(const SiteClasses& classes, const std::vector<double>& minor_freq,
                                        std::uint64_t seed) {
  std::vector<std::uint32_t> sites = classes.sites(SiteClass::kAutosomal);
  if (sites.size() < 3) throw UsageError("--epistasis needs a panel of three autosomal sites or more");
  const auto is_common = [&](std::uint32_t site) {
    return std::min(minor_freq[site], 1 - minor_freq[site]) >= kCommon;
  };
  if (std::ranges::count_if(sites, is_common) >= 3)
    std::erase_if(sites, [&](std::uint32_t site) { return !is_common(site); });
  Stream stream(seed, Purpose::kTraitSites, 0);
  for (std::size_t i = 0; i < 3; ++i) std::swap(sites[i], sites[i + stream.below(sites.size() - i)]);
  std::sort(sites.begin(), sites.begin() + 3);
  return {sites[0], sites[1], sites[2]};
}

}  // namespace

Trait plan_trait(const SimulateOptions& options, const SiteClasses& classes,
                 const std::vector<double>& minor_freq) {
  Trait trait{draw_sites(classes, minor_freq, options.seed), {}};
  std::array<std::array<double, 3>, 3> shares{};
  for (std::size_t i = 0; i < 3; ++i) shares[i] = proportions(minor_freq[trait.sites[i]]);
  double mean = 0, squares = 0, highest = 0;
  std::array<double, 27> risks{};
  for (std::size_t cell = 0; cell < risks.size(); ++cell) {
    const std::size_t a = cell / 9, b = cell / 3 % 3, c = cell % 3;
    risks[cell] = risk(options.epistasis->model, a, b, c);
    const double share = shares[0][a] * shares[1][b] * shares[2][c];
    mean += share * risks[cell];
    squares += share * risks[cell] * risks[cell];
    highest = std::max(highest, risks[cell]);
  }
  const double prevalence = options.epistasis->prevalence, spread = prevalence * (1 - prevalence);
  const double variance = squares - mean * mean;
  // Penetrances from 0 to 1 at the lowest and the highest risk.
  const double steepest =
      std::min(mean > 0 ? prevalence / mean : 0, highest > mean ? (1 - prevalence) / (highest - mean) : 0);
  const double most = steepest * steepest * variance / spread;
  if (options.epistasis->heritability > most)
    throw UsageError(
        fmt::format("--heritability {}: at the frequencies of the sites that were drawn, and a prevalence of "
                    "{}, this model has at most {:.3f}; ask for less, or take another --seed",
                    options.epistasis->heritability, prevalence, std::floor(most * 1000) / 1000));
  const double slope = std::sqrt(options.epistasis->heritability * spread / variance);
  for (std::size_t cell = 0; cell < risks.size(); ++cell)
    trait.penetrance[cell] = std::clamp(prevalence + slope * (risks[cell] - mean), 0.0, 1.0);
  return trait;
}

std::uint32_t cases_of(const Trait& trait, const People& people, std::uint64_t seed, std::uint64_t block) {
  const std::vector<SiteAlleles> alleles = people.alleles(block);
  Stream stream(seed, Purpose::kTrait, block);
  std::uint32_t cases = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::size_t cell = 0;
    for (const std::uint32_t site : trait.sites)
      cell = 3 * cell + (alleles[site].first >> lane & 1) + (alleles[site].second >> lane & 1);
    cases |= std::uint32_t{stream.uniform() < trait.penetrance[cell]} << lane;
  }
  return cases;
}

}  // namespace fastid::simulate
