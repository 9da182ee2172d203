// Epistasis on the CPU for any number of people: of a block of sites and the pairs of a tile one stretch of
// people is counted after the other, so that the stretch stays in the cache, and what is held besides the
// people does not grow with them; but of four sites each thread holds them as the first one sorts them.
// Counts are whole numbers, and so are the cells that follow from them; WideCostBound tests them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/process.hpp"
#include "bits/popcount.hpp"
#include "engine/cpu/cpu_epistasis.hpp"
#include "engine/cpu/cpu_epistasis_people.hpp"

namespace fastid::engine {
namespace {

/// A slab's tables of a block: [class][cell][lane].
using SlabTables = std::array<std::array<LaneCounts, kTripleCells>, kClasses>;

/// A stretch of the words of a class.
struct Stretch {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// Of each slab and class.
template <class Item>
using OfSlabs = std::array<std::array<std::vector<Item>, kClasses>, kSiteGenotypes>;

/// What is counted: everybody, or of four sites those with one genotype of the first one.
struct StretchSlab {
  PeopleOfClasses classes;
  /// Of each block's sites genotypes 0 and 1: [block][class][genotype][lane]. Empty where all cells are
  /// counted.
  std::vector<std::array<std::array<LaneCounts, 2>, kClasses>> own;
};

/// The lanes of a block whose combination may be among the best. \param tables  of each slab
std::uint32_t lanes_that_pass(const WideCostBound& bound, std::span<const SlabTables> tables,
                              std::size_t n_cells) {
  std::array<double, kLanes> squares{}, logs{}, people{};
  for (const SlabTables& slab : tables) {
    std::array<double, kLanes> product{};  // of 27 numbers below 2^32: a double holds it
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
    const bool passes = people[lane] >= bound.least && have >= people[lane] * bound.people + bound.offset;
    may |= std::uint32_t{passes} << lane;
  }
  return may;
}

class StretchCounter final : public TileCounter {
 public:
  StretchCounter(const EpistasisProblem& problem, bool by_subtraction, std::size_t words)
      : TileCounter(problem, by_subtraction), words_(words) {}

  std::unique_ptr<TileCounter> another() const override {
    auto made = std::make_unique<StretchCounter>(problem_, by_subtraction_, words_);
    made->slabs_ = slabs_;
    return made;
  }

  void put_people(std::span<const PeopleOfClasses> slabs) override {
    slabs_.reset();  // before others take memory
    auto people = std::make_shared<std::vector<StretchSlab>>();
    for (const PeopleOfClasses& classes : slabs) {
      StretchSlab& slab = people->emplace_back(StretchSlab{classes, {}});
      if (!by_subtraction_) continue;
      slab.own.resize(classes[0].shape.n_blocks());
      const std::vector<SitePeople> of_sites = people_of_sites(classes);
      for (std::size_t site = 0; site < of_sites.size(); ++site)
        for (std::size_t of = 0; of < kClasses; ++of)
          for (std::size_t g = 0; g < 2; ++g)
            slab.own[site / kLanes][of][g][site % kLanes] = of_sites[site][of][g];
    }
    slabs_ = std::move(people);
  }

  std::size_t first_lane() const override { return 0; }

  std::uint32_t find(std::size_t i, double worst) override {
    if (worst != worst_) bound_ = wide_cost_bound(problem_, worst_ = worst);
    for (std::size_t slab = 0; slab < slabs_->size(); ++slab)
      for (std::size_t of = 0; of < kClasses; ++of)
        if (by_subtraction_)
          put_all_cells(slab, of, i);
        else
          std::copy_n(&counts_[slab][of][i * n_counted()], n_counted(), tables_[slab][of].begin());
    return lanes_that_pass(bound_, {tables_.data(), slabs_->size()}, cells_of_slab());
  }

  GenotypeTable table_of(std::size_t lane) const override {
    GenotypeTable table;
    for (std::size_t cell = 0; cell < problem_.n_cells(); ++cell)
      for (std::size_t of = 0; of < kClasses; ++of)
        table.cells[cell][of] = tables_[cell / cells_of_slab()][of][cell % cells_of_slab()][lane];
    return table;
  }

 private:
  // Of a site that are counted.
  std::size_t genotypes() const { return by_subtraction_ ? 2 : kSiteGenotypes; }

  void begin_tile(const TileCounter* /*together*/) override { is_first_block_ = true; }

  void count_known() override {
    for (std::size_t slab = 0; slab < slabs_->size(); ++slab)
      for (std::size_t of = 0; of < kClasses; ++of) count((*slabs_)[slab].classes[of], slab, of);
    is_first_block_ = false;
  }

  // A class of a slab with the block, stretch by stretch; with the tile's first block its pairs themselves
  // too.
  void count(const BlocksView& people, std::size_t slab, std::size_t of) {
    counts_[slab][of].assign(pairs_.size() * n_counted(), {});
    if (by_subtraction_) {
      with_first_[slab][of].assign(tile_.rows() * kMarginCells, {});
      with_second_[slab][of].assign(tile_.columns() * kMarginCells, {});
    }
    const bool of_pairs = by_subtraction_ && is_first_block_;
    if (of_pairs) joint_of_pairs_[slab][of].assign(pairs_.size(), {});
    const std::size_t n_words = people.shape.n_words();
    for (Stretch stretch; stretch.begin < n_words; stretch.begin = stretch.end) {
      check_interrupt();
      stretch.end = std::min(stretch.begin + words_, n_words);
      put_sites(people, stretch, tile_.row_begin, tile_.row_end, firsts_);
      if (problem_.way > 2) put_sites(people, stretch, tile_.column_begin, tile_.column_end, seconds_);
      const std::array<const Word*, kSiteGenotypes> planes = planes_of(people, stretch);
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Word* const joint = joint_planes(pairs_[i], stretch);
        kernel_.add(joint, planes.data(), stretch.size(), &counts_[slab][of][i * n_counted()]);
        if (of_pairs)
          for (std::size_t word = 0; word < stretch.size() * kMarginCells; ++word)
            joint_of_pairs_[slab][of][i][word % kMarginCells] +=
                static_cast<std::uint32_t>(bits_set(joint[word]));
      }
      if (!by_subtraction_) continue;
      const auto add_sites = [&](const std::vector<Word>& sites, std::vector<LaneCounts>& to) {
        const std::size_t each = stretch.size() * genotypes();
        for (std::size_t i = 0; i * each < sites.size(); ++i)
          kernel_.add_margins(&sites[i * each], planes.data(), stretch.size(), &to[i * kMarginCells]);
      };
      add_sites(firsts_, with_first_[slab][of]);
      add_sites(seconds_, with_second_[slab][of]);
    }
  }

  // Planes of sites: [site][word][genotype].
  void put_sites(const BlocksView& people, const Stretch& stretch, std::uint32_t begin, std::uint32_t end,
                 std::vector<Word>& planes) const {
    planes.clear();
    for (std::uint32_t site = begin; site < end; ++site)
      for (std::size_t word = stretch.begin; word < stretch.end; ++word)
        for (std::size_t genotype = 0; genotype < genotypes(); ++genotype)
          planes.push_back(
              genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word)));
  }

  // Planes of the block's genotypes: [word][lane], as the people have them.
  std::array<const Word*, kSiteGenotypes> planes_of(const BlocksView& people, const Stretch& stretch) {
    const std::size_t from = block_ * people.shape.block_words() + stretch.begin * kLanes;
    std::array<const Word*, kSiteGenotypes> planes{};
    for (std::size_t genotype = 0; genotype < genotypes(); ++genotype) {
      WordBuffer& plane = of_block_[genotype];
      if (plane.size() == 0) plane = WordBuffer(words_ * kLanes);
      Word* const to = plane.data();
      for (std::size_t i = 0; i < stretch.size() * kLanes; ++i)
        to[i] = genotype_word(genotype, people.bits[from + i], people.second[from + i]);
      planes[genotype] = to;
    }
    return planes;
  }

  // The joint genotypes of a pair, of two sites the genotypes of the first one: [word][joint genotype].
  const Word* joint_planes(const PairOfTile& pair, const Stretch& stretch) {
    const std::size_t n = genotypes(), words = stretch.size() * n;
    const Word* const first = firsts_.data() + (pair.first - tile_.row_begin) * words;
    if (pair.first == pair.second) return first;
    const Word* const second = seconds_.data() + (pair.second - tile_.column_begin) * words;
    joint_.resize(words * n);
    (by_subtraction_ ? &put_joint<2> : &put_joint<kSiteGenotypes>)(first, second, stretch.size(),
                                                                   joint_.data());
    return joint_.data();
  }

  // All cells of a class with pair i, of which those of genotypes 0 and 1 were counted. At first genotype 2
  // stands for anybody; then genotypes 0 and 1 are taken off, one site after the other.
  void put_all_cells(std::size_t slab, std::size_t of, std::size_t i) {
    constexpr std::size_t kAnybody = 2;
    const StretchSlab& people = (*slabs_)[slab];
    const auto [first, second] = pairs_[i];
    auto& cells = tables_[slab][of];
    const auto at = [&](std::size_t a, std::size_t b, std::size_t c) -> LaneCounts& {
      return cells[9 * a + 3 * b + c];
    };
    for (std::size_t g = 0; g < 2; ++g) {
      at(g, kAnybody, kAnybody).fill(people.own[first / kLanes][of][g][first % kLanes]);
      at(kAnybody, g, kAnybody).fill(people.own[second / kLanes][of][g][second % kLanes]);
      at(kAnybody, kAnybody, g) = people.own[block_][of][g];
      for (std::size_t h = 0; h < 2; ++h) {
        at(g, h, kAnybody).fill(joint_of_pairs_[slab][of][i][2 * g + h]);
        at(g, kAnybody, h) = with_first_[slab][of][(first - tile_.row_begin) * kMarginCells + 2 * g + h];
        at(kAnybody, g, h) = with_second_[slab][of][(second - tile_.column_begin) * kMarginCells + 2 * g + h];
        for (std::size_t c = 0; c < 2; ++c)
          at(g, h, c) = counts_[slab][of][i * n_counted() + 4 * g + 2 * h + c];
      }
    }
    at(kAnybody, kAnybody, kAnybody).fill(people.classes[of].shape.n_sites);
    for (const std::size_t step : {1U, 3U, 9U})
      for (std::size_t cell = 0; cell < kTripleCells; ++cell) {
        if (cell / step % 3 != kAnybody) continue;
        const LaneCounts &zero = cells[cell - 2 * step], &one = cells[cell - step];
        LaneCounts two = cells[cell];  // a copy, which overlaps nothing: lanes are subtracted side by side
        for (std::size_t lane = 0; lane < kLanes; ++lane) two[lane] -= zero[lane] + one[lane];
        cells[cell] = two;
      }
  }

  std::size_t words_;
  std::shared_ptr<const std::vector<StretchSlab>> slabs_;
  std::vector<Word> firsts_, seconds_;               ///< of a stretch: [site][word][genotype]
  std::vector<Word> joint_;                          ///< of a pair: [word][joint genotype]
  std::array<WordBuffer, kSiteGenotypes> of_block_;  ///< [word][lane]
  bool is_first_block_ = true;                       ///< of the tile
  OfSlabs<LaneCounts> counts_;                       ///< [pair][joint genotype that is counted]
  OfSlabs<LaneCounts> with_first_, with_second_;     ///< [site of the tile][joint genotype]
  OfSlabs<std::array<std::uint32_t, kMarginCells>> joint_of_pairs_;  ///< [pair][joint genotype]
  double worst_ = std::numeric_limits<double>::quiet_NaN();
  WideCostBound bound_{};                            ///< of worst_
  std::array<SlabTables, kSiteGenotypes> tables_{};  ///< of the last pair, of each slab
};

}  // namespace

std::unique_ptr<TileCounter> make_stretch_counter(const EpistasisProblem& problem, bool by_subtraction,
                                                  std::size_t words) {
  return std::make_unique<StretchCounter>(problem, by_subtraction, words);
}

}  // namespace fastid::engine
