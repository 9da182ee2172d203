/// \file
/// Controls and cases as the kernels of cpu_epistasis.hpp take them: everybody, or those with one genotype of
/// a site.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/cpu/cpu_epistasis.hpp"

namespace fastid::engine {

/// The first two sites of combinations of three.
struct PairOfTile {
  std::uint32_t first = 0, second = 0;
};

/// What one slab has of a tile's pairs.
struct PairPlanes {
  std::array<std::vector<Word>, kClasses> planes;  ///< [pair][word][joint genotype]
  std::vector<KnownCells> known;                   ///< of each pair; the margins are those of the last block
  std::vector<SiteMargins> with_first, with_second;
};

class EpistasisPeople {
 public:
  /// \param bound    lets all pass; of the whole problem, so that cells of slabs can be added
  /// \param by_rest  only planes of genotypes 0 and 1 are held \param kernel  counts margins
  EpistasisPeople(const std::array<BlocksView, kClasses>& classes, const CostBound& bound, bool by_rest,
                  EpistasisKernel kernel);

  std::size_t n_blocks() const { return classes_[0].shape.n_blocks(); }
  /// A site's lane among those of all blocks. Lanes of no site come first, where few combinations have a
  /// third one: the last block is multiplied with nearly all pairs.
  std::size_t lane_of(std::uint64_t site) const {
    return static_cast<std::size_t>(site + n_blocks() * kLanes - classes_[0].shape.n_profiles);
  }

  /// A site with a block.
  EpistasisRun run_of(std::size_t block, std::uint32_t first) const;
  /// Pair i of the tile with a block.
  EpistasisSlab slab_of(std::size_t block, const PairPlanes& of, std::size_t i) const;

  /// Makes a tile's pairs, and counts what follows for them. \param pairs  those of the tile
  /// \param smaller_alone  planes of the larger class are not made
  void make_pairs(const Rectangle& tile, std::span<const PairOfTile> pairs, bool smaller_alone,
                  PairPlanes& out) const;
  /// Counts a block with the tile's first and second sites. \param everybody  null, or what the same people
  /// in other classes have of the block
  void count_block(const Rectangle& tile, std::size_t block, const PairPlanes* everybody,
                   PairPlanes& out) const;

 private:
  std::size_t n_words(std::size_t of) const { return classes_[of].shape.n_words(); }
  std::size_t row_planes() const { return by_rest_ ? 2 : kSiteGenotypes; }
  const Word* row_of(std::size_t of, std::uint64_t site) const {
    return rows_[of].data() + static_cast<std::size_t>(site) * n_words(of) * row_planes();
  }
  void pack(std::size_t of);
  void count_sites();
  EpistasisRun run_of(std::size_t block, const std::array<const Word*, kClasses>& first) const;
  std::vector<Word> repeated(std::size_t of, std::uint32_t begin, std::uint32_t end, bool first) const;
  void count_pairs(const Rectangle& tile, std::span<const PairOfTile> pairs, PairPlanes& out) const;
  void put_pair(const PairOfTile& pair, const SiteMargins& margins, KnownCells& out) const;
  void count_margins(std::size_t block, std::uint32_t begin, const std::vector<SiteMargins>* everybody,
                     std::vector<SiteMargins>& margins) const;

  std::array<BlocksView, kClasses> classes_;
  CostBound bound_;
  bool by_rest_;
  EpistasisKernel kernel_;
  std::array<std::array<WordBuffer, kSiteGenotypes>, kClasses> blocks_;
  std::array<WordBuffer, kClasses> rows_;  ///< [site][word][genotype]
  std::vector<BlockCells> of_blocks_;
};

}  // namespace fastid::engine
