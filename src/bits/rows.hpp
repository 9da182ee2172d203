/// \file
/// Profiles as rows of bits: how queries lie in memory. A row is n_words words; bit s%32 of word s/32 is site
/// s. These rows are numbered as queries are; a row of the database, as in engine::Pair, is a stored
/// profile's place there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

class ThreadPool;  // base/thread_pool.hpp

/// One row: where a minor allele was seen, and where the site was called. Bits past n_sites are 0; a bit is 0
/// where called is 0.
struct RowView {
  std::span<const Word> bits;
  std::span<const Word> called;
  std::span<const Word> major;  ///< where a major allele was seen; empty if that is not known

  /// A word of `major`; 0 if it is not known.
  Word major_word(std::size_t word) const { return major.empty() ? 0 : major[word]; }
};

/// Queries: n_rows x n_sites. Row i is query i.
class ProfileRows {
 public:
  /// \param encoding  kAlleles: which alleles were seen is known of every row
  ProfileRows(std::size_t n_rows, std::uint32_t n_sites, Encoding encoding = Encoding::kMinor);

  /// Rows whose row i is profile profiles[i] of `blocks`.
  static ProfileRows from_blocks(const BlocksView& blocks, std::span<const std::uint64_t> profiles);

  /// Rows whose row i is profile first + i of `source`, read on the threads of `pool`. \throws what the
  /// source throws
  static ProfileRows from_source(const BlockSource& source, std::uint64_t first, std::size_t n,
                                 ThreadPool& pool);

  /// Adds a row for each of `profiles` of `blocks`, which must have the same sites. The rows' encoding is
  /// kAlleles as long as all of them come from such blocks.
  void append(const BlocksView& blocks, std::span<const std::uint64_t> profiles);

  std::size_t n_rows() const { return n_rows_; }
  std::uint32_t n_sites() const { return n_sites_; }
  std::size_t n_words() const { return n_words_; }
  Encoding encoding() const { return encoding_; }

  RowView row(std::size_t i) const {
    const auto of = [&](const std::vector<Word>& plane) {
      return plane.empty() ? std::span<const Word>() : std::span(plane).subspan(i * n_words_, n_words_);
    };
    return {of(bits_), of(called_), of(major_)};
  }

  /// Keeps only these rows (ascending places), in their order.
  void keep_rows(std::span<const std::size_t> rows);

  /// A copy of rows first .. first + n - 1.
  ProfileRows slice(std::size_t first, std::size_t n) const;

  /// Sets a site to called. With `minor`, a minor allele was seen and no major one.
  void set(std::size_t row, std::uint32_t site, bool minor) {
    set_seen(row, site, minor ? kMinorSeen : kMajorSeen);
  }
  /// Sets a site to what was seen there, at least one allele.
  void set_seen(std::size_t row, std::uint32_t site, Seen seen);

  /// Sets 32 sites of a row. No bit may be set past the last site, and `minor` and `major` only where
  /// `called` is set. In kAlleles each called site needs a bit in one of them; in kMinor `major` is not read.
  void set_word(std::size_t row, std::size_t word, Word minor, Word called, Word major);

  /// Makes all sites that are not in `sites`, a row of bits, not called.
  void keep_sites(std::span<const Word> sites);

  /// The number of called sites of row `i`.
  std::uint32_t called_sites(std::size_t i) const { return called_sites_[i]; }
  /// True where every site of every row is called.
  bool all_called() const;

  friend bool operator==(const ProfileRows&, const ProfileRows&) = default;

 private:
  void copy_profile(const BlocksView& blocks, std::uint64_t profile, std::size_t row);

  std::size_t n_rows_;
  std::uint32_t n_sites_;
  std::size_t n_words_;
  Encoding encoding_;
  std::vector<Word> bits_, called_;
  std::vector<Word> major_;                  ///< empty unless the encoding is kAlleles
  std::vector<std::uint32_t> called_sites_;  ///< of each row; kept, since they are often needed for all rows
};

/// A copy of a row in which only some sites are called. It owns its words.
class MaskedRow {
 public:
  /// \param sites  a row of bits
  MaskedRow(const RowView& row, std::span<const Word> sites);

  RowView view() const { return {bits_, called_, major_}; }

 private:
  std::vector<Word> bits_, called_, major_;
};

}  // namespace fastid
