#include "engine/ld.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "engine/cpu/cpu_ld.hpp"
#include "engine/internal/joint.hpp"

namespace fastid::engine {
namespace {

class ReferenceLd final : public LdEngine {
 public:
  explicit ReferenceLd(const LdProblem& problem) : problem_(problem) {}

  void find(const Rectangle& tile, std::vector<LdPair>& out) const override {
    for (std::uint32_t second = tile.column_begin; second < tile.column_end; ++second)
      for (std::uint32_t first = tile.row_begin; first < std::min(tile.row_end, second); ++first)
        append_if_linked(problem_, first, second, out);
  }

  void count(const Rectangle& pairs, std::span<LdCounts> out) const override {
    std::size_t at = 0;
    for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row)
      for (std::uint32_t column = pairs.column_begin; column < pairs.column_end; ++column)
        out[at++] = count_sites(problem_.unit, problem_.sites, row, column);
  }

 private:
  LdProblem problem_;
};

class JointLd final : public Joint<LdEngine> {
 public:
  JointLd(std::vector<std::unique_ptr<LdEngine>> of, const LdProblem& problem)
      : Joint(std::move(of)), n_sites_(problem.n_sites()) {}

  // Each engine gets some tiles.
  std::uint32_t first_sites() const override {
    constexpr std::size_t kTilesOfAnEngine = 4;
    std::uint32_t most = 0;
    for (const auto& engine : engines()) most = std::max(most, engine->first_sites());
    const auto share = ceil_div<std::uint64_t>(n_sites_, kTilesOfAnEngine * engines().size());
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(share, std::min(kLeastFirstSites, most), most));
  }

  CountedPiece counted_piece() const override {
    CountedPiece most{0, 0};
    for (const auto& engine : engines()) {
      const auto [rows, columns] = engine->counted_piece();
      most = {std::max(most.rows, rows), std::max(most.columns, columns)};
    }
    return most;
  }

  void find(const Rectangle& tile, std::vector<LdPair>& out) const override { lend()->find(tile, out); }
  void count(const Rectangle& pairs, std::span<LdCounts> out) const override { lend()->count(pairs, out); }

 private:
  std::uint64_t n_sites_;
};

}  // namespace

LdCounts own_counts(LdUnit unit, const BlocksView& sites, std::uint64_t site) {
  return count_sites(unit, sites, site, site);
}

std::vector<LdCounts> own_counts(LdUnit unit, const BlocksView& sites) {
  std::vector<LdCounts> own;
  for (std::uint64_t site = 0; site < sites.shape.n_profiles; ++site)
    own.push_back(own_counts(unit, sites, site));
  return own;
}

// In whole numbers, and only then in double: no product is above kMostLdUnits x 4 kMostLdUnits, which is
// below 2^62.
std::optional<double> squared_correlation(const LdCounts& counts) {
  const auto n = std::int64_t{counts.called};
  const std::int64_t covariance = n * counts.xy - std::int64_t{counts.x} * counts.y;
  const std::int64_t of_x = n * counts.xx - std::int64_t{counts.x} * counts.x;
  const std::int64_t of_y = n * counts.yy - std::int64_t{counts.y} * counts.y;
  if (of_x == 0 || of_y == 0) return std::nullopt;
  const auto c = static_cast<double>(covariance);
  return c / static_cast<double>(of_x) * (c / static_cast<double>(of_y));
}

bool all_called(const LdProblem& problem) {
  return std::ranges::all_of(problem.site_counts,
                             [&](const LdCounts& site) { return site.called == problem.n_units(); });
}

LdCounts counts_of(const LdProblem& problem, bool all_called, std::uint64_t first, std::uint64_t second,
                   std::span<const std::uint32_t> sums) {
  if (all_called) {
    const LdCounts &x = problem.site_counts[first], &y = problem.site_counts[second];
    return {x.called, x.x, y.x, x.xx, y.xx, sums[0]};
  }
  if (problem.unit == LdUnit::kHaplotypes) return {sums[0], sums[1], sums[2], sums[1], sums[2], sums[3]};
  return {sums[0], sums[1] + sums[2], sums[3] + sums[4], sums[1] + 3 * sums[2], sums[3] + 3 * sums[4],
          sums[5]};
}

void append_if_linked(const LdProblem& problem, std::uint32_t first, std::uint32_t second,
                      std::vector<LdPair>& out) {
  append_if_linked(problem, {first, second, count_sites(problem.unit, problem.sites, first, second)}, out);
}

void append_if_linked(const LdProblem& problem, const LdPair& pair, std::vector<LdPair>& out) {
  const auto r2 = squared_correlation(pair.counts);
  if (r2 && *r2 >= problem.min_r2) out.push_back(pair);
}

LdCounts site_counts(LdUnit unit, const GenotypeCells& cells) {
  LdCounts counts;
  const bool haplotypes = unit == LdUnit::kHaplotypes;
  for (std::uint32_t i = 0; i < cells.size(); ++i)
    for (std::uint32_t j = 0; j < cells.size(); ++j) {
      const std::uint32_t n = cells[i][j], x = haplotypes ? i > 0 : i, y = haplotypes ? j > 0 : j;
      counts.called += n;
      counts.x += n * x;
      counts.y += n * y;
      counts.xx += n * x * x;
      counts.yy += n * y * y;
      counts.xy += n * x * y;
    }
  return counts;
}

std::unique_ptr<LdEngine> make_ld_engine(const std::string& device, const LdProblem& problem) {
  if (device == "cpu") return make_cpu_ld(problem);
  if (device == "reference") return std::make_unique<ReferenceLd>(problem);
  return nullptr;
}

std::unique_ptr<LdEngine> make_joint_ld(std::vector<std::unique_ptr<LdEngine>> engines,
                                        const LdProblem& problem) {
  return as_one<JointLd>(std::move(engines), problem);
}

}  // namespace fastid::engine
