#include "pipeline/pair_tiles.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "bits/blocks.hpp"

namespace fastid::pipeline {
namespace {

/// Columns and rows in blocks of 32, and how many row blocks each column block meets.
class Plane {
 public:
  Plane(std::uint64_t n_columns, std::uint64_t n_rows,
        const std::function<std::uint64_t(std::uint64_t end)>& rows_for)
      : n_columns_(n_columns), n_rows_(n_rows) {
    for (std::uint64_t end = 0; end < n_columns;) {
      end = std::min(n_columns, end + kLanes);
      met_.push_back(ceil_div<std::uint64_t>(std::min(n_rows, rows_for(end)), kLanes));
      cells_ += met_.back();
    }
  }

  std::uint64_t n_blocks() const { return met_.size(); }
  std::uint64_t met(std::uint64_t column) const { return met_[static_cast<std::size_t>(column)]; }
  std::uint64_t cells() const { return cells_; }  ///< pairs of blocks

  /// Cuts the row blocks of a band of column blocks into pieces with equally many cells.
  void add_pieces(const Range& band, std::uint64_t n, std::vector<PairTile>& tiles) const {
    const Range columns{std::min(n_columns_, band.first * kLanes), std::min(n_columns_, band.end * kLanes)};
    const std::uint64_t end = band.size() == 0 ? 0 : met(band.end - 1);
    std::uint64_t all = 0, before = 0, row = 0;
    for (std::uint64_t column = band.first; column < band.end; ++column) all += met(column);
    std::uint64_t column = band.first;  // the first one of the band that meets the row
    for (std::uint64_t piece = 1; piece <= n; ++piece) {
      const std::uint64_t first = row;
      for (; row < end &&
             (piece == n ||
              before < share_of(all, {static_cast<std::uint32_t>(piece), static_cast<std::uint32_t>(n)}).end);
           ++row) {
        while (met(column) <= row) ++column;
        before += band.end - column;
      }
      tiles.push_back({columns, {std::min(n_rows_, first * kLanes), std::min(n_rows_, row * kLanes)}});
    }
  }

 private:
  std::uint64_t n_columns_, n_rows_;
  std::vector<std::uint64_t> met_;
  std::uint64_t cells_ = 0;
};

}  // namespace

std::vector<PairTile> pair_tiles(std::uint64_t n_columns, std::uint64_t n_rows,
                                 const std::function<std::uint64_t(std::uint64_t end)>& rows_for,
                                 std::uint32_t n_tiles) {
  const Plane plane(n_columns, n_rows, rows_for);
  std::vector<PairTile> tiles;
  // A tile of as many rows as columns has this many of either, in blocks.
  const double side = std::sqrt(static_cast<double>(plane.cells()) / n_tiles);
  std::uint64_t column = 0, before = 0;
  while (tiles.size() < n_tiles) {
    const double rows = column < plane.n_blocks() ? static_cast<double>(plane.met(column)) : 0;
    const auto wanted = side > 0 ? static_cast<std::uint64_t>(std::lround(rows / side)) : 0;
    const std::uint64_t left = n_tiles - tiles.size();
    // A last band of few pieces would have long ones.
    const std::uint64_t pieces = wanted + wanted / 2 >= left ? left : std::max<std::uint64_t>(1, wanted);
    const std::uint64_t goal =
        share_of(plane.cells(), {static_cast<std::uint32_t>(tiles.size() + pieces), n_tiles}).end;
    Range band{column, column};
    for (; band.end < plane.n_blocks() && (before < goal || tiles.size() + pieces == n_tiles); ++band.end)
      before += plane.met(band.end);
    plane.add_pieces(band, pieces, tiles);
    column = band.end;
  }
  return tiles;
}

}  // namespace fastid::pipeline
