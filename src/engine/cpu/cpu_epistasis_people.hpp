/// \file
/// How a tile of combinations is counted on the CPU: the pairs of its first and second sites with one block
/// of later sites after the other. Of two sites a pair is a first site with itself.
///
/// Either the planes of all people are held as the kernels take them (cpu_epistasis_people.cpp), and
/// CostBound is tested in registers; or people are counted a stretch after the other
/// (cpu_epistasis_stretches.cpp), in whole numbers, and WideCostBound is tested once all are counted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu/cpu_epistasis.hpp"

namespace fastid::engine {

using PeopleOfClasses = std::array<BlocksView, kClasses>;

struct PairOfTile {
  std::uint32_t first = 0, second = 0;
};

/// Whether a block has sites that come after a pair's. \param first_lane  as TileCounter has it
constexpr bool has_later(const PairOfTile& pair, std::size_t first_lane, std::size_t block) {
  return first_lane + pair.second + 1 < (block + 1) * kLanes;
}

/// Makes the planes of joint genotypes of two sites, [word][genotype] each: [word][joint genotype].
template <std::size_t kGenotypes>
void put_joint(const Word* first, const Word* second, std::size_t n_words, Word* to) {
  for (std::size_t word = 0; word < n_words; ++word, first += kGenotypes, second += kGenotypes)
    for (std::size_t i = 0; i < kGenotypes * kGenotypes; ++i)
      *to++ = first[i / kGenotypes] & second[i % kGenotypes];
}

/// The memory of a tile, which is used for one tile after the other: it may be megabytes. Used by one thread.
class TileCounter {
 public:
  virtual ~TileCounter() = default;
  /// Another one, for the same people.
  virtual std::unique_ptr<TileCounter> another() const = 0;

  /// Takes the people who are counted, whose owners must outlive their use. \param slabs  everybody, or of
  /// four sites those with each genotype of the first one
  virtual void put_people(std::span<const PeopleOfClasses> slabs) = 0;
  /// Where the first site is among the lanes of all blocks; the others follow.
  virtual std::size_t first_lane() const = 0;
  /// Takes a tile. \param pairs  all of the tile, at least one
  /// \param together  null, or what counts both classes of the same people as one: only the smaller class of
  /// each pair is counted
  void begin(const Rectangle& tile, std::span<const PairOfTile> pairs, const TileCounter* together) {
    tile_ = tile;
    pairs_.assign(pairs.begin(), pairs.end());
    begin_tile(together);
  }
  /// Takes a block, and counts what its pairs follow from; `together` has counted it before.
  void count_block(std::size_t block) {
    block_ = block;
    count_known();
  }
  /// Counts both classes of all pairs with the block as one, for others. Where people are held.
  virtual void count_together(std::size_t /*block*/) {}
  /// The lanes of the block whose combinations with pair i may cost no more than `worst`; perhaps also lanes
  /// of no later site.
  virtual std::uint32_t find(std::size_t i, double worst) = 0;
  /// The table of a lane that was found last.
  virtual GenotypeTable table_of(std::size_t lane) const = 0;

 protected:
  /// \param by_subtraction  as epistasis_kernel() has it
  TileCounter(const EpistasisProblem& problem, bool by_subtraction)
      : problem_(problem),
        by_subtraction_(by_subtraction),
        kernel_(epistasis_kernel(problem.way, by_subtraction, problem.score == EpistasisScore::kK2)) {}

  std::size_t cells_of_slab() const { return std::min(problem_.n_cells(), kTripleCells); }
  std::size_t n_counted() const { return by_subtraction_ ? 8 : cells_of_slab(); }  ///< of these

  virtual void begin_tile(const TileCounter* together) = 0;
  virtual void count_known() = 0;  ///< of the block: what its pairs follow from, or all that is counted

  EpistasisProblem problem_;
  bool by_subtraction_;
  EpistasisKernel kernel_;
  Rectangle tile_{};
  std::vector<PairOfTile> pairs_;
  std::size_t block_ = 0;
};

inline constexpr std::size_t kMarginCells = 4;  ///< joint genotypes of two sites that are counted

/// Holds the planes of all people.
std::unique_ptr<TileCounter> make_held_counter(const EpistasisProblem& problem, bool by_subtraction);
/// Counts by stretches. \param words  of 32 people in a stretch of a class
std::unique_ptr<TileCounter> make_stretch_counter(const EpistasisProblem& problem, bool by_subtraction,
                                                  std::size_t words);

}  // namespace fastid::engine
