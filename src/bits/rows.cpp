#include "bits/rows.hpp"

#include <algorithm>
#include <bit>

namespace fastid {

ProfileRows::ProfileRows(std::size_t n_rows, std::uint32_t n_sites)
    : n_rows_(n_rows),
      n_sites_(n_sites),
      n_words_(ceil_div<std::size_t>(n_sites, kWordBits)),
      bits_(checked_mul(n_rows, n_words_)),
      called_(bits_.size()) {}

ProfileRows ProfileRows::from_blocks(const BlocksView& blocks, std::span<const std::uint64_t> profiles) {
  ProfileRows rows(0, blocks.shape.n_sites);
  rows.append(blocks, profiles);
  return rows;
}

void ProfileRows::append(const BlocksView& blocks, std::span<const std::uint64_t> profiles) {
  for (const std::uint64_t profile : profiles)
    for (std::size_t word = 0; word < n_words_; ++word) {
      bits_.push_back(blocks.bits_word(profile, word));
      called_.push_back(blocks.called_word(profile, word));
    }
  n_rows_ += profiles.size();
}

ProfileRows ProfileRows::slice(std::size_t first, std::size_t n) const {
  ProfileRows rows(n, n_sites_);
  std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(first * n_words_), n * n_words_,
              rows.bits_.begin());
  std::copy_n(called_.begin() + static_cast<std::ptrdiff_t>(first * n_words_), n * n_words_,
              rows.called_.begin());
  return rows;
}

void ProfileRows::set(std::size_t row, std::uint32_t site, bool minor) {
  const std::size_t at = row * n_words_ + site / kWordBits;
  const Word bit = Word{1} << (site % kWordBits);
  called_[at] |= bit;
  bits_[at] = minor ? bits_[at] | bit : bits_[at] & ~bit;
}

std::uint32_t ProfileRows::called_sites(std::size_t i) const {
  std::uint32_t sites = 0;
  for (const Word word : row(i).called) sites += static_cast<std::uint32_t>(std::popcount(word));
  return sites;
}

bool ProfileRows::all_called() const {
  if (n_words_ == 0) return true;
  const Word last = sites_mask(n_sites_, n_words_ - 1);
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const auto words = row(i).called;
    Word all = ~Word{0};
    for (const Word word : words.first(n_words_ - 1)) all &= word;
    if (all != ~Word{0} || words.back() != last) return false;
  }
  return true;
}

}  // namespace fastid
