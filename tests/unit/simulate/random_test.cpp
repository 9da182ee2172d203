// Random numbers: shares and ranges.
#include "simulate/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "unit/simulate/shares.hpp"

namespace fastid::simulate {
namespace {

using testing::expect_share;

TEST(Probability, DrawsEveryShareAndTheTwoEnds) {
  simulate::Stream stream(1, simulate::Purpose::kPanel, 9);
  for (const double p : {0.0, 1e-4, 0.1, 0.5, 1.0 / 3, 0.9375, 1.0}) {
    std::size_t ones = 0;
    for (int i = 0; i < 4000; ++i)
      ones += static_cast<std::size_t>(std::popcount(simulate::Probability(p).draw(stream)));
    expect_share(ones, p, 4000 * 64);
  }
}

TEST(Stream, BelowIsUniform) {
  simulate::Stream stream(1, simulate::Purpose::kPanel, 0);
  std::vector<std::size_t> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[stream.below(7)];
  for (const std::size_t count : counts) expect_share(count, 1.0 / 7, 70000);
  EXPECT_EQ(stream.below(1), 0u);
}

TEST(Stream, SkipsAsManyNumbersAsAreDrawn) {
  for (const std::uint64_t n : {0ULL, 1ULL, 511ULL, 512ULL, 1'000'003ULL}) {
    Stream drawn(3, Purpose::kVectors, 8), skipped(3, Purpose::kVectors, 8);
    for (std::uint64_t i = 0; i < n; ++i) drawn.next();
    skipped.skip(n);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(skipped.next(), drawn.next()) << n;
  }
  Stream once(3, Purpose::kVectors, 8), twice(3, Purpose::kVectors, 8);
  once.skip((1ULL << 40) + (1ULL << 39));
  twice.skip(1ULL << 40);
  twice.skip(1ULL << 39);
  EXPECT_EQ(once.next(), twice.next());
}

}  // namespace
}  // namespace fastid::simulate
