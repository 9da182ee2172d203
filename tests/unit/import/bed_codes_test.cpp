// Two-bit codes, read one after the other by the table of PLINK's format: the counts and the words must be
// those.
#include "import/formats/bed_codes.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace fastid::imports {
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

/// The same where nobody's is missing.
Table draw_called(std::size_t n_variants, std::size_t n_people, unsigned seed) {
  Table table = draw(n_variants, n_people, seed);
  for (auto& variant : table)
    for (unsigned& code : variant) code = code == 1 ? 0 : code;
  return table;
}

/// Four people a byte, the first in the low bits, as in the file.
std::vector<std::uint8_t> row_of(const std::vector<unsigned>& variant) {
  std::vector<std::uint8_t> row(ceil_div<std::size_t>(variant.size(), 4));
  for (std::size_t i = 0; i < variant.size(); ++i)
    row[i / 4] = static_cast<std::uint8_t>(row[i / 4] | variant[i] << 2 * (i % 4));
  return row;
}

/// So many people, by one of the instruction sets that there are here.
class BedCodes : public ::testing::TestWithParam<std::tuple<std::size_t, std::int64_t>> {
 protected:
  void SetUp() override { choose(std::get<1>(GetParam())); }
  void TearDown() override { choose(0); }

  std::size_t n_people() const { return std::get<0>(GetParam()); }

 private:
  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().DeInit();  // the next call looks again
  }
};

TEST_P(BedCodes, CountsCopiesOfBothAlleles) {
  for (const auto& variant : draw(20, n_people(), 1)) {
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
  const std::size_t n = n_people();
  const std::uint64_t firsts[] = {2 * n, 0, n, 0}, seconds[] = {0, 0, n, 2 * n};
  for (unsigned code = 0; code < 4; ++code) {
    const auto counts = count_codes(row_of(std::vector<unsigned>(n, code)), n);
    EXPECT_EQ(counts.first, firsts[code]) << code;
    EXPECT_EQ(counts.second, seconds[code]) << code;
  }
}

/// Bit `variant` of each person's words against the table.
void expect_words(const Table& table, const std::vector<bool>& put, const std::vector<bool>& first_is_minor,
                  const CodeBuffer& buffer, bool all_called = false) {
  const std::size_t n_people = table[0].size(), n_blocks = ceil_div<std::size_t>(n_people, kLanes);
  for (std::size_t block = 0; block < n_blocks; block += kBlocksTurned) {
    Word bits[kBlocksTurned][kLanes], called[kBlocksTurned][kLanes];
    const std::size_t n = std::min(kBlocksTurned, n_blocks - block);
    ASSERT_EQ(buffer.words_of(block, n, bits, called), all_called);
    for (std::size_t i = 0; i < n * kLanes; ++i)
      for (std::size_t v = 0; v < kWordBits; ++v) {
        const std::size_t person = block * kLanes + i;
        const bool there = person < n_people && put[v];
        const unsigned code = there ? table[v][person] : 1;
        const bool carries = first_is_minor[v] ? code == 0 || code == 2 : code == 3 || code == 2;
        const bool is_called =
            all_called ? person < n_people : (called[i / kLanes][i % kLanes] >> v & 1) != 0;
        ASSERT_EQ(is_called, code != 1) << person << ' ' << v;
        ASSERT_EQ((bits[i / kLanes][i % kLanes] >> v & 1) != 0, carries) << person << ' ' << v;
      }
  }
}

TEST_P(BedCodes, BecomeWordsOfPeople) {
  const Table table = draw(kWordBits, n_people(), 2);
  CodeBuffer buffer(n_people(), Encoding::kMinor);
  std::vector<bool> put(kWordBits), first_is_minor(kWordBits);
  for (std::size_t v = 0; v < kWordBits; ++v) {
    put[v] = v % 5 != 3;
    first_is_minor[v] = v % 3 == 1;
    if (put[v]) buffer.put(v, row_of(table[v]), first_is_minor[v]);
  }
  expect_words(table, put, first_is_minor, buffer);

  const Table next = draw(kWordBits, n_people(), 3);  // nothing of what was there shines through
  buffer.clear();
  buffer.put(kWordBits - 1, row_of(next.back()), true);
  std::vector<bool> last(kWordBits);
  last.back() = true;
  expect_words(next, last, last, buffer);
}

TEST_P(BedCodes, OfVariantsThatAllHaveSayNothingOfCalls) {
  const Table table = draw_called(kWordBits, n_people(), 4);
  CodeBuffer buffer(n_people(), Encoding::kMinor);
  std::vector<bool> first_is_minor(kWordBits);
  for (std::size_t v = 0; v < kWordBits; ++v) {
    first_is_minor[v] = v % 3 == 1;
    buffer.put(v, row_of(table[v]), first_is_minor[v]);
  }
  expect_words(table, std::vector<bool>(kWordBits, true), first_is_minor, buffer, true);
}

TEST_P(BedCodes, OneThatIsMissingIsMissingThere) {
  for (const std::size_t person : {std::size_t{0}, n_people() / 2, n_people() - 1}) {
    Table table = draw_called(kWordBits, n_people(), 5);
    table[7][person] = 1;
    CodeBuffer buffer(n_people(), Encoding::kMinor);
    for (std::size_t v = 0; v < kWordBits; ++v) buffer.put(v, row_of(table[v]), false);
    BitBlocks blocks({n_people(), kWordBits}, BitBlocks::Start::kAllCalled);
    Word bits[kBlocksTurned][kLanes], called[kBlocksTurned][kLanes];
    for (std::size_t block = 0; block < blocks.shape().n_blocks(); block += kBlocksTurned) {
      const std::size_t n = std::min<std::size_t>(kBlocksTurned, blocks.shape().n_blocks() - block);
      const bool all_called = buffer.words_of(block, n, bits, called);
      ASSERT_EQ(all_called, person / kLanes / kBlocksTurned != block / kBlocksTurned);
      for (std::size_t b = 0; b < n; ++b)
        blocks.set_word(block + b, 0, ~Word{0}, bits[b], all_called ? nullptr : called[b]);
    }
    for (std::size_t i = 0; i < n_people(); ++i)
      for (std::uint32_t v = 0; v < kWordBits; ++v) {
        ASSERT_EQ(blocks.called(i, v), table[v][i] != 1) << i << ' ' << v;
        ASSERT_EQ(blocks.bit(i, v), table[v][i] >= 2) << i << ' ' << v;
      }
  }
}

TEST_P(BedCodes, SayWhoCarriesAMajorAllele) {
  for (const bool all_called : {false, true}) {
    const Table table = (all_called ? draw_called : draw)(kWordBits, n_people(), 6);
    CodeBuffer buffer(n_people(), Encoding::kAlleles);
    for (std::size_t v = 0; v < kWordBits; ++v)
      if (v % 5 != 3) buffer.put(v, row_of(table[v]), v % 3 == 1);
    const std::size_t n_blocks = ceil_div<std::size_t>(n_people(), kLanes);
    for (std::size_t block = 0; block < n_blocks; block += kBlocksTurned) {
      Word minor[kBlocksTurned][kLanes], major[kBlocksTurned][kLanes];
      const std::size_t n = std::min(kBlocksTurned, n_blocks - block);
      ASSERT_FALSE(buffer.words_of(block, n, minor, major));
      for (std::size_t i = 0; i < n * kLanes; ++i)
        for (std::size_t v = 0; v < kWordBits; ++v) {
          const std::size_t person = block * kLanes + i;
          const unsigned code = person < n_people() && v % 5 != 3 ? table[v][person] : 1;
          const bool first = code == 0 || code == 2, second = code == 3 || code == 2;
          ASSERT_EQ((minor[i / kLanes][i % kLanes] >> v & 1) != 0, v % 3 == 1 ? first : second);
          ASSERT_EQ((major[i / kLanes][i % kLanes] >> v & 1) != 0, v % 3 == 1 ? second : first);
        }
    }
  }
}

/// Where nobody carries a major allele, the words of an earlier call do not shine through.
TEST_P(BedCodes, OfVariantsOfMinorAllelesAloneHaveNoMajorOnes) {
  CodeBuffer buffer(n_people(), Encoding::kAlleles);
  for (std::size_t v = 0; v < kWordBits; ++v)
    buffer.put(v, row_of(std::vector<unsigned>(n_people(), 3)), false);
  Word minor[kBlocksTurned][kLanes], major[kBlocksTurned][kLanes];
  std::fill_n(major[0], kBlocksTurned * kLanes, ~Word{0});
  ASSERT_FALSE(buffer.words_of(0, 1, minor, major));
  for (std::size_t i = 0; i < kLanes; ++i) {
    ASSERT_EQ(minor[0][i], i < n_people() ? ~Word{0} : 0);
    ASSERT_EQ(major[0][i], 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(People, BedCodes,
                         ::testing::Combine(::testing::Values(1, 3, 4, 31, 32, 33, 63, 64, 65, 96, 127, 128,
                                                              129, 255, 256, 257, 1919, 1920, 1921, 5000),
                                            ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets())),
                         [](const auto& test) {
                           return std::to_string(std::get<0>(test.param)) +
                                  hwy::TargetName(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace fastid::imports
