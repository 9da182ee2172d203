#include "simulate/people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::simulate {
namespace {

static_assert(kMostPopulations <= kMostGroups);

constexpr std::uint32_t kChromosomes = 22;
constexpr std::uint32_t kFirstPosition = 1'000'000;
constexpr std::uint32_t kSpan = 45'000'000;  ///< fits the smallest autosome, 21

constexpr std::uint64_t kMillionths = 1'000'000;  ///< frequencies have six decimals
constexpr std::uint64_t kRarest = kMillionths / 20, kCommonest = kMillionths / 2;

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

People::People(const std::vector<std::vector<double>>& minor_freqs, Rates rates, std::uint64_t seed,
               Relatives relatives)
    : n_populations_(minor_freqs.size()),
      no_call_(rates.no_call),
      error_(rates.error),
      duplicate_error_(rates.duplicate_error),
      seed_(seed),
      relatives_(std::move(relatives)) {
  for (std::size_t s = 0; s < minor_freqs[0].size(); ++s)
    for (const std::vector<double>& population : minor_freqs) minor_.emplace_back(population[s]);
}

LanePopulations People::draw_populations(Purpose purpose, std::uint64_t block) const {
  LanePopulations populations{};
  if (n_populations_ == 1) return populations;
  Stream stream(seed_, purpose, block);
  for (std::uint8_t& population : populations)
    population = static_cast<std::uint8_t>(stream.below(n_populations_));
  return populations;
}

LanePopulations People::populations_of(std::uint64_t block) const {
  LanePopulations populations = draw_populations(Purpose::kPopulations, block);
  for (const Plant& plant : relatives_.in_block(block))
    populations[plant.row % kLanes] =
        draw_populations(Purpose::kPopulations, plant.of / kLanes)[plant.of % kLanes];
  return populations;
}

std::vector<SiteAlleles> People::draw_alleles(Purpose purpose, const LanePopulations& populations,
                                              std::uint64_t block) const {
  // For each population, a mask of its lanes for both alleles.
  std::array<std::uint64_t, kMostPopulations> lanes{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    lanes[populations[lane]] |= std::uint64_t{0x1'0000'0001} << lane;
  const std::span<const std::uint64_t> groups(lanes.data(), n_populations_);
  Stream stream(seed_, purpose, block);
  std::vector<SiteAlleles> alleles(n_sites());
  for (std::size_t s = 0; s < alleles.size(); ++s)
    alleles[s] = halves(n_populations_ == 1 ? minor_[s].draw(stream) : draw_mixed(minor(s), groups, stream));
  return alleles;
}

/// Writes a plant into its lane: some alleles come from its relative by descent, the others are drawn anew.
void People::plant(const Plant& plant, std::vector<SiteAlleles>& alleles) const {
  const std::uint64_t block = plant.of / kLanes, lane = plant.of % kLanes;
  const LanePopulations populations = draw_populations(Purpose::kPopulations, block);
  const std::vector<SiteAlleles> of = draw_alleles(Purpose::kAlleles, populations, block);
  const std::uint32_t here = std::uint32_t{1} << plant.row % kLanes;
  const auto put = [here](std::uint32_t& lanes, std::uint32_t allele) {
    lanes = (lanes & ~here) | ((allele & 1) != 0 ? here : 0);
  };
  Stream fresh(seed_, Purpose::kRelatives, plant.row);
  Descent descent(plant, seed_);
  for (std::size_t s = 0; s < alleles.size(); ++s) {
    const SiteAlleles own = halves(minor(s)[populations[lane]].draw(fresh));
    const Descent::Shared shared = descent.next();
    put(alleles[s].first, shared.first ? of[s].first >> lane : own.first);
    put(alleles[s].second, shared.second ? of[s].second >> lane : own.second);
  }
}

std::vector<SiteAlleles> People::alleles(std::uint64_t block) const {
  std::vector<SiteAlleles> alleles =
      draw_alleles(Purpose::kAlleles, draw_populations(Purpose::kPopulations, block), block);
  for (const Plant& one : relatives_.in_block(block)) plant(one, alleles);
  return alleles;
}

std::vector<SiteAlleles> People::absent_alleles(std::uint64_t block) const {
  return draw_alleles(Purpose::kAbsent, draw_populations(Purpose::kAbsentPopulations, block), block);
}

/// Misreads duplicates once more, since a second sample of a person has its own errors.
void People::misread_duplicates(std::uint64_t block, std::vector<SiteAlleles>& alleles) const {
  for (const Plant& plant : relatives_.in_block(block)) {
    if (plant.relation != Relation::kDuplicate) continue;
    Stream stream(seed_, Purpose::kDuplicateErrors, plant.row);
    for (SiteAlleles& site : alleles) {
      const std::uint64_t misread = duplicate_error_.draw(stream);
      site.first ^= static_cast<std::uint32_t>(misread & 1) << plant.row % kLanes;
      site.second ^= static_cast<std::uint32_t>(misread >> 1 & 1) << plant.row % kLanes;
    }
  }
}

void People::observe(std::uint64_t block, std::uint32_t lanes, Encoding encoding, Word* bits,
                     Word* second) const {
  std::vector<SiteAlleles> sites = alleles(block);
  misread_duplicates(block, sites);
  Stream errors(seed_, Purpose::kErrors, block), calls(seed_, Purpose::kCalls, block);
  const Word used = lanes >= kLanes ? ~Word{0} : (Word{1} << lanes) - 1;
  for (std::uint32_t first = 0; first < n_sites(); first += kWordBits) {
    std::array<Word, 32> minor{}, other{};  // the planes, a word a site
    const std::uint32_t n = std::min<std::uint32_t>(kWordBits, n_sites() - first);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto [a, b] = sites[first + i];
      const auto [misread_a, misread_b] = halves(error_.draw(errors));
      const Word first_minor = a ^ misread_a, second_minor = b ^ misread_b;
      const Word read = used & ~halves(no_call_.draw(calls)).first;
      minor[i] = (first_minor | second_minor) & read;
      other[i] = encoding == Encoding::kAlleles ? ~(first_minor & second_minor) & read : read;
    }
    transpose32(minor.data());
    transpose32(other.data());
    bits = std::copy(minor.begin(), minor.end(), bits);
    if (second != nullptr) second = std::copy(other.begin(), other.end(), second);
  }
}

void observe_blocks(const People& people, std::uint64_t first_block, const BlockShape& shape,
                    ThreadPool& pool, Word* bits, Word* second) {
  const std::size_t words = shape.block_words();
  pool.for_each(shape.n_blocks(), [&](std::size_t b, const ThreadPool::Stop&) {
    const std::uint64_t left = shape.n_profiles - b * kLanes;
    people.observe(first_block + b, static_cast<std::uint32_t>(std::min<std::uint64_t>(kLanes, left)),
                   shape.encoding, bits + b * words, second == nullptr ? nullptr : second + b * words);
  });
}

}  // namespace fastid::simulate
