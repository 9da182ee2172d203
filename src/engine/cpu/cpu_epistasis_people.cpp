// Controls and cases whose planes are held as the kernels of cpu_epistasis.hpp take them: everybody, or those
// with one genotype of a site.
#include "engine/cpu/cpu_epistasis_people.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/checked.hpp"

namespace fastid::engine {
namespace {

/// Lanes of no site come first, where few combinations have a third one: the last block is multiplied with
/// nearly all pairs.
std::size_t first_lane(const BlockShape& shape) {
  return shape.n_blocks() * kLanes - static_cast<std::size_t>(shape.n_profiles);
}

/// What one slab has of a tile's pairs.
struct PairPlanes {
  std::array<std::vector<Word>, kClasses> planes;  ///< [pair][word][joint genotype]
  std::vector<KnownCells> known;                   ///< of each pair; its margins are the last block's
  std::vector<SiteMargins> with_first, with_second;
};

/// Both classes as one, of a tile's sites, and its pairs, with a block: [one][joint genotype][lane].
struct TogetherCounts {
  std::vector<LaneCounts> firsts, seconds, pairs;
};

/// Everybody, or the people of a slab, as planes in two layouts.
class EpistasisPeople {
 public:
  /// \param open  lets all pass; of the whole problem, so that cells of slabs can be added
  /// \param by_subtraction  only planes of genotypes 0 and 1 are held \param margins  counts margins; null
  /// where they are not needed
  EpistasisPeople(const PeopleOfClasses& classes, const CostBound& open, bool by_subtraction,
                  CountMargins margins)
      : classes_(classes), open_(open), by_subtraction_(by_subtraction), count_margins_(margins) {
    for (std::size_t of = 0; of < kClasses; ++of) pack(of);
    if (by_subtraction_) count_sites();
  }

  /// A site with a block.
  EpistasisRun run_of(std::size_t block, std::uint32_t first) const {
    return run_of(block, {planes_of(0, first), planes_of(1, first)});
  }

  /// Pair i of the tile with a block.
  EpistasisSlab slab_of(std::size_t block, const PairOfTile& pair, const PairPlanes& of,
                        std::size_t i) const {
    if (pair.first == pair.second) return {run_of(block, pair.first), nullptr};
    const std::size_t planes = genotypes() * genotypes();
    const auto first = [&](std::size_t c) -> const Word* {  // null where planes were not made
      return of.planes[c].empty() ? nullptr : of.planes[c].data() + i * n_words(c) * planes;
    };
    return {run_of(block, {first(0), first(1)}), &of.known[i]};
  }

  /// Makes a tile's pairs, and counts what follows for them. \param pairs  those of the tile
  /// \param smaller_alone  planes of the larger class are not made
  void make_pairs(const Rectangle& tile, std::span<const PairOfTile> pairs, bool smaller_alone,
                  PairPlanes& out) const {
    if (pairs[0].first == pairs[0].second) return;
    for (std::size_t of = 0; of < kClasses; ++of)
      if (smaller_alone && of != smaller_class(std::array{n_words(0), n_words(1)}))
        out.planes[of].clear();
      else
        make_planes(pairs, of, out.planes[of]);
    out.known.resize(pairs.size());
    if (!by_subtraction_) return;
    out.with_first.resize(tile.rows());
    out.with_second.resize(tile.columns());
    count_pairs(tile, pairs, out);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      out.known[i].with_first = &out.with_first[pairs[i].first - tile.row_begin];
      out.known[i].with_second = &out.with_second[pairs[i].second - tile.column_begin];
    }
  }

  /// Counts a block with the tile's first and second sites. \param together  null, or what the same people in
  /// other classes have of the block
  void count_block(const Rectangle& tile, std::size_t block, const TogetherCounts* together,
                   PairPlanes& out) const {
    if (!by_subtraction_) return;
    count_margins(block, tile.row_begin, together == nullptr ? nullptr : &together->firsts, out.with_first);
    count_margins(block, tile.column_begin, together == nullptr ? nullptr : &together->seconds,
                  out.with_second);
  }

 private:
  std::size_t n_blocks() const { return classes_[0].shape.n_blocks(); }
  std::size_t lane_of(std::uint64_t site) const {
    return first_lane(classes_[0].shape) + static_cast<std::size_t>(site);
  }
  std::size_t n_words(std::size_t of) const { return classes_[of].shape.n_words(); }
  std::size_t genotypes() const { return by_subtraction_ ? 2 : kSiteGenotypes; }  ///< that have planes
  const Word* planes_of(std::size_t of, std::uint64_t site) const {
    return sites_[of].data() + static_cast<std::size_t>(site) * n_words(of) * genotypes();
  }

  // Each site's planes in two layouts: by itself, which makes pairs, and in its block.
  void pack(std::size_t of) {
    const BlocksView& people = classes_[of];
    const std::size_t words = n_words(of), in_block = people.shape.block_words();
    for (WordBuffer& plane : blocks_[of]) plane = WordBuffer(checked_mul(n_blocks(), in_block));
    const auto sites = static_cast<std::size_t>(people.shape.n_profiles);
    sites_[of] = WordBuffer(checked_mul(checked_mul(sites, words), genotypes()));
    Word* own = sites_[of].data();
    for (std::size_t site = 0; site < sites; ++site) {
      const std::size_t in_blocks = lane_of(site) / kLanes * in_block + lane_of(site) % kLanes;
      for (std::size_t word = 0; word < words; ++word)
        for (std::size_t genotype = 0; genotype < genotypes(); ++genotype) {
          const Word those =
              genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word));
          blocks_[of][genotype].data()[in_blocks + word * kLanes] = those;
          *own++ = those;
        }
    }
  }

  // Genotypes 0 and 1 of each site alone.
  void count_sites() {
    constexpr std::size_t kCells = kSiteGenotypes * kSiteGenotypes;
    const std::vector<SitePeople> people = people_of_sites(classes_);
    of_blocks_.resize(n_blocks());
    for (std::size_t site = 0; site < people.size(); ++site)
      for (std::size_t genotype = 0; genotype < 2; ++genotype) {
        const std::uint32_t cases = people[site][1][genotype], n = people[site][0][genotype] + cases;
        BlockCells& block = of_blocks_[lane_of(site) / kLanes];
        const std::size_t lane = lane_of(site) % kLanes;
        block[0][genotype][lane] = open_.people_of(n, kCells);
        block[1][genotype][lane] = open_.excess_of(n, cases, kCells);
      }
  }

  EpistasisRun run_of(std::size_t block, const std::array<const Word*, kClasses>& first) const {
    EpistasisRun run{.first = first};
    for (std::size_t of = 0; of < kClasses; ++of) {
      run.n_words[of] = n_words(of);
      for (std::size_t genotype = 0; genotype < genotypes(); ++genotype)
        run.block[of][genotype] = blocks_[of][genotype].data() + block * n_words(of) * kLanes;
    }
    return run;
  }

  void make_planes(std::span<const PairOfTile> pairs, std::size_t of, std::vector<Word>& planes) const {
    const std::size_t each = n_words(of) * genotypes() * genotypes();
    planes.resize(std::max(planes.size(), checked_mul(pairs.size(), each)));
    const auto put = by_subtraction_ ? &put_joint<2> : &put_joint<kSiteGenotypes>;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      put(planes_of(of, pairs[i].first), planes_of(of, pairs[i].second), n_words(of),
          planes.data() + i * each);
  }

  // How many people have each joint genotype of each pair.
  void count_pairs(const Rectangle& tile, std::span<const PairOfTile> pairs, PairPlanes& out) const {
    for (std::size_t block = lane_of(tile.column_begin) / kLanes;
         block <= lane_of(tile.column_end - 1) / kLanes; ++block) {
      count_margins(block, tile.row_begin, nullptr, out.with_first);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        if (lane_of(pairs[i].second) / kLanes == block)
          put_pair(pairs[i], out.with_first[pairs[i].first - tile.row_begin], out.known[i]);
    }
  }

  void put_pair(const PairOfTile& pair, const SiteMargins& margins, KnownCells& out) const {
    const std::uint32_t cases = classes_[1].shape.n_sites, n = classes_[0].shape.n_sites + cases;
    const std::array<float, kQuantities> everybody = {open_.people_of(n, kTripleCells),
                                                      open_.excess_of(n, cases, kTripleCells)};
    for (std::size_t q = 0; q < kQuantities; ++q) {
      const auto& alone = of_blocks_[lane_of(pair.first) / kLanes][q];
      const std::size_t lane = lane_of(pair.first) % kLanes;
      const float zero = alone[0][lane], one = alone[1][lane];
      const std::array<float, kSiteGenotypes> of_first = {zero, one, everybody[q] - zero - one};
      for (std::size_t a = 0; a < kSiteGenotypes; ++a) {
        float* const cells = &out.of_pair[q][3 * a];
        for (std::size_t b = 0; b < 2; ++b) cells[b] = margins[q][a][b][lane_of(pair.second) % kLanes];
        cells[2] = of_first[a] - cells[0] - cells[1];
      }
    }
  }

  void count_margins(std::size_t block, std::uint32_t begin, const std::vector<LaneCounts>* together,
                     std::vector<SiteMargins>& margins) const {
    for (std::size_t i = 0; i < margins.size(); ++i) {
      EpistasisRun run = run_of(block, begin + static_cast<std::uint32_t>(i));
      if (together != nullptr) run.together = &(*together)[i * kMarginCells];
      count_margins_(run, of_blocks_[block], open_, margins[i]);
    }
  }

  PeopleOfClasses classes_;
  CostBound open_;
  bool by_subtraction_;
  CountMargins count_margins_;
  std::array<std::array<WordBuffer, kSiteGenotypes>, kClasses> blocks_;
  std::array<WordBuffer, kClasses> sites_;  ///< [site][word][genotype]
  std::vector<BlockCells> of_blocks_;
};

class HeldCounter final : public TileCounter {
 public:
  HeldCounter(const EpistasisProblem& problem, bool by_subtraction)
      : TileCounter(problem, by_subtraction),
        open_(cost_bound(problem, std::numeric_limits<double>::infinity())) {}

  std::unique_ptr<TileCounter> another() const override {
    auto made = std::make_unique<HeldCounter>(problem_, by_subtraction_);
    made->slabs_ = slabs_;
    return made;
  }

  void put_people(std::span<const PeopleOfClasses> slabs) override {
    slabs_.reset();  // before others take memory
    auto people = std::make_shared<std::vector<EpistasisPeople>>();
    for (const PeopleOfClasses& classes : slabs)
      people->emplace_back(classes, open_, by_subtraction_, kernel_.margins);
    slabs_ = std::move(people);
  }

  std::size_t first_lane() const override { return engine::first_lane(problem_.classes[0].shape); }

  void count_together(std::size_t block) override {
    const EpistasisPeople& people = slabs_->front();
    both_.pairs.resize(pairs_.size() * n_counted());
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (has_later(pairs_[i], first_lane(), block))
        put_classes(kernel_.add, people.slab_of(block, pairs_[i], planes_[0], i).run, n_counted(),
                    &both_.pairs[i * n_counted()]);
    if (!by_subtraction_) return;
    const auto add_sites = [&](std::uint32_t begin, std::uint32_t end, std::vector<LaneCounts>& to) {
      to.resize((end - begin) * kMarginCells);
      for (std::uint32_t site = begin; site < end; ++site)
        put_classes(kernel_.add_margins, people.run_of(block, site), kMarginCells,
                    &to[(site - begin) * kMarginCells]);
    };
    add_sites(tile_.row_begin, tile_.row_end, both_.firsts);
    add_sites(tile_.column_begin, tile_.column_end, both_.seconds);
  }

  std::uint32_t find(std::size_t i, double worst) override {
    if (worst != worst_) {
      worst_ = worst;
      bound_ = cost_bound(problem_, worst);
      if (by_subtraction_) bound_ = bound_.of_everybody(problem_);
    }
    for (std::size_t s = 0; s < slabs_->size(); ++s)
      run_[s] = (*slabs_)[s].slab_of(block_, pairs_[i], planes_[s], i);
    if (together_ != nullptr) run_[0].run.together = &together_->pairs[i * n_counted()];
    return kernel_.find(run_.data(), bound_, tables_.data());
  }

  GenotypeTable table_of(std::size_t lane) const override {
    GenotypeTable table;
    for (std::size_t cell = 0; cell < problem_.n_cells(); ++cell) {
      const auto& [people, excess] = tables_[cell / cells_of_slab()];
      const std::size_t at = cell % cells_of_slab();
      table.cells[cell] = open_.cell_of(people[at][lane], excess[at][lane]);
    }
    return table;
  }

 private:
  void begin_tile(const TileCounter* together) override {
    together_ = together == nullptr ? nullptr : &static_cast<const HeldCounter*>(together)->both_;
    for (std::size_t s = 0; s < slabs_->size(); ++s)
      (*slabs_)[s].make_pairs(tile_, pairs_, together != nullptr, planes_[s]);
  }

  void count_known() override {
    for (std::size_t s = 0; s < slabs_->size(); ++s)
      (*slabs_)[s].count_block(tile_, block_, together_, planes_[s]);
  }

  static void put_classes(AddCounts add, const EpistasisRun& run, std::size_t n_joint, LaneCounts* to) {
    std::fill_n(to, n_joint, LaneCounts{});
    for (std::size_t of = 0; of < kClasses; ++of)
      add(run.first[of], run.block[of].data(), run.n_words[of], to);
  }

  CostBound open_;  ///< lets all pass: for what is the same in all bounds
  std::shared_ptr<const std::vector<EpistasisPeople>> slabs_;
  std::array<PairPlanes, kSiteGenotypes> planes_;  ///< of each slab
  TogetherCounts both_;                            ///< by count_together()
  const TogetherCounts* together_ = nullptr;       ///< another counter's
  double worst_ = std::numeric_limits<double>::quiet_NaN();
  CostBound bound_{};  ///< of worst_
  std::array<EpistasisSlab, kSiteGenotypes> run_{};
  std::array<BlockTables, kSiteGenotypes> tables_{};  ///< of the last pair
};

}  // namespace

std::unique_ptr<TileCounter> make_held_counter(const EpistasisProblem& problem, bool by_subtraction) {
  return std::make_unique<HeldCounter>(problem, by_subtraction);
}

}  // namespace fastid::engine
