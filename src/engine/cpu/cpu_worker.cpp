#include "engine/cpu/cpu_worker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/checked.hpp"
#include "engine/cpu/first_look.hpp"
#include "engine/cpu/lookup_pass.hpp"

namespace fastid {
namespace {

// If more than one pair in so many may pass, lookups are slower than counting the bits.
constexpr std::size_t kFewPass = 64;
constexpr std::size_t kRunBytes = std::size_t{32} << 10;  // both planes; two thirds of a 48 KiB L1

class CpuWorker final : public Worker {
 public:
  CpuWorker(const CpuQueries& queries, std::size_t tile_blocks)
      : kernels_(queries.kernels),
        queries_(queries.packed),
        problem_(queries.problem),
        always_look_up_(queries.always_look_up),
        buffer_words_(checked_mul(tile_blocks, problem_.database.block_words())),
        denominators_(by_profile() ? tile_blocks * kLanes : 0),
        look_(queries_.asked_words()) {
    if (queries.tables) lookups_.emplace(kernels_, *queries.tables, problem_.database);
  }

  // Made at first use: blocks in memory are compared where they are.
  TileBuffer buffer() override {
    if (bits_.size() == 0) {
      bits_ = WordBuffer(buffer_words_);
      if (problem_.has_second) called_ = WordBuffer(buffer_words_);
    }
    borrow({{}, bits_.data(), called_.data()});
    return {bits_.data(), called_.data()};
  }

  bool borrow(const BlocksView& tile) override {
    tile_bits_ = tile.bits;
    tile_called_ = tile.second;
    return true;
  }

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    tile_ = tile;
    thresholds_ = thresholds;
    group_thresholds_.clear();
    for (const QueryGroup& group : queries_.groups())
      group_thresholds_.push_back(queries_.group_thresholds(group, thresholds));
    compare_blocks(look_up(out), tile.n_blocks(), out);
    return 0;
  }

 private:
  bool by_profile() const { return bounded_by_profile(queries_.which()); }

  CountBlocks kernel(const QueryGroup& group) const {
    const auto width = static_cast<std::size_t>(std::countr_zero(group.width));
    return kernels_.count_blocks[static_cast<std::size_t>(problem_.database.encoding)]
                                [static_cast<std::size_t>(queries_.which())][width];
  }

  std::size_t place_of(const QueryGroup& group) const {
    return static_cast<std::size_t>(&group - queries_.groups().data());
  }
  const GroupThresholds& thresholds_of(const QueryGroup& group) const {
    return group_thresholds_[place_of(group)];
  }
  static std::uint32_t most_limit(const GroupThresholds& thresholds) {
    return static_cast<std::uint32_t>(-std::ranges::min(thresholds.start));
  }

  // Counts the denominators of some blocks' profiles, or the largest possible ones where a denominator
  // depends on the query too.
  void count_denominators(std::size_t first, std::size_t n_blocks) {
    if (!by_profile()) return;
    count_own_bits(kernels_, queries_.which(), view(), first, n_blocks,
                   denominators_.data() + first * kLanes);
  }

  BlocksView view() const { return {tile_.shape, tile_bits_, problem_.has_second ? tile_called_ : nullptr}; }

  // ---- By lookups ----

  // Returns how many blocks, from the first on, are done: whole units, or none if so many pairs may pass that
  // counting them again would take too long.
  std::size_t look_up(std::vector<Pair>& out) {
    if (!lookups_) return 0;
    const std::size_t n_blocks = tile_.n_blocks() / lookups_->unit_blocks() * lookups_->unit_blocks();
    if (n_blocks == 0) return 0;
    BlocksView blocks = view();
    blocks.shape.n_profiles = std::min<std::uint64_t>(tile_.shape.n_profiles, n_blocks * kLanes);
    const std::size_t most =
        always_look_up_ ? SIZE_MAX
                        : static_cast<std::size_t>(blocks.shape.n_profiles) * thresholds_.size() / kFewPass;
    const std::span<const PairPlace> found =
        lookups_->find(blocks, queries_, thresholds_, by_profile() ? denominators_.data() : nullptr, most);
    if (found.size() > most) return 0;
    for (const auto& [place, query] : found) {
      const PairCounts counts =
          count_pair(problem_.comparison, problem_.by, problem_.queries->row(query), blocks, place);
      if (thresholds_[query].passes(counts)) out.push_back({tile_.first_row() + place, query, counts});
    }
    return n_blocks;
  }

  // ---- By the bits ----

  void compare_blocks(std::size_t begin, std::size_t end, std::vector<Pair>& out) {
    const std::size_t planes = reads_called(queries_.which()) ? 2 : 1;
    const std::size_t run =
        std::max<std::size_t>(1, kRunBytes / std::max<std::size_t>(1, planes * tile_.shape.block_bytes()));
    for (std::size_t first = begin; first < end; first += run) {
      BlockRun blocks = run_of(first, std::min(end, first + run));
      count_denominators(first, blocks.n_blocks);
      for (const QueryGroup& group : queries_.groups()) {
        blocks.look = look_.words(most_limit(thresholds_of(group)));
        fetch_share(group, end - first - blocks.n_blocks, blocks);
        compare_run(first, blocks, group, out);
      }
    }
  }

  BlockRun run_of(std::size_t first, std::size_t end) const {
    const std::size_t at = first * tile_.shape.block_words();
    return {.bits = tile_bits_ + at,
            .called = tile_called_ == nullptr ? nullptr : tile_called_ + at,
            .profile_denominators = by_profile() ? denominators_.data() + first * kLanes : nullptr,
            .n_blocks = end - first,
            .n_words = tile_.shape.n_words(),
            .n_counted = queries_.asked_words()};
  }

  // Each group fetches a part of the next run, so that memory is read all the time. A single group reads all
  // the time anyway, unless it leaves out most of each block.
  void fetch_share(const QueryGroup& group, std::size_t blocks_left, BlockRun& blocks) const {
    const std::size_t i = place_of(group), n = queries_.groups().size();
    if (blocks_left < blocks.n_blocks || (n == 1 && blocks.look == 0)) return;
    const std::size_t words = blocks.look > 0 ? blocks.look : blocks.n_counted;
    const std::size_t begin = words * i / n, end = words * (i + 1) / n;
    blocks.fetch = (blocks.n_blocks * blocks.n_words + begin) * kLanes;
    blocks.fetch_words = (end - begin) * kLanes;
  }

  void compare_run(std::size_t first, BlockRun blocks, const QueryGroup& group, std::vector<Pair>& out) {
    const CountBlocks count_blocks = kernel(group);
    counts_.looks = counts_.left_out = 0;
    for (;;) {
      const std::size_t n = count_blocks(blocks, queries_.words(group), thresholds_of(group), counts_);
      if (n == blocks.n_blocks) break;
      first += n;
      take(first++, group, out);
      blocks = blocks.after(n + 1);
    }
    look_.note(counts_.looks, counts_.left_out);
  }

  // The exact test of the pairs that the kernel let through.
  [[gnu::noinline]] void take(std::size_t block, const QueryGroup& group, std::vector<Pair>& out) {
    const GroupThresholds& limits = thresholds_of(group);
    for (std::size_t i = 0; i < group.size; ++i) {
      const auto query = static_cast<std::uint32_t>(group.first + i);
      bool counted = false;
      defined_ = Defined::kNone;
      for (std::uint32_t left = counts_.profiles; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        const std::uint32_t count = counts_.count[i * kLanes + lane];
        const std::size_t place = block * kLanes + lane;
        if (count >= limit_of_pair(limits, i, place) || place >= tile_.shape.n_profiles) continue;
        if (!counted) count_pairs(block, query);
        counted = true;
        const PairCounts counts = counts_of_pair(query, place, count);
        if (thresholds_[query].passes(counts)) out.push_back({tile_.first_row() + place, query, counts});
      }
    }
  }

  std::uint32_t limit_of_pair(const GroupThresholds& thresholds, std::size_t i, std::size_t place) const {
    return by_profile() ? thresholds.limit_for(i, denominators_.data()[place]) : thresholds.limit(i);
  }

  // Counts, for the pairs of one query with a block, the denominators if they depend on both sides, and for
  // mixtures the sites compared if not all sites are called.
  void count_pairs(std::size_t block, std::size_t query) {
    if (counts_both_alleles(queries_.which())) return;
    const RowView row = problem_.queries->row(query);
    if (denominator_source(queries_.which()) == DenominatorOf::kPair) {
      const bool own_bits = queries_.which() == KernelCase::kMissingMasked;
      count_shared(reads_called(queries_.which()), block, own_bits ? row.bits : row.called,
                   pair_denominators_);
    }
    if (counts_compared(problem_)) count_shared(true, block, row.called, pair_compared_);
  }

  // Counts what the query's words have in common with a block's called sites or its bits.
  void count_shared(bool with_called, std::size_t block, std::span<const Word> query, BlockCounts& counts) {
    constexpr GroupThresholds kOpen = {.start = {INT32_MIN}};
    const std::size_t at = block * tile_.shape.block_words();
    const bool of_alleles = with_called && problem_.database.encoding == Encoding::kAlleles;
    const BlockRun one{.bits = (with_called && !of_alleles ? tile_called_ : tile_bits_) + at,
                       .called = of_alleles ? tile_called_ + at : nullptr,
                       .n_blocks = 1,
                       .n_words = tile_.shape.n_words(),
                       .n_counted = queries_.asked_words()};
    (of_alleles ? kernels_.count_shared_called : kernels_.count_shared)(one, query.data(), kOpen, counts);
  }

  // By the definition: the first pair of a query and a block by itself, all as soon as there is a second one,
  // or at once where vectors count bits, which takes no longer.
  PairCounts definition_of(std::size_t query, std::size_t place) {
    const RowView row = problem_.queries->row(query);
    if (defined_ == Defined::kNone && !kernels_.counts_bits()) {
      defined_ = Defined::kOnePair;
      return count_pair(problem_.comparison, problem_.by, row, view(), place);
    }
    if (defined_ != Defined::kBlock) {
      defined_ = Defined::kBlock;
      count_block(problem_.comparison, problem_.by, row, view().block(place / kLanes), of_block_);
    }
    return of_block_[place % kLanes];
  }

  // To be called after count_pairs() for the query and the profile's block.
  std::uint32_t denominator_of_pair(std::size_t query, std::size_t place) const {
    switch (denominator_source(queries_.which())) {
      case DenominatorOf::kQuery:
        return queries_.denominator(query);
      case DenominatorOf::kProfile:
        return denominators_.data()[place];
      default:
        return pair_denominators_.count[place % kLanes];
    }
  }

  PairCounts counts_of_pair(std::size_t query, std::size_t place, std::uint32_t count) {
    if (counts_both_alleles(queries_.which())) return definition_of(query, place);
    const std::uint32_t denominator = denominator_of_pair(query, place);
    if (problem_.comparison == Comparison::kIdentity) return {count, denominator, denominator};
    return {count, denominator,
            counts_compared(problem_) ? pair_compared_.count[place % kLanes]
                                      : problem_.queries->called_sites(query)};
  }

  const KernelTable& kernels_;
  const PackedQueries& queries_;
  const Problem& problem_;
  bool always_look_up_;
  std::size_t buffer_words_;  ///< of a plane
  WordBuffer bits_, called_;
  const Word *tile_bits_ = nullptr, *tile_called_ = nullptr;  ///< the tile's planes: the buffers or borrowed
  Tile tile_;                                                 ///< that is being compared
  std::span<const Threshold> thresholds_;                     ///< of that tile
  std::vector<GroupThresholds> group_thresholds_;             ///< the same, as kernels test them
  WordBuffer denominators_;  ///< of the tile's profiles, where limits depend on them
  BlockCounts counts_{}, pair_denominators_{}, pair_compared_{};
  enum class Defined { kNone, kOnePair, kBlock } defined_ = Defined::kNone;  ///< of a query and a block
  std::array<PairCounts, kLanes> of_block_{};                                ///< where it is kBlock
  FirstLook look_;
  std::optional<LookupPass> lookups_;
};

}  // namespace

std::unique_ptr<Worker> make_cpu_worker(const CpuQueries& queries, std::size_t tile_blocks) {
  return std::make_unique<CpuWorker>(queries, tile_blocks);
}

}  // namespace fastid
