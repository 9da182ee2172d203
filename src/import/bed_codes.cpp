// Two blocks of people at a time, with the operations that every processor has.
#include "import/bed_codes.hpp"

#include <algorithm>
#include <cstring>

#include "bits/turn_words.hpp"

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

/// Fields of two bits added, in nibbles; and fields of four bits, in bytes.
Pair in_nibbles(Pair fields) {
  constexpr Codes kFours = 0x3333333333333333;
  return (fields & kFours) + (fields >> 2 & kFours);
}
Pair in_bytes(Pair nibbles) {
  constexpr Codes kEights = 0x0F0F0F0F0F0F0F0F;
  return (nibbles & kEights) + (nibbles >> 4 & kEights);
}

std::uint64_t sum_of_bytes(Pair sums) {
  constexpr Codes kSixteens = 0x00FF00FF00FF00FF;
  const Pair halves = (sums & kSixteens) + (sums >> 8 & kSixteens);
  return (halves[0] + halves[1]) * 0x0001000100010001 >> 48;
}

/// Two bits for each person: copies of allele 2. One bit: missing.
Pair second_copies(Pair row) {
  return (row >> 1 & kLow) + (row & row >> 1 & kLow);
}
Pair missing(Pair row) {
  return row & ~(row >> 1) & kLow;
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
  for (std::size_t k = 0; k < kVariantPairs; k += 4) {
    FourWords four[4];
    std::memcpy(four, rows + k, sizeof four);
    turn_words(four);
    for (std::size_t block = 0; block < 2; ++block)
      for (std::size_t half = 0; half < 2; ++half)
        std::memcpy(words[block] + half * kVariantPairs + k, &four[2 * block + half], sizeof(FourWords));
  }
}

}  // namespace

GenotypeReader::AlleleCounts count_codes(std::span<const Codes> row, std::size_t n_people) {
  constexpr std::size_t kPairsInBytes = 30;  // whose sums, 8 a word, fit in a byte
  const std::size_t n_pairs = row.size() / 2;
  std::uint64_t second = 0, n_missing = 0;
  for (std::size_t from = 0; from < n_pairs; from += kPairsInBytes) {
    const std::size_t end = std::min(n_pairs, from + kPairsInBytes);
    const auto at = [&](std::size_t i) { return i < end ? load(row.data() + 2 * i) : Pair{}; };
    Pair seconds = {}, missings = {};
    for (std::size_t i = from; i < end; i += 3) {
      const Pair a = at(i), b = at(i + 1), c = at(i + 2);
      seconds += in_bytes(in_nibbles(second_copies(a)) + in_nibbles(second_copies(b)) +
                          in_nibbles(second_copies(c)));
      missings += in_bytes(in_nibbles(missing(a) + missing(b) + missing(c)));
    }
    second += sum_of_bytes(seconds);
    n_missing += sum_of_bytes(missings);
  }
  return {2 * (n_people - n_missing) - second, second};
}

CodeBuffer::CodeBuffer(std::size_t n_people)
    : n_people_(n_people), rows_(checked_mul(row_words(n_people), kWordBits)) {}

void CodeBuffer::put(std::size_t place, std::span<const Codes> row, bool first_is_minor) {
  std::ranges::copy(row, rows_.begin() + static_cast<std::ptrdiff_t>(place * row.size()));
  touched_ |= Word{1} << place;
  if (first_is_minor) first_is_minor_ |= Word{1} << place;
}

void CodeBuffer::words_of_two(std::uint64_t first_block, Word (*bits)[kLanes], Word (*called)[kLanes]) const {
  const std::size_t row_size = rows_.size() / kWordBits;
  Pair carriers[kVariantPairs], absent[kVariantPairs], any_absent = {};
  const auto row = [&](std::size_t variant) { return load(rows_.data() + variant * row_size + first_block); };
  // A low bit of 0 says that a copy of allele 1 is there, a high bit of 1 that one of allele 2 is.
  const auto minor = [&](std::size_t variant, Pair codes) {
    return (first_is_minor_ >> variant & 1) != 0 ? ~codes & kLow : codes >> 1 & kLow;
  };
  for (std::size_t k = 0; k < kVariantPairs; ++k) {
    const Pair even = row(2 * k), odd = row(2 * k + 1);
    carriers[k] = minor(2 * k, even) | minor(2 * k + 1, odd) << 1;
    absent[k] = missing(even) | missing(odd) << 1;
    any_absent |= absent[k];
  }
  to_words(carriers, bits);
  std::fill_n(called[0], 2 * kLanes, Word{0});
  if ((any_absent[0] | any_absent[1]) != 0) to_words(absent, called);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      bits[b][lane] &= touched_;
      called[b][lane] = ~called[b][lane] & touched_;
    }
    const std::uint64_t before = (first_block + b) * kLanes;
    const std::size_t lanes = n_people_ > before ? std::min<std::size_t>(kLanes, n_people_ - before) : 0;
    std::fill(bits[b] + lanes, bits[b] + kLanes, Word{0});
    std::fill(called[b] + lanes, called[b] + kLanes, Word{0});
  }
}

}  // namespace fastid
