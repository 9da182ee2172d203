// The pair-HMM on an OpenCL device against the reference, with reads of every length that its kernel divides
// differently; and how pairs are cut into slices and launches.
#include "opencl/pair_hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "opencl/hmm/slices.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

hmm::Pair add(std::size_t rows, std::size_t columns, std::mt19937& random, hmm::Pairs& pairs) {
  std::vector<std::uint8_t> bases;
  for (std::size_t j = 0; j < columns; ++j) bases.push_back(static_cast<std::uint8_t>(1U << random() % 4));
  std::vector<hmm::Row> read;
  for (std::size_t i = 0; i < rows; ++i)
    read.push_back(hmm::pack(random() % 30 == 0 ? hmm::kAnyBase : bases[i % columns],
                             {static_cast<std::uint8_t>(random() % 45), 45, 44, 10}));
  const hmm::Pair pair{pairs.add_read(read), pairs.add_haplotype(bases)};
  pairs.add_pair(pair);
  return pair;
}

TEST(OpenClPairHmm, AgreesWithTheReference) {
  std::mt19937 random(5);
  hmm::Pairs pairs;
  for (const std::size_t rows : {1, 2, 7, 8, 9, 127, 128}) add(rows, 1 + random() % 150, random, pairs);
  for (const std::size_t rows : {129, 256, 257, 512, 513, 700})
    add(rows, rows + random() % 50, random, pairs);
  for (int i = 0; i < 40; ++i) add(1 + random() % 100, 1 + random() % 160, random, pairs);
  add(300, 20, random, pairs);  // mostly inserted: too improbable for float
  const auto engine = make_opencl_likelihood_engine(testing::opencl_selector(), 1);
  for (int again = 0; again < 2; ++again) {
    const std::vector<double> log10 = engine->log10_likelihoods(pairs);
    const std::vector<double> expected = hmm::make_reference_engine()->log10_likelihoods(pairs);
    ASSERT_EQ(log10.size(), expected.size());
    for (std::size_t i = 0; i < log10.size(); ++i) EXPECT_NEAR(log10[i], expected[i], 1e-5) << i;
    EXPECT_GE(engine->rescued(), 2u);  // reads that the kernel does not take
  }
  EXPECT_TRUE(engine->log10_likelihoods(hmm::Pairs()).empty());
}

TEST(HmmSlices, HoldEveryPairOnceInLaunchesThatFitIt) {
  std::mt19937 random(6);
  hmm::Pairs pairs;
  for (int i = 0; i < 500; ++i) add(1 + random() % 600, 1 + random() % 40, random, pairs);
  for (const std::uint64_t cells : {std::uint64_t{1}, std::uint64_t{100'000}, UINT64_MAX}) {
    HmmSlices slices(pairs, cells, UINT64_MAX);
    HmmSlice slice;
    std::vector<std::uint32_t> seen;
    while (slices.next(slice)) {
      std::uint64_t of_slice = 0;
      std::size_t launched = 0;
      for (const HmmLaunch& launch : slice.launches) {
        launched += launch.n;
        for (std::size_t k = launch.first; k < launch.first + launch.n; ++k) {
          const hmm::Pair pair = pairs.pairs()[slice.order[k]];
          EXPECT_EQ(slice.pairs[k].read + slice.reads.first, pair.read);
          EXPECT_EQ(slice.pairs[k].haplotype + slice.haplotypes.first, pair.haplotype);
          EXPECT_LE(pairs.read(pair.read).size(), std::size_t{launch.shape.rows} * launch.shape.items);
          of_slice += pairs.read(pair.read).size() * pairs.haplotype(pair.haplotype).size();
        }
      }
      EXPECT_EQ(launched, slice.order.size());
      EXPECT_TRUE(of_slice <= cells || slice.order.size() == 1);
      seen.insert(seen.end(), slice.order.begin(), slice.order.end());
    }
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < pairs.pairs().size(); ++i)
      if (pairs.read(pairs.pairs()[i].read).size() <= kMostHmmRows) expected.push_back(i);
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
}  // namespace fastid
