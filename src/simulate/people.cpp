#include "simulate/people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::simulate {
namespace {

constexpr std::uint32_t kChromosomes = 22;
constexpr std::uint32_t kFirstPosition = 1'000'000;
constexpr std::uint32_t kSpan = 45'000'000;  ///< fits the smallest autosome, 21

constexpr std::uint64_t kMillionths = 1'000'000;  ///< frequencies have six decimals
constexpr std::uint64_t kRarest = kMillionths / 20, kCommonest = kMillionths / 2;

/// Turns 32 words, one a site with a bit a lane, into 32 words, one a lane with a bit a site (Hacker's
/// Delight, 7-3, with the bits counted from the low end).
void transpose(std::array<Word, 32>& words) {
  Word mask = 0x0000FFFF;
  for (unsigned step = 16; step != 0; step >>= 1, mask ^= mask << step)
    for (unsigned i = 0; i < 32; i = ((i | step) + 1) & ~step) {
      const Word swap = ((words[i] >> step) ^ words[i | step]) & mask;
      words[i | step] ^= swap;
      words[i] ^= swap << step;
    }
}

SiteAlleles halves(std::uint64_t draw) {
  return {static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)};
}

}  // namespace

Panel simulate_panel(std::uint32_t n_sites, std::uint64_t seed) {
  static constexpr std::string_view kLetters = "ACGT";
  Stream stream(seed, Purpose::kPanel, 0);
  std::vector<Site> sites;
  Population population{"simulated", {}};
  const std::uint32_t per_chromosome = n_sites / kChromosomes + 1;
  const std::uint32_t step = std::max(1u, kSpan / per_chromosome);
  for (std::uint32_t s = 0; s < n_sites; ++s) {
    const std::uint64_t major = stream.below(4), minor = (major + 1 + stream.below(3)) % 4;
    sites.push_back({fmt::format("sim{:06}", s + 1), std::to_string(1 + s / per_chromosome),
                     kFirstPosition + s % per_chromosome * step, kLetters[major], kLetters[minor]});
    population.minor_freq.push_back(static_cast<double>(kRarest + stream.below(kCommonest - kRarest + 1)) /
                                    static_cast<double>(kMillionths));
  }
  return Panel(std::move(sites), {std::move(population)}, GenomeBuild::kUnknown, "simulated panel");
}

const std::vector<double>& frequencies_of(const Panel& panel, const std::string& population,
                                          const std::string& source) {
  if (panel.populations().empty())
    throw InputError(source, "", "the panel has no frequencies to simulate from",
                     "add a column of minor-allele frequencies, named by its population");
  if (population.empty()) return panel.populations().front().minor_freq;
  std::string names;
  for (const Population& known : panel.populations()) {
    if (known.name == population) return known.minor_freq;
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw InputError(source, "", fmt::format("the panel has no population '{}'", printable(population)),
                   "it has " + names);
}

People::People(const std::vector<double>& minor_freq, Rates rates, std::uint64_t seed)
    : minor_(minor_freq.begin(), minor_freq.end()),
      no_call_(rates.no_call),
      error_(rates.error),
      seed_(seed) {}

std::vector<SiteAlleles> People::draw_alleles(Purpose purpose, std::uint64_t block) const {
  Stream stream(seed_, purpose, block);
  std::vector<SiteAlleles> alleles(minor_.size());
  for (std::size_t s = 0; s < minor_.size(); ++s) alleles[s] = halves(minor_[s].draw(stream));
  return alleles;
}

void People::observe(std::uint64_t block, std::uint32_t lanes, Word* bits, Word* called) const {
  Stream alleles(seed_, Purpose::kAlleles, block), errors(seed_, Purpose::kErrors, block),
      calls(seed_, Purpose::kCalls, block);
  const Word used = lanes >= kLanes ? ~Word{0} : (Word{1} << lanes) - 1;
  for (std::uint32_t first = 0; first < n_sites(); first += kWordBits) {
    std::array<Word, 32> seen{}, read{};
    const std::uint32_t n = std::min<std::uint32_t>(kWordBits, n_sites() - first);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto [a, b] = halves(minor_[first + i].draw(alleles) ^ error_.draw(errors));
      read[i] = used & ~halves(no_call_.draw(calls)).first;
      seen[i] = (a | b) & read[i];
    }
    transpose(seen);
    transpose(read);
    std::copy(seen.begin(), seen.end(), bits);
    std::copy(read.begin(), read.end(), called);
    bits += kLanes;
    called += kLanes;
  }
}

}  // namespace fastid::simulate
