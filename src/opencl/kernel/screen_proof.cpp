#include "opencl/kernel/screen_proof.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace fastid::opencl {
namespace {

constexpr std::uint32_t kProofSites = 203;  // some of the last word's
constexpr std::size_t kProofProfiles = 70, kProofTables = 2;

BitBlocks random_people(std::minstd_rand& random) {
  BitBlocks people({kProofProfiles, kProofSites, Encoding::kAlleles});
  for (std::uint64_t person = 0; person < kProofProfiles; ++person)
    for (std::uint32_t site = 0; site < kProofSites; ++site) {
      constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kBothSeen};
      if (random() % 100 < 95) people.set_seen(person, site, kDrawn[random() % 3]);
    }
  return people;
}

ProfileRows first_of(const BitBlocks& people, std::size_t n) {
  std::vector<std::uint64_t> first(n);
  std::iota(first.begin(), first.end(), 0);
  return ProfileRows::from_blocks(people.view(), first);
}

/// A chain along sites from `first` on, of which every seventh is left out. Ratios have many powers of 2.
engine::ScreenTable random_chain(std::uint32_t first, std::minstd_rand& random) {
  const auto share = [&] { return static_cast<float>(random() % 4096) / 4096; };
  engine::ScreenTable table;
  for (std::uint32_t site = first; site < kProofSites; ++site) {
    if (site % 7 == 5) continue;
    std::array<std::array<float, 4>, 4> emissions;
    for (std::size_t query = 0; query < 4; ++query)
      for (std::size_t profile = 0; profile < 4; ++profile)
        emissions[query][profile] =
            query == kNoneSeen || profile == kNoneSeen ? 1
            : query + profile == kMajorSeen + kMinorSeen && query != kBothSeen && profile != kBothSeen
                ? 0
                : .25F + 2 * share();
    table.emissions.push_back(emissions);
    if (table.groups.empty() || table.groups.back().word != site / kWordBits ||
        table.groups.back().n_sites == engine::kMostSitesOfGroup)
      table.groups.push_back({.word = site / kWordBits, .first = table.steps.size()});
    table.steps.push_back({.from_one = share() / 8,
                           .stays = .5F + share(),
                           .odd = site % 2,
                           .even = static_cast<std::uint32_t>(site % kWordBits) / 2 * 2});
    engine::ScreenGroup& group = table.groups.back();
    ++group.n_sites;
    group.norm = .5F + share() / 2;
    group.one = .01F + share() / 16;
  }
  return table;
}

}  // namespace

std::vector<const engine::ScreenTable*> ScreenProof::Count::tables() const {
  std::vector<const engine::ScreenTable*> tables;
  for (const engine::ScreenTable& table : of_.tables_) tables.push_back(&table);
  return tables;
}

std::unique_ptr<engine::Engine> ScreenProof::Count::make_engine(std::size_t) const {
  return engine::make_reference_engine({});
}

engine::PairCounts ScreenProof::Count::count_pair(std::size_t query, const BlocksView& view,
                                                  std::uint64_t profile) const {
  return engine::screen_pair(tables(), of_.queries_.row(query), view, profile);
}

// Half of the pairs pass.
ScreenProof::ScreenProof(std::size_t n_queries)
    : WorkerProof("the device", "pairs whose chains are known to pass, or other ratios"), count_(*this) {
  std::minstd_rand random(1);
  stored_ = random_people(random);
  queries_ = first_of(stored_, n_queries);
  for (std::size_t i = 0; i < kProofTables; ++i)
    tables_.push_back(random_chain(static_cast<std::uint32_t>(37 * i), random));
  problem_ = {engine::Comparison::kKinship, &queries_, stored_.shape(), true, Encoding::kAlleles, &count_};
  const BlocksView view = stored_.view();
  const auto count = [&](std::size_t query, std::uint64_t row) {
    return count_.count_pair(query, view, row);
  };
  std::vector<std::uint32_t> counts;
  for (std::uint64_t row = 0; row < view.shape.n_profiles; ++row)
    for (std::size_t query = 0; query < n_queries; ++query) counts.push_back(count(query, row).count);
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::ranges::nth_element(counts, middle);
  set_thresholds(std::vector<engine::Threshold>(n_queries, {.max_count = *middle}), count);
}

}  // namespace fastid::opencl
