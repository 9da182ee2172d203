#include "asking/degree_rates.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "asking/linked_options.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bits/rows.hpp"
#include "linked/linked_model.hpp"
#include "linked/relations.hpp"
#include "panel/genetic_map.hpp"
#include "panel/site_class.hpp"
#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::asking {
namespace {

using linked::Degree;

// A person and as many relatives as are weighed side by side; the relatives are of one relation.
constexpr std::size_t kRelativesOfOne = 8, kSetsOfStrangers = 3;
constexpr std::size_t kSets = linked::kRelations + kSetsOfStrangers;

/// How often all sets are drawn: seldom on many sites, for time.
std::uint64_t rounds_of(std::size_t n_sites) {
  constexpr std::size_t kSites = 8'000, kMost = 4;
  return std::clamp<std::uint64_t>(kSites / n_sites, 1, kMost);
}

Degree degree_of_set(std::size_t set) {
  return set < linked::kRelations ? degree_of(static_cast<linked::Relation>(set)) : Degree::kUnrelated;
}

/// The rows after that of each set's person, which are his relatives.
simulate::Relatives relatives_of_sets() {
  std::vector<simulate::Plant> plants;
  for (std::size_t set = 0; set < linked::kRelations; ++set)
    for (std::size_t i = 1; i <= kRelativesOfOne; ++i)
      plants.push_back(
          {.row = set * (kRelativesOfOne + 1) + i,
           .of = set * (kRelativesOfOne + 1),
           .relation = simulate::planted_relation(name_of(static_cast<linked::Relation>(set))).value()});
  return simulate::Relatives(std::move(plants));
}

std::string_view name_of_degree(Degree degree) {
  switch (degree) {
    case Degree::kSame:
      return "same";
    case Degree::kParentChild:
      return "parent-child";
    case Degree::kSibling:
      return "sibling";
    default:
      return name_of(degree);
  }
}

/// All sets' people, as rows of the panel's sites.
ProfileRows people_of_round(const Panel& panel, const stats::PopulationModel& model, std::uint64_t seed,
                            ThreadPool& pool) {
  const simulate::People people(panel, {{model.minor_freq().begin(), model.minor_freq().end()}},
                                {.no_call = 0, .error = model.parameters().error_rate, .duplicate_error = 0},
                                seed, relatives_of_sets());
  const BlockShape shape{kSets * (kRelativesOfOne + 1), people.n_sites(), Encoding::kAlleles};
  WordBuffer bits(shape.n_blocks() * shape.block_words()), second(bits.size());
  simulate::observe_blocks(people, 0, shape, pool, bits.data(), second.data());
  std::vector<std::uint64_t> all;
  for (std::uint64_t row = 0; row < shape.n_profiles; ++row) all.push_back(row);
  return ProfileRows::from_blocks({shape, bits.data(), second.data()}, all);
}

/// Weighs a set's pairs.
std::vector<linked::Findings> findings_of_set(const linked::LinkedModel& model, const ProfileRows& people,
                                              std::size_t set, double least_margin) {
  const std::size_t first = set * (kRelativesOfOne + 1);
  std::vector<RowView> others;
  for (std::size_t i = 1; i <= kRelativesOfOne; ++i) others.push_back(people.row(first + i));
  std::vector<linked::Findings> findings;
  for (const linked::Ratios& ratios : model.ratios(people.row(first), others))
    findings.push_back(findings_of(ratios, least_margin));
  return findings;
}

void count(std::span<const linked::Findings> findings, Degree truth, DegreeRates& rates) {
  for (const linked::Findings& found : findings) {
    ++rates.pairs;
    rates.right += found.decided && found.likeliest == truth;
    rates.undecided += !found.decided;
  }
}

}  // namespace

std::vector<DegreeRates> degree_rates(const Panel& panel, const stats::PopulationModel& model,
                                      double least_margin) {
  const Panel autosomal = simulate::autosomal_panel(panel);
  const SiteClasses classes(autosomal);
  const std::vector<MappedSite> mapped =
      mapped_sites(autosomal, classes.mask(SiteClass::kAutosomal),
                   GeneticMap::shipped(panel.build()).value_or(GeneticMap()));
  if (mapped.empty()) return {};
  const auto relations = linked::all_relations();
  const linked::LinkedModel weighed(model, linked::thinned(mapped, model.minor_freq(), kThinCm), relations);
  ThreadPool pool(threads_or_all(0));
  std::vector<DegreeRates> rates(linked::kDegrees);
  for (std::size_t d = 0; d < rates.size(); ++d) rates[d].name = name_of_degree(static_cast<Degree>(d));
  for (std::uint64_t round = 1; round <= rounds_of(mapped.size()); ++round) {
    const ProfileRows people = people_of_round(autosomal, model, round, pool);
    std::array<std::vector<linked::Findings>, kSets> found;
    pool.for_each(kSets, [&](std::size_t set, const ThreadPool::Stop&) {
      found[set] = findings_of_set(weighed, people, set, least_margin);
    });
    for (std::size_t set = 0; set < kSets; ++set)
      count(found[set], degree_of_set(set), rates[static_cast<std::size_t>(degree_of_set(set))]);
  }
  return rates;
}

}  // namespace fastid::asking
