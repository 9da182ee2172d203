// Epistasis on the CPU: the pairs of a tile against block after block, which stays in the cache meanwhile.
#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/process.hpp"
#include "bits/popcount.hpp"
#include "engine/cpu/cpu_epistasis.hpp"

namespace fastid {
namespace {

std::uint32_t bits_of(Word word) {
  return static_cast<std::uint32_t>(bits_set(word));
}

class CpuEpistasis final : public EpistasisEngine {
 public:
  explicit CpuEpistasis(const EpistasisProblem& problem)
      : problem_(problem),
        scorer_(problem),
        open_(cost_bound(problem, std::numeric_limits<double>::infinity())),
        by_rest_(problem.way == 3 && everybody_is_called(problem)) {
    kernel_ = epistasis_kernel(problem.way, by_rest_, problem.score == EpistasisScore::kK2);
    for (std::size_t of = 0; of < kClasses; ++of) pack(of);
    if (by_rest_) count_blocks();
  }

  void find(const CombinationTile& tile, BestCombinations& best) const override {
    if (problem_.way == 2)
      find_pairs(tile, best);
    else
      find_triples(tile, best);
  }

 private:
  /// The first two sites of combinations of three, and their planes.
  struct Pair {
    std::uint32_t first = 0, second = 0;
    std::array<const Word*, kClasses> planes{};
    KnownCells known{};
  };
  /// The memory of a tile, which is used again: the pairs' planes are megabytes.
  struct Scratch {
    std::array<std::vector<Word>, kClasses> planes;
    std::vector<Pair> pairs;
    std::vector<SiteMargins> with_first, with_second;
  };
  /// What finds combinations under the threshold as it is at the time.
  struct Search {
    BestCombinations& best;
    double worst = 0;
    CostBound bound{};
    BlockTables tables{};  ///< of the last block
  };

  std::size_t n_words(std::size_t of) const { return problem_.classes[of].shape.n_words(); }
  std::size_t row_planes() const { return by_rest_ ? 2 : kSiteGenotypes; }
  std::size_t n_blocks() const { return problem_.classes[0].shape.n_blocks(); }
  /// A site's lane among those of all blocks. Lanes of no site come first, where few combinations have a
  /// third one: the last block is multiplied with nearly all pairs.
  std::size_t lane_of(std::uint32_t site) const { return site + n_blocks() * kLanes - problem_.n_sites(); }

  // Each site's planes in two layouts: as a row that makes pairs, and in its block.
  void pack(std::size_t of) {
    const BlocksView& people = problem_.classes[of];
    const std::size_t words = n_words(of), in_block = people.shape.block_words();
    for (WordBuffer& plane : blocks_[of]) plane = WordBuffer(checked_mul(n_blocks(), in_block));
    rows_[of] = WordBuffer(checked_mul(checked_mul<std::size_t>(problem_.n_sites(), words), row_planes()));
    Word* row = rows_[of].data();
    for (std::uint32_t site = 0; site < problem_.n_sites(); ++site) {
      const std::size_t in_blocks = lane_of(site) / kLanes * in_block + lane_of(site) % kLanes;
      for (std::size_t word = 0; word < words; ++word)
        for (std::size_t genotype = 0; genotype < row_planes(); ++genotype) {
          const Word those =
              genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word));
          blocks_[of][genotype].data()[in_blocks + word * kLanes] = those;
          *row++ = those;
        }
    }
  }

  // Genotypes 0 and 1 of each site alone.
  void count_blocks() {
    of_blocks_.resize(n_blocks());
    for (std::uint32_t site = 0; site < problem_.n_sites(); ++site)
      for (std::size_t genotype = 0; genotype < 2; ++genotype) {
        std::array<std::uint32_t, kClasses> n{};
        for (std::size_t of = 0; of < kClasses; ++of)
          for (std::size_t word = 0; word < n_words(of); ++word)
            n[of] += bits_of(row_of(of, site)[word * 2 + genotype]);
        constexpr std::size_t kCells = kSiteGenotypes * kSiteGenotypes;
        BlockCells& block = of_blocks_[lane_of(site) / kLanes];
        const std::size_t lane = lane_of(site) % kLanes;
        block[0][genotype][lane] = open_.people_of(n[0] + n[1], kCells);
        block[1][genotype][lane] = open_.excess_of(n[0] + n[1], n[1], kCells);
      }
  }

  const Word* row_of(std::size_t of, std::uint32_t site) const {
    return rows_[of].data() + site * n_words(of) * row_planes();
  }

  EpistasisRun run_of(std::size_t block, const std::array<const Word*, kClasses>& first) const {
    EpistasisRun run{.first = first};
    for (std::size_t of = 0; of < kClasses; ++of) {
      run.n_words[of] = n_words(of);
      for (std::size_t genotype = 0; genotype < row_planes(); ++genotype)
        run.block[of][genotype] = blocks_[of][genotype].data() + block * n_words(of) * kLanes;
    }
    return run;
  }
  std::array<const Word*, kClasses> rows_of(std::uint32_t site) const {
    return {row_of(0, site), row_of(1, site)};
  }

  void find_pairs(const CombinationTile& tile, BestCombinations& best) const {
    for (std::uint32_t first = tile.first_begin; first < tile.first_end; ++first) {
      check_interrupt();
      Search search{best};
      for (std::size_t block = (lane_of(first) + 1) / kLanes; block < n_blocks(); ++block) {
        tighten(search);
        const std::uint32_t may =
            kernel_.find(run_of(block, rows_of(first)), {}, search.bound, search.tables);
        offer(search, may, block, first, [&](std::uint32_t last) { return SiteCombination{first, last, 0}; });
      }
    }
  }

  void find_triples(const CombinationTile& tile, BestCombinations& best) const {
    Scratch scratch = take_scratch();
    auto& [planes, pairs, with_first, with_second] = scratch;
    make_pairs(tile, scratch);
    with_first.resize(tile.first_end - tile.first_begin);
    with_second.resize(tile.second_end - tile.second_begin);
    if (by_rest_) count_pairs(tile, pairs, with_first);
    Search search{best};
    for (std::size_t block = (lane_of(tile.second_begin) + 1) / kLanes; block < n_blocks(); ++block) {
      check_interrupt();
      if (by_rest_) {
        count_margins(block, tile.first_begin, with_first);
        count_margins(block, tile.second_begin, with_second);
      }
      for (Pair& pair : pairs) {
        if (lane_of(pair.second) >= (block + 1) * kLanes - 1) continue;  // no later site here
        pair.known.with_first = &with_first[pair.first - tile.first_begin];
        pair.known.with_second = &with_second[pair.second - tile.second_begin];
        tighten(search);
        const std::uint32_t may =
            kernel_.find(run_of(block, pair.planes), pair.known, search.bound, search.tables);
        offer(search, may, block, pair.second, [&](std::uint32_t last) {
          return SiteCombination{pair.first, pair.second, last};
        });
      }
    }
    give_back(std::move(scratch));
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
    const double worst = search.best.worst();
    if (worst == search.worst && search.bound.share != 0) return;
    search.worst = worst;
    search.bound = cost_bound(problem_, worst);
    if (by_rest_) search.bound = search.bound.of_everybody(problem_);
  }

  // The exact score of what a kernel let through of a block, as far as it comes after another site.
  template <class Sites>
  void offer(Search& search, std::uint32_t may, std::size_t block, std::uint32_t after,
             const Sites& sites) const {
    for (; may != 0; may &= may - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(may));
      const std::size_t last = block * kLanes + lane;
      if (last > lane_of(after))
        search.best.offer({scorer_.cost(table_of(search.tables, lane)),
                           sites(static_cast<std::uint32_t>(last - lane_of(0)))});
    }
  }

  GenotypeTable table_of(const BlockTables& tables, std::size_t lane) const {
    GenotypeTable table;
    for (std::size_t cell = 0; cell < problem_.n_cells(); ++cell)
      table.cells[cell] = open_.cell_of(tables[0][cell][lane], tables[1][cell][lane]);
    return table;
  }

  // The pairs of a tile, and their planes.
  void make_pairs(const CombinationTile& tile, Scratch& scratch) const {
    auto& pairs = scratch.pairs;
    pairs.clear();
    for (std::uint32_t first = tile.first_begin; first < tile.first_end; ++first)
      for (std::uint32_t second = std::max(first + 1, tile.second_begin); second < tile.second_end; ++second)
        pairs.push_back({.first = first, .second = second});
    for (std::size_t of = 0; of < kClasses; ++of) {
      const std::size_t each = n_words(of) * row_planes() * row_planes();
      const std::vector<Word> first = repeated(of, tile.first_begin, tile.first_end, true),
                              second = repeated(of, tile.second_begin, tile.second_end, false);
      scratch.planes[of].resize(std::max(scratch.planes[of].size(), checked_mul(pairs.size(), each)));
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        Word* const to = scratch.planes[of].data() + i * each;
        const Word* const a = first.data() + (pairs[i].first - tile.first_begin) * each;
        const Word* const b = second.data() + (pairs[i].second - tile.second_begin) * each;
        for (std::size_t word = 0; word < each; ++word) to[word] = a[word] & b[word];
        pairs[i].planes[of] = to;
      }
    }
  }

  // Rows of sites with their planes repeated, so that the product of a first and a second row has every joint
  // genotype: of each word 0 0 1 1 of first sites, 0 1 0 1 of second ones.
  std::vector<Word> repeated(std::size_t of, std::uint32_t begin, std::uint32_t end, bool first) const {
    const std::size_t n = row_planes();
    std::vector<Word> made;
    made.reserve((end - begin) * n_words(of) * n * n);
    const Word* row = row_of(of, begin);
    for (std::size_t word = 0; word < (end - begin) * n_words(of); ++word, row += n)
      for (std::size_t i = 0; i < n * n; ++i) made.push_back(row[first ? i / n : i % n]);
    return made;
  }

  // How many people have each joint genotype of each pair. \param margins  for use meanwhile
  void count_pairs(const CombinationTile& tile, std::vector<Pair>& pairs,
                   std::vector<SiteMargins>& margins) const {
    for (std::size_t block = lane_of(tile.second_begin) / kLanes;
         block <= lane_of(tile.second_end - 1) / kLanes; ++block) {
      count_margins(block, tile.first_begin, margins);
      for (Pair& pair : pairs)
        if (lane_of(pair.second) / kLanes == block) put_pair(pair, margins[pair.first - tile.first_begin]);
    }
  }

  void put_pair(Pair& pair, const SiteMargins& margins) const {
    const auto n = static_cast<std::uint32_t>(problem_.n_people());
    const std::array<float, kQuantities> everybody = {open_.people_of(n, kMostCells),
                                                      open_.excess_of(n, problem_.n_people(1), kMostCells)};
    for (std::size_t q = 0; q < kQuantities; ++q) {
      const auto& alone = of_blocks_[lane_of(pair.first) / kLanes][q];
      const std::size_t lane = lane_of(pair.first) % kLanes;
      const float zero = alone[0][lane], one = alone[1][lane];
      const std::array<float, kSiteGenotypes> of_first = {zero, one, everybody[q] - zero - one};
      for (std::size_t a = 0; a < kSiteGenotypes; ++a) {
        float* const cells = &pair.known.of_pair[q][3 * a];
        for (std::size_t b = 0; b < 2; ++b) cells[b] = margins[q][a][b][lane_of(pair.second) % kLanes];
        cells[2] = of_first[a] - cells[0] - cells[1];
      }
    }
  }

  void count_margins(std::size_t block, std::uint32_t begin, std::vector<SiteMargins>& margins) const {
    for (std::size_t i = 0; i < margins.size(); ++i)
      kernel_.margins(run_of(block, rows_of(begin + static_cast<std::uint32_t>(i))), of_blocks_[block], open_,
                      margins[i]);
  }

  EpistasisProblem problem_;
  TableScorer scorer_;
  CostBound open_;  ///< lets all pass: for what is the same in all bounds
  bool by_rest_;    ///< cells of genotype 2 are not counted
  EpistasisKernel kernel_;
  std::array<std::array<WordBuffer, kSiteGenotypes>, kClasses> blocks_;
  std::array<WordBuffer, kClasses> rows_;  ///< [site][word][genotype]
  std::vector<BlockCells> of_blocks_;
  mutable std::mutex guard_;
  mutable std::vector<Scratch> unused_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_cpu_epistasis(const EpistasisProblem& problem) {
  return std::make_unique<CpuEpistasis>(problem);
}

}  // namespace fastid
