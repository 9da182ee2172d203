#include "engine/cpu/matrix_pass.hpp"

#include <algorithm>

namespace fastid {
namespace {

// Measured on a Sapphire Rapids with 48 KiB of L1 and 2 MiB of L2.
constexpr std::size_t kRunProducts = 16;                    // their profiles, two thirds of L1
constexpr std::size_t kSetBytes = std::size_t{1} << 20;     // queries: half of L2
constexpr std::size_t kMostGroups = 16, kFewestGroups = 8;  // of a set
constexpr std::size_t kFewestQueries = 24;   // fewer leave rows of tiles empty: at 16 bits were 20 % faster
constexpr std::uint32_t kFewestSites = 256;  // starting and testing sums takes as long as 4 products
constexpr std::uint32_t kMostSitesThatPay =
    4096;  // at 10,230, where sums wait in memory, bits were 20 % faster
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
constexpr std::uint32_t kMostSites = 1 << 22;  // limits are exact in single precision

}  // namespace

MatrixPass::MatrixPass(std::shared_ptr<const MatrixQueries> queries)
    : queries_(std::move(queries)), hits_(kMatrixSums) {
  const std::size_t planes = queries_->n_planes(), products = queries_->n_products();
  const std::size_t n_runs = ceil_div(products, kRunProducts);
  const std::size_t a_run = n_runs == 0 ? 0 : planes * ceil_div(products, planes * n_runs);
  for (std::size_t first = 0; first < products; first += a_run)
    runs_.push_back({first, std::min(a_run, products - first)});
  const std::size_t fit = kSetBytes / std::max<std::size_t>(1, products * queries_->product_bytes());
  const std::size_t groups = std::max<std::size_t>(1, queries_->n_groups());
  set_groups_ = std::min(groups, std::clamp(fit, kFewestGroups, kMostGroups));
  run_blocks_ = set_groups_ <= fit ? 1 : kRunBlocks;
  profiles_ = WordBuffer(kRunProducts * kProductProfileBytes / sizeof(Word));
  places_ = (runs_.size() == 1 ? 1 : run_blocks_ * set_groups_) + kDelay;
  sums_ = WordBuffer(places_ * kMatrixSums);
}

bool MatrixPass::serves(const Problem& problem) {
  return has_matrix_unit() && problem.database.n_sites > 0 && problem.database.n_sites <= kMostSites &&
         MatrixQueries::bytes(problem) <= kMostBytes;
}

bool MatrixPass::pays(const Problem& problem) {
  // Two planes, and weights that depend on the pair: bits are as fast.
  if (kernel_case(problem) == KernelCase::kDifferBothMasks) return false;
  return problem.queries->n_rows() >= kFewestQueries && problem.database.n_sites >= kFewestSites &&
         problem.database.n_sites <= kMostSitesThatPay;
}

std::span<const MayPass> MatrixPass::find(const BlocksView& tile, const PackedQueries& queries,
                                          std::span<const Bar> bars, std::uint32_t* weights,
                                          std::size_t most) {
  found_.clear();
  set_limits(queries, bars);
  const auto n_blocks = static_cast<std::size_t>(tile.shape.n_blocks());
  const MatrixTiles tiles(queries_->group_size());
  for (std::size_t group = 0; group < queries_->n_groups(); group += set_groups_)
    for (std::size_t block = 0; block < n_blocks && found_.size() <= most; block += run_blocks_)
      compare_blocks(tile, weights, group, {block, std::min(run_blocks_, n_blocks - block)});
  for (std::size_t i = 0; i < kDelay; ++i) {
    if (oldest().test.sums != nullptr && may_pass(oldest().test)) take(tile.shape, oldest());
    replace_oldest({});
  }
  return found_;
}

void MatrixPass::set_limits(const PackedQueries& queries, std::span<const Bar> bars) {
  limits_.assign(queries_->n_groups(), {});
  for (std::size_t first = 0; first < queries.n_queries(); first += kMaxGroup) {
    const QueryGroup group{first, std::min(kMaxGroup, queries.n_queries() - first)};
    const GroupBars exact = queries.group_bars(group, bars);
    for (std::size_t i = 0; i < group.size; ++i) {
      const std::size_t query = first + i, place = query % queries_->group_size();
      MatrixLimits& limits = limits_[query / queries_->group_size()];
      limits.limit[place] =
          static_cast<std::int32_t>(exact.limit(i)) - static_cast<std::int32_t>(queries_->constant(query));
      limits.most[place] = static_cast<float>(limits.limit[place]);
      limits.ratio[place] = exact.ratio[i];
    }
  }
}

void MatrixPass::compare_blocks(const BlocksView& tile, std::uint32_t* weights, std::size_t first_group,
                                const Range& blocks) {
  const std::size_t n_groups = std::min(queries_->n_groups() - first_group, set_groups_);
  for (const Range& products : runs_)
    for (std::size_t i = 0; i < blocks.n; ++i)
      multiply_block(tile, weights, {first_group, n_groups}, blocks.first + i, place_ + i * n_groups,
                     products);
  place_ = (place_ + blocks.n * n_groups) % places_;
}

void MatrixPass::multiply_block(const BlocksView& tile, std::uint32_t* weights, const Range& groups,
                                std::size_t block, std::size_t place, const Range& products) {
  const bool last = products.first + products.n == queries_->n_products();
  for (std::size_t i = 0; i < groups.n; ++i) {
    const std::size_t group = groups.first + i;
    const MatrixRun run{.queries = queries_->of(group, products.first),
                        .profiles = reinterpret_cast<std::uint8_t*>(profiles_.data()),
                        .keep = groups.n > 1,
                        .n_products = products.n,
                        .n_queries = queries_->group_size(),
                        .sums = sums(place + i),
                        .begin = products.first == 0};
    const MatrixSource from =
        i == 0 ? source(tile, group == 0 ? weights : nullptr, block, products) : MatrixSource{};
    if (multiply(run, from, oldest().test)) [[unlikely]]
      take(tile.shape, oldest());
    Made made;
    if (last)
      made = {
          {run.sums, &limits_[group], weights == nullptr ? nullptr : weights + block * kLanes, run.n_queries},
          group,
          block};
    replace_oldest(made);
  }
}

MatrixSource MatrixPass::source(const BlocksView& tile, std::uint32_t* weights, std::size_t block,
                                const Range& products) const {
  const std::size_t words = products.first / queries_->n_planes() * kProductWords;
  const std::size_t at = block * tile.shape.block_words() + words * kLanes;
  return {.bits = tile.bits + at,
          .called = queries_->n_planes() == 2 ? tile.called + at : nullptr,
          .n_words = tile.shape.n_words() - words,
          .weights = weights == nullptr ? nullptr : weights + block * kLanes,
          .begin = products.first == 0};
}

void MatrixPass::take(const BlockShape& tile, const Made& made) {
  const std::size_t n = list_hits(made.test, hits_.data());
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t profile = made.block * kLanes + hits_[i].profile;
    const std::size_t query = made.group * queries_->group_size() + hits_[i].query;
    if (profile >= tile.n_profiles) continue;
    const auto count = static_cast<std::uint32_t>(hits_[i].sum) + queries_->constant(query);
    found_.push_back({static_cast<std::uint32_t>(profile), static_cast<std::uint32_t>(query), count});
  }
}

}  // namespace fastid
