// Two-bit codes, read one after the other by the table of PLINK's format: the counts and the words must be
// those.
#include "import/bed_codes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fastid {
namespace {

/// Codes of variants by people: 0 two copies of allele 1, 1 missing, 2 one of each, 3 two copies of allele 2.
using Table = std::vector<std::vector<unsigned>>;

Table draw(std::size_t n_variants, std::size_t n_people, unsigned seed) {
  std::mt19937 random(seed);
  Table table(n_variants, std::vector<unsigned>(n_people));
  for (auto& variant : table)
    for (unsigned& code : variant) code = random() % 4;
  return table;
}

/// Four people a byte, the first in the low bits, as in the file.
std::vector<Codes> row_of(const std::vector<unsigned>& variant) {
  std::vector<Codes> row(row_words(variant.size()));
  auto* const bytes = reinterpret_cast<unsigned char*>(row.data());
  for (std::size_t i = 0; i < variant.size(); ++i)
    bytes[i / 4] = static_cast<unsigned char>(bytes[i / 4] | variant[i] << 2 * (i % 4));
  return row;
}

class BedCodes : public testing::TestWithParam<std::size_t> {};

TEST_P(BedCodes, CountsCopiesOfBothAlleles) {
  for (const auto& variant : draw(20, GetParam(), 1)) {
    std::uint64_t first = 0, second = 0;
    for (const unsigned code : variant) {
      first += code == 0 ? 2 : code == 2 ? 1 : 0;
      second += code == 3 ? 2 : code == 2 ? 1 : 0;
    }
    const auto counts = count_codes(row_of(variant), variant.size());
    EXPECT_EQ(counts.first, first);
    EXPECT_EQ(counts.second, second);
  }
}

TEST_P(BedCodes, CountsOneKindAlone) {
  const std::size_t n = GetParam();
  const std::uint64_t firsts[] = {2 * n, 0, n, 0}, seconds[] = {0, 0, n, 2 * n};
  for (unsigned code = 0; code < 4; ++code) {
    const auto counts = count_codes(row_of(std::vector<unsigned>(n, code)), n);
    EXPECT_EQ(counts.first, firsts[code]) << code;
    EXPECT_EQ(counts.second, seconds[code]) << code;
  }
}

/// Bit `variant` of each person's words against the table.
void expect_words(const Table& table, const std::vector<bool>& put, const std::vector<bool>& first_is_minor,
                  const CodeBuffer& buffer) {
  const std::size_t n_people = table[0].size(), n_blocks = ceil_div<std::size_t>(n_people, kLanes);
  for (std::size_t block = 0; block < n_blocks; block += 2) {
    Word bits[2][kLanes], called[2][kLanes];
    buffer.words_of_two(block, bits, called);
    for (std::size_t i = 0; i < 2 * kLanes; ++i)
      for (std::size_t v = 0; v < kWordBits; ++v) {
        const std::size_t person = block * kLanes + i;
        const bool there = person < n_people && put[v];
        const unsigned code = there ? table[v][person] : 1;
        const bool carries = first_is_minor[v] ? code == 0 || code == 2 : code == 3 || code == 2;
        ASSERT_EQ((called[i / kLanes][i % kLanes] >> v & 1) != 0, code != 1) << person << ' ' << v;
        ASSERT_EQ((bits[i / kLanes][i % kLanes] >> v & 1) != 0, carries) << person << ' ' << v;
      }
  }
}

TEST_P(BedCodes, BecomeWordsOfPeople) {
  const Table table = draw(kWordBits, GetParam(), 2);
  CodeBuffer buffer(GetParam());
  std::vector<bool> put(kWordBits), first_is_minor(kWordBits);
  for (std::size_t v = 0; v < kWordBits; ++v) {
    put[v] = v % 5 != 3;
    first_is_minor[v] = v % 3 == 1;
    if (put[v]) buffer.put(v, row_of(table[v]), first_is_minor[v]);
  }
  expect_words(table, put, first_is_minor, buffer);

  const Table next = draw(kWordBits, GetParam(), 3);  // nothing of what was there shines through
  buffer.clear();
  buffer.put(kWordBits - 1, row_of(next.back()), true);
  std::vector<bool> last(kWordBits);
  last.back() = true;
  expect_words(next, last, last, buffer);
}

INSTANTIATE_TEST_SUITE_P(People, BedCodes,
                         testing::Values(1, 3, 4, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 1919, 1920, 1921,
                                         5000));

}  // namespace
}  // namespace fastid
