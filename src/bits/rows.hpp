/// \file
/// Profiles as rows: how queries lie in memory. A row is n_words words; bit s%32 of word s/32 is site s.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

/// One row of both planes. Bits past n_sites are 0; a bit is 0 where called is 0.
struct RowView {
  std::span<const Word> bits;
  std::span<const Word> called;
};

/// Queries: n_rows x n_sites, both planes always present.
class ProfileRows {
 public:
  ProfileRows(std::size_t n_rows, std::uint32_t n_sites);

  /// Rows whose row i is profile profiles[i] of `blocks`.
  static ProfileRows from_blocks(const BlocksView& blocks, std::span<const std::uint64_t> profiles);

  /// Adds a row for each of `profiles` of `blocks`, which must have the same sites.
  void append(const BlocksView& blocks, std::span<const std::uint64_t> profiles);

  std::size_t n_rows() const { return n_rows_; }
  std::uint32_t n_sites() const { return n_sites_; }
  std::size_t n_words() const { return n_words_; }

  RowView row(std::size_t i) const {
    return {std::span(bits_).subspan(i * n_words_, n_words_),
            std::span(called_).subspan(i * n_words_, n_words_)};
  }

  /// A copy of rows first .. first + n - 1.
  ProfileRows slice(std::size_t first, std::size_t n) const;

  void set(std::size_t row, std::uint32_t site, bool minor);

  /// The number of called sites of row `i`.
  std::uint32_t called_sites(std::size_t i) const { return called_sites_[i]; }
  /// True where every site of every row is called.
  bool all_called() const;

  friend bool operator==(const ProfileRows&, const ProfileRows&) = default;

 private:
  std::size_t n_rows_;
  std::uint32_t n_sites_;
  std::size_t n_words_;
  std::vector<Word> bits_, called_;
  std::vector<std::uint32_t> called_sites_;  ///< of each row; kept, since they are often needed for all rows
};

}  // namespace fastid
