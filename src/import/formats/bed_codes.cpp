// Handles many blocks of people at a time. Google Highway compiles this file once for each instruction set;
// it is written with the compiler's vector types, which every processor supports in some width.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "import/formats/bed_codes.cpp"
#include "import/formats/bed_codes.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "bits/turn_words.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::imports::HWY_NAMESPACE {
namespace {

constexpr std::size_t kVectorBytes = std::max<std::size_t>(16, HWY_MAX_BYTES);
constexpr std::size_t kCodesInVector = kVectorBytes / sizeof(Codes);
constexpr std::size_t kVariantPairs = kWordBits / 2;
static_assert(kBlocksTurned % kCodesInVector == 0);

constexpr Codes kLow = 0x5555555555555555;  // the low bit of each code

using Group = Codes __attribute__((vector_size(kVectorBytes)));  // one row of several blocks

inline Group load(const void* from, std::size_t bytes = sizeof(Group)) {
  Group group = {};
  std::memcpy(&group, from, bytes);
  return group;
}

/// Adds neighbouring fields of two bits, as nibbles; and fields of four bits, as bytes.
inline Group in_nibbles(Group fields) {
  constexpr Codes kFours = 0x3333333333333333;
  return (fields & kFours) + (fields >> 2 & kFours);
}
inline Group in_bytes(Group nibbles) {
  constexpr Codes kEights = 0x0F0F0F0F0F0F0F0F;
  return (nibbles & kEights) + (nibbles >> 4 & kEights);
}

inline std::uint64_t sum_of_bytes(Group sums) {
  constexpr Codes kSixteens = 0x00FF00FF00FF00FF;
  const Group halves = (sums & kSixteens) + (sums >> 8 & kSixteens);
  Codes sum = 0;
  for (std::size_t i = 0; i < kCodesInVector; ++i) sum += halves[i];
  return sum * 0x0001000100010001 >> 48;
}

/// second_copies(): copies of allele 2, two bits per person. missing(): one bit per person.
inline Group second_copies(Group row) {
  return (row >> 1 & kLow) + (row & row >> 1 & kLow);
}
inline Group missing(Group row) {
  return row & ~(row >> 1) & kLow;
}

GenotypeReader::AlleleCounts count(std::span<const std::uint8_t> row, std::size_t n_people) {
  constexpr std::size_t kGroupsInBytes = 30;  // whose sums, 8 per word, fit in a byte
  const std::size_t n_groups = ceil_div(row.size(), kVectorBytes);
  const std::size_t n_whole = row.size() / kVectorBytes;
  const Group last = load(row.data() + n_whole * kVectorBytes, row.size() % kVectorBytes);
  std::uint64_t second = 0, n_missing = 0;
  for (std::size_t from = 0; from < n_groups; from += kGroupsInBytes) {
    const std::size_t end = std::min(n_groups, from + kGroupsInBytes);
    const auto at = [&](std::size_t i) {
      if (i >= end) return Group{};
      return i < n_whole ? load(row.data() + i * kVectorBytes) : last;
    };
    Group seconds = {}, missings = {};
    for (std::size_t i = from; i < end; i += 3) {
      const Group a = at(i), b = at(i + 1), c = at(i + 2);
      seconds += in_bytes(in_nibbles(second_copies(a)) + in_nibbles(second_copies(b)) +
                          in_nibbles(second_copies(c)));
      missings += in_bytes(in_nibbles(missing(a) + missing(b) + missing(c)));
    }
    second += sum_of_bytes(seconds);
    n_missing += sum_of_bytes(missings);
  }
  return {2 * (n_people - n_missing) - second, second};
}

/// Swaps bit log2(kSide) of the column's number with bit log2(kSide / 2) of the row's number.
template <int kSide>
inline void swap_squares(Group* rows, Codes mask) {
  constexpr std::size_t kStep = kSide / 2;
  for (std::size_t i = 0; i < kVariantPairs; ++i) {
    if ((i & kStep) != 0) continue;
    const Group differ = (rows[i] >> kSide ^ rows[i + kStep]) & mask;
    rows[i + kStep] ^= differ;
    rows[i] ^= differ << kSide;
  }
}

/// In: row k has a bit of variant 2k for each person at the even places, of variant 2k + 1 at the odd ones.
/// Out: words of person k (low half) and of person k + 16, with variant v at bit v. Bit 0 of a variant's
/// number is in place from the start; the other four are swapped with the bits of a person's number.
inline void to_words(Group* rows, Word (*words)[kLanes]) {
  swap_squares<2>(rows, 0x3333333333333333);
  swap_squares<4>(rows, 0x0F0F0F0F0F0F0F0F);
  swap_squares<8>(rows, 0x00FF00FF00FF00FF);
  swap_squares<16>(rows, 0x0000FFFF0000FFFF);
  for (std::size_t pair = 0; pair < kCodesInVector / 2; ++pair)
    for (std::size_t k = 0; k < kVariantPairs; k += 4) {
      FourWords four[4];
      for (std::size_t i = 0; i < 4; ++i)
        std::memcpy(&four[i], reinterpret_cast<const FourWords*>(rows + k + i) + pair, sizeof four[i]);
      turn_words(four);
      for (std::size_t block = 0; block < 2; ++block)
        for (std::size_t half = 0; half < 2; ++half)
          std::memcpy(words[2 * pair + block] + half * kVariantPairs + k, &four[2 * block + half],
                      sizeof(FourWords));
    }
}

/// Who carries the allele that `first` names, of variant `variant`: allele 1 where its bit is set, else
/// allele 2. A low bit of 0 means a copy of allele 1, a high bit of 1 a copy of allele 2.
inline Group carriers(Word first, std::size_t variant, Group codes) {
  const Codes is_first = -static_cast<Codes>(first >> variant & 1);
  return ((~codes & is_first) | (codes >> 1 & ~is_first)) & kLow;
}

/// Transposes 32 variants of the same blocks, whose rows are `row_size` apart: who carries the minor allele,
/// and who carries the major one (kAlleles) or is missing (kMinor). False where the second plane is empty:
/// `others` is then left alone.
template <Encoding kEncoding>
bool turn(const Codes* rows, std::size_t row_size, Word first_is_minor, Word (*minors)[kLanes],
          Word (*others)[kLanes]) {
  Group minor[kVariantPairs], other[kVariantPairs], any = {};
  const auto other_of = [&](std::size_t variant, Group codes) {
    return kEncoding == Encoding::kAlleles ? carriers(~first_is_minor, variant, codes) : missing(codes);
  };
  for (std::size_t k = 0; k < kVariantPairs; ++k) {
    const Group even = load(rows + 2 * k * row_size), odd = load(rows + (2 * k + 1) * row_size);
    minor[k] = carriers(first_is_minor, 2 * k, even) | carriers(first_is_minor, 2 * k + 1, odd) << 1;
    other[k] = other_of(2 * k, even) | other_of(2 * k + 1, odd) << 1;
    any |= other[k];
  }
  to_words(minor, minors);
  Codes any_other = 0;
  for (std::size_t i = 0; i < kCodesInVector; ++i) any_other |= any[i];
  if (any_other != 0) to_words(other, others);
  return any_other != 0;
}

/// Transposes kBlocksTurned blocks, as many at a time as the widest vectors take.
bool turn_blocks(Encoding encoding, const Codes* rows, std::size_t row_size, Word first_is_minor,
                 Word (*minors)[kLanes], Word (*others)[kLanes]) {
  const auto turn_some = encoding == Encoding::kAlleles ? turn<Encoding::kAlleles> : turn<Encoding::kMinor>;
  bool any = false;
  for (std::size_t block = 0; block < kBlocksTurned; block += kCodesInVector) {
    const bool here = turn_some(rows + block, row_size, first_is_minor, minors + block, others + block);
    if (here && !any) std::fill_n(others[0], block * kLanes, Word{0});
    if (any && !here) std::fill_n(others[block], kCodesInVector * kLanes, Word{0});
    any |= here;
  }
  return any;
}

}  // namespace
}  // namespace fastid::imports::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/checked.hpp"

namespace fastid::imports {

HWY_EXPORT(count);
HWY_EXPORT(turn_blocks);

GenotypeReader::AlleleCounts count_codes(std::span<const std::uint8_t> row, std::size_t n_people) {
  return HWY_DYNAMIC_DISPATCH(count)(row, n_people);
}

CodeBuffer::CodeBuffer(std::size_t n_people, Encoding encoding)
    : n_people_(n_people),
      encoding_(encoding),
      row_size_(kBlocksTurned * ceil_div(n_people, kBlocksTurned * kLanes)),
      rows_(checked_mul(row_size_, kWordBits)) {}

void CodeBuffer::put(std::size_t place, std::span<const std::uint8_t> row, bool first_is_minor) {
  std::memcpy(rows_.data() + place * row_size_, row.data(), row.size());  // what follows stays 0
  touched_ |= Word{1} << place;
  if (first_is_minor) first_is_minor_ |= Word{1} << place;
}

bool CodeBuffer::words_of(std::uint64_t first_block, std::size_t n, Word (*bits)[kLanes],
                          Word (*second)[kLanes]) const {
  const bool any = HWY_DYNAMIC_DISPATCH(turn_blocks)(encoding_, rows_.data() + first_block, row_size_,
                                                     first_is_minor_, bits, second);
  const bool all_called = encoding_ == Encoding::kMinor && !any && touched_ == ~Word{0};
  if (!all_called && !any) std::fill_n(second[0], kBlocksTurned * kLanes, Word{0});
  const Word is_absent = encoding_ == Encoding::kMinor ? ~Word{0} : 0;  // what a bit of `second` says so far
  for (std::size_t b = 0; b < n; ++b) {
    const std::uint64_t before = (first_block + b) * kLanes;
    const std::size_t lanes = n_people_ > before ? std::min<std::size_t>(kLanes, n_people_ - before) : 0;
    for (std::size_t lane = 0; lane < lanes && !all_called; ++lane) {
      bits[b][lane] &= touched_;
      second[b][lane] = (second[b][lane] ^ is_absent) & touched_;
    }
    std::fill(bits[b] + lanes, bits[b] + kLanes, Word{0});
    std::fill(second[b] + lanes, second[b] + kLanes, Word{0});
  }
  return all_called;
}

}  // namespace fastid::imports
#endif
