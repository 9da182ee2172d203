// Products of minima: the definition against a loop over the numbers as they were given, and the native
// engine of each instruction set against the definition, to the bit.
#include "engine/real_similarity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "engine/cpu_engine.hpp"
#include "support/cpu_targets.hpp"
#include "support/reals.hpp"
#include "support/refusal.hpp"

namespace fastid {
namespace {

using namespace testing;

template <class T>
class RealSimilarity : public ::testing::Test {};
using RealTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RealSimilarity, RealTypes);

TYPED_TEST(RealSimilarity, TheDefinitionAddsMinimaInOrder) {
  using T = TypeParam;
  constexpr std::size_t kRows = 35, kColumns = 50;
  const std::vector<T> values = random_reals<T>(kRows * kColumns, 1);
  RealMatrix matrix("a matrix", kRealType<T>, kColumns);
  matrix.append<T>(std::span(values).first(3 * kColumns));
  matrix.append<T>(std::span(values).subspan(3 * kColumns));
  for (std::uint32_t u = 0; u < kRows; ++u)
    for (std::uint32_t v = 0; v < kRows; ++v) {
      T own = 0, two = 0, three = 0;
      for (std::size_t q = 0; q < kColumns; ++q) {
        const T a = values[u * kColumns + q], b = values[v * kColumns + q], c = values[7 * kColumns + q];
        own += a;
        two += a < b ? a : b;
        three += std::min({a, b, c});
      }
      EXPECT_EQ(matrix.sums()[u], own);
      EXPECT_EQ(sum_of_minima(matrix, u, v), two);
      EXPECT_EQ(sum_of_minima(matrix, 7, u, v), three);
    }
}

std::vector<double> products(const SimilarityEngine& engine, std::optional<std::uint32_t> pivot,
                             const Rectangle& pairs) {
  std::vector<double> out(pairs.pairs(), -1);
  engine.products(pivot, pairs, out);
  return out;
}

// Rows on both sides of a block and of the squares of 8 blocks, elements on both sides of the pieces of 64
// and of 128.
TYPED_TEST(RealSimilarity, EveryInstructionSetGivesTheBitsOfTheDefinition) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair{1U, 1U}, {31U, 63U}, {33U, 129U}, {70U, 300U}, {290U, 3U}}) {
    const RealMatrix matrix = random_matrix<T>(rows, columns);
    const auto right = make_real_similarity_engine("reference", matrix);
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
    const auto make = [&] { return make_real_similarity_engine("cpu", matrix); };
    for_each_target(make, [&](const SimilarityEngine& engine) {
      for (const Rectangle& pairs :
           {Rectangle{0, rows, 0, rows}, Rectangle{rows / 3, rows / 2 + 1, rows / 4, rows}}) {
        EXPECT_EQ(products(engine, std::nullopt, pairs), products(*right, std::nullopt, pairs));
        EXPECT_EQ(products(engine, rows - 1, pairs), products(*right, rows - 1, pairs));
      }
    });
    EXPECT_EQ(dispatched_to("no-target", make), nullptr);
  }
}

template <class T>
std::string refused(std::vector<T> row) {
  return refusal([&] {
    RealMatrix matrix("m.npy", kRealType<T>, row.size());
    matrix.append<T>(std::vector<T>(row.size(), 1));
    matrix.append<T>(row);
  });
}

TYPED_TEST(RealSimilarity, RefusesNumbersThatHaveNoProportion) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const std::string cure = "; give finite numbers of at least 0, such as abundances or copies";
  EXPECT_EQ(refused<T>({0, 1, -0.5}), "m.npy, row 2, column 3: the number is -0.5" + cure);
  EXPECT_EQ(refused<T>({0, Limits::quiet_NaN(), -1}), "m.npy, row 2, column 2: the number is nan" + cure);
  EXPECT_EQ(refused<T>({Limits::infinity(), 1}), "m.npy, row 2, column 1: the number is inf" + cure);
  EXPECT_EQ(refused<T>({Limits::max(), Limits::max()}),
            "m.npy, row 2: the sum of its numbers is too large for their type; divide all numbers by one of "
            "them");
  EXPECT_EQ(refused<T>({}), "m.npy: the matrix has no columns; give vectors of at least one number");
  EXPECT_EQ(refused<T>({T{-0.0}, Limits::max()}), "accepted");
}

TYPED_TEST(RealSimilarity, SaysHowMuchMemoryAMatrixTakes) {
  const RealMatrix matrix("m.npy", kRealType<TypeParam>, 1 << 20);
  const std::string message = refusal<Failure>([&] { matrix.expect_rows(std::uint64_t{1} << 32); });
  EXPECT_THAT(message,
              ::testing::MatchesRegex(
                  "m.npy: 4,294,967,296 rows of 1,048,576 numbers take (17179869184|34359738368) MiB of "
                  "memory, and this machine has [0-9]+; split the matrix, or use a machine with more"));
}

}  // namespace
}  // namespace fastid
