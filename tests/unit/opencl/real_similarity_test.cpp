// Products of minima on a device against the definition, to the bit, by both ways to read vectors and on both
// sides of tiles' edges.
#include "opencl/real_similarity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/real_similarity.hpp"
#include "opencl/device_buffer.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"
#include "support/reals.hpp"

namespace fastid {
namespace {

using namespace testing;

class RealSimilarityOnADevice : public OnADevice,
                                public ::testing::WithParamInterface<std::tuple<RealType, MinPlusReads>> {
 protected:
  void SetUp() override {
    OnADevice::SetUp();
    if (IsSkipped()) return;
    if (std::get<0>(GetParam()) == RealType::kDouble &&
        device_->device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0)
      GTEST_SKIP() << "this device has no double";
  }
  static RealMatrix make_matrix(std::size_t rows, std::size_t columns) {
    return with_real(std::get<0>(GetParam()),
                     [&](auto zero) { return random_matrix<decltype(zero)>(rows, columns); });
  }
  static RealSimilarityOptions options() { return {.reads = std::get<1>(GetParam()), .most_copied = 1}; }
};

std::vector<double> products(const SimilarityEngine& engine, std::optional<std::uint32_t> pivot,
                             const Rectangle& pairs) {
  std::vector<double> out(pairs.pairs(), -1);
  engine.products(pivot, pairs, out);
  return out;
}

TEST_P(RealSimilarityOnADevice, GivesTheBitsOfTheDefinition) {
  BufferGuard guard;
  for (const auto& [rows, columns] : {std::pair{1U, 1U}, {33U, 16U}, {70U, 33U}, {150U, 50U}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
    const RealMatrix matrix = make_matrix(rows, columns);
    const auto right = make_real_similarity_engine("reference", matrix);
    const auto engine = make_opencl_real_similarity(opencl_selector(), matrix, options());
    for (const Rectangle& pairs :
         {Rectangle{0, rows, 0, rows}, Rectangle{rows / 3, rows / 2 + 1, rows / 4, rows}}) {
      EXPECT_EQ(products(*engine, std::nullopt, pairs), products(*right, std::nullopt, pairs));
      EXPECT_EQ(products(*engine, rows - 1, pairs), products(*right, rows - 1, pairs));
    }
  }
  EXPECT_TRUE(guard.whole());
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;
std::vector<Pair> find(const SimilarityEngine& engine, const SimilarityEngine& right,
                       std::optional<std::uint32_t> pivot, const Rectangle& pairs, ProductFilter filter) {
  std::vector<double> without(pairs.pairs()), of_all(pairs.pairs());
  right.products(std::nullopt, pairs, without);
  right.products(pivot, pairs, of_all);
  std::vector<const double*> rows;
  for (std::size_t i = 0; i < pairs.rows(); ++i) rows.push_back(without.data() + i * pairs.columns());
  if (pivot) filter.pairs = rows;
  std::vector<FoundProduct> found;
  engine.find(pivot, pairs, filter, found);
  std::vector<Pair> passed;
  for (const FoundProduct& one : found) {
    const std::size_t i = one.row - pairs.row_begin, j = one.column - pairs.column_begin;
    EXPECT_EQ(one.product, of_all[i * pairs.columns() + j]);
    if (filter.passes(i, j, one.product)) passed.emplace_back(one.row, one.column);
  }
  std::ranges::sort(passed);
  return passed;
}

TEST_P(RealSimilarityOnADevice, LosesNoPairThatPasses) {
  constexpr std::uint32_t kRows = 150, kColumns = 40;
  const RealMatrix matrix = make_matrix(kRows, kColumns);
  const auto right = make_real_similarity_engine("reference", matrix);
  const auto engine = make_opencl_real_similarity(opencl_selector(), matrix, options());
  // The second and third have the products without a pivot that were made for the first.
  for (const Rectangle& pairs : {Rectangle{20, 100, 5, 60}, {20, 61, 5, 60}, {20, 140, 5, kRows}}) {
    // Limits of a few pairs that these just pass, of nearly all pairs, and of none.
    for (const double share : {0.3, 0.01}) {
      std::vector<double> row, column;
      for (std::uint32_t i = pairs.row_begin; i < pairs.row_end; ++i) row.push_back(share * right->sums()[i]);
      for (std::uint32_t j = pairs.column_begin; j < pairs.column_end; ++j)
        column.push_back(sum_of_minima(matrix, pairs.row_begin, j) - row.front());
      for (const auto pivot : {std::optional<std::uint32_t>(), std::optional(kRows - 1)}) {
        const auto expected = find(*right, *right, pivot, pairs, {row, column});
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(find(*engine, *right, pivot, pairs, {row, column}), expected);
      }
    }
    const std::vector<double> high(kRows, std::numeric_limits<double>::infinity());
    std::vector<FoundProduct> found;
    engine->find(std::nullopt, pairs,
                 {std::span(high).first(pairs.rows()), std::span(high).first(pairs.columns())}, found);
    EXPECT_TRUE(found.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, RealSimilarityOnADevice,
                         ::testing::Combine(::testing::Values(RealType::kFloat, RealType::kDouble),
                                            ::testing::Values(MinPlusReads::kStaged, MinPlusReads::kDirect)));

}  // namespace
}  // namespace fastid
