#include "stats/haplotype.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bits/popcount.hpp"

namespace fastid::stats {
namespace {

constexpr double kRarely = 0.01;  ///< share of pairs of readings that have more differing sites than allowed
constexpr double kConfidence = 0.95;

std::uint32_t count(Word word) {
  return static_cast<std::uint32_t>(bits_set(word));
}

/// The sites of a word that show one allele alone.
Word one_allele(const RowView& row, std::size_t word, Word sites) {
  return row.called[word] & sites & ~(row.bits[word] & row.major_word(word));
}

/// ln of the number of ways to choose k of n.
double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// P(at most k of n events), each with probability p. Terms are added from k downwards, each made from the
/// one before, until they no longer count.
double binomial_cdf(std::uint64_t n, double p, std::uint64_t k) {
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  constexpr double kNegligible = 1e-18;
  const auto trials = static_cast<double>(n);
  auto hits = static_cast<double>(k);
  double term = std::exp(log_choose(trials, hits) + hits * std::log(p) + (trials - hits) * std::log1p(-p));
  double sum = term;
  for (; hits > 0; --hits) {
    const double ratio = hits * (1 - p) / ((trials - hits + 1) * p);
    term *= ratio;
    sum += term;
    if (ratio < 1 && term < kNegligible * sum) break;
  }
  return std::min(1.0, sum);
}

}  // namespace

std::uint32_t sites_of_haplotype(const RowView& profile, std::span<const Word> sites) {
  std::uint32_t n = 0;
  for (std::size_t word = 0; word < sites.size(); ++word) n += count(one_allele(profile, word, sites[word]));
  return n;
}

HaplotypeCounts count_haplotype(const RowView& first, const RowView& second, std::span<const Word> sites) {
  HaplotypeCounts counts;
  for (std::size_t word = 0; word < sites.size(); ++word) {
    const Word both = one_allele(first, word, sites[word]) & one_allele(second, word, sites[word]);
    counts.compared += count(both);
    counts.mismatches += count((first.bits[word] ^ second.bits[word]) & both);
  }
  return counts;
}

std::uint32_t allowance(std::uint32_t n, double w) {
  const double differs = 2 * w * (1 - w);
  std::uint32_t k = 0;
  while (k < n && 1 - binomial_cdf(n, differs, k) > kRarely) ++k;
  return k;
}

std::string_view name_of(HaplotypeWord word) {
  static constexpr std::array<std::string_view, 3> kNames{"agree", "undecided", "differ"};
  return kNames[static_cast<std::size_t>(word)];
}

std::uint32_t most_agreeing(std::uint32_t n, double w) {
  constexpr double kCareful = 5;  // a kit's Y sites are read better than w says
  return allowance(n, w / kCareful);
}

std::optional<HaplotypeWord> haplotype_word(const HaplotypeCounts& counts, double error_rate) {
  const auto& [mismatches, compared] = counts;
  if (compared == 0) return std::nullopt;
  if (mismatches <= most_agreeing(compared, error_rate)) return HaplotypeWord::kAgree;
  return mismatches <= allowance(compared, error_rate) ? HaplotypeWord::kUndecided : HaplotypeWord::kDiffer;
}

std::uint32_t sites_of_mixture(const RowView& mixture, std::span<const Word> sites) {
  std::uint32_t n = 0;
  for (std::size_t word = 0; word < sites.size(); ++word) n += count(mixture.called[word] & sites[word]);
  return n;
}

bool covers(std::uint32_t compared, std::uint32_t sites) {
  return compared > 0 && std::uint64_t{10} * compared >= std::uint64_t{9} * sites;
}

double upper_bound(std::uint64_t x, std::uint64_t n) {
  constexpr int kHalvings = 64;  // as fine as a double
  if (x >= n) return 1;
  double low = static_cast<double>(x) / static_cast<double>(n),
         high = 1;  // below `low` x or fewer are probable
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (binomial_cdf(n, middle, x) > 1 - kConfidence ? low : high) = middle;
  }
  return (low + high) / 2;
}

double haplotype_probability(std::uint64_t x, std::uint64_t n, double theta) {
  return theta + (1 - theta) * upper_bound(x, n);
}

unsigned least_paternal_lines(const RowView& mixture, std::span<const Word> y_sites, double error_rate) {
  const std::uint32_t called = sites_of_mixture(mixture, y_sites);
  std::uint32_t both = 0;
  for (std::size_t word = 0; word < y_sites.size(); ++word)
    both += count(mixture.bits[word] & mixture.major_word(word) & y_sites[word]);
  if (called == 0) return 0;
  return both > allowance(called, error_rate) ? 2 : 1;
}

HaplotypeCounts not_seen_in_mixture(const RowView& mixture, const RowView& person,
                                    std::span<const Word> sites) {
  HaplotypeCounts counts;
  for (std::size_t word = 0; word < sites.size(); ++word) {
    const Word both = one_allele(person, word, sites[word]) & mixture.called[word];
    const Word shows_both = mixture.bits[word] & mixture.major_word(word);
    const Word known = mixture.major.empty() ? person.bits[word] : ~Word{0};
    counts.compared += count(both);
    counts.mismatches += count((mixture.bits[word] ^ person.bits[word]) & both & known & ~shows_both);
  }
  return counts;
}

}  // namespace fastid::stats
