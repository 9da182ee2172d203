#include "engine/cpu/cpu_worker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "engine/cpu/early_exit.hpp"
#include "engine/cpu/lookup_pass.hpp"
#include "engine/tile_worker.hpp"

namespace fastid::engine {
namespace {

// If more than one pair in so many may pass, lookups are slower than counting the bits.
constexpr std::size_t kFewPass = 64;
constexpr std::size_t kRunBytes = std::size_t{32} << 10;  // both planes; two thirds of a 48 KiB L1

/// What a kernel let through of one query with a block.
struct Candidates {
  std::uint32_t query = 0;
  std::size_t block = 0;                  ///< its place in the tile
  std::uint32_t lanes = 0;                ///< a bit for each candidate
  const std::uint32_t* counts = nullptr;  ///< of the block's 32 profiles
};

/// The exact test of what a kernel let through.
class ExactPairs {
 public:
  explicit ExactPairs(const CpuQueries& of)
      : kernels_(of.kernels), queries_(of.packed), problem_(of.problem), which_(queries_.which()) {}

  /// Appends the pairs that pass. \param view  the tile's planes \param denominators  of its profiles, if
  /// bounded_by_profile()
  void append(const Tile& tile, const BlocksView& view, const std::uint32_t* denominators,
              const Candidates& found, const Threshold& threshold, std::vector<Pair>& out) {
    if (counts_both_alleles(which_))
      define(view, found);
    else
      count_shares(view, found);
    for (std::uint32_t left = found.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t place = found.block * kLanes + lane;
      if (!counts_both_alleles(which_)) defined_[lane] = counts_of(found, lane, denominators);
      if (threshold.passes(defined_[lane]))
        out.push_back({tile.first_row() + place, found.query, defined_[lane]});
    }
  }

 private:
  // By the definition. Two pairs of a block take as long as all of it; where vectors count bits, one does.
  void define(const BlocksView& view, const Candidates& found) {
    const RowView row = problem_.queries->row(found.query);
    const bool is_one = (found.lanes & (found.lanes - 1)) == 0;  // std::has_single_bit() counts by a call
    if (is_one && !kernels_.has_vector_popcount()) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(found.lanes));
      defined_[lane] = count_pair(problem_.comparison, problem_.by, row, view, found.block * kLanes + lane);
    } else {
      count_block(problem_.comparison, problem_.by, row, view.block(found.block), defined_, found.lanes);
    }
  }

  // By minor alleles: the denominators if they depend on both sides, and for mixtures the sites compared if
  // not all sites are called.
  void count_shares(const BlocksView& view, const Candidates& found) {
    const RowView row = problem_.queries->row(found.query);
    if (denominator_source(which_) == DenominatorOf::kPair) {
      const bool own_bits = which_ == KernelCase::kMissingMasked;
      count_shared(view, reads_second(which_), found.block, own_bits ? row.bits : row.called, denominators_);
    }
    if (counts_compared(problem_)) count_shared(view, true, found.block, row.called, compared_);
  }

  // Counts what the query's words have in common with a block's called sites or its bits.
  void count_shared(const BlocksView& view, bool with_called, std::size_t block, std::span<const Word> query,
                    BlockCounts& counts) const {
    constexpr GroupThresholds kOpen = {.start = {INT32_MIN}};
    const std::size_t at = block * view.shape.block_words();
    const bool of_alleles = with_called && problem_.database.encoding == Encoding::kAlleles;
    const BlockRun one{.bits = (with_called && !of_alleles ? view.second : view.bits) + at,
                       .second = of_alleles ? view.second + at : nullptr,
                       .n_blocks = 1,
                       .n_words = view.shape.n_words(),
                       .n_counted = queries_.asked_words()};
    (of_alleles ? kernels_.count_shared_called : kernels_.count_shared)(one, query.data(), kOpen, counts);
  }

  PairCounts counts_of(const Candidates& found, std::size_t lane, const std::uint32_t* denominators) const {
    const std::uint32_t denominator = denominator_of(found, lane, denominators);
    if (problem_.comparison == Comparison::kIdentity) return {found.counts[lane], denominator, denominator};
    return {found.counts[lane], denominator,
            counts_compared(problem_) ? compared_.count[lane] : problem_.queries->called_sites(found.query)};
  }

  std::uint32_t denominator_of(const Candidates& found, std::size_t lane,
                               const std::uint32_t* denominators) const {
    switch (denominator_source(which_)) {
      case DenominatorOf::kQuery:
        return queries_.denominator(found.query);
      case DenominatorOf::kProfile:
        return denominators[found.block * kLanes + lane];
      default:
        return denominators_.count[lane];
    }
  }

  const KernelTable& kernels_;
  const PackedQueries& queries_;
  const Problem& problem_;
  KernelCase which_;
  std::array<PairCounts, kLanes> defined_{};  ///< of the candidates
  BlockCounts denominators_{}, compared_{};   ///< of the query with the block
};

class CpuWorker final : public TileWorker {
 public:
  CpuWorker(const CpuQueries& queries, std::size_t tile_blocks)
      : TileWorker(queries.problem, tile_blocks),
        kernels_(queries.kernels),
        queries_(queries.packed),
        problem_(queries.problem),
        always_look_up_(queries.always_look_up),
        denominators_(by_profile() || queries.factors ? tile_blocks * kLanes : 0),
        exact_(queries),
        early_exit_(queries_.asked_words()) {
    if (queries.tables) lookups_.emplace(kernels_, *queries.tables, problem_.database);
    if (queries.factors) matrix_.emplace(*queries.factors);
  }

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    tile_ = tile;
    thresholds_ = thresholds;
    group_thresholds_.clear();
    for (const QueryGroup& group : queries_.groups())
      group_thresholds_.push_back(queries_.group_thresholds(group, thresholds));
    if (!multiply(out)) compare_blocks(look_up(out), tile.n_blocks(), queries_.groups(), out);
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

  BlocksView view() const { return view_of(tile_); }

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

  // ---- By products of matrices ----

  // Returns whether the tile is done.
  bool multiply(std::vector<Pair>& out) {
    const std::span<const QueryGroup> groups = queries_.groups();
    const auto leaves_out = [&](const GroupThresholds& limits) {
      return early_exit_.words(most_limit(limits)) > 0;
    };
    if (!matrix_ || !matrix_->pays(std::ranges::any_of(group_thresholds_, leaves_out))) return false;
    const std::span<const QueryGroup> multiplied = groups.first(matrix_->n_groups());
    const std::size_t done =
        matrix_->find(view(), group_thresholds_, denominators_.data(), counts_,
                      [&](std::size_t block, std::size_t group) { append_exact(block, groups[group], out); });
    for (const std::size_t block : matrix_->gaps()) compare_blocks(block, block + 1, multiplied, out);
    compare_blocks(done, tile_.n_blocks(), multiplied, out);
    if (multiplied.size() < groups.size())
      compare_blocks(0, tile_.n_blocks(), groups.subspan(multiplied.size()), out);
    return true;
  }

  // ---- By the bits ----

  void compare_blocks(std::size_t begin, std::size_t end, std::span<const QueryGroup> groups,
                      std::vector<Pair>& out) {
    const std::size_t planes = reads_second(queries_.which()) ? 2 : 1;
    const std::size_t run =
        std::max<std::size_t>(1, kRunBytes / std::max<std::size_t>(1, planes * tile_.shape.block_bytes()));
    for (std::size_t first = begin; first < end; first += run) {
      BlockRun blocks = run_of(first, std::min(end, first + run));
      count_denominators(first, blocks.n_blocks);
      for (const QueryGroup& group : groups) {
        blocks.words_before_check = early_exit_.words(most_limit(thresholds_of(group)));
        fetch_share(group, end - first - blocks.n_blocks, blocks);
        compare_run(first, blocks, group, out);
      }
    }
  }

  BlockRun run_of(std::size_t first, std::size_t end) const {
    const BlocksView all = view();
    const std::size_t at = first * tile_.shape.block_words();
    return {.bits = all.bits + at,
            .second = all.second == nullptr ? nullptr : all.second + at,
            .profile_denominators = by_profile() ? denominators_.data() + first * kLanes : nullptr,
            .n_blocks = end - first,
            .n_words = tile_.shape.n_words(),
            .n_counted = queries_.asked_words()};
  }

  // Each group fetches a part of the next run, so that memory is read all the time. A single group reads all
  // the time anyway, unless it leaves out most of each block.
  void fetch_share(const QueryGroup& group, std::size_t blocks_left, BlockRun& blocks) const {
    const std::size_t i = place_of(group), n = queries_.groups().size();
    if (blocks_left < blocks.n_blocks || (n == 1 && blocks.words_before_check == 0)) return;
    const std::size_t words = blocks.words_before_check > 0 ? blocks.words_before_check : blocks.n_counted;
    const std::size_t begin = words * i / n, end = words * (i + 1) / n;
    blocks.fetch = (blocks.n_blocks * blocks.n_words + begin) * kLanes;
    blocks.fetch_words = (end - begin) * kLanes;
  }

  void compare_run(std::size_t first, BlockRun blocks, const QueryGroup& group, std::vector<Pair>& out) {
    const CountBlocks count_blocks = kernel(group);
    counts_.checks = counts_.left_out = 0;
    for (;;) {
      const std::size_t n = count_blocks(blocks, queries_.words(group), thresholds_of(group), counts_);
      if (n == blocks.n_blocks) break;
      first += n;
      append_exact(first++, group, out);
      blocks = blocks.after(n + 1);
    }
    early_exit_.note(counts_.checks, counts_.left_out);
  }

  [[gnu::noinline]] void append_exact(std::size_t block, const QueryGroup& group, std::vector<Pair>& out) {
    for (std::size_t i = 0; i < group.size; ++i) {
      const std::uint32_t* const counts = counts_.count.data() + i * kLanes;
      Candidates found{static_cast<std::uint32_t>(group.first + i), block, 0, counts};
      for (std::uint32_t left = counts_.profiles; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        const std::size_t place = block * kLanes + lane;
        if (counts[lane] < limit_of_pair(thresholds_of(group), i, place) && place < tile_.shape.n_profiles)
          found.lanes |= std::uint32_t{1} << lane;
      }
      if (found.lanes != 0)
        exact_.append(tile_, view(), denominators_.data(), found, thresholds_[found.query], out);
    }
  }

  std::uint32_t limit_of_pair(const GroupThresholds& thresholds, std::size_t i, std::size_t place) const {
    return by_profile() ? thresholds.limit_for(i, denominators_.data()[place]) : thresholds.limit(i);
  }

  const KernelTable& kernels_;
  const PackedQueries& queries_;
  const Problem& problem_;
  bool always_look_up_;
  Tile tile_;                                      ///< that is being compared
  std::span<const Threshold> thresholds_;          ///< of that tile
  std::vector<GroupThresholds> group_thresholds_;  ///< the same, as kernels test them
  WordBuffer denominators_;                        ///< of the tile's profiles, where limits depend on them
  BlockCounts counts_{};
  ExactPairs exact_;
  EarlyExit early_exit_;
  std::optional<LookupPass> lookups_;
  std::optional<MatrixPass> matrix_;
};

}  // namespace

std::unique_ptr<Worker> make_cpu_worker(const CpuQueries& queries, std::size_t tile_blocks) {
  return std::make_unique<CpuWorker>(queries, tile_blocks);
}

}  // namespace fastid::engine
