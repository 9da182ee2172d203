// Epistasis on the CPU: the pairs of a tile against block after block, which stays in the cache meanwhile. Of
// four sites the pairs are those of second and third sites, for one first site after the other.
#include <algorithm>
#include <array>
#include <bit>
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

std::vector<PairOfTile> pairs_of(std::size_t way, const Rectangle& tile) {
  std::vector<PairOfTile> pairs;
  for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
    if (way == 2) pairs.push_back({first, first});
    for (std::uint32_t second = std::max(first + 1, tile.column_begin); way > 2 && second < tile.column_end;
         ++second)
      pairs.push_back({first, second});
  }
  return pairs;
}

class CpuEpistasis final : public EpistasisEngine {
 public:
  /// \param stretch_words  0: the planes of all people are held
  CpuEpistasis(const EpistasisProblem& problem, std::size_t stretch_words)
      : problem_(problem),
        stretch_words_(stretch_words),
        scorer_(problem),
        by_subtraction_(problem.way > 2 && everybody_is_called(problem)),
        counter_(stretch_words > 0 ? make_stretch_counter(problem, by_subtraction_, stretch_words)
                                   : make_held_counter(problem, by_subtraction_)),
        first_lane_(counter_->first_lane()) {
    if (problem.way < 4) counter_->put_people({&problem.classes, 1});
  }

  std::uint32_t tile_sites(std::size_t threads, std::uint32_t sites) const override {
    return std::min(EpistasisEngine::tile_sites(threads, sites), most_sites());
  }

  KernelStep step() const override { return cpu_epistasis_step(problem_.way, by_subtraction_); }

  std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const override {
    return std::make_unique<CpuEpistasis>(dealt, stretch_words_);
  }

  void find(const Rectangle& tile, BestCombinations& best) const override {
    Search search(*this, best);
    if (problem_.way < 4) return find(tile, {&search, 1}, nullptr);
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
      const auto by_genotype = people_by_genotype(problem_, first);
      std::array<PeopleOfClasses, kSiteGenotypes> slabs;
      for (std::size_t slab = 0; slab < slabs.size(); ++slab)
        slabs[slab] = {by_genotype[slab][0].view(), by_genotype[slab][1].view()};
      search.counter->put_people(slabs);
      search.before = first;
      each_tile_after(first, problem_.n_sites(), most_sites(), [&](const Rectangle& triples) {
        find(triples, {&search, 1}, nullptr);
      });
    }
    search.counter->put_people({});  // frees the planes of the last first site
  }

  // Everybody is counted once, and of each deal the smaller class.
  void find_dealt(const Rectangle& tile, std::span<const DealtSearch> dealt) const override {
    if (!shares() || !is_less_together(problem_, dealt.size()))
      return EpistasisEngine::find_dealt(tile, dealt);
    const Loan together(*this);
    std::vector<Search> searches;
    for (const DealtSearch& one : dealt)
      searches.emplace_back(static_cast<const CpuEpistasis&>(*one.engine), *one.best);
    find(tile, searches, &*together);
  }

  std::size_t dealt_at_once() const override {
    constexpr std::size_t kMost = 8;  // the planes of a tile's pairs are held of each
    return shares() ? kMost : 1;
  }

 private:
  /// A counter, which another thread may use later.
  class Loan {
   public:
    explicit Loan(const CpuEpistasis& of) : of_(&of), counter_(of.take_counter()) {}
    Loan(Loan&&) = default;
    ~Loan() {
      if (counter_) of_->give_back(std::move(counter_));
    }
    TileCounter& operator*() const { return *counter_; }
    TileCounter* operator->() const { return counter_.get(); }

   private:
    const CpuEpistasis* of_;
    std::unique_ptr<TileCounter> counter_;
  };

  /// What finds an engine's combinations in a tile.
  struct Search {
    Search(const CpuEpistasis& of, BestCombinations& to) : engine(&of), counter(of), best(&to) {}

    const CpuEpistasis* engine;
    Loan counter;
    BestCombinations* best;
    std::optional<std::uint32_t> before{};  ///< a first site of four that comes before the three of the tile
  };

  bool shares() const { return stretch_words_ == 0 && problem_.way < 4; }

  /// First, and second, sites of a tile: the counts of its pairs with a block stay in the cache.
  std::uint32_t most_sites() const {
    constexpr std::uint32_t kByStretches = 16;
    return stretch_words_ > 0 ? kByStretches : kMostSitesOfTile;
  }

  // Searches a tile of these engines' combinations. \param together  null, or what counts both classes as one
  void find(const Rectangle& tile, std::span<Search> searches, TileCounter* together) const {
    const std::vector<PairOfTile> pairs = pairs_of(problem_.way, tile);
    if (pairs.empty() || searches.empty()) return;
    if (together != nullptr) together->begin(tile, pairs, nullptr);
    for (const Search& one : searches) one.counter->begin(tile, pairs, together);
    const std::size_t end = problem_.classes[0].shape.n_blocks();
    for (std::size_t block = (first_lane_ + pairs[0].second + 1) / kLanes; block < end; ++block) {
      if (together != nullptr) together->count_together(block);
      for (const Search& one : searches) one.engine->find_block(block, pairs, one);
    }
  }

  void find_block(std::size_t block, std::span<const PairOfTile> pairs, const Search& search) const {
    check_interrupt();
    search.counter->count_block(block);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!has_later(pairs[i], first_lane_, block)) continue;
      std::uint32_t may = search.counter->find(i, search.best->worst());
      for (; may != 0; may &= may - 1)
        offer(pairs[i], block * kLanes + static_cast<std::size_t>(std::countr_zero(may)), search);
    }
  }

  // The exact score of a combination that may be among the best, if its last lane has a later site.
  void offer(const PairOfTile& pair, std::size_t lane, const Search& search) const {
    if (lane <= first_lane_ + pair.second || lane >= first_lane_ + problem_.n_sites()) return;
    const auto last = static_cast<std::uint32_t>(lane - first_lane_);
    const SiteCombination sites = search.before
                                      ? SiteCombination{*search.before, pair.first, pair.second, last}
                                  : problem_.way == 2 ? SiteCombination{pair.first, last}
                                                      : SiteCombination{pair.first, pair.second, last};
    search.best->offer({scorer_.cost(search.counter->table_of(lane % kLanes)), sites});
  }

  std::unique_ptr<TileCounter> take_counter() const {
    const std::lock_guard lock(guard_);
    if (unused_.empty()) {
      unused_.reserve(++n_counters_);  // so that none has to be dropped when it is given back
      return counter_->another();
    }
    std::unique_ptr<TileCounter> counter = std::move(unused_.back());
    unused_.pop_back();
    return counter;
  }
  void give_back(std::unique_ptr<TileCounter> counter) const noexcept {
    const std::lock_guard lock(guard_);
    unused_.push_back(std::move(counter));
  }

  EpistasisProblem problem_;
  std::size_t stretch_words_;
  TableScorer scorer_;
  bool by_subtraction_;
  std::unique_ptr<TileCounter> counter_;  ///< takes no tile: threads have others for the same people
  std::size_t first_lane_;
  mutable std::mutex guard_;
  mutable std::size_t n_counters_ = 0;
  mutable std::vector<std::unique_ptr<TileCounter>> unused_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_cpu_epistasis(const EpistasisProblem& problem, std::uint64_t memory) {
  std::uint64_t planes = problem.way > 2 && everybody_is_called(problem) ? 4 : 6;  // blocks and sites
  if (problem.way == 4) planes = (planes + 2) * available_cpus();  // of each thread, with the people sorted
  std::uint64_t bytes = 0;
  for (const BlocksView& people : problem.classes)
    bytes += people.shape.n_blocks() * people.shape.block_bytes() * planes;
  if (problem.n_people() > kMostPeopleInFloat || bytes > memory)
    return make_cpu_epistasis_by_stretches(problem);
  return std::make_unique<CpuEpistasis>(problem, 0);
}

std::unique_ptr<EpistasisEngine> make_cpu_epistasis_by_stretches(const EpistasisProblem& problem,
                                                                 std::size_t words) {
  return std::make_unique<CpuEpistasis>(problem, words);
}

}  // namespace fastid::engine
