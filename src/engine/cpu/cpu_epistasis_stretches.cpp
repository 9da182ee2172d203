// Epistasis on the CPU for any number of people: of a block of sites and the pairs of a tile one stretch of
// people is counted after the other, so that the stretch stays in the cache, and what is held besides the
// people does not grow with them; but of four sites each thread holds them as the first one sorts them.
// Counts are whole numbers, and so are the cells that follow from them; WideCostBound tests them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "bits/popcount.hpp"
#include "engine/cpu/cpu_epistasis.hpp"
#include "engine/cpu/cpu_epistasis_people.hpp"

namespace fastid::engine {
namespace {

using PeopleOfClasses = std::array<BlocksView, kClasses>;
using LaneCounts = std::array<std::uint32_t, kLanes>;
/// A slab's tables of a block: [class][cell][lane].
using SlabTables = std::array<std::array<LaneCounts, kTripleCells>, kClasses>;
constexpr std::size_t kGenotypesByRest = 2;  // that are counted of a site
constexpr std::size_t kCellsByRest = 8, kMarginsByRest = 4;
constexpr std::uint32_t kMostStretchSites =
    16;  // of a tile: the counts of its pairs with a block stay in the cache

/// A stretch of the words of a class.
struct Stretch {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// Whole counts of each of some sites, or pairs, with a block: [one][slab][class][joint genotype][lane].
class StretchCounts {
 public:
  void begin(std::size_t n, std::size_t slabs, std::size_t cells) {
    slabs_ = slabs;
    cells_ = cells;
    counts_.assign(n * slabs * kClasses * cells, {});
  }
  LaneCounts* at(std::size_t i, std::size_t slab, std::size_t of) {
    return counts_.data() + ((i * slabs_ + slab) * kClasses + of) * cells_;
  }

 private:
  std::size_t slabs_ = 0, cells_ = 0;
  std::vector<LaneCounts> counts_;
};

/// The memory of a tile.
struct StretchScratch {
  std::vector<PairOfTile> pairs;
  std::vector<Word> first_rows, second_rows, both;  ///< [site][word][genotype]
  std::array<WordBuffer, kSiteGenotypes> block;
  StretchCounts counts, with_first, with_second;
  /// [pair][slab][class][joint genotype of 0 and 1]
  std::vector<std::array<std::array<std::array<std::uint32_t, kMarginsByRest>, kClasses>, kSiteGenotypes>>
      of_pairs;
  std::array<SlabTables, kSiteGenotypes> tables;
};

/// What is counted: everybody, or of four sites those with one genotype of the first one.
struct StretchSlab {
  PeopleOfClasses classes;
  std::vector<SitePeople> own;  ///< empty where all cells are counted
};

/// The lanes of a block whose combination may be among the best. \param tables  of each slab
std::uint32_t lanes_that_pass(const WideCostBound& bound, std::span<const SlabTables> tables,
                              std::size_t n_cells) {
  std::array<double, kLanes> squares{}, logs{}, people{};
  for (const SlabTables& slab : tables) {
    std::array<double, kLanes> product;  // of 27 numbers below 2^32: a double holds it
    product.fill(1);
    for (std::size_t cell = 0; cell < n_cells; ++cell)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double cases = slab[1][cell][lane], n = slab[0][cell][lane] + cases;
        const double m = n + bound.prior_people, d = cases + bound.prior_cases - bound.share * m;
        squares[lane] += d * d / m;
        people[lane] += m;
        product[lane] *= m;
      }
    for (std::size_t lane = 0; lane < kLanes; ++lane) logs[lane] += std::log2(product[lane]);
  }
  std::uint32_t may = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const double have = bound.squares * squares[lane] - bound.logs * logs[lane];
    const bool passes = people[lane] >= bound.least && have >= people[lane] * bound.people + bound.rest;
    may |= std::uint32_t{passes} << lane;
  }
  return may;
}

class CpuEpistasisByStretches final : public EpistasisEngine {
 public:
  CpuEpistasisByStretches(const EpistasisProblem& problem, std::size_t words)
      : problem_(problem),
        words_(words),
        scorer_(problem),
        by_rest_(problem.way > 2 && everybody_is_called(problem)),
        add_(epistasis_counter(counted_planes(problem.way, by_rest_))),
        add_margins_(epistasis_counter(CountedPlanes::k2x2)) {
    if (problem.way < 4) everybody_.emplace(slab_of(problem.classes));
  }

  std::uint32_t tile_sites(std::size_t threads, std::uint32_t sites) const override {
    return std::min(EpistasisEngine::tile_sites(threads, sites), kMostStretchSites);
  }

  void find(const Rectangle& tile, BestCombinations& best) const override {
    StretchScratch scratch;
    if (problem_.way < 4) return find(tile, {&*everybody_, 1}, {}, scratch, best);
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
      const auto by_genotype = people_by_genotype(problem_, first);
      std::vector<StretchSlab> slabs;
      for (const PickedClasses& with : by_genotype)
        slabs.push_back(slab_of({with[0].view(), with[1].view()}));
      each_tile_after(first, problem_.n_sites(), kMostStretchSites,
                      [&](const Rectangle& triples) { find(triples, slabs, first, scratch, best); });
    }
  }

  KernelStep step() const override { return cpu_epistasis_step(problem_.way, by_rest_); }

  std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const override {
    return std::make_unique<CpuEpistasisByStretches>(dealt, words_);
  }

 private:
  bool is_of_pairs() const { return problem_.way == 2; }
  std::size_t row_planes() const { return by_rest_ ? kGenotypesByRest : kSiteGenotypes; }
  std::size_t n_counted() const { return is_of_pairs() ? 9 : by_rest_ ? kCellsByRest : kTripleCells; }

  StretchSlab slab_of(const PeopleOfClasses& classes) const {
    return {classes, by_rest_ ? people_of_sites(classes) : std::vector<SitePeople>{}};
  }

  // \param before  a first site of four that comes before the three of the tile
  void find(const Rectangle& tile, std::span<const StretchSlab> slabs, std::optional<std::uint32_t> before,
            StretchScratch& scratch, BestCombinations& best) const {
    put_pairs(tile, scratch.pairs);
    if (scratch.pairs.empty()) return;
    scratch.of_pairs.assign(scratch.pairs.size(), {});
    const std::size_t begin = (scratch.pairs[0].second + 1) / kLanes;
    for (std::size_t block = begin; block < problem_.classes[0].shape.n_blocks(); ++block) {
      scratch.counts.begin(scratch.pairs.size(), slabs.size(), n_counted());
      scratch.with_first.begin(tile.row_end - tile.row_begin, slabs.size(), kMarginsByRest);
      scratch.with_second.begin(tile.column_end - tile.column_begin, slabs.size(), kMarginsByRest);
      for (std::size_t slab = 0; slab < slabs.size(); ++slab)
        for (std::size_t of = 0; of < kClasses; ++of)
          count(tile, slabs[slab].classes[of], slab, of, block, block == begin, scratch);
      test(tile, slabs, before, block, scratch, best);
    }
  }

  void put_pairs(const Rectangle& tile, std::vector<PairOfTile>& pairs) const {
    pairs.clear();
    for (std::uint32_t first = tile.row_begin; first < tile.row_end; ++first) {
      if (is_of_pairs()) pairs.push_back({first, first});
      for (std::uint32_t second = std::max(first + 1, tile.column_begin);
           !is_of_pairs() && second < tile.column_end; ++second)
        pairs.push_back({first, second});
    }
  }

  // A class of a slab with a block, stretch by stretch. \param of_pairs  counts the pairs themselves too
  void count(const Rectangle& tile, const BlocksView& people, std::size_t slab, std::size_t of,
             std::size_t block, bool of_pairs, StretchScratch& scratch) const {
    const std::size_t n_words = people.shape.n_words();
    for (Stretch stretch; stretch.begin < n_words; stretch.begin = stretch.end) {
      check_interrupt();
      stretch.end = std::min(stretch.begin + words_, n_words);
      put_rows(people, stretch, tile.row_begin, tile.row_end, scratch.first_rows);
      if (!is_of_pairs()) put_rows(people, stretch, tile.column_begin, tile.column_end, scratch.second_rows);
      const std::array<const Word*, kSiteGenotypes> planes = planes_of(people, stretch, block, scratch);
      for (std::size_t i = 0; i < scratch.pairs.size(); ++i) {
        const Word* const row = row_of(tile, scratch.pairs[i], stretch, scratch);
        add_(row, planes.data(), stretch.size(), scratch.counts.at(i, slab, of)->data());
        if (by_rest_ && of_pairs)
          for (std::size_t word = 0; word < stretch.size() * kMarginsByRest; ++word)
            scratch.of_pairs[i][slab][of][word % kMarginsByRest] +=
                static_cast<std::uint32_t>(bits_set(row[word]));
      }
      if (!by_rest_) continue;
      count_margins(scratch.first_rows, planes, stretch, tile.row_end - tile.row_begin,
                    [&](std::size_t i) { return scratch.with_first.at(i, slab, of)->data(); });
      count_margins(scratch.second_rows, planes, stretch, tile.column_end - tile.column_begin,
                    [&](std::size_t i) { return scratch.with_second.at(i, slab, of)->data(); });
    }
  }

  // [site][word][genotype]
  void put_rows(const BlocksView& people, const Stretch& stretch, std::uint32_t begin, std::uint32_t end,
                std::vector<Word>& rows) const {
    rows.clear();
    for (std::uint32_t site = begin; site < end; ++site)
      for (std::size_t word = stretch.begin; word < stretch.end; ++word)
        for (std::size_t genotype = 0; genotype < row_planes(); ++genotype)
          rows.push_back(
              genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word)));
  }

  // Planes of a block's genotypes: [word][lane], as the people have them.
  std::array<const Word*, kSiteGenotypes> planes_of(const BlocksView& people, const Stretch& stretch,
                                                    std::size_t block, StretchScratch& scratch) const {
    const std::size_t from = block * people.shape.block_words() + stretch.begin * kLanes;
    std::array<const Word*, kSiteGenotypes> planes{};
    for (std::size_t genotype = 0; genotype < row_planes(); ++genotype) {
      WordBuffer& plane = scratch.block[genotype];
      if (plane.size() == 0) plane = WordBuffer(words_ * kLanes);
      Word* const to = plane.data();
      for (std::size_t i = 0; i < stretch.size() * kLanes; ++i)
        to[i] = genotype_word(genotype, people.bits[from + i], people.second[from + i]);
      planes[genotype] = to;
    }
    return planes;
  }

  // The joint genotypes of a pair, or a site's.
  const Word* row_of(const Rectangle& tile, const PairOfTile& pair, const Stretch& stretch,
                     StretchScratch& scratch) const {
    const std::size_t n = row_planes(), words = stretch.size() * n;
    const Word* first = scratch.first_rows.data() + (pair.first - tile.row_begin) * words;
    if (is_of_pairs()) return first;
    const Word* second = scratch.second_rows.data() + (pair.second - tile.column_begin) * words;
    scratch.both.resize(words * n);
    Word* to = scratch.both.data();
    for (std::size_t word = 0; word < stretch.size(); ++word, first += n, second += n)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) *to++ = first[a] & second[b];
    return scratch.both.data();
  }

  template <class CountsOf>
  void count_margins(const std::vector<Word>& rows, const std::array<const Word*, kSiteGenotypes>& planes,
                     const Stretch& stretch, std::size_t n, const CountsOf& counts_of) const {
    for (std::size_t i = 0; i < n; ++i)
      add_margins_(rows.data() + i * stretch.size() * kGenotypesByRest, planes.data(), stretch.size(),
                   counts_of(i));
  }

  void test(const Rectangle& tile, std::span<const StretchSlab> slabs, std::optional<std::uint32_t> before,
            std::size_t block, StretchScratch& scratch, BestCombinations& best) const {
    double worst = best.worst();
    WideCostBound bound = wide_cost_bound(problem_, worst);
    const std::size_t cells = std::min(problem_.n_cells(), kTripleCells);
    for (std::size_t i = 0; i < scratch.pairs.size(); ++i) {
      const auto [first, second] = scratch.pairs[i];
      if (second + 1 >= (block + 1) * kLanes) continue;  // no later site here
      for (std::size_t slab = 0; slab < slabs.size(); ++slab)
        put_tables(tile, slabs[slab], slab, i, block, scratch);
      if (const double now = best.worst(); now != worst) bound = wide_cost_bound(problem_, worst = now);
      std::uint32_t may = lanes_that_pass(bound, {scratch.tables.data(), slabs.size()}, cells);
      const SiteCombination sites = before          ? SiteCombination{*before, first, second}
                                    : is_of_pairs() ? SiteCombination{first}
                                                    : SiteCombination{first, second};
      for (; may != 0; may &= may - 1)
        offer(sites, block * kLanes + static_cast<std::size_t>(std::countr_zero(may)), second, scratch, best);
    }
  }

  // The exact score of a combination with a site of the block, if it comes after the second one.
  void offer(SiteCombination sites, std::size_t later, std::uint32_t second, const StretchScratch& scratch,
             BestCombinations& best) const {
    if (later <= second || later >= problem_.n_sites()) return;
    sites[problem_.way - 1] = static_cast<std::uint32_t>(later);
    const std::size_t of_slab = std::min(problem_.n_cells(), kTripleCells), lane = later % kLanes;
    GenotypeTable table;
    for (std::size_t cell = 0; cell < problem_.n_cells(); ++cell)
      for (std::size_t of = 0; of < kClasses; ++of)
        table.cells[cell][of] = scratch.tables[cell / of_slab][of][cell % of_slab][lane];
    best.offer({scorer_.cost(table), sites});
  }

  void put_tables(const Rectangle& tile, const StretchSlab& people, std::size_t slab, std::size_t i,
                  std::size_t block, StretchScratch& scratch) const {
    for (std::size_t of = 0; of < kClasses; ++of) {
      auto& cells = scratch.tables[slab][of];
      const LaneCounts* const counted = scratch.counts.at(i, slab, of);
      if (by_rest_)
        put_rest(tile, people, slab, of, i, block, scratch);
      else
        std::copy_n(counted, n_counted(), cells.begin());
    }
  }

  // All cells of a class, of which those of genotypes 0 and 1 were counted.
  void put_rest(const Rectangle& tile, const StretchSlab& people, std::size_t slab, std::size_t of,
                std::size_t i, std::size_t block, StretchScratch& scratch) const {
    const auto [first, second] = scratch.pairs[i];
    const LaneCounts* const counted = scratch.counts.at(i, slab, of);
    const LaneCounts* const a_c = scratch.with_first.at(first - tile.row_begin, slab, of);
    const LaneCounts* const b_c = scratch.with_second.at(second - tile.column_begin, slab, of);
    const auto a_b = joint_of_pair(people, first, second, of, scratch.of_pairs[i][slab][of]);
    auto& cells = scratch.tables[slab][of];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t site = block * kLanes + lane;
      const auto at = [&](std::size_t a, std::size_t b, std::size_t c) -> std::uint32_t& {
        return cells[9 * a + 3 * b + c][lane];
      };
      for (std::size_t c = 0; c < kGenotypesByRest; ++c) {
        const std::uint32_t alone = site < problem_.n_sites() ? people.own[site][of][c] : 0;
        for (std::size_t a = 0; a < 2; ++a) {
          for (std::size_t b = 0; b < 2; ++b) at(a, b, c) = counted[4 * a + 2 * b + c][lane];
          at(a, 2, c) = a_c[2 * a + c][lane] - at(a, 0, c) - at(a, 1, c);
        }
        for (std::size_t b = 0; b < 2; ++b) at(2, b, c) = b_c[2 * b + c][lane] - at(0, b, c) - at(1, b, c);
        at(2, 2, c) = alone - b_c[c][lane] - b_c[2 + c][lane] - at(0, 2, c) - at(1, 2, c);
      }
      for (std::size_t ab = 0; ab < a_b.size(); ++ab)
        cells[3 * ab + 2][lane] = a_b[ab] - cells[3 * ab][lane] - cells[3 * ab + 1][lane];
    }
  }

  // The people of a class with each joint genotype of a pair. \param counted  those of genotypes 0 and 1
  static std::array<std::uint32_t, 9> joint_of_pair(
      const StretchSlab& people, std::uint32_t first, std::uint32_t second, std::size_t of,
      const std::array<std::uint32_t, kMarginsByRest>& counted) {
    const auto& a = people.own[first][of];
    const auto& b = people.own[second][of];
    std::array<std::uint32_t, 9> made{};
    for (std::size_t i = 0; i < 2; ++i) {
      made[3 * i] = counted[2 * i];
      made[3 * i + 1] = counted[2 * i + 1];
      made[3 * i + 2] = a[i] - made[3 * i] - made[3 * i + 1];
      made[6 + i] = b[i] - counted[i] - counted[2 + i];
    }
    made[8] = people.classes[of].shape.n_sites - a[0] - a[1] - made[6] - made[7];
    return made;
  }

  EpistasisProblem problem_;
  std::size_t words_;
  TableScorer scorer_;
  bool by_rest_;
  AddCounts add_, add_margins_;
  std::optional<StretchSlab> everybody_;  ///< of two and three sites
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_cpu_epistasis_by_stretches(const EpistasisProblem& problem,
                                                                 std::size_t words) {
  return std::make_unique<CpuEpistasisByStretches>(problem, words);
}

}  // namespace fastid::engine
