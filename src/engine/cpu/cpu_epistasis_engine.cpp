// Epistasis on the CPU: the pairs of a tile against block after block, which stays in the cache meanwhile. Of
// four sites the pairs are those of second and third sites, for one first site after the other.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "engine/cpu/cpu_epistasis.hpp"
#include "engine/cpu/cpu_epistasis_people.hpp"

namespace fastid::engine {
namespace {

class CpuEpistasis final : public EpistasisEngine {
 public:
  explicit CpuEpistasis(const EpistasisProblem& problem)
      : problem_(problem),
        scorer_(problem),
        open_(cost_bound(problem, std::numeric_limits<double>::infinity())),
        by_rest_(problem.way > 2 && everybody_is_called(problem)),
        kernel_(epistasis_kernel(problem.way, by_rest_, problem.score == EpistasisScore::kK2)),
        add_(epistasis_counter(counted_planes(problem.way, by_rest_))) {
    if (problem.way < 4) everybody_.emplace(people_of(problem.classes));
  }

  void find(const Rectangle& tile, BestCombinations& best) const override {
    Search search{.best = &best};
    if (problem_.way == 2) return find_pairs(tile, search);
    Scratch scratch = take_scratch();
    if (problem_.way == 3)
      find_triples({&*everybody_, 1}, tile, {}, scratch, search);
    else
      find_quads(tile, scratch, search);
    give_back(std::move(scratch));
  }

  KernelStep step() const override { return cpu_epistasis_step(problem_.way, by_rest_); }

  std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const override {
    return std::make_unique<CpuEpistasis>(dealt);
  }

  void find_dealt(const Rectangle& tile, std::span<const DealtSearch> dealt) const override {
    if (!everybody_ || !is_less_together(problem_, dealt.size()))
      return EpistasisEngine::find_dealt(tile, dealt);
    std::vector<Dealt> all;
    for (const DealtSearch& one : dealt) {
      const auto* const engine = static_cast<const CpuEpistasis*>(one.engine);
      all.push_back({engine, engine->take_scratch(), {.best = one.best}});
    }
    if (problem_.way == 2)
      find_dealt_pairs(tile, all);
    else
      find_dealt_triples(tile, all);
    for (Dealt& one : all) one.engine->give_back(std::move(one.scratch));
  }

  std::size_t dealt_at_once() const override {
    constexpr std::size_t kMost = 8;  // the planes of a tile's pairs are held of each
    return everybody_ ? kMost : 1;
  }

 private:
  static constexpr std::size_t kMostSlabs = kSiteGenotypes;
  using Tables = std::array<BlockTables, kMostSlabs>;

  /// The memory of a tile, which is used again: the pairs' planes are megabytes.
  struct Scratch {
    std::vector<PairOfTile> pairs;
    std::array<PairPlanes, kMostSlabs> slabs;
    std::array<EpistasisSlab, kMostSlabs> run;
    Tables tables;  ///< of the last block
  };
  /// What finds combinations under the threshold as it is at the time.
  struct Search {
    BestCombinations* best = nullptr;
    double worst = 0;
    CostBound bound{};
  };
  /// What people in other classes have of a tile's pairs with a block: both classes together.
  struct Everybody {
    std::vector<EverybodyCounts> counts;  ///< of each pair
    const PairPlanes* pairs = nullptr;
  };
  /// People dealt again.
  struct Dealt {
    const CpuEpistasis* engine = nullptr;
    Scratch scratch;
    Search search;
  };

  EpistasisPeople people_of(const std::array<BlocksView, kClasses>& classes) const {
    return {classes, open_, by_rest_, kernel_};
  }

  void count_everybody(const EpistasisRun& run, EverybodyCounts& counts) const {
    const std::size_t cells = by_rest_ ? 8 : problem_.n_cells();
    std::fill_n(counts.begin(), cells, EverybodyCounts::value_type{});
    for (std::size_t of = 0; of < kClasses; ++of)
      add_(run.first[of], run.block[of].data(), run.n_words[of], counts.data()->data());
  }

  // Calls find(first, block) for each first site of a tile with each block that has later ones.
  template <class Find>
  void each_pair_run(const Rectangle& tile, const Find& find) const {
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
      check_interrupt();
      for (std::size_t block = (everybody_->lane_of(first) + 1) / kLanes; block < everybody_->n_blocks();
           ++block)
        find(first, block);
    }
  }

  void find_pairs(const Rectangle& tile, Search& search) const {
    Tables tables;
    each_pair_run(tile, [&](std::uint32_t first, std::size_t block) {
      find_pairs(first, block, nullptr, search, tables);
    });
  }

  void find_pairs(std::uint32_t first, std::size_t block, const EverybodyCounts* everybody, Search& search,
                  Tables& tables) const {
    tighten(search);
    const EpistasisSlab slab{everybody_->run_of(block, first), nullptr, everybody};
    const std::uint32_t may = kernel_.find(&slab, search.bound, tables.data());
    offer(search, may, block * kLanes, everybody_->lane_of(first), tables, {first});
  }

  void find_dealt_pairs(const Rectangle& tile, std::span<Dealt> dealt) const {
    EverybodyCounts counts;
    each_pair_run(tile, [&](std::uint32_t first, std::size_t block) {
      count_everybody(everybody_->run_of(block, first), counts);
      for (Dealt& one : dealt) one.engine->find_pairs(first, block, &counts, one.search, one.scratch.tables);
    });
  }

  void find_dealt_triples(const Rectangle& tile, std::span<Dealt> dealt) const {
    const EpistasisPeople& any = *everybody_;
    Scratch scratch = take_scratch();
    make_pairs(tile, scratch.pairs);
    any.make_pairs(tile, scratch.pairs, false, scratch.slabs[0]);
    for (Dealt& one : dealt) {
      one.scratch.pairs = scratch.pairs;
      one.engine->everybody_->make_pairs(tile, scratch.pairs, true, one.scratch.slabs[0]);
    }
    Everybody everybody{std::vector<EverybodyCounts>(scratch.pairs.size()), scratch.slabs.data()};
    for (std::size_t block = (any.lane_of(tile.column_begin) + 1) / kLanes; block < any.n_blocks(); ++block) {
      any.count_block(tile, block, nullptr, scratch.slabs[0]);
      for (std::size_t i = 0; i < everybody.counts.size(); ++i)
        if (has_later(scratch.pairs[i], block))
          count_everybody(any.slab_of(block, scratch.slabs[0], i).run, everybody.counts[i]);
      for (Dealt& one : dealt) {
        const CpuEpistasis& engine = *one.engine;
        engine.find_block({&*engine.everybody_, 1}, tile, block, {}, &everybody, one.scratch, one.search);
      }
    }
    give_back(std::move(scratch));
  }

  void find_quads(const Rectangle& tile, Scratch& scratch, Search& search) const {
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
      const auto by_genotype = people_by_genotype(problem_, first);
      std::vector<EpistasisPeople> slabs;
      for (const PickedClasses& with : by_genotype)
        slabs.push_back(people_of({with[0].view(), with[1].view()}));
      each_tile_after(first, problem_.n_sites(), kMostSitesOfTile, [&](const Rectangle& triples) {
        find_triples(slabs, triples, first, scratch, search);
      });
    }
  }

  // \param before  a first site of four that comes before the three of the tile
  void find_triples(std::span<const EpistasisPeople> slabs, const Rectangle& tile,
                    std::optional<std::uint32_t> before, Scratch& scratch, Search& search) const {
    const EpistasisPeople& any = slabs[0];
    make_pairs(tile, scratch.pairs);
    for (std::size_t s = 0; s < slabs.size(); ++s)
      slabs[s].make_pairs(tile, scratch.pairs, false, scratch.slabs[s]);
    for (std::size_t block = (any.lane_of(tile.column_begin) + 1) / kLanes; block < any.n_blocks(); ++block)
      find_block(slabs, tile, block, before, nullptr, scratch, search);
  }

  bool has_later(const PairOfTile& pair, std::size_t block) const {
    return lane_of_first() + pair.second < (block + 1) * kLanes - 1;
  }

  // \param everybody  null, or where people were dealt again
  void find_block(std::span<const EpistasisPeople> slabs, const Rectangle& tile, std::size_t block,
                  std::optional<std::uint32_t> before, const Everybody* everybody, Scratch& scratch,
                  Search& search) const {
    check_interrupt();
    for (std::size_t s = 0; s < slabs.size(); ++s)
      slabs[s].count_block(tile, block, everybody == nullptr ? nullptr : everybody->pairs, scratch.slabs[s]);
    for (std::size_t i = 0; i < scratch.pairs.size(); ++i) {
      if (!has_later(scratch.pairs[i], block)) continue;
      const auto [first, second] = scratch.pairs[i];
      for (std::size_t s = 0; s < slabs.size(); ++s)
        scratch.run[s] = slabs[s].slab_of(block, scratch.slabs[s], i);
      if (everybody != nullptr) scratch.run[0].everybody = &everybody->counts[i];
      tighten(search);
      const std::uint32_t may = kernel_.find(scratch.run.data(), search.bound, scratch.tables.data());
      if (may == 0) continue;
      const SiteCombination sites =
          before ? SiteCombination{*before, first, second} : SiteCombination{first, second};
      offer(search, may, block * kLanes, lane_of_first() + second, scratch.tables, sites);
    }
  }

  static void make_pairs(const Rectangle& tile, std::vector<PairOfTile>& pairs) {
    pairs.clear();
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first)
      for (std::uint32_t second = std::max(first + 1, tile.column_begin); second < tile.column_end; ++second)
        pairs.push_back({first, second});
  }

  Scratch take_scratch() const {
    const std::lock_guard lock(guard_);
    if (unused_.empty()) return {};
    Scratch scratch = std::move(unused_.back());
    unused_.pop_back();
    return scratch;
  }
  void give_back(Scratch scratch) const {
    const std::lock_guard lock(guard_);
    unused_.push_back(std::move(scratch));
  }

  void tighten(Search& search) const {
    const double worst = search.best->worst();
    if (worst == search.worst && search.bound.share != 0) return;
    search.worst = worst;
    search.bound = cost_bound(problem_, worst);
    if (by_rest_) search.bound = search.bound.of_everybody(problem_);
  }

  // The exact score of what a kernel let through of a block, as far as it comes after another site.
  // \param begin  the block's first lane \param after  that site's lane \param sites  all but the last one
  void offer(Search& search, std::uint32_t may, std::size_t begin, std::size_t after, const Tables& tables,
             SiteCombination sites) const {
    for (; may != 0; may &= may - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(may));
      if (begin + lane <= after) continue;
      sites[problem_.way - 1] = static_cast<std::uint32_t>(begin + lane - lane_of_first());
      search.best->offer({scorer_.cost(table_of(tables, lane)), sites});
    }
  }

  // Of the first site.
  std::size_t lane_of_first() const {
    return problem_.classes[0].shape.n_blocks() * kLanes - problem_.n_sites();
  }

  GenotypeTable table_of(const Tables& tables, std::size_t lane) const {
    GenotypeTable table;
    const std::size_t of_slab = std::min(problem_.n_cells(), kTripleCells);
    for (std::size_t cell = 0; cell < problem_.n_cells(); ++cell) {
      const BlockTables& slab = tables[cell / of_slab];
      table.cells[cell] = open_.cell_of(slab[0][cell % of_slab][lane], slab[1][cell % of_slab][lane]);
    }
    return table;
  }

  EpistasisProblem problem_;
  TableScorer scorer_;
  CostBound open_;  ///< lets all pass: for what is the same in all bounds
  bool by_rest_;    ///< cells of genotype 2 are not counted
  EpistasisKernel kernel_;
  AddCounts add_;
  std::optional<EpistasisPeople> everybody_;  ///< of two and three sites
  mutable std::mutex guard_;
  mutable std::vector<Scratch> unused_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_cpu_epistasis(const EpistasisProblem& problem, std::uint64_t memory) {
  std::uint64_t planes = problem.way > 2 && everybody_is_called(problem) ? 4 : 6;  // blocks and rows
  if (problem.way == 4) planes = (planes + 2) * available_cpus();  // of each thread, with the people sorted
  std::uint64_t bytes = 0;
  for (const BlocksView& people : problem.classes)
    bytes += people.shape.n_blocks() * people.shape.block_bytes() * planes;
  if (problem.n_people() > kMostPeopleInFloat || bytes > memory)
    return make_cpu_epistasis_by_stretches(problem);
  return std::make_unique<CpuEpistasis>(problem);
}

}  // namespace fastid::engine
