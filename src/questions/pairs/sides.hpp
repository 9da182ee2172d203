/// \file
/// The two sets of profiles whose pairs are asked for, and which of their pairs count: each pair of two
/// different profiles once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bits/selected.hpp"

namespace fastid::pairs {

/// One set: profiles of a database, all or chosen ones.
class PairSide {
 public:
  /// \param chosen  ascending rows; no value: all
  PairSide(const BlockSource& profiles, std::optional<std::vector<std::uint64_t>> chosen);

  const BlockSource& profiles() const { return profiles_; }
  const BlockSource& source() const;
  std::uint64_t size() const { return source().shape().n_profiles; }
  /// The database's row of the i-th profile.
  std::uint64_t row(std::uint64_t i) const {
    return chosen_ ? chosen_->rows()[static_cast<std::size_t>(i)] : i;
  }
  bool is_all() const { return !chosen_; }
  bool has(std::uint64_t row) const { return places_below(row + 1) > places_below(row); }
  /// The number of profiles with a row below `row`.
  std::uint64_t places_below(std::uint64_t row) const;

 private:
  const BlockSource& profiles_;
  std::unique_ptr<SelectedRows> chosen_;  ///< null: all
};

class PairSides {
 public:
  /// Both sides may have profiles of one database: then a profile makes no pair with itself, and a pair
  /// counts once.
  PairSides(PairSide columns, PairSide rows);

  const PairSide& columns() const { return columns_; }
  const PairSide& rows() const { return rows_; }
  bool one_database() const { return one_database_; }

  /// Whether the pair of these places among the columns and the rows counts.
  bool counts(std::uint64_t column, std::uint64_t row) const;
  /// The number of rows, from the first on, that may make counting pairs with columns below `end`.
  std::uint64_t rows_for(std::uint64_t end) const;
  /// The number of pairs that count.
  std::uint64_t n_pairs() const;
  /// The number of different profiles.
  std::uint64_t n_profiles() const;

 private:
  std::uint64_t in_both() const;

  PairSide columns_, rows_;
  bool one_database_;
  bool triangle_ = false;  ///< every pair that counts has the lower row among the rows
};

}  // namespace fastid::pairs
