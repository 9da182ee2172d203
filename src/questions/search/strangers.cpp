#include "questions/search/strangers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "asking/stored_profiles.hpp"
#include "base/checked.hpp"
#include "engine/comparison.hpp"
#include "pipeline/search.hpp"
#include "questions/search/histogram.hpp"

namespace fastid::search {
namespace {

constexpr std::uint64_t kSampleBlocks = 16;
constexpr std::size_t kMostQueries = 16, kFewest = 100;

/// What unrelated people are expected to have, in that population in which they lie lowest.
match::CentreAndSpread expected_of(std::span<const stats::IdentityModel> models, const RowView& query) {
  std::optional<match::CentreAndSpread> lowest;
  for (const stats::IdentityModel& model : models) {
    const auto [mean, sd] = stats::expected_mismatches(model, stats::Relation::kUnrelated, query);
    const match::CentreAndSpread here{mean, sd};
    if (!lowest || here.lower_end() < lowest->lower_end()) lowest = here;
  }
  return *lowest;
}

}  // namespace

void measure_strangers(const BlockSource& database, const ProfileRows& queries,
                       const stats::Question& question, std::size_t threads,
                       std::span<match::QueryMatches> matches) {
  if (question.identities.empty()) return;
  const pipeline::Spread sample = pipeline::systematic_sample(database, kSampleBlocks);
  const BlockShape shape = sample.shape();
  WordBuffer bits(static_cast<std::size_t>(shape.n_blocks()) * shape.block_words());
  WordBuffer second(sample.has_second() ? bits.size() : 0);
  sample.read(0, static_cast<std::size_t>(shape.n_blocks()), bits.data(), second.data());
  const BlocksView blocks{shape, bits.data(), sample.has_second() ? second.data() : nullptr};

  const std::size_t step = std::max<std::size_t>(1, matches.size() / kMostQueries);
  in_parallel(ceil_div(matches.size(), step), threads, [&](std::size_t i) {
    const std::size_t q = i * step;
    const RowView query = queries.row(q);
    const std::uint64_t called = queries.called_sites(q);
    std::vector<std::uint64_t> at_count(
        stats::most_differences(engine::Comparison::kIdentity, question.by, queries.called_sites(q)) +
        std::size_t{1});
    std::uint64_t profiles = 0;
    std::array<engine::PairCounts, kLanes> of_block;
    for (std::uint64_t profile = 0; profile < shape.n_profiles; ++profile) {
      if (profile % kLanes == 0)
        engine::count_block(engine::Comparison::kIdentity, question.by, query,
                            blocks.block(static_cast<std::size_t>(profile / kLanes)), of_block);
      const engine::PairCounts& pair = of_block[profile % kLanes];
      if (pair.compared == 0) continue;
      ++profiles;
      ++at_count[(pair.count * called + pair.compared / 2) / pair.compared];
    }
    if (profiles < kFewest) return;
    const match::CentreAndSpread own = *centre_and_spread(at_count),
                                 expected = expected_of(question.identities, query);
    matches[q].strangers =
        match::Strangers{.profiles = profiles,
                         .own = own,
                         .expected = expected,
                         .nearer = own.lower_end() < expected.lower_end() - expected.spread};
  });
}

}  // namespace fastid::search
