#include "analysis/internal/engine_sites.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "analysis/internal/stored_profiles.hpp"
#include "bits/turned.hpp"
#include "pipeline/all_pairs.hpp"

namespace fastid {
namespace {

constexpr std::size_t kTiles = 64;  ///< about, of all sites: those of one are alike

/// What is known of a site by itself, or the least and the most of some sites.
struct OwnSums {
  double x = 0;        ///< least
  double xx = 0;       ///< most
  double spread = 0;   ///< least: (n xx - x^2) / n
  double missing = 0;  ///< most: units that are not called
};

OwnSums merged(const OwnSums& a, const OwnSums& b) {
  return {std::min(a.x, b.x), std::max(a.xx, b.xx), std::min(a.spread, b.spread),
          std::max(a.missing, b.missing)};
}

/// One pass: columns as they are, or with their alleles exchanged.
class Pass {
 public:
  /// \param sites  by descending copies
  Pass(const SiteProblem& problem, const BlocksView& sites, const BlocksView& columns)
      : problem_(problem),
        rows_(source_of(sites)),
        columns_(source_of(columns)),
        exchanged_(columns.bits != sites.bits),
        units_(sites.shape.n_sites) {
    for (std::uint64_t i = 0; i < sites.shape.n_profiles; ++i) {
      of_rows_.push_back(sums_of_site(sites, i));
      of_columns_.push_back(exchanged_ ? sums_of_site(columns, i) : of_rows_.back());
      commonness_.push_back(commonness_of(of_rows_.back()));
    }
  }

  template <class Take>
  void run(Engine& engine, std::size_t threads, ProgressMode mode, const Take& take) const {
    const std::uint64_t n_blocks = rows_.shape().n_blocks();
    const AllPairs all{
        .comparison = problem_.unit == SiteUnit::kGenotypes ? Comparison::kKinship : Comparison::kIdentity,
        .by = problem_.unit == SiteUnit::kGenotypes ? Encoding::kAlleles : Encoding::kMinor,
        .columns = columns_,
        .rows = rows_,
        .thresholds = [&](std::uint64_t first, const Tile& tile,
                          std::span<Threshold> out) { put_thresholds(first, tile, out); },
        .rows_for = [&](std::uint64_t first, std::uint64_t end) { return rows_for(first, end); },
        .keep = [](std::uint64_t column, std::uint64_t row, const PairCounts&) { return row < column; },
        .most_tile_blocks = static_cast<std::size_t>(std::max<std::uint64_t>(1, n_blocks / kTiles))};
    Progress progress(mode, exchanged_ ? "comparing other alleles" : "comparing", "sites",
                      rows_of_strips(all));
    stream_pairs(all, engine, threads, progress, take);
  }

 private:
  /// Haplotypes that are all called need no second plane.
  MemorySource source_of(BlocksView view) const {
    if (problem_.unit == SiteUnit::kHaplotypes && all_called(view)) {
      view.shape.encoding = Encoding::kMinor;
      view.second = nullptr;
    }
    return MemorySource(view);
  }
  static bool all_called(const BlocksView& view) {
    for (std::uint64_t site = 0; site < view.shape.n_profiles; ++site)
      for (std::size_t word = 0; word < view.shape.n_words(); ++word)
        if (view.called_word(site, word) != sites_mask(view.shape.n_sites, word)) return false;
    return true;
  }

  // Where calls are missing the bound does not hold, and the site is taken for a common one.
  double commonness_of(const OwnSums& own) const {
    if (own.missing > 0) return std::numeric_limits<double>::infinity();
    return own.spread > 0 ? own.x * own.x / (units_ * own.spread) * (1 + 1e-9) : 0;
  }

  OwnSums sums_of_site(const BlocksView& view, std::uint64_t site) const {
    const SiteCounts own = own_counts(problem_.unit, view, site);
    const double x = own.x, n = std::max(1u, own.called);
    return {x, static_cast<double>(own.xx), own.xx - x * x / n, static_cast<double>(units_ - own.called)};
  }

  // All earlier columns; but a correlation below 0 takes two common alleles, since sum xy is at least 0: the
  // product of both sites' (sum x)^2 / (n spread) is then at least r2.
  std::uint64_t rows_for(std::uint64_t first, std::uint64_t end) const {
    if (!exchanged_) return end - 1;
    double most = 0;
    for (std::uint64_t i = first; i < end; ++i)
      most = std::max(most, commonness_[static_cast<std::size_t>(i)]);
    std::uint64_t n = end - 1;
    while (n > 0 && commonness_[static_cast<std::size_t>(n - 1)] * most < problem_.min_r2) --n;
    return n;
  }

  // The least count that does not pass, of a column with any of the tile's rows. Calls that are missing at
  // one site take at most two copies each from the sums of the other.
  double limit(const OwnSums& column, const OwnSums& rows) const {
    const double n = units_, u = column.missing + rows.missing;
    const double product =
        std::max(0.0, column.x - 2 * rows.missing) * std::max(0.0, rows.x - 2 * column.missing) / n;
    const double spread_of = u == 0 ? 0 : 8 * u;
    const double spreads = std::sqrt(problem_.min_r2 * std::max(0.0, column.spread - spread_of) *
                                     std::max(0.0, rows.spread - spread_of));
    constexpr double kRounding = 1e-6;
    return column.xx + rows.xx - 2 * (product + spreads) + kRounding * n;
  }

  void put_thresholds(std::uint64_t first, const Tile& tile, std::span<Threshold> out) const {
    OwnSums rows = of_rows_[static_cast<std::size_t>(tile.first_row())];
    for (std::uint64_t i = 1; i < tile.shape.n_profiles; ++i)
      rows = merged(rows, of_rows_[static_cast<std::size_t>(tile.first_row() + i)]);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double most = limit(of_columns_[static_cast<std::size_t>(first) + i], rows);
      // A count below 0 is none: a fraction of less than 0 of 1.
      out[i] = most < 0
                   ? Threshold{0, 0, 1, -1}
                   : Threshold{static_cast<std::uint32_t>(std::min<double>(most, UINT32_MAX / 2)), 1, 0, 0};
    }
  }

  const SiteProblem& problem_;
  MemorySource rows_, columns_;
  bool exchanged_;
  std::uint32_t units_;
  std::vector<OwnSums> of_rows_, of_columns_;
  std::vector<double> commonness_;
};

/// Sites by descending copies.
std::vector<std::uint32_t> by_copies(const SiteProblem& problem) {
  std::vector<std::uint32_t> copies, order;
  for (std::uint64_t i = 0; i < problem.sites.shape.n_profiles; ++i)
    copies.push_back(own_counts(problem.unit, problem.sites, i).x);
  order.resize(copies.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t site) { return copies[site]; });
  return order;
}

}  // namespace

std::vector<LinkedSites> linked_by_engine(const SiteProblem& problem, Engine& engine, std::size_t threads,
                                          ProgressMode progress) {
  const std::vector<std::uint32_t> order = by_copies(problem);
  const TurnedBlocks sorted = TurnedBlocks(problem.sites).reordered(order);
  const TurnedBlocks exchanged = sorted.exchanged();
  std::vector<LinkedSites> found;
  for (const TurnedBlocks* const columns : {&sorted, &exchanged}) {
    const Pass pass(problem, sorted.view(), columns->view());
    pass.run(engine, threads, progress, [&](const Strip& strip) {
      std::vector<std::optional<LinkedSites>> exact(strip.pairs.size());
      constexpr std::size_t kPiece = 256;
      in_parallel(ceil_div(exact.size(), kPiece), threads, [&](std::size_t piece) {
        for (std::size_t i = piece * kPiece; i < std::min(exact.size(), (piece + 1) * kPiece); ++i) {
          const auto a = order[static_cast<std::size_t>(strip.first) + strip.pairs[i].query],
                     b = order[static_cast<std::size_t>(strip.pairs[i].row)];
          const SiteCounts counts = count_sites(problem.unit, problem.sites, std::min(a, b), std::max(a, b));
          const auto r2 = squared_correlation(counts);
          // Each pass has the pairs of its sign.
          const bool above = std::int64_t{counts.called} * counts.xy >= std::int64_t{counts.x} * counts.y;
          if (r2 && *r2 >= problem.min_r2 && above == (columns == &sorted))
            exact[i] = LinkedSites{std::min(a, b), std::max(a, b), counts};
        }
      });
      for (const auto& pair : exact)
        if (pair) found.push_back(*pair);
    });
  }
  return found;
}

}  // namespace fastid
