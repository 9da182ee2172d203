#include "opencl/kernel/matrix_proof.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "engine/kernel_case.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMostWords = 4'000'000;  // that the definition compares, in some milliseconds
constexpr std::size_t kCalledOf100 = 98;         // sites called of 100, as in most real profiles

// A minor allele at half of the sites, at half of these beside a major one. If `masked`, some sites are not
// called: at least one in the first row, and half of them in every eighth row.
void fill_row(std::size_t row, std::uint32_t n_sites, bool masked, std::mt19937& random,
              const std::function<void(std::uint32_t site, Seen seen)>& set) {
  const std::size_t called = row % 8 == 7 ? 50 : kCalledOf100;
  for (std::uint32_t site = 0; site < n_sites; ++site) {
    const std::uint64_t draw = random();
    const bool missing = masked && ((draw >> 8) % 100 >= called || (row == 0 && site == 0));
    constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kMajorSeen, kBothSeen};
    if (!missing) set(site, kDrawn[draw % 4]);
  }
}

ProfileRows random_queries(const engine::Problem& like, const MatrixShape& shape, std::mt19937& random) {
  const bool masked = !like.queries->all_called();
  ProfileRows rows(kMatrixTile * shape.tiles + 3, like.database.n_sites, like.by);
  for (std::size_t row = 0; row < rows.n_rows(); ++row)
    fill_row(row, like.database.n_sites, masked, random,
             [&](std::uint32_t site, Seen seen) { rows.set_seen(row, site, seen); });
  return rows;
}

// A little more than two of a work-group's column tiles, or fewer if that is too much to count on the host.
BlockShape proof_shape(const engine::Problem& like, const MatrixShape& shape, std::size_t n_queries) {
  const std::uint64_t warps = std::uint64_t{shape.config.matrix_rows} * shape.config.matrix_columns;
  const std::uint64_t wanted = 2 * warps * shape.blocks * kLanes + 5;
  const std::uint64_t most = kMostWords / (n_queries * std::max<std::size_t>(1, like.database.n_words()));
  return like.database.with(std::clamp<std::uint64_t>(most, kLanes + 5, wanted));
}

BitBlocks random_blocks(const BlockShape& shape, bool masked, std::mt19937& random) {
  BitBlocks blocks(shape);
  for (std::uint64_t profile = 0; profile < shape.n_profiles; ++profile)
    fill_row(static_cast<std::size_t>(profile), shape.n_sites, masked, random,
             [&](std::uint32_t site, Seen seen) { blocks.set_seen(profile, site, seen); });
  return blocks;
}

}  // namespace

// About half of each query's pairs pass: the fraction of one of them is its threshold, or weights that this
// one just passes.
MatrixProof::MatrixProof(const engine::Problem& like, const MatrixShape& shape)
    : WorkerProof("its matrix kernel", "pairs of a problem with a known answer") {
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

}  // namespace fastid::opencl
