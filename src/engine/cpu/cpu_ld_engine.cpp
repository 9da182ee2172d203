// Pairs of sites on the CPU: groups of sites against runs of blocks that stay in L1, then the exact test.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/checked.hpp"
#include "bits/popcount.hpp"
#include "engine/cpu/cpu_ld.hpp"

namespace fastid::engine {
namespace {

constexpr std::size_t kRunBytes = std::size_t{24} << 10;  // of both planes, beside a group's words in L1

// The block's site of the lowest bit that is set.
std::uint32_t lowest_site(std::size_t block, std::uint32_t bits) {
  return static_cast<std::uint32_t>(block * kLanes + static_cast<std::size_t>(std::countr_zero(bits)));
}

class CpuLd final : public LdEngine {
 public:
  explicit CpuLd(const LdProblem& problem)
      : problem_(problem),
        all_called_(all_called(problem)),
        kernel_(ld_kernel(problem.unit, all_called_)),
        planes_(planes_of(sums_of(problem.unit, all_called_), true)) {
    pack();
    if (all_called_) measure();
    make_groups();
  }

  void find(const Rectangle& tile, std::vector<LdPair>& out) const override {
    for_candidates(tile, [&](std::uint32_t second, std::size_t block, std::uint32_t firsts) {
      append_exact(second, block, firsts, out);
    });
  }

  // found(second, block, firsts) of all that the kernel lets through: a second site, and which of a block's
  // sites may be linked to it, a bit for each.
  template <class Found>
  void for_candidates(const Rectangle& tile, const Found& found) const {
    const std::size_t run_blocks = std::max<std::size_t>(1, kRunBytes / (2 * shape().block_bytes()));
    const std::size_t end = ceil_div<std::size_t>(std::min(tile.row_end, tile.column_end), kLanes);
    for (std::size_t block = tile.row_begin / kLanes; block < end; block += run_blocks)
      for (std::size_t group = tile.column_begin / kernel_.sites; group * kernel_.sites < tile.column_end;
           ++group)
        find_in(tile, block, std::min(run_blocks, end - block), group, found);
  }

  KernelStep step() const override {
    const LdSums sums = sums_of(problem_.unit, all_called_);
    return kernel_step({kernel_.sites, static_cast<double>(planes_.n)},
                       {kLanes, static_cast<double>(planes_read(problem_.unit, all_called_))},
                       words_of(sums));
  }

  // A group stays in L1 while blocks pass.
  void count(const Rectangle& pairs, std::span<LdCounts> out) const override {
    const std::size_t groups = ceil_div<std::size_t>(pairs.row_end, kernel_.sites);
    const std::size_t blocks = ceil_div<std::size_t>(pairs.column_end, kLanes);
    BlockSums sums{};
    for (std::size_t group = pairs.row_begin / kernel_.sites; group < groups; ++group)
      for (std::size_t block = pairs.column_begin / kLanes; block < blocks; ++block) {
        const std::size_t at = block * shape().block_words();
        kernel_.count(problem_.sites.bits + at, problem_.sites.second + at, shape().n_words(), groups_[group],
                      sums);
        store(pairs, group, block, sums, out);
      }
  }

 private:
  const BlockShape& shape() const { return problem_.sites.shape; }

  // All sites' planes in groups.
  void pack() {
    const std::size_t n = problem_.n_sites(), n_words = shape().n_words();
    const std::size_t width = kernel_.sites, groups = ceil_div(n, width);
    group_words_ = checked_mul(n_words * planes_.n, width);
    packed_ = WordBuffer(checked_mul(groups, group_words_));
    for (std::size_t site = 0; site < n; ++site) {
      Word* const to = packed_.data() + site / width * group_words_ + site % width;
      for (std::size_t word = 0; word < n_words; ++word)
        for (std::size_t k = 0; k < planes_.n; ++k)
          to[(word * planes_.n + k) * width] =
              word_of(planes_.planes[k], problem_.sites.bits_word(site, word),
                      problem_.sites.major_word(site, word), problem_.sites.called_word(site, word));
    }
  }

  // Each site's part of the test. The spread of a site that does not vary, and of an unused lane, is
  // infinite: none of its pairs passes, since what is needed is infinite, or not a number where min_r2 is 0.
  void measure() {
    const std::span<const LdCounts> own = problem_.site_counts;
    const std::size_t padded = static_cast<std::size_t>(shape().n_blocks()) * kLanes;
    sum_.assign(padded, 0);
    spread_.assign(padded, std::numeric_limits<float>::infinity());
    const auto units = static_cast<double>(problem_.n_units());
    for (std::size_t site = 0; site < own.size(); ++site) {
      const double x = own[site].x;
      sum_[site] = static_cast<float>(x);
      const double spread = units * own[site].xx - x * x;
      if (spread > 0) spread_[site] = static_cast<float>(std::sqrt(spread));
    }
    slack_ = covariance_slack(problem_.n_units());
  }

  void make_groups() {
    for (std::size_t group = 0; group * kernel_.sites < problem_.n_sites(); ++group)
      groups_.push_back(group_of(group));
  }

  SiteGroup group_of(std::size_t group) const {
    SiteGroup made{.words = packed_.data() + group * group_words_};
    for (std::size_t i = 0; all_called_ && i < kernel_.sites; ++i) {
      const std::size_t site = std::min<std::size_t>(group * kernel_.sites + i, problem_.n_sites() - 1);
      const auto units = static_cast<float>(problem_.n_units());
      made.mean[i] = sum_[site] / units;
      made.spread[i] = static_cast<float>(std::sqrt(problem_.min_r2)) * spread_[site] / units;
    }
    return made;
  }

  template <class Found>
  void find_in(const Rectangle& tile, std::size_t block, std::size_t n_blocks, std::size_t group,
               const Found& found) const {
    // Later sites than all of the group have no part.
    const std::size_t last = std::min<std::size_t>((group + 1) * kernel_.sites, tile.column_end) - 1;
    n_blocks = std::min(n_blocks, last / kLanes + 1 - std::min(block, last / kLanes + 1));
    const SiteGroup& sites = groups_[group];
    MaySites may;
    while (n_blocks > 0) {
      const std::size_t at = block * shape().block_words();
      const SiteRun run{.minor = problem_.sites.bits + at,
                        .major = problem_.sites.second + at,
                        .n_blocks = n_blocks,
                        .n_words = shape().n_words(),
                        .sum = sum_.data() + (all_called_ ? block * kLanes : 0),
                        .spread = spread_.data() + (all_called_ ? block * kLanes : 0),
                        .min_r2 = static_cast<float>(problem_.min_r2),
                        .slack = slack_};
      const std::size_t done = kernel_.find(run, sites, may);
      if (done == n_blocks) return;
      for (std::size_t i = 0; i < kernel_.sites; ++i) {
        const auto second = static_cast<std::uint32_t>(group * kernel_.sites + i);
        if (const std::uint32_t firsts = may[i] & firsts_in(tile, block + done, second); firsts != 0)
          found(second, block + done, firsts);
      }
      block += done + 1;
      n_blocks -= done + 1;
    }
  }

  // A block's sites whose pair with a second one is in the tile, a bit for each.
  static std::uint32_t firsts_in(const Rectangle& tile, std::size_t block, std::uint32_t second) {
    if (second < tile.column_begin || second >= tile.column_end) return 0;
    const auto bits_below = [&](std::uint32_t site) {
      const std::uint64_t start = std::uint64_t{block} * kLanes;
      const std::uint64_t n = std::clamp<std::uint64_t>(site, start, start + kLanes) - start;
      return static_cast<std::uint32_t>((std::uint64_t{1} << n) - 1);
    };
    return bits_below(std::min(tile.row_end, second)) & ~bits_below(tile.row_begin);
  }

  void append_exact(std::uint32_t second, std::size_t block, std::uint32_t firsts,
                    std::vector<LdPair>& out) const {
    std::array<GenotypeCells, kLanes> cells{};
    const bool whole_block = static_cast<std::size_t>(bits_set(firsts)) > kFewPairsOfBlock;
    if (whole_block) count_cells(problem_.sites, second, block, cells);
    for (; firsts != 0; firsts &= firsts - 1) {
      const std::uint32_t first = lowest_site(block, firsts);
      if (!whole_block) {
        append_if_linked(problem_, first, second, out);
        continue;
      }
      const LdCounts counts = site_counts(problem_.unit, cells[first % kLanes]);  // x is of the second
      append_if_linked(problem_,
                       {first, second, {counts.called, counts.y, counts.x, counts.yy, counts.xx, counts.xy}},
                       out);
    }
  }

  // The part of a group and a block that is of the rectangle.
  void store(const Rectangle& pairs, std::size_t group, std::size_t block, const BlockSums& sums,
             std::span<LdCounts> out) const {
    const std::size_t row_end = std::min<std::size_t>((group + 1) * kernel_.sites, pairs.row_end);
    const std::size_t column_end = std::min<std::size_t>((block + 1) * kLanes, pairs.column_end);
    for (std::size_t row = std::max<std::size_t>(group * kernel_.sites, pairs.row_begin); row < row_end;
         ++row)
      for (std::size_t column = std::max<std::size_t>(block * kLanes, pairs.column_begin);
           column < column_end; ++column)
        out[(row - pairs.row_begin) * pairs.columns() + column - pairs.column_begin] =
            counts_in(row, column, sums[row % kernel_.sites], column % kLanes);
  }

  LdCounts counts_in(std::size_t row, std::size_t column, const BlockSums::value_type& of_row,
                     std::size_t lane) const {
    std::array<std::uint32_t, kMostSums> sums{};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = of_row[i][lane];
    return counts_of(problem_, all_called_, row, column, sums);
  }

  LdProblem problem_;
  bool all_called_;
  LdKernel kernel_;
  PlaneList planes_;
  std::size_t group_words_ = 0;
  WordBuffer packed_;
  std::vector<float> sum_, spread_;  ///< of each site, where all units are called
  float slack_ = 0;
  std::vector<SiteGroup> groups_;
};

}  // namespace

std::unique_ptr<LdEngine> make_cpu_ld(const LdProblem& problem) {
  return std::make_unique<CpuLd>(problem);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> ld_candidates(const LdProblem& problem,
                                                                   const Rectangle& tile) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  CpuLd(problem).for_candidates(tile, [&](std::uint32_t second, std::size_t block, std::uint32_t firsts) {
    for (; firsts != 0; firsts &= firsts - 1) pairs.emplace_back(lowest_site(block, firsts), second);
  });
  return pairs;
}

}  // namespace fastid::engine
