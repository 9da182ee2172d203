#include "engine/epistasis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "engine/combinations.hpp"
#include "engine/cpu/cpu_epistasis.hpp"
#include "engine/internal/joint.hpp"

namespace fastid::engine {
namespace {

class ReferenceEpistasis final : public EpistasisEngine {
 public:
  explicit ReferenceEpistasis(const EpistasisProblem& problem) : problem_(problem), scorer_(problem) {}

  void find(const Rectangle& tile, BestCombinations& best) const override {
    const std::uint32_t n = problem_.n_sites();
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
      if (problem_.way == 2) {
        for (std::uint32_t second = first + 1; second < n; ++second) offer({first, second}, best);
        continue;
      }
      for (std::uint32_t second = std::max(tile.column_begin, first + 1); second < tile.column_end; ++second)
        for (std::uint32_t third = second + 1; third < n; ++third) {
          if (problem_.way == 3) offer({first, second, third}, best);
          for (std::uint32_t last = third + 1; problem_.way == 4 && last < n; ++last)
            offer({first, second, third, last}, best);
        }
    }
  }

  std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const override {
    return std::make_unique<ReferenceEpistasis>(dealt);
  }

 private:
  void offer(const SiteCombination& sites, BestCombinations& best) const {
    best.offer({scorer_.cost(count_table(problem_, sites)), sites});
  }

  EpistasisProblem problem_;
  TableScorer scorer_;
};

class JointEpistasis final : public Joint<EpistasisEngine> {
 public:
  using Joint::Joint;

  std::uint32_t tile_sites(std::size_t threads, std::uint32_t sites) const override {
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    for (const auto& engine : engines()) fewest = std::min(fewest, engine->tile_sites(threads, sites));
    return fewest;
  }

  void find(const Rectangle& tile, BestCombinations& best) const override { lend()->find(tile, best); }

  std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const override {
    std::vector<std::unique_ptr<EpistasisEngine>> made;
    for (const auto& engine : engines()) made.push_back(engine->dealt_again(dealt));
    return std::make_unique<JointEpistasis>(std::move(made));
  }
};

// Whether a tile has all second sites. Of four sites a first one has work enough, and what is made for it is
// made once.
bool are_strips(const EpistasisProblem& problem) {
  return problem.way != 3;
}

// Such that a tile has at most some percent of a shard's combinations.
std::uint32_t sites_of_shard_tiles(const EpistasisProblem& problem, std::uint32_t shards) {
  constexpr double kMost = 128;
  const double n = problem.n_sites();
  const double sites = are_strips(problem) ? n / (100.0 * shards) : n / (17 * std::sqrt(shards));
  return static_cast<std::uint32_t>(std::clamp(sites, 1.0, kMost));
}

// Appends the tiles of at most `sites` first and second sites that a tile is cut into, and that have
// combinations.
void cut(const EpistasisProblem& problem, const Rectangle& tile, std::uint32_t sites,
         std::vector<Rectangle>& into) {
  const std::uint32_t seconds = are_strips(problem) ? problem.n_sites() : sites;
  for (std::uint32_t first = tile.row_begin; first < tile.row_end; first += sites) {
    // Pieces whose second sites all come before the first ones have none.
    const std::uint32_t later = std::max(first + 1, tile.column_begin) - tile.column_begin;
    for (std::uint32_t second = tile.column_begin + later / seconds * seconds; second < tile.column_end;
         second += seconds) {
      const Rectangle piece{first, std::min(first + sites, tile.row_end), second,
                            std::min(second + seconds, tile.column_end)};
      if (n_combinations(problem, piece) > 0) into.push_back(piece);
    }
  }
}

// Of the sites so far: the people of a word with each joint genotype.
using JointPeople = std::array<Word, kMostCells>;

void add_site(Word minor, Word major, std::size_t cells, JointPeople& joint) {
  for (std::size_t cell = cells; cell-- > 0;) {
    const Word before = joint[cell];
    for (std::size_t genotype = 0; genotype < kSiteGenotypes; ++genotype)
      joint[kSiteGenotypes * cell + genotype] = before & genotype_word(genotype, minor, major);
  }
}

}  // namespace

GenotypeTable count_table(const EpistasisProblem& problem, const SiteCombination& sites) {
  GenotypeTable table;
  for (std::size_t of = 0; of < kClasses; ++of) {
    const BlocksView& people = problem.classes[of];
    for (std::size_t word = 0; word < people.shape.n_words(); ++word) {
      JointPeople joint = {~Word{0}};
      std::size_t cells = 1;
      for (std::size_t i = 0; i < problem.way; ++i, cells *= kSiteGenotypes)
        add_site(people.bits_word(sites[i], word), people.major_word(sites[i], word), cells, joint);
      for (std::size_t cell = 0; cell < cells; ++cell)
        if (joint[cell] != 0)  // of 32 people most of 81 genotypes have nobody
          table.cells[cell][of] += static_cast<std::uint32_t>(bits_set(joint[cell]));
    }
  }
  return table;
}

std::vector<SitePeople> people_of_sites(const std::array<BlocksView, kClasses>& classes) {
  std::vector<SitePeople> people(static_cast<std::size_t>(classes[0].shape.n_profiles));
  const auto add = [&](std::size_t of, std::size_t site, std::size_t word) {
    const Word minor = classes[of].bits_word(site, word), major = classes[of].major_word(site, word);
    for (std::size_t genotype = 0; genotype < 2; ++genotype)
      people[site][of][genotype] +=
          static_cast<std::uint32_t>(bits_set(genotype_word(genotype, minor, major)));
  };
  for (std::size_t of = 0; of < kClasses; ++of)
    for (std::size_t begin = 0; begin < people.size();
         begin += kLanes)  // a block's sites lie beside each other
      for (std::size_t word = 0; word < classes[of].shape.n_words(); ++word)
        for (std::size_t site = begin; site < std::min(begin + kLanes, people.size()); ++site)
          add(of, site, word);
  return people;
}

std::uint64_t n_people(const GenotypeTable& table) {
  std::uint64_t n = 0;
  for (const auto& [controls, cases] : table.cells) n += std::uint64_t{controls} + cases;
  return n;
}

double k2_of_one_cell(std::uint64_t controls, std::uint64_t cases) {
  const auto log_factorial = [](std::uint64_t n) { return std::lgamma(static_cast<double>(n) + 1); };
  return log_factorial(controls + cases + 1) - log_factorial(controls) - log_factorial(cases);
}

TableScorer::TableScorer(const EpistasisProblem& problem)
    : score_(problem.score), n_cells_(problem.n_cells()), min_people_(problem.min_people) {
  constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 20;  // 8 MiB
  const std::uint64_t n = std::min(problem.n_people() + 2, kMostTerms);
  terms_.reserve(n);
  for (std::uint64_t i = 0; i < n; ++i) terms_.push_back(score_term(score_, i));
}

double score_term(EpistasisScore score, std::uint64_t n) {
  const auto people = static_cast<double>(n);
  if (score == EpistasisScore::kK2) return std::lgamma(people + 1);
  return n == 0 ? 0 : people * std::log(people);
}

// Mutual information: H(X) + H(Y) - H(X, Y), where n people with x_i in cell i have H(X) = ln n - sum of
// x_i ln x_i / n.
double TableScorer::cost(const GenotypeTable& table) const {
  const bool k2 = score_ == EpistasisScore::kK2;
  const auto k2_of = [&](const Cell& cell) {
    return term(cell[0] + cell[1] + 1) - term(cell[0]) - term(cell[1]);
  };
  double sum = 0;
  Cell all{};
  for (const Cell& cell : std::span(table.cells).first(n_cells_)) {
    sum += k2 ? k2_of(cell) : term(cell[0]) + term(cell[1]) - term(cell[0] + cell[1]);
    for (std::size_t of = 0; of < kClasses; ++of) all[of] += cell[of];
  }
  const std::uint32_t n = all[0] + all[1];
  if (n < min_people_) return std::numeric_limits<double>::infinity();
  if (k2) return sum - k2_of(all);
  return n == 0 ? -0.0 : -std::max(0.0, (sum + (term(n) - term(all[0]) - term(all[1]))) / n);
}

void BestCombinations::offer(const ScoredCombination& combination) {
  if (std::isinf(combination.cost) || combination.cost > worst()) return;
  const std::lock_guard lock(guard_);
  kept_.insert(combination);
  if (kept_.size() < top_) return;
  const double before = worst_;
  ScoredCombination out;
  const bool full = kept_.size() > top_;
  if (full) {
    out = *kept_.rbegin();
    kept_.erase(std::prev(kept_.end()));
  }
  const double now = kept_.rbegin()->cost;
  if (now < before) ties_ = 0;
  if (full && out.cost == now) ++ties_;
  worst_ = now;
}

std::vector<ScoredCombination> BestCombinations::kept() const {
  const std::lock_guard lock(guard_);
  return {kept_.begin(), kept_.end()};
}

std::uint64_t BestCombinations::ties() const {
  const std::lock_guard lock(guard_);
  return ties_;
}

std::uint64_t n_combinations(const EpistasisProblem& problem, const Rectangle& tile) {
  const std::uint64_t n_sites = problem.n_sites();
  std::uint64_t n = 0;
  for (std::uint64_t first = tile.row_begin; first < tile.row_end; ++first) {
    const std::uint64_t begin = std::max<std::uint64_t>(tile.column_begin, first + 1);
    if (problem.way == 2)
      n += n_sites - first - 1;
    else if (begin < tile.column_end)  // all sites from a second one on, less those after the last second one
      n += n_combinations(n_sites - begin, problem.way - 1) -
           n_combinations(n_sites - tile.column_end, problem.way - 1);
  }
  return n;
}

std::uint64_t n_combinations(const EpistasisProblem& problem) {
  return n_combinations(problem, {0, problem.n_sites(), 0, problem.n_sites()});
}

std::vector<Rectangle> tiles_of(const EpistasisProblem& problem, std::uint32_t sites) {
  const std::uint32_t n = problem.n_sites();
  std::vector<Rectangle> tiles;
  cut(problem, {0, n, 0, n}, sites, tiles);
  return tiles;
}

// Some tiles for each thread, so that none is left alone with a large one; not so large that the pairs of a
// tile leave a core's cache.
std::uint32_t EpistasisEngine::tile_sites(std::size_t threads, std::uint32_t sites) const {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(sites / (8 * threads), 1, kMostSitesOfTile));
}

bool is_less_together(const EpistasisProblem& problem, std::size_t deals) {
  const std::uint64_t smaller = std::min(problem.n_people(0), problem.n_people(1));
  return problem.n_people() + deals * smaller < deals * problem.n_people();
}

void EpistasisEngine::find_dealt(const Rectangle& tile, std::span<const DealtSearch> dealt) const {
  for (const DealtSearch& one : dealt) one.engine->find(tile, *one.best);
}

std::vector<Rectangle> tiles_of_shard(const EpistasisProblem& problem, const Shard& shard) {
  const Range share = share_of(n_combinations(problem), shard);
  std::vector<Rectangle> own;
  std::uint64_t before = 0;
  for (const Rectangle& tile : tiles_of(problem, sites_of_shard_tiles(problem, shard.of))) {
    if (before >= share.first && before < share.end) own.push_back(tile);
    before += n_combinations(problem, tile);
  }
  return own;
}

bool hold(std::span<const Rectangle> tiles, std::size_t way, const SiteCombination& sites) {
  const std::uint32_t first = sites[0], second = sites[1];
  const auto tile = std::ranges::partition_point(tiles, [&](const auto& one) {
    return one.row_end <= first || (one.row_begin <= first && way == 3 && one.column_end <= second);
  });
  return tile != tiles.end() && tile->row_begin <= first && (way != 3 || tile->column_begin <= second);
}

std::vector<Rectangle> tiles_for(const EpistasisProblem& problem, const EpistasisEngine& engine,
                                 std::size_t threads, const Shard& shard) {
  const std::uint32_t sites = problem.way == 4 ? 1 : engine.tile_sites(threads, problem.n_sites());
  if (shard.of == 1) return tiles_of(problem, sites);
  std::vector<Rectangle> tiles;
  for (const Rectangle& tile : tiles_of_shard(problem, shard)) cut(problem, tile, sites, tiles);
  return tiles;
}

bool everybody_is_called(const EpistasisProblem& problem) {
  for (const BlocksView& people : problem.classes)
    for (std::uint32_t site = 0; site < problem.n_sites(); ++site)
      for (std::size_t word = 0; word < people.shape.n_words(); ++word)
        if (people.called_word(site, word) != sites_mask(people.shape.n_sites, word)) return false;
  return true;
}

std::array<PickedClasses, kSiteGenotypes> people_by_genotype(const EpistasisProblem& problem,
                                                             std::uint32_t site) {
  const auto with = [&](std::size_t genotype, std::size_t of) {
    const BlocksView& people = problem.classes[of];
    std::vector<Word> picked;
    for (std::size_t word = 0; word < people.shape.n_words(); ++word)
      picked.push_back(genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word)));
    return PickedUnits({&people, 1}, {&picked, 1}, site + 1);
  };
  return {PickedClasses{with(0, 0), with(0, 1)}, PickedClasses{with(1, 0), with(1, 1)},
          PickedClasses{with(2, 0), with(2, 1)}};
}

std::unique_ptr<EpistasisEngine> make_joint_epistasis(std::vector<std::unique_ptr<EpistasisEngine>> engines) {
  return as_one<JointEpistasis>(std::move(engines));
}

std::unique_ptr<EpistasisEngine> make_epistasis_engine(const std::string& device,
                                                       const EpistasisProblem& problem,
                                                       std::uint64_t memory) {
  if (device == "cpu") return make_cpu_epistasis(problem, memory);
  if (device == "reference") return std::make_unique<ReferenceEpistasis>(problem);
  return nullptr;
}

}  // namespace fastid::engine
