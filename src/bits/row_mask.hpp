/// \file
/// Some rows of a database: a bit for each, a word for each block.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/popcount.hpp"

namespace fastid {

class RowMask {
 public:
  explicit RowMask(std::uint64_t rows, bool all = false)
      : rows_(rows),
        words_(static_cast<std::size_t>(ceil_div<std::uint64_t>(rows, kLanes)), all ? ~Word{0} : 0) {
    cut();
  }

  std::uint64_t rows() const { return rows_; }
  bool holds(std::uint64_t row) const {
    return (words_[static_cast<std::size_t>(row / kLanes)] >> row % kLanes & 1u) != 0;
  }
  void set(std::uint64_t row, bool held) {
    Word& word = words_[static_cast<std::size_t>(row / kLanes)];
    const Word bit = Word{1} << row % kLanes;
    word = held ? word | bit : word & ~bit;
  }

  /// The rows of a block: bit i is row 32 x block + i.
  Word block(std::uint64_t block) const { return words_[static_cast<std::size_t>(block)]; }
  void set_block(std::uint64_t block, Word rows) { words_[static_cast<std::size_t>(block)] = rows; }

  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const Word word : words_) n += static_cast<std::uint64_t>(bits_set(word));
    return n;
  }

  /// The rows that are held, in order.
  std::vector<std::uint64_t> list() const {
    std::vector<std::uint64_t> held;
    for (std::size_t block = 0; block < words_.size(); ++block)
      for (Word left = words_[block]; left != 0; left &= left - 1)
        held.push_back(block * kLanes + static_cast<std::uint64_t>(std::countr_zero(left)));
    return held;
  }

  RowMask& operator&=(const RowMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  RowMask& operator|=(const RowMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  void flip() {
    for (Word& word : words_) word = ~word;
    cut();
  }

 private:
  /// Clears the bits past the last row.
  void cut() {
    if (rows_ % kLanes != 0) words_.back() &= (Word{1} << rows_ % kLanes) - 1;
  }

  std::uint64_t rows_;
  std::vector<Word> words_;
};

}  // namespace fastid
