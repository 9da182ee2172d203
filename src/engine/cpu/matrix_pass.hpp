/// \file
/// The native engine's walk over a tile by matrix products (cpu_matrix.hpp).
///
///   set of groups of queries (fits L2)  |  blocks  |  run of products: its profiles fit L1  |  each group
///
/// The first group of a set makes the profiles' bytes, the others find them in L1. Where a panel takes more
/// than one run of products, sums wait in memory; where it takes so many that not even a few groups fit L2,
/// several blocks do each run before the next, so that queries are not read again for every block.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/cpu/matrix_queries.hpp"
#include "engine/cpu/tile_pass.hpp"

namespace fastid {

/// Finds the pairs of a tile that pass, by exact counts.
class MatrixPass final : public TilePass {
 public:
  explicit MatrixPass(std::shared_ptr<const MatrixQueries> queries);

  /// Whether matrix products can serve a problem at all.
  static bool serves(const Problem& problem);
  /// Whether they are faster than counting bits.
  static bool pays(const Problem& problem);
  /// The fewest blocks that a tile should have, for the queries are read once for each tile.
  static std::size_t fewest_blocks() { return kRunBlocks; }

  std::size_t unit_blocks() const override { return 1; }
  bool looks() const override { return false; }
  std::span<const MayPass> find(const BlocksView& tile, const PackedQueries& queries,
                                std::span<const Bar> bars, std::uint32_t* weights, std::size_t most) override;

 private:
  static constexpr std::size_t kRunBlocks = 16;
  static constexpr std::size_t kDelay =
      2;  ///< multiplications after which sums are tested: they are in L1 then

  /// Sums that have been made and not been tested yet.
  struct Made {
    MatrixTest test;
    std::size_t group = 0, block = 0;
  };
  struct Range {
    std::size_t first = 0, n = 0;
  };
  void set_limits(const PackedQueries& queries, std::span<const Bar> bars);
  void compare_blocks(const BlocksView& tile, std::uint32_t* weights, std::size_t first_group,
                      const Range& blocks);
  void multiply_block(const BlocksView& tile, std::uint32_t* weights, const Range& groups, std::size_t block,
                      std::size_t place, const Range& products);
  MatrixSource source(const BlocksView& tile, std::uint32_t* weights, std::size_t block,
                      const Range& products) const;
  void take(const BlockShape& tile, const Made& made);

  const Made& oldest() const { return made_[turn_]; }
  void replace_oldest(const Made& made) {
    made_[turn_] = made;
    turn_ = (turn_ + 1) % kDelay;
  }
  std::int32_t* sums(std::size_t place) {
    return reinterpret_cast<std::int32_t*>(sums_.data()) + place % places_ * kMatrixSums;
  }

  std::shared_ptr<const MatrixQueries> queries_;
  std::vector<Range> runs_;  ///< of products
  std::size_t set_groups_, run_blocks_, places_;
  WordBuffer profiles_, sums_;
  std::vector<MatrixLimits> limits_;  ///< of all groups
  std::size_t place_ = 0;             ///< of the sums that come next
  std::array<Made, kDelay> made_;
  std::size_t turn_ = 0;
  std::vector<MatrixHit> hits_;
  std::vector<MayPass> found_;
};

}  // namespace fastid
