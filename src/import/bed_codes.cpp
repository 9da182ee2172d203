// Two blocks of people at a time, with the operations that every processor has.
#include "import/bed_codes.hpp"

#include <algorithm>
#include <cstring>

namespace fastid {
namespace {

constexpr Codes kLow = 0x5555555555555555;  // the low bit of each code
constexpr std::size_t kVariantPairs = kWordBits / 2;

using Pair = Codes __attribute__((vector_size(16)));  // two blocks

Pair load(const Codes* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

/// Adds fields of two bits, in bytes: `sums` may take ten such additions of three words each.
void add_fields(Pair a, Pair b, Pair c, Pair& sums) {
  constexpr Codes kFours = 0x3333333333333333, kEights = 0x0F0F0F0F0F0F0F0F;
  const auto in_nibbles = [](Pair fields) { return (fields & kFours) + (fields >> 2 & kFours); };
  const Pair nibbles = in_nibbles(a) + in_nibbles(b) + in_nibbles(c);
  sums += (nibbles & kEights) + (nibbles >> 4 & kEights);
}

std::uint64_t sum_of_bytes(Pair sums) {
  constexpr Codes kSixteens = 0x00FF00FF00FF00FF;
  const Pair halves = (sums & kSixteens) + (sums >> 8 & kSixteens);
  return (halves[0] + halves[1]) * 0x0001000100010001 >> 48;
}

/// Two bits for each person: copies of allele 2; and those of allele 1 that a person with two has not.
Pair second_copies(Pair row) {
  return (row >> 1 & kLow) + (row & row >> 1 & kLow);
}
Pair lacking_first(Pair row) {
  return (row & kLow) << 1 | (row >> 1 & ~row & kLow);
}

/// Column bit log2(kSide) changes places with the bit of the row's number that is kSide / 2.
template <int kSide>
inline void swap_squares(Pair* rows, Codes mask) {
  constexpr std::size_t kStep = kSide / 2;
  for (std::size_t i = 0; i < kVariantPairs; ++i) {
    if ((i & kStep) != 0) continue;
    const Pair differ = (rows[i] >> kSide ^ rows[i + kStep]) & mask;
    rows[i + kStep] ^= differ;
    rows[i] ^= differ << kSide;
  }
}

/// Row k: one bit of variant 2k of each person in the even places, of variant 2k + 1 in the odd ones.
/// Becomes: words of person k (low half) and of person k + 16, bit v being variant v. Bit 0 of a variant's
/// number is where it must be from the start; the other four change places with those of a person's.
inline void to_words(Pair* rows, Word (*words)[kLanes]) {
  swap_squares<2>(rows, 0x3333333333333333);
  swap_squares<4>(rows, 0x0F0F0F0F0F0F0F0F);
  swap_squares<8>(rows, 0x00FF00FF00FF00FF);
  swap_squares<16>(rows, 0x0000FFFF0000FFFF);
  for (std::size_t block = 0; block < 2; ++block)
    for (std::size_t k = 0; k < kVariantPairs; ++k) {
      words[block][k] = static_cast<Word>(rows[k][block]);
      words[block][k + kVariantPairs] = static_cast<Word>(rows[k][block] >> 32);
    }
}

}  // namespace

GenotypeReader::AlleleCounts count_codes(std::span<const Codes> row, std::size_t n_people) {
  constexpr std::size_t kPairsInBytes = 30;  // whose sums, 8 a word, fit in a byte
  const std::size_t n_pairs = row.size() / 2;
  std::uint64_t second = 0, lacking = 0;
  for (std::size_t from = 0; from < n_pairs; from += kPairsInBytes) {
    const std::size_t end = std::min(n_pairs, from + kPairsInBytes);
    const auto at = [&](std::size_t i) { return i < end ? load(row.data() + 2 * i) : Pair{}; };
    Pair seconds = {}, lackings = {};
    for (std::size_t i = from; i < end; i += 3) {
      const Pair a = at(i), b = at(i + 1), c = at(i + 2);
      add_fields(second_copies(a), second_copies(b), second_copies(c), seconds);
      add_fields(lacking_first(a), lacking_first(b), lacking_first(c), lackings);
    }
    second += sum_of_bytes(seconds);
    lacking += sum_of_bytes(lackings);
  }
  return {2 * n_people - lacking, second};
}

CodeBuffer::CodeBuffer(std::size_t n_people)
    : n_people_(n_people), rows_(checked_mul(row_words(n_people), kWordBits)) {}

void CodeBuffer::put(std::size_t place, std::span<const Codes> row, bool first_is_minor) {
  for (std::size_t i = 0; i < row.size(); i += 2)
    std::memcpy(&rows_[i * kWordBits + 2 * place], &row[i], sizeof(Pair));
  touched_ |= Word{1} << place;
  if (first_is_minor) first_is_minor_ |= Word{1} << place;
}

void CodeBuffer::words_of_two(std::uint64_t first_block, Word (*bits)[kLanes], Word (*called)[kLanes]) const {
  const Codes* const rows = rows_.data() + first_block * kWordBits;
  Pair low[kVariantPairs], high[kVariantPairs];
  for (std::size_t k = 0; k < kVariantPairs; ++k) {
    const Pair even = load(rows + 4 * k), odd = load(rows + 4 * k + 2);
    low[k] = (even & kLow) | (odd & kLow) << 1;
    high[k] = (even >> 1 & kLow) | (odd & ~kLow);
  }
  Word is_low[2][kLanes], is_high[2][kLanes];
  to_words(low, is_low);
  to_words(high, is_high);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      called[b][lane] = (~is_low[b][lane] | is_high[b][lane]) & touched_;
      bits[b][lane] =
          ((~is_low[b][lane] & first_is_minor_) | (is_high[b][lane] & ~first_is_minor_)) & touched_;
    }
    const std::uint64_t before = (first_block + b) * kLanes;
    const std::size_t lanes = n_people_ > before ? std::min<std::size_t>(kLanes, n_people_ - before) : 0;
    std::fill(bits[b] + lanes, bits[b] + kLanes, Word{0});
    std::fill(called[b] + lanes, called[b] + kLanes, Word{0});
  }
}

}  // namespace fastid
