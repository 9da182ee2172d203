#include "bits/rows.hpp"

#include <algorithm>
#include <bit>

namespace fastid {

ProfileRows::ProfileRows(std::size_t n_rows, std::uint32_t n_sites)
    : n_rows_(n_rows),
      n_sites_(n_sites),
      n_words_(ceil_div<std::size_t>(n_sites, kWordBits)),
      bits_(checked_mul(n_rows, n_words_)),
      called_(bits_.size()),
      called_sites_(n_rows) {}

ProfileRows ProfileRows::from_blocks(const BlocksView& blocks, std::span<const std::uint64_t> profiles) {
  ProfileRows rows(0, blocks.shape.n_sites);
  rows.append(blocks, profiles);
  return rows;
}

void ProfileRows::append(const BlocksView& blocks, std::span<const std::uint64_t> profiles) {
  for (const std::uint64_t profile : profiles) {
    called_sites_.push_back(0);
    for (std::size_t word = 0; word < n_words_; ++word) {
      bits_.push_back(blocks.bits_word(profile, word));
      called_.push_back(blocks.called_word(profile, word));
      called_sites_.back() += static_cast<std::uint32_t>(std::popcount(called_.back()));
    }
  }
  n_rows_ += profiles.size();
}

ProfileRows ProfileRows::slice(std::size_t first, std::size_t n) const {
  ProfileRows rows(n, n_sites_);
  std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(first * n_words_), n * n_words_,
              rows.bits_.begin());
  std::copy_n(called_.begin() + static_cast<std::ptrdiff_t>(first * n_words_), n * n_words_,
              rows.called_.begin());
  std::copy_n(called_sites_.begin() + static_cast<std::ptrdiff_t>(first), n, rows.called_sites_.begin());
  return rows;
}

void ProfileRows::set(std::size_t row, std::uint32_t site, bool minor) {
  const std::size_t at = row * n_words_ + site / kWordBits;
  const Word bit = Word{1} << (site % kWordBits);
  called_sites_[row] += (called_[at] & bit) == 0;
  called_[at] |= bit;
  bits_[at] = minor ? bits_[at] | bit : bits_[at] & ~bit;
}

bool ProfileRows::all_called() const {
  return std::ranges::all_of(called_sites_, [this](std::uint32_t sites) { return sites == n_sites_; });
}

}  // namespace fastid
