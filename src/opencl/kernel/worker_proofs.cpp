#include "opencl/kernel/worker_proofs.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>

#include "engine/kernel_case.hpp"
#include "opencl/kernel/proof.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMostWords = 4'000'000;  // that the definition compares, in some milliseconds
constexpr std::size_t kCalledOf100 = 98;         // sites called of 100, as in most real profiles

// A minor allele at half of the sites, at half of these beside a major one. If `masked`, some sites are not
// called: at least one in the first profile, and half of them in every eighth.
void fill_profile(std::size_t profile, std::uint32_t n_sites, bool masked, std::mt19937& random,
                  const std::function<void(std::uint32_t site, Seen seen)>& set) {
  const std::size_t called = profile % 8 == 7 ? 50 : kCalledOf100;
  for (std::uint32_t site = 0; site < n_sites; ++site) {
    const std::uint64_t draw = random();
    const bool missing = masked && ((draw >> 8) % 100 >= called || (profile == 0 && site == 0));
    constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kMajorSeen, kBothSeen};
    if (!missing) set(site, kDrawn[draw % 4]);
  }
}

ProfileRows random_queries(const engine::Problem& like, const MatrixShape& shape, std::mt19937& random) {
  const bool masked = !like.queries->all_called();
  ProfileRows queries(kMatrixTile * shape.tiles + 3, like.database.n_sites, like.by);
  for (std::size_t query = 0; query < queries.n_rows(); ++query)
    fill_profile(query, like.database.n_sites, masked, random,
                 [&](std::uint32_t site, Seen seen) { queries.set_seen(query, site, seen); });
  return queries;
}

// A little more than two of a work-group's profile tiles, or fewer if that is too much to count on the host.
BlockShape proof_shape(const engine::Problem& like, const MatrixShape& shape, std::size_t n_queries) {
  const std::uint64_t warps = std::uint64_t{shape.config.matrix_rows} * shape.config.matrix_columns;
  const std::uint64_t wanted = 2 * warps * shape.blocks * kLanes + 5;
  const std::uint64_t most = kMostWords / (n_queries * std::max<std::size_t>(1, like.database.n_words()));
  return like.database.with(std::clamp<std::uint64_t>(most, kLanes + 5, wanted));
}

BitBlocks random_blocks(const BlockShape& shape, bool masked, std::mt19937& random) {
  BitBlocks blocks(shape);
  for (std::uint64_t profile = 0; profile < shape.n_profiles; ++profile)
    fill_profile(static_cast<std::size_t>(profile), shape.n_sites, masked, random,
                 [&](std::uint32_t site, Seen seen) { blocks.set_seen(profile, site, seen); });
  return blocks;
}

constexpr std::uint32_t kProofSites = 203;  // some of the last word's
constexpr std::size_t kProofProfiles = 70, kProofTables = 2;

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
    std::array<std::array<float, 4>, 4> emissions{};
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

bool WorkerProof::is_solved_by(engine::Worker& worker) const {
  const BlocksView view = stored_.view();
  const std::size_t words = static_cast<std::size_t>(view.shape.n_blocks()) * view.shape.block_words();
  const engine::TileBuffer buffer = worker.buffer();
  std::copy_n(view.bits, words, buffer.bits);
  if (buffer.second != nullptr) std::copy_n(view.second, words, buffer.second);
  std::vector<engine::Pair> found;
  worker.compare({0, view.shape}, {}, thresholds_, found);
  std::ranges::sort(found);
  return found == right_;
}

// About half of each query's pairs pass: the fraction of one of them is its threshold, or weights that this
// one just passes.
MatrixProof::MatrixProof(const engine::Problem& like, const MatrixShape& shape) {
  std::mt19937 random(like.database.n_sites);
  queries_ = random_queries(like, shape, random);
  stored_ = random_blocks(proof_shape(like, shape, queries_.n_rows()), like.has_second, random);
  problem_ = like;
  problem_.queries = &queries_;
  problem_.database = stored_.shape();
  const BlocksView view = stored_.view();
  const auto count = [&](std::size_t query, std::uint64_t row) {
    return engine::count_pair(problem_.comparison, problem_.by, queries_.row(query), view, row);
  };
  std::vector<engine::Threshold> thresholds;
  for (std::size_t query = 0; query < queries_.n_rows(); ++query) {
    const engine::PairCounts one = count(query, query % view.shape.n_profiles);
    const std::uint32_t denominator = std::max(1u, one.denominator);
    if (query % 2 == 0)
      thresholds.push_back({UINT32_MAX, one.count, denominator});
    else
      thresholds.push_back({UINT32_MAX, 1, 2, std::int64_t{2} * one.count - denominator});
  }
  set_thresholds(std::move(thresholds), count);
}

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
ScreenProof::ScreenProof(std::size_t n_queries) : count_(*this) {
  constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kBothSeen};
  std::minstd_rand random(1);
  stored_ = random_profiles({kProofProfiles, kProofSites, Encoding::kAlleles}, kDrawn, true);
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
