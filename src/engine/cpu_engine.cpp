// The native engine: a lane for each thread, and in each lane a walk of the kernels of cpu_kernel.hpp over
// its tile.
//
//   tile (fits a core's L2)  |  run of blocks (fits L1)  |  all groups of queries  |  each block of the run
//
// so a block comes from L2 once and from L1 for every further group, and a group's words stay in L1 over a
// run.
#include "engine/cpu_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/threads.hpp"
#include "engine/cpu_kernel.hpp"
#include "engine/cpu_queries.hpp"
#include "engine/first_look.hpp"
#include "engine/lookup_pass.hpp"
#include "engine/lookup_trial.hpp"
#include "engine/standings.hpp"

namespace fastid {
namespace {

constexpr std::size_t kTileBytes = std::size_t{512} << 10;  // both planes; half of a 1 MiB L2
constexpr std::size_t kOpening = 64;                        // blocks whose counts tell the first bars
constexpr std::size_t kRunBytes = std::size_t{32} << 10;    // both planes; two thirds of a 48 KiB L1

/// What the lanes of one problem share. Read-only once made.
struct Prepared {
  Prepared(const Problem& problem, const KernelTable& kernels, UseLookups use)
      : packed(problem), from(problem.queries), lookups(use) {
    if (LookupPass::serves(problem, kernels.lookup) &&
        (use == UseLookups::kAlways || LookupPass::pays(problem, *kernels.lookup)))
      tables = std::make_shared<const LookupTables>(problem, kernels.lookup->shape);
  }

  PackedQueries packed;
  std::shared_ptr<const LookupTables> tables;  ///< null where lookups do not serve
  const ProfileRows* from;
  UseLookups lookups;
};

class CpuLane final : public Lane {
 public:
  CpuLane(const KernelTable& kernels, std::shared_ptr<const Prepared> prepared, const Problem& problem,
          std::size_t tile_blocks)
      : kernels_(kernels),
        prepared_(std::move(prepared)),
        queries_(&prepared_->packed),
        problem_(problem),
        rows_(*problem.queries),
        bits_(checked_mul(tile_blocks, problem.database.block_words())),
        called_(problem.has_called ? bits_.size() : 0),
        weights_(by_profile() ? tile_blocks * kLanes : 0),
        look_(problem.database.n_words()),
        trial_(prepared_->lookups, prepared_->tables ? LookupPass::few(*kernels.lookup) : 1) {
    buffer();
    if (prepared_->tables) lookups_.emplace(*kernels.lookup, prepared_->tables, problem.database);
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
    const std::uint64_t pairs = tile.n_profiles * queries_->n_queries();
    if (lookups_ && trial_.now()) {
      const std::size_t unit = LookupPass::unit_blocks(*kernels_.lookup), whole = n_blocks / unit * unit;
      weigh_profiles(tile, 0, whole);
      const std::size_t passed = look_up(tile, whole, bars, out);
      compare_blocks(tile, whole, n_blocks, bars, out);
      trial_.note(pairs, passed);
    } else {
      const std::size_t before = out.size();
      compare_blocks(tile, 0, n_blocks, bars, out);
      trial_.note(pairs, out.size() - before);
    }
  }

  void tighten(const BlockShape& tile, std::uint64_t keep, std::uint32_t min_weight,
               std::span<Bar> bars) override {
    const std::size_t n_blocks = std::min<std::size_t>(kOpening, tile.n_profiles / kLanes);
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

  // The worst share of these pairs is the bar.
  void tighten_one(const BlockShape& tile, std::size_t query, std::span<const Standings::Pair> pairs,
                   std::uint32_t min_weight, Bar& bar) const {
    const BlocksView blocks{tile, tile_bits_, problem_.has_called ? tile_called_ : nullptr};
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

  // The first `n_blocks`, whole units. Returns the number of pairs that lookups let through.
  std::size_t look_up(const BlockShape& tile, std::size_t n_blocks, std::span<const Bar> bars,
                      std::vector<Candidate>& out) {
    const BlocksView blocks{{std::min<std::uint64_t>(tile.n_profiles, n_blocks * kLanes), tile.n_sites},
                            tile_bits_,
                            problem_.has_called ? tile_called_ : nullptr};
    const std::span<const MayPass> pairs =
        lookups_->find(blocks, *queries_, bars, by_profile() ? weights_.data() : nullptr);
    for (const MayPass& pair : pairs) {
      const PairCounts counts = count_pair(problem_.comparison, rows_.row(pair.query), blocks, pair.profile);
      const std::uint32_t weight = weight_of(problem_.comparison, counts);
      if (bars[pair.query].passes(counts.count, weight))
        out.push_back({pair.query, pair.profile, counts.count, weight});
    }
    return pairs.size();
  }

  void compare_blocks(const BlockShape& tile, std::size_t begin, std::size_t n_blocks,
                      std::span<const Bar> bars, std::vector<Candidate>& out) {
    set_bars(bars);
    const std::size_t planes = reads_called(queries_->which()) ? 2 : 1;
    const std::size_t run =
        std::max<std::size_t>(1, kRunBytes / std::max<std::size_t>(1, planes * tile.block_bytes()));
    for (std::size_t first = begin; first < n_blocks; first += run) {
      BlockRun blocks = run_of(tile, first, std::min(n_blocks, first + run));
      weigh_profiles(tile, first, blocks.n_blocks);
      for (const QueryGroup& group : queries_->groups()) {
        blocks.look = look_.words(most_limit(bars_of(group)));
        fetch_share(group, n_blocks - first - blocks.n_blocks, blocks);
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

  const KernelTable& kernels_;
  std::shared_ptr<const Prepared> prepared_;
  const PackedQueries* queries_;  ///< of prepared_
  Problem problem_;
  const ProfileRows& rows_;
  WordBuffer bits_, called_;
  const Word *tile_bits_ = nullptr, *tile_called_ = nullptr;  ///< of the tile: in the buffers or borrowed
  WordBuffer weights_;                 ///< of the tile's profiles, where they bear on limits
  std::vector<GroupBars> group_bars_;  ///< of the tile at hand
  BlockCounts counts_{}, pair_weights_{};
  FirstLook look_;
  std::optional<LookupPass> lookups_;
  LookupTrial trial_;
};

class CpuEngine final : public Engine {
 public:
  CpuEngine(const KernelTable& kernels, std::string target, const EngineOptions& options,
            UseLookups lookups = UseLookups::kWhereTheyPay)
      : kernels_(kernels), target_(std::move(target)), options_(options), lookups_(lookups) {
    if (options_.threads == 0) options_.threads = available_cpus();
  }

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, {}, {} thread{}", target_, options_.threads,
                       options_.threads == 1 ? "" : "s");
  }

  // A tile for each thread at least, so that a small database still keeps them all busy.
  LanePlan plan(const Problem& problem) const override {
    const std::uint64_t share = options_.memory.value_or(UINT64_MAX) / options_.threads;
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kTileBytes, share));
    std::size_t tile = tile_blocks_for(problem, options_, bytes);
    const std::uint64_t blocks = std::max<std::uint64_t>(1, problem.database.n_blocks());
    if (!options_.tile_blocks)
      tile = static_cast<std::size_t>(
          std::min<std::uint64_t>(tile, ceil_div<std::uint64_t>(blocks, options_.threads)));
    const std::uint64_t tiles = ceil_div<std::uint64_t>(blocks, tile);
    return {
        .lanes = static_cast<std::size_t>(std::min<std::uint64_t>(options_.threads, tiles)),
        .tile_blocks = tile,
        .first_tile_blocks = options_.tile_blocks ? tile : std::min(ceil_div<std::size_t>(tile, 2), kOpening),
        .tightens = true};
  }

  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    return std::make_unique<CpuLane>(kernels_, prepared(problem), problem, tile_blocks);
  }

 private:
  // Lanes of one problem share what is prepared of it, which lives as long as one of the lanes does.
  std::shared_ptr<const Prepared> prepared(const Problem& problem) {
    const std::lock_guard lock(guard_);
    auto made = prepared_.lock();
    const bool same = made && made->from == problem.queries && made->packed.which() == kernel_case(problem);
    if (!same) prepared_ = made = std::make_shared<const Prepared>(problem, kernels_, lookups_);
    return made;
  }

  const KernelTable& kernels_;
  std::string target_;
  EngineOptions options_;
  UseLookups lookups_;
  std::mutex guard_;
  std::weak_ptr<const Prepared> prepared_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) {
  return std::make_unique<CpuEngine>(best_kernels(), best_kernel_target(), options);
}

std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            UseLookups lookups) {
  const KernelTable* const kernels = kernels_of(target);
  if (kernels == nullptr) throw DeviceError("no instruction set " + target + " here");
  return std::make_unique<CpuEngine>(*kernels, target, options, lookups);
}

std::string cpu_engine_target() {
  return best_kernel_target();
}

std::vector<std::string> cpu_engine_targets() {
  return kernel_targets();
}

}  // namespace fastid
