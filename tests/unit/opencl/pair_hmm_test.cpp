// The pair-HMM on an OpenCL device against the reference, with reads of every length that its kernel divides
// differently; and how pairs are cut into slices and launches.
#include "opencl/pair_hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "opencl/hmm/slices.hpp"
#include "support/opencl_device.hpp"

namespace fastid::opencl {
namespace {

std::vector<std::uint8_t> random_bases(std::size_t columns, std::mt19937& random) {
  std::vector<std::uint8_t> bases;
  for (std::size_t j = 0; j < columns; ++j) bases.push_back(static_cast<std::uint8_t>(1U << random() % 4));
  return bases;
}

void add_read(std::size_t rows, const std::vector<std::uint8_t>& bases, std::mt19937& random,
              hmm::Groups& groups) {
  std::vector<hmm::Row> read;
  for (std::size_t i = 0; i < rows; ++i)
    read.push_back(hmm::pack(random() % 30 == 0 ? hmm::kAnyBase : bases[i % bases.size()],
                             {static_cast<std::uint8_t>(random() % 45), 45, 44, 10}));
  groups.add_read(read);
}

// A group of one pair.
void add(std::size_t rows, std::size_t columns, std::mt19937& random, hmm::Groups& groups) {
  const std::vector<std::uint8_t> bases = random_bases(columns, random);
  add_read(rows, bases, random, groups);
  groups.add_haplotype(bases);
  groups.end_group();
}

// A group of reads and haplotypes of many lengths.
void add_group(std::size_t reads, std::size_t haplotypes, std::size_t most_rows, std::mt19937& random,
               hmm::Groups& groups) {
  const std::vector<std::uint8_t> bases = random_bases(50, random);
  for (std::size_t i = 0; i < reads; ++i) add_read(1 + random() % most_rows, bases, random, groups);
  for (std::size_t i = 0; i < haplotypes; ++i) groups.add_haplotype(random_bases(1 + random() % 120, random));
  groups.end_group();
}

TEST(OpenClPairHmm, AgreesWithTheReference) {
  std::mt19937 random(5);
  hmm::Groups groups;
  for (const std::size_t rows : {1, 2, 7, 8, 9, 127, 128}) add(rows, 1 + random() % 150, random, groups);
  for (const std::size_t rows : {129, 256, 257, 512, 513, 700})
    add(rows, rows + random() % 50, random, groups);
  for (int i = 0; i < 40; ++i) add(1 + random() % 100, 1 + random() % 160, random, groups);
  for (int i = 0; i < 10; ++i) add_group(random() % 12, random() % 9, 100, random, groups);
  add_group(9, 40, 530, random, groups);
  add(300, 20, random, groups);  // mostly inserted: too improbable for float
  const std::vector<double> expected = hmm::make_reference_engine()->log10_likelihoods(groups);
  for (const bool doubles : {true, false}) {
    const auto engine = make_opencl_likelihood_engine(testing::opencl_selector(), 1, doubles);
    for (int again = 0; again < 2; ++again) {
      const std::vector<double> log10 = engine->log10_likelihoods(groups);
      ASSERT_EQ(log10.size(), expected.size());
      for (std::size_t i = 0; i < log10.size(); ++i) EXPECT_NEAR(log10[i], expected[i], 1e-5) << i;
      EXPECT_GE(engine->rescued(), 2u);  // reads that the kernel does not take
      EXPECT_LT(engine->rescued(), log10.size());
    }
    const hmm::IndexRange part{20, groups.reads().end - 10};
    std::vector<double> of_part(groups.n_pairs(part));
    engine->compute(groups, part, of_part);
    for (std::size_t i = 0; i < of_part.size(); ++i)
      EXPECT_NEAR(of_part[i], expected[groups.pair_starts()[part.first] + i], 1e-5) << i;
    EXPECT_TRUE(engine->log10_likelihoods(hmm::Groups()).empty());
  }
}

TEST(OpenClPairHmm, SeveralSlicesKeepTheirPlaces) {
  std::mt19937 random(9);
  hmm::Groups groups;
  for (int i = 0; i < 1500; ++i) add_read(1 + random() % 2, random_bases(2, random), random, groups);
  for (int i = 0; i < 1450; ++i) groups.add_haplotype(random_bases(1 + random() % 3, random));
  groups.end_group();
  const auto engine = make_opencl_likelihood_engine(testing::opencl_selector(), 1);
  const std::vector<double> log10 = engine->log10_likelihoods(groups);
  const std::vector<double> expected = hmm::make_cpu_engine(0)->log10_likelihoods(groups);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < log10.size(); ++i) {
    const bool near = log10[i] == expected[i] || std::abs(log10[i] - expected[i]) < 1e-5;
    wrong += !near;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(OpenClPairHmm, GroupsWithNothingForTheKernelAreTaken) {
  std::mt19937 random(8);
  hmm::Groups groups;
  add_group(3, 0, 20, random, groups);
  add_group(0, 3, 20, random, groups);
  add(600, 610, random, groups);
  const auto engine = make_opencl_likelihood_engine(testing::opencl_selector(), 1);
  const std::vector<double> log10 = engine->log10_likelihoods(groups);
  ASSERT_EQ(log10.size(), 1u);
  EXPECT_NEAR(log10[0], hmm::log10_likelihood(groups.read(3), groups.haplotype(3)), 1e-5);
  EXPECT_EQ(engine->rescued(), 1u);
}

// Checks a slice, and notes the places of its pairs.
void check_slice(const hmm::Groups& groups, const HmmSlice& slice, std::vector<std::uint32_t>& seen) {
  std::size_t pairs = 0, launched = 0, longest = 0;
  for (const HmmLaunch& launch : slice.launches) launched += launch.n;
  EXPECT_EQ(launched, slice.pairs);
  for (const HmmRead& read : slice.order) {
    EXPECT_EQ(read.first_pair, pairs);
    pairs += read.haplotypes;
    const auto rows =
        groups.rows().subspan(groups.read_starts()[slice.reads.first] + read.first_row, read.rows);
    const HmmShape shape = shape_of(rows.size());
    EXPECT_GE(std::size_t{shape.rows} * shape.items, longest);
    longest = std::size_t{shape.rows} * shape.items;
    const auto launch = std::ranges::find_if(slice.launches, [&](const HmmLaunch& one) {
      return read.first_pair >= one.first && read.first_pair < one.first + one.n;
    });
    ASSERT_NE(launch, slice.launches.end());
    EXPECT_LE(rows.size(), std::size_t{launch->shape.rows} * launch->shape.items);
    const std::uint32_t result = groups.pair_starts()[slice.reads.first] + read.first_result;
    const auto of = std::ranges::upper_bound(groups.pair_starts(), result) - groups.pair_starts().begin() - 1;
    const auto number = static_cast<std::uint32_t>(of);
    EXPECT_EQ(groups.read(number).data(), rows.data());
    EXPECT_EQ(groups.pair_starts()[number], result);
    EXPECT_EQ(groups.haplotypes_of(number).first, slice.haplotypes.first + read.first_haplotype);
    EXPECT_EQ(groups.haplotypes_of(number).size(), read.haplotypes);
    for (std::uint32_t i = 0; i < read.haplotypes; ++i) seen.push_back(result + i);
  }
  EXPECT_EQ(pairs, slice.pairs);
}

TEST(HmmSlices, HoldEveryPairOnceInLaunchesThatFitIt) {
  std::mt19937 random(6);
  hmm::Groups groups;
  for (int i = 0; i < 200; ++i) add_group(random() % 6, 1 + random() % 4, 600, random, groups);
  add_group(100, 50, 8, random, groups);  // enough of a length for a launch of their own
  const std::vector<std::uint8_t> long_bases = random_bases(10, random);
  for (int i = 0; i < 500; ++i) add_read(kMostHmmRows, long_bases, random, groups);
  for (int i = 0; i < 10; ++i) groups.add_haplotype(long_bases);
  groups.end_group();
  std::vector<std::uint32_t> expected;
  for (std::uint32_t read = 0; read < groups.reads().end; ++read)
    if (groups.read(read).size() <= kMostHmmRows)
      for (std::uint32_t i = groups.pair_starts()[read]; i < groups.pair_starts()[read + 1]; ++i)
        expected.push_back(i);
  const auto cells_of = [&](hmm::IndexRange reads) {
    std::uint64_t cells = 0;
    for (std::uint32_t read = reads.first; read < reads.end; ++read) cells += groups.cells_of(read);
    return cells;
  };
  for (const std::uint64_t cells : {std::uint64_t{1}, std::uint64_t{100'000}, UINT64_MAX})
    for (const std::uint64_t bytes : {std::uint64_t{4000}, UINT64_MAX}) {
      HmmSlices slices(groups, groups.reads(), cells, bytes);
      HmmSlice slice;
      std::vector<std::uint32_t> seen;
      std::uint32_t next = 0;
      std::size_t launches = 0;
      while (slices.next(slice)) {
        EXPECT_EQ(slice.reads.first, next);
        next = slice.reads.end;
        EXPECT_TRUE(cells_of(slice.reads) <= cells || slice.reads.size() == 1);
        check_slice(groups, slice, seen);
        launches = std::max(launches, slice.launches.size());
      }
      EXPECT_EQ(launches, cells == UINT64_MAX && bytes == UINT64_MAX ? 2u : 1u);
      EXPECT_EQ(next, groups.reads().end);
      std::ranges::sort(seen);
      EXPECT_EQ(seen, expected);
    }
}

TEST(HmmShape, TakesFewItemsOfAtMostSixteenRows) {
  for (std::size_t n = 1; n <= kMostHmmRows; ++n) {
    const HmmShape shape = shape_of(n);
    EXPECT_LE(shape.rows, 16u);
    EXPECT_GE(shape.rows * shape.items, n);
    EXPECT_LT((shape.rows - 1) * shape.items, n);
    EXPECT_EQ(shape.items, n <= 128 ? 8u : n <= 256 ? 16u : 32u);
  }
}

}  // namespace
}  // namespace fastid::opencl
