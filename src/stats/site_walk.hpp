/// \file
/// Iteration over the sites of rows, word by word. Every sum over sites in stats uses it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/popcount.hpp"
#include "bits/rows.hpp"

namespace fastid::stats {

/// visit(site) for each bit that is set in `mask`, a word whose bit 0 is site 32 * word, in order.
template <class Visit>
void for_each_set(std::size_t word, Word mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1)
    visit(word * kWordBits + static_cast<std::size_t>(std::countr_zero(mask)));
}

/// visit(site, bit) for each site that the row has called.
template <class Visit>
void for_each_called(const RowView& row, const Visit& visit) {
  for (std::size_t word = 0; word < row.called.size(); ++word)
    for_each_set(word, row.called[word],
                 [&](std::size_t site) { visit(site, (row.bits[word] >> (site % kWordBits) & 1) != 0); });
}

/// visit(site, a's bit, b's bit) for each site that both have called.
template <class Visit>
void for_each_compared(const RowView& a, const RowView& b, const Visit& visit) {
  for (std::size_t word = 0; word < a.called.size(); ++word)
    for_each_set(word, a.called[word] & b.called[word], [&](std::size_t site) {
      const std::size_t shift = site % kWordBits;
      visit(site, (a.bits[word] >> shift & 1) != 0, (b.bits[word] >> shift & 1) != 0);
    });
}

/// The mask of the sites that both have called.
inline std::vector<Word> compared_sites(const RowView& a, const RowView& b) {
  std::vector<Word> sites(a.called.size());
  for (std::size_t word = 0; word < sites.size(); ++word) sites[word] = a.called[word] & b.called[word];
  return sites;
}

inline std::uint32_t count_set(std::span<const Word> words) {
  std::uint32_t set = 0;
  for (const Word word : words) set += static_cast<std::uint32_t>(bits_set(word));
  return set;
}

}  // namespace fastid::stats
