#include "opencl/kernel/path_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace fastid {
namespace {

constexpr std::uint32_t kProofSites = 107;  // some of the last word's, and of the last byte's
constexpr std::size_t kProofQueries = 18, kProofProfiles = 70, kProofTables = 2;

BitBlocks random_people(std::minstd_rand& random) {
  BitBlocks people({kProofProfiles, kProofSites, Encoding::kAlleles});
  for (std::uint64_t person = 0; person < kProofProfiles; ++person)
    for (std::uint32_t site = 0; site < kProofSites; ++site) {
      constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kBothSeen};
      const bool called = random() % 100 < (person % 8 == 7 ? 60 : 97);
      if (called) people.set_seen(person, site, kDrawn[random() % 3]);
    }
  return people;
}

ProfileRows first_of(const BitBlocks& people) {
  std::vector<std::uint64_t> first(kProofQueries);
  std::iota(first.begin(), first.end(), 0);
  return ProfileRows::from_blocks(people.view(), first);
}

// Many sums of scores are larger than 8 bits hold. Most scores are below 0, as those of strangers.
PathTable random_table(std::span<const PathUnit> units, std::minstd_rand& random) {
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  const auto four_times = [](int bound) { return 0x01010101U * static_cast<std::uint8_t>(bound); };
  PathTable table;
  for (std::size_t i = 0; i < units.size() * kUnitScores / kStepScores; ++i)
    table.bounds.push_back({.least = four_times(-up_to(127)), .most = four_times(up_to(127))});
  table.scores.resize(units.size() * kUnitScores);
  for (auto& of_two_sites : table.scores)
    for (PathScores& of_query : of_two_sites)
      for (std::int8_t& score : of_query) {
        const int most = random() % 2 == 0 ? 127 : 20;
        score = static_cast<std::int8_t>(std::max(-127, up_to(2 * most) - most - most / 3));
      }
  table.of_missing = 0x8000;
  table.most_missing = kProofSites / 5;
  return table;
}

/// Which half of the pairs reaches, all sites called.
std::uint8_t middle_score(const PathTable& table, std::span<const PathUnit> units, const ProfileRows& queries,
                          const BlocksView& view) {
  std::vector<std::uint8_t> scores;
  for (std::size_t query = 0; query < queries.n_rows(); ++query) {
    const std::vector<PathScores> own = path_scores(table, path_codes(units, queries.row(query)));
    for (std::uint64_t profile = 0; profile < view.shape.n_profiles; ++profile)
      scores.push_back(plain_path_score(table, units, own, view, profile));
  }
  const auto middle = scores.begin() + static_cast<std::ptrdiff_t>(scores.size() / 2);
  std::ranges::nth_element(scores, middle);
  return *middle;
}

}  // namespace

PathProof::PathProof() : queries_(0, 1), stored_({0, 1}), count_(test_, queries_) {
  std::minstd_rand random(1);
  stored_ = random_people(random);
  queries_ = first_of(stored_);
  std::vector<std::uint32_t> places;
  for (std::uint32_t site = 0; site < kProofSites; ++site)
    if (site / kUnitSites % 5 != 3) places.push_back(site);  // a part of a word may have none
  test_.units = path_units(places);
  test_.sites.resize(stored_.shape().n_words());
  for (const std::uint32_t place : places) test_.sites[place / kWordBits] |= Word{1} << place % kWordBits;
  for (std::size_t i = 0; i < kProofTables; ++i) {
    PathTable& table = test_.tables.emplace_back(random_table(test_.units, random));
    table.least_score = middle_score(table, test_.units, queries_, stored_.view());
  }
  problem_ = {Comparison::kKinship, &queries_, stored_.shape(), true, Encoding::kAlleles, &count_};
}

std::string PathProof::fault_of(Worker& worker) const {
  const BlocksView view = stored_.view();
  const std::size_t words = static_cast<std::size_t>(view.shape.n_blocks()) * view.shape.block_words();
  std::copy_n(view.bits, words, worker.buffer().bits);
  std::copy_n(view.second, words, worker.buffer().second);
  const std::vector<Threshold> thresholds(queries_.n_rows(), {.max_count = PathCount::kPasses.count});
  std::vector<Pair> found, right;
  worker.compare({0, view.shape}, {}, thresholds, found);
  std::ranges::sort(found);
  for (std::uint64_t row = 0; row < view.shape.n_profiles; ++row)
    for (std::uint32_t query = 0; query < queries_.n_rows(); ++query)
      if (test_.passes(queries_.row(query), view, row)) right.push_back({row, query, PathCount::kPasses});
  if (found == right) return "";
  return fmt::format("finds {} of {} pairs whose paths are known to pass", found.size(), right.size());
}

}  // namespace fastid
