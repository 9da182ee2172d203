// Matrices of numbers: what they refuse. tests/conformance has the engines.
#include "engine/real_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/refusal.hpp"

namespace fastid::engine {
namespace {

using namespace testing;

template <class T>
class RealNumbers : public ::testing::Test {};
using RealTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RealNumbers, RealTypes);

template <class T>
std::string refused(std::vector<T> row) {
  return refusal([&] {
    RealMatrix matrix("m.npy", kRealType<T>, row.size());
    matrix.append<T>(std::vector<T>(row.size(), 1));
    matrix.append<T>(row);
  });
}

TYPED_TEST(RealNumbers, RefusesNumbersThatHaveNoProportion) {
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

TYPED_TEST(RealNumbers, SaysHowMuchMemoryAMatrixTakes) {
  const RealMatrix matrix("m.npy", kRealType<TypeParam>, 1 << 20);
  const std::string message = refusal<Failure>([&] { matrix.expect_rows(std::uint64_t{1} << 32); });
  EXPECT_THAT(message,
              ::testing::MatchesRegex(
                  "m.npy: 4,294,967,296 rows of 1,048,576 numbers take (17179869184|34359738368) MiB of "
                  "memory, and this machine has [0-9]+; split the matrix, or use a machine with more"));
}

}  // namespace
}  // namespace fastid::engine
