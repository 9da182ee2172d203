/// \file
/// The pairs of two sets of profiles (all_pairs.hpp) cut into tiles, one for each of several machines.
///
///            rows
///            +-----+
///   band 0   |\  1 |               Columns are cut into bands, and the rows that a band meets into pieces.
///   All
///            +--+--+--+            tiles have about as many pairs, whatever their number, and as far as they
///   band 1   |2 | 3 \ |            can they are square: a machine reads few profiles for many pairs.
///            +--+-+---+--+
///   band 2   |4 |5 |  6 \|
///            +--+--+-----+
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bits/shard.hpp"

namespace fastid::pipeline {

/// Some columns, and the rows that they are compared with. Both begin at a multiple of 32; either may be
/// empty.
struct PairTile {
  Range columns, rows;

  bool empty() const { return columns.size() == 0 || rows.size() == 0; }
  friend bool operator==(const PairTile&, const PairTile&) = default;
};

/// Tiles in order: no column of a band is in an earlier band, and the rows of a band ascend.
///
/// \param rows_for  how many rows, from the first on, columns below an end meet: it never falls
std::vector<PairTile> pair_tiles(std::uint64_t n_columns, std::uint64_t n_rows,
                                 const std::function<std::uint64_t(std::uint64_t end)>& rows_for,
                                 std::uint32_t n_tiles);

}  // namespace fastid::pipeline
