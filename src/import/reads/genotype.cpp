#include "import/reads/genotype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fastid::imports {
namespace {

constexpr double kMappingOdds =
    -4.5;                        // log10: the least that a read's worse allele has beside its better one
constexpr double kSpeaks = 0.2;  // log10 between the alleles, from which a read counts for one
constexpr double kMostQuality = 99;
constexpr double kMostPhred = 1e6;
constexpr double kLeastFrequency = 0.001;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log10_mean(double a, double b) {
  const double high = std::max(a, b);
  return high + std::log10((std::pow(10, a - high) + std::pow(10, b - high)) / 2);
}

/// log10 of the genotypes' likelihoods, by minor copies; for a haploid site the second is minus infinity.
std::array<double, 3> genotype_likelihoods(std::span<const ReadLikelihood> reads, bool haploid) {
  std::array<double, 3> sums{};
  for (const auto& [major, minor] : reads) {
    sums[0] += major;
    sums[1] += log10_mean(major, minor);
    sums[2] += minor;
  }
  if (haploid) sums[1] = -kInfinity;
  return sums;
}

std::array<double, 3> log10_prior(std::optional<double> minor_frequency, bool haploid) {
  if (!minor_frequency) return {};
  const double q = std::clamp(*minor_frequency, kLeastFrequency, 1 - kLeastFrequency), p = 1 - q;
  if (haploid) return {std::log10(p), 0, std::log10(q)};
  return {2 * std::log10(p), std::log10(2 * p * q), 2 * std::log10(q)};
}

std::uint32_t phred(double log10, double most) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(-10 * log10, 0.0, most)));
}

/// log10 of the probability of any genotype but the best.
double log10_of_others(const std::array<double, 3>& posterior, std::size_t best) {
  double all = 0, others = 0;
  for (std::size_t g = 0; g < posterior.size(); ++g) {
    const double share = std::pow(10, posterior[g] - posterior[best]);
    all += share;
    if (g != best) others += share;
  }
  return others > 0 ? std::log10(others / all) : -kMostQuality;
}

/// P(0, 1, 2 minor copies) of a person.
std::array<double, 3> people_by_copies(double minor_frequency) {
  const double q = std::clamp(minor_frequency, kLeastFrequency, 1 - kLeastFrequency), p = 1 - q;
  return {p * p, 2 * p * q, q * q};
}

/// log of P(reads of a site | g copies of the person, h of the other one).
double log_reads(std::span<const float> reads, double share, std::size_t g, std::size_t h) {
  const double minor = (1 - share) * static_cast<double>(g) / 2 + share * static_cast<double>(h) / 2;
  double log = 0;
  for (const float odds : reads) log += std::log(1 - minor + minor * static_cast<double>(odds));
  return log;
}

double log_of_sum(std::span<const double> logs) {
  const double high = std::ranges::max(logs);
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - high);
  return high + std::log(sum);
}

/// log of P(reads of a site), as contamination_of() says.
double log_site(const SiteReads& site, double share) {
  const std::array<double, 3> prior = people_by_copies(site.minor_frequency);
  std::array<double, 9> logs{};
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t h = 0; h < 3; ++h)
      logs[3 * g + h] = std::log(prior[g] * prior[h]) + log_reads(site.odds, share, g, h);
  return log_of_sum(logs);
}

double log_all(std::span<const SiteReads> sites, double share) {
  double sum = 0;
  for (const SiteReads& site : sites) sum += log_site(site, share);
  return sum;
}

}  // namespace

ReadLikelihood trusted(ReadLikelihood read) {
  const double best = std::max(read[0], read[1]);
  if (!std::isfinite(best)) return {0, 0};  // impossible under both: it says nothing
  for (double& allele : read) allele = std::max(allele, best + kMappingOdds) - best;
  return read;
}

bool shows_another_allele(std::span<const ReadLikelihood> reads, std::span<const double> other,
                          bool haploid) {
  constexpr double kRare = -3;   // log10
  std::array<double, 3> sums{};  // another allele with the major, with the minor, and alone
  for (std::size_t r = 0; r < reads.size(); ++r) {
    const auto& [major, minor] = reads[r];
    const double third =
        other[r] > 0 ? std::max(major, minor) + std::min(other[r], -kMappingOdds) : std::min(major, minor);
    sums[0] += log10_mean(major, third);
    sums[1] += log10_mean(minor, third);
    sums[2] += third;
  }
  const double best = std::ranges::max(genotype_likelihoods(reads, haploid));
  return kRare + (haploid ? sums[2] : std::ranges::max(sums)) > best;
}

void weigh(std::span<const ReadLikelihood> reads, std::optional<double> minor_frequency, SiteCall& call) {
  call.depth = static_cast<std::uint32_t>(reads.size());
  for (const auto& [major, minor] : reads) {
    if (major > minor + kSpeaks) ++call.depths[0];
    if (minor > major + kSpeaks) ++call.depths[1];
  }
  const std::array<double, 3> likelihoods = genotype_likelihoods(reads, call.haploid);
  const double best = std::ranges::max(likelihoods);
  for (std::size_t g = 0; g < likelihoods.size(); ++g)
    call.likelihoods[g] = phred(likelihoods[g] - best, kMostPhred);
  std::array<double, 3> posterior = log10_prior(minor_frequency, call.haploid);
  for (std::size_t g = 0; g < posterior.size(); ++g) posterior[g] += likelihoods[g];
  const auto genotype = static_cast<std::size_t>(std::ranges::max_element(posterior) - posterior.begin());
  call.minor_copies = static_cast<std::uint8_t>(genotype);
  call.quality = phred(log10_of_others(posterior, genotype), kMostQuality);
}

GenotypeLikelihoods likelihoods_of_reads(std::span<const float> odds, double share, double minor_frequency) {
  const std::array<double, 3> others = people_by_copies(share > 0 ? minor_frequency : 0);
  std::array<double, 3> logs{};
  for (std::size_t g = 0; g < logs.size(); ++g) {
    std::array<double, 3> of_others{};
    for (std::size_t h = 0; h < others.size(); ++h)
      of_others[h] = std::log(others[h]) + log_reads(odds, share, g, h);
    logs[g] = share > 0 ? log_of_sum(of_others) : log_reads(odds, 0, g, 0);
  }
  const double most = std::ranges::max(logs);
  GenotypeLikelihoods likelihoods{};
  for (std::size_t g = 0; g < logs.size(); ++g) likelihoods[g] = std::exp(logs[g] - most);
  return likelihoods;
}

Contamination contamination_of(std::span<const SiteReads> sites) {
  constexpr double kMost = 0.5, kPrecision = 0.0005;
  constexpr double kGolden = 0.6180339887498949;
  double low = 0, high = kMost;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = log_all(sites, left), at_right = log_all(sites, right);
  while (high - low > kPrecision) {
    if (at_left >= at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = log_all(sites, left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = log_all(sites, right);
    }
  }
  const double none = log_all(sites, 0), most = std::max(at_left, at_right);
  if (most <= none) return {0, 0, sites.size()};
  return {at_left >= at_right ? left : right, (most - none) / std::log(10), sites.size()};
}

}  // namespace fastid::imports
