#include "engine/cpu/cpu_lane.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "engine/cpu/first_look.hpp"
#include "engine/cpu/lookup_pass.hpp"
#include "engine/cpu/matrix_pass.hpp"
#include "engine/cpu/pass_trial.hpp"
#include "engine/cpu/standings.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPiece = 64;  // blocks compared one way before another may have a turn, at the least
constexpr std::size_t kMostPieces = 8;                           // of a tile
constexpr std::size_t kPieceUnit = kMaxLookupProfiles / kLanes;  // whole units of every pass
constexpr std::size_t kFewPass =
    64;  // one pair in so many, at the most, where a pass is to be faster than the bits
constexpr std::size_t kRunBytes = std::size_t{32} << 10;  // both planes; two thirds of a 48 KiB L1

class CpuLane final : public Lane {
 public:
  CpuLane(std::shared_ptr<const PreparedQueries> prepared, const Problem& problem, std::size_t tile_blocks)
      : prepared_(std::move(prepared)),
        kernels_(prepared_->kernels),
        queries_(&prepared_->packed),
        problem_(problem),
        rows_(*problem.queries),
        bits_(checked_mul(tile_blocks, problem.database.block_words())),
        called_(problem.has_called ? bits_.size() : 0),
        weights_(by_profile() ? tile_blocks * kLanes : 0),
        look_(problem.database.n_words()),
        passes_(prepared_->make_passes(problem.database)),
        trial_(1 + passes_.size(), prepared_->use_pass) {
    buffer();
  }

  TileBuffer buffer() override {
    borrow({{}, bits_.data(), called_.data()});
    return {bits_.data(), called_.data()};
  }

  bool borrow(const BlocksView& tile) override {
    tile_bits_ = tile.bits;
    tile_called_ = tile.called;
    return true;
  }

  void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
    const auto n_blocks = static_cast<std::size_t>(tile.n_blocks());
    set_bars(bars);
    if (passes_.empty()) return compare_blocks(tile, 0, n_blocks, bars, out);
    const std::size_t piece = ceil_div(std::max(kPiece, n_blocks / kMostPieces), kPieceUnit) * kPieceUnit;
    for (std::size_t first = 0; first < n_blocks; first += piece)
      compare_piece(tile, first, std::min(piece, n_blocks - first), bars, out);
  }

  void find_best(const BlockShape& tile, std::span<Bar> bars, const Sought& sought,
                 std::vector<Candidate>& out) override {
    if (sought.seen < kOpeningBlocks * kLanes && std::ranges::any_of(bars, &Bar::is_open))
      tighten(tile, sought.keep, sought.min_weight, bars);
    compare(tile, bars, out);
  }

  void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
    const std::size_t n_queries = queries_->n_queries();
    out.assign(n_queries * series.n * kLanes, {});
    set_bars(std::vector<Bar>(n_queries));
    for (std::size_t i = 0; i < series.n; ++i) {
      const std::size_t block = series.first + i * series.step;
      weigh_profiles(tile, block, 1);
      for (const QueryGroup& group : queries_->groups()) {
        kernel(group)(run_of(tile, block, block + 1), queries_->words(group), bars_of(group), counts_);
        store_counts(tile, block, group, out.data() + (group.first * series.n + i) * kLanes,
                     series.n * kLanes);
      }
    }
  }

 private:
  bool by_profile() const { return bounded_by_profile(queries_->which()); }

  CountBlocks kernel(const QueryGroup& group) const {
    const auto width = static_cast<std::size_t>(std::countr_zero(group.width));
    return kernels_.count_blocks[static_cast<std::size_t>(queries_->which())][width];
  }

  void set_bars(std::span<const Bar> bars) {
    group_bars_.clear();
    for (const QueryGroup& group : queries_->groups())
      group_bars_.push_back(queries_->group_bars(group, bars));
  }
  std::size_t place_of(const QueryGroup& group) const {
    return static_cast<std::size_t>(&group - queries_->groups().data());
  }
  const GroupBars& bars_of(const QueryGroup& group) const { return group_bars_[place_of(group)]; }

  // What the profiles of some blocks weigh, or could weigh at most where the query has its say too.
  void weigh_profiles(const BlockShape& tile, std::size_t first, std::size_t n_blocks) {
    if (!by_profile()) return;
    kernels_.count_bits(weighed_plane() + first * tile.block_words(), tile.n_words(), n_blocks,
                        weights_.data() + first * kLanes);
  }

  const Word* weighed_plane() const { return reads_called(queries_->which()) ? tile_called_ : tile_bits_; }

  std::vector<float> share_scales(std::size_t n_blocks, std::uint32_t min_weight) const {
    std::vector<float> scales(n_blocks * kLanes);
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = share_scale(by_profile() ? weights_.data()[i] : problem_.database.n_sites, min_weight);
    return scales;
  }

  // Open bars, by what some blocks show: of each query at least `keep` pairs pass the new bar that weigh
  // min_weight or more.
  void tighten(const BlockShape& tile, std::uint64_t keep, std::uint32_t min_weight, std::span<Bar> bars) {
    const std::size_t n_blocks = std::min<std::size_t>(kOpeningBlocks, tile.n_profiles / kLanes);
    if (keep > n_blocks * kLanes) return;
    set_bars(std::vector<Bar>(bars.size()));
    weigh_profiles(tile, 0, n_blocks);
    const std::vector<float> scales = share_scales(n_blocks, min_weight);
    std::vector<Standings> standings(kMaxGroup, {keep, n_blocks});  // of each query
    for (const QueryGroup& group : queries_->groups()) {
      for (std::size_t block = 0; block < n_blocks; ++block) {
        kernel(group)(run_of(tile, block, block + 1), queries_->words(group), bars_of(group), counts_);
        for (std::size_t i = 0; i < group.size; ++i)
          standings[i].add(block, &counts_.count[i * kLanes], &scales[block * kLanes]);
      }
      for (std::size_t i = 0; i < group.size; ++i) {
        Bar& bar = bars[group.first + i];
        if (bar.is_open()) tighten_one(tile, group.first + i, standings[i].best(), min_weight, bar);
        standings[i].clear();
      }
    }
  }

  // The worst share of these pairs is the bar.
  void tighten_one(const BlockShape& tile, std::size_t query, std::span<const Standings::Pair> pairs,
                   std::uint32_t min_weight, Bar& bar) const {
    const BlocksView blocks = view_of(tile);
    Bar tight{.max_count = bar.max_count, .num = 0, .den = 1};
    for (const Standings::Pair& pair : pairs) {
      const PairCounts counts = count_pair(problem_.comparison, rows_.row(query), blocks, pair.profile);
      const std::uint32_t weight = weight_of(problem_.comparison, counts);
      if (weight < min_weight || counts.count > bar.max_count) return;
      if (!tight.passes(counts.count, weight)) tight = {bar.max_count, counts.count, weight};
    }
    bar = tight;
  }

  // One block's counts of a group: a row of lanes for each query, `stride` apart.
  void store_counts(const BlockShape& tile, std::size_t block, const QueryGroup& group, PairCount* out,
                    std::size_t stride) {
    for (std::size_t i = 0; i < group.size; ++i) {
      weigh_pairs(tile, block, group.first + i);
      for (std::size_t lane = 0; lane < kLanes && block * kLanes + lane < tile.n_profiles; ++lane)
        out[i * stride + lane] = {counts_.count[i * kLanes + lane],
                                  weight_of_pair(group.first + i, block * kLanes + lane)};
    }
  }

  // Counting bits leaves out most of each profile.
  bool leaves_out_most() const {
    if (prepared_->use_pass == UsePass::kAlways) return false;
    std::uint32_t most = 0;
    for (const GroupBars& bars : group_bars_) most = std::max(most, most_limit(bars));
    return look_.words(most) > 0;
  }

  // By a pass, or by counting bits: whichever is fastest at the moment. A pass that counts all of each
  // profile leaves to the bits what they need not count.
  void compare_piece(const BlockShape& tile, std::size_t first, std::size_t n_blocks,
                     std::span<const Bar> bars, std::vector<Candidate>& out) {
    const Stopwatch watch;
    std::size_t whole = 0;
    TilePass* const pass = trial_.way() == 0 ? nullptr : passes_[trial_.way() - 1].get();
    if (pass != nullptr && (pass->looks() || !leaves_out_most())) {
      whole = n_blocks / pass->unit_blocks() * pass->unit_blocks();
      if (!pass_over(*pass, tile, first, whole, bars, out)) whole = 0;
    }
    compare_blocks(tile, first + whole, first + n_blocks, bars, out);
    trial_.note(n_blocks, watch.seconds());
  }

  // Whole units. False, and nothing is done, where so many may pass that it takes too long to count them
  // again.
  bool pass_over(TilePass& pass, const BlockShape& tile, std::size_t first, std::size_t n_blocks,
                 std::span<const Bar> bars, std::vector<Candidate>& out) {
    const std::uint64_t profiles =
        std::min<std::uint64_t>(tile.n_profiles - first * kLanes, n_blocks * kLanes);
    const std::size_t at = first * tile.block_words();
    const BlocksView blocks{
        {profiles, tile.n_sites}, tile_bits_ + at, problem_.has_called ? tile_called_ + at : nullptr};
    std::uint32_t* const weights = by_profile() ? weights_.data() + first * kLanes : nullptr;
    const std::size_t most = prepared_->use_pass == UsePass::kAlways
                                 ? SIZE_MAX
                                 : static_cast<std::size_t>(profiles) * bars.size() / kFewPass;
    const std::span<const MayPass> found = pass.find(blocks, *queries_, bars, weights, most);
    if (found.size() > most) return false;
    for (const MayPass& pair : found) {
      const auto profile = static_cast<std::uint32_t>(first * kLanes + pair.profile);
      const PairCount counted = count_again(tile, pair, profile);
      if (bars[pair.query].passes(counted.count, counted.weight))
        out.push_back({pair.query, profile, counted.count, counted.weight});
    }
    return true;
  }

  // By the definition, unless all is known.
  PairCount count_again(const BlockShape& tile, const MayPass& pair, std::uint32_t profile) const {
    if (pair.count && weight_source(queries_->which()) != WeightOf::kPair)
      return {*pair.count, weight_of_pair(pair.query, profile)};
    const PairCounts counts = count_pair(problem_.comparison, rows_.row(pair.query), view_of(tile), profile);
    return {counts.count, weight_of(problem_.comparison, counts)};
  }

  BlocksView view_of(const BlockShape& tile) const {
    return {tile, tile_bits_, problem_.has_called ? tile_called_ : nullptr};
  }

  void compare_blocks(const BlockShape& tile, std::size_t begin, std::size_t n_blocks,
                      std::span<const Bar> bars, std::vector<Candidate>& out) {
    const std::size_t planes = reads_called(queries_->which()) ? 2 : 1;
    const std::size_t run =
        std::max<std::size_t>(1, kRunBytes / std::max<std::size_t>(1, planes * tile.block_bytes()));
    for (std::size_t first = begin; first < n_blocks; first += run) {
      BlockRun blocks = run_of(tile, first, std::min(n_blocks, first + run));
      weigh_profiles(tile, first, blocks.n_blocks);
      for (const QueryGroup& group : queries_->groups()) {
        blocks.look = look_.words(most_limit(bars_of(group)));
        fetch_share(group, static_cast<std::size_t>(tile.n_blocks()) - first - blocks.n_blocks, blocks);
        compare_run(tile, first, blocks, group, bars, out);
      }
    }
  }

  BlockRun run_of(const BlockShape& tile, std::size_t first, std::size_t end) const {
    const std::size_t at = first * tile.block_words();
    return {.bits = tile_bits_ + at,
            .called = tile_called_ == nullptr ? nullptr : tile_called_ + at,
            .profile_weights = by_profile() ? weights_.data() + first * kLanes : nullptr,
            .n_blocks = end - first,
            .n_words = tile.n_words()};
  }

  static std::uint32_t most_limit(const GroupBars& bars) {
    return static_cast<std::uint32_t>(-std::ranges::min(bars.start));
  }

  // Each group has its share of the next run fetched, so that memory is read all the time. A single group
  // reads all the time by itself, unless it leaves out most of each block.
  void fetch_share(const QueryGroup& group, std::size_t blocks_left, BlockRun& blocks) const {
    const std::size_t i = place_of(group), n = queries_->groups().size();
    if (blocks_left < blocks.n_blocks || (n == 1 && blocks.look == 0)) return;
    const std::size_t words = blocks.look > 0 ? blocks.look : blocks.n_words;
    const std::size_t begin = words * i / n, end = words * (i + 1) / n;
    blocks.fetch = (blocks.n_blocks * blocks.n_words + begin) * kLanes;
    blocks.fetch_words = (end - begin) * kLanes;
  }

  void compare_run(const BlockShape& tile, std::size_t first, BlockRun blocks, const QueryGroup& group,
                   std::span<const Bar> bars, std::vector<Candidate>& out) {
    const CountBlocks count_blocks = kernel(group);
    counts_.looks = counts_.left_out = 0;
    for (;;) {
      const std::size_t n = count_blocks(blocks, queries_->words(group), bars_of(group), counts_);
      if (n == blocks.n_blocks) break;
      first += n;
      take(tile, first++, group, bars, out);
      blocks = blocks.after(n + 1);
    }
    look_.note(counts_.looks, counts_.left_out);
  }

  // The exact test of the pairs that the kernel let through.
  [[gnu::noinline]] void take(const BlockShape& tile, std::size_t block, const QueryGroup& group,
                              std::span<const Bar> bars, std::vector<Candidate>& out) {
    const GroupBars& group_bars = bars_of(group);
    for (std::size_t i = 0; i < group.size; ++i) {
      const auto query = static_cast<std::uint32_t>(group.first + i);
      bool weighed = false;
      for (std::uint32_t left = counts_.profiles; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        const std::uint32_t count = counts_.count[i * kLanes + lane];
        const std::size_t profile = block * kLanes + lane;
        if (count >= limit_of_pair(group_bars, i, profile) || profile >= tile.n_profiles) continue;
        if (!weighed) weigh_pairs(tile, block, query);
        weighed = true;
        const std::uint32_t weight = weight_of_pair(query, profile);
        if (bars[query].passes(count, weight))
          out.push_back({query, static_cast<std::uint32_t>(profile), count, weight});
      }
    }
  }

  std::uint32_t limit_of_pair(const GroupBars& group_bars, std::size_t place, std::size_t profile) const {
    return by_profile() ? group_bars.limit_for(place, weights_.data()[profile]) : group_bars.limit(place);
  }

  // Counts what the pairs of one query with a block weigh, where that depends on both sides.
  void weigh_pairs(const BlockShape& tile, std::size_t block, std::size_t query) {
    if (weight_source(queries_->which()) != WeightOf::kPair) return;
    constexpr GroupBars kOpen = {.start = {INT32_MIN}};
    const RowView row = rows_.row(query);
    const bool own_bits = queries_->which() == KernelCase::kMissingMasked;
    const BlockRun weighed{
        .bits = weighed_plane() + block * tile.block_words(), .n_blocks = 1, .n_words = tile.n_words()};
    kernels_.count_shared(weighed, (own_bits ? row.bits : row.called).data(), kOpen, pair_weights_);
  }

  // After weigh_pairs() for the query and the profile's block.
  std::uint32_t weight_of_pair(std::size_t query, std::size_t profile) const {
    switch (weight_source(queries_->which())) {
      case WeightOf::kQuery:
        return queries_->weight(query);
      case WeightOf::kProfile:
        return weights_.data()[profile];
      default:
        return pair_weights_.count[profile % kLanes];
    }
  }

  std::shared_ptr<const PreparedQueries> prepared_;
  const KernelTable& kernels_;
  const PackedQueries* queries_;  ///< of prepared_
  Problem problem_;
  const ProfileRows& rows_;
  WordBuffer bits_, called_;
  const Word *tile_bits_ = nullptr, *tile_called_ = nullptr;  ///< of the tile: in the buffers or borrowed
  WordBuffer weights_;                 ///< of the tile's profiles, where they bear on limits
  std::vector<GroupBars> group_bars_;  ///< of the tile at hand
  BlockCounts counts_{}, pair_weights_{};
  FirstLook look_;
  std::vector<std::unique_ptr<TilePass>> passes_;
  PassTrial trial_;
};

}  // namespace

std::vector<std::unique_ptr<TilePass>> PreparedQueries::make_passes(const BlockShape& database) const {
  std::vector<std::unique_ptr<TilePass>> made;
  if (tables) made.push_back(std::make_unique<LookupPass>(kernels, tables, database));
  if (matrix) made.push_back(std::make_unique<MatrixPass>(matrix));
  return made;
}

std::unique_ptr<Lane> make_cpu_lane(std::shared_ptr<const PreparedQueries> prepared, const Problem& problem,
                                    std::size_t tile_blocks) {
  return std::make_unique<CpuLane>(std::move(prepared), problem, tile_blocks);
}

}  // namespace fastid
