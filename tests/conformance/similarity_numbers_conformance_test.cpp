// Every engine for similarity against the oracle of support/similarity_oracle.hpp, its products of numbers
// and the values that are made of them: sums are rounded in a stated order, so equality, no tolerance.
//
// FASTID_TEST_OPENCL names the OpenCL device to test, as in engine_conformance_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "opencl/counting_engines.hpp"
#include "opencl/devices.hpp"
#include "support/opencl_device.hpp"
#include "support/product_filters.hpp"
#include "support/products.hpp"
#include "support/reals.hpp"
#include "support/similarity_oracle.hpp"

namespace fastid {
namespace {

using namespace testing;

/// A matrix of numbers. It has no other way in than append().
struct RealWorld {
  RealWorld(engine::RealType type, std::uint32_t rows, std::size_t columns)
      : matrix("a matrix", type, columns) {
    engine::with_real(type, [&](auto zero) {
      using T = decltype(zero);
      const std::vector<T> some = random_reals<T>(rows * columns, 1);
      const std::size_t first = rows / 2 * columns;  // in two pieces
      matrix.append<T>(std::span(some).first(first));
      matrix.append<T>(std::span(some).subspan(first));
      values.assign(some.begin(), some.end());
    });
  }
  TrueProducts truth() const {
    return {matrix.n_rows(), matrix.n_columns(), values, matrix.type() == engine::RealType::kFloat};
  }

  engine::RealMatrix matrix;
  std::vector<double> values;
};

std::vector<SimilarityMaker> real_makers() {
  auto makers = native_makers<engine::SimilarityEngine, engine::VectorBlocks>(engine::make_similarity);
  for (const auto& [name, reads] : {std::pair{"opencl_staged", opencl::MinPlusReads::kStaged},
                                    {"opencl_direct", opencl::MinPlusReads::kDirect}})
    makers.push_back({name,
                      [reads = reads](const engine::VectorBlocks& vectors) {
                        return opencl::make_opencl_similarity(opencl_selector(), vectors,
                                                              opencl::BitProducts::kBest, reads);
                      },
                      "", true});
  return makers;
}

class RealSimilarityConformance
    : public ::testing::TestWithParam<std::tuple<SimilarityMaker, engine::RealType>> {
 protected:
  void SetUp() override {
    const auto& [maker, type] = GetParam();
    if (!maker.can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
    if (maker.opencl && type == engine::RealType::kDouble &&
        opencl::select_opencl_device(opencl_selector()).device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0)
      GTEST_SKIP() << "this device has no double";
  }
};

// Rows on both sides of a block and of the squares of 8 blocks, elements on both sides of the pieces of 64
// and of 128.
TEST_P(RealSimilarityConformance, MinimaAreAddedInOrder) {
  const auto& [maker, type] = GetParam();
  std::vector<std::pair<std::uint32_t, std::size_t>> sizes = {{1, 1}, {33, 16}, {70, 33}, {150, 50}};
  if (!maker.opencl) sizes.insert(sizes.end(), {{31, 63}, {32, 64}, {33, 129}, {70, 300}, {290, 3}});
  for (const auto& [rows, columns] : sizes) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
    const RealWorld world(type, rows, columns);
    maker.use(world.matrix,
              [&](const engine::SimilarityEngine& engine) { check_products(engine, world.truth()); });
  }
}

TEST_P(RealSimilarityConformance, ThePairsThatPassAreFound) {
  const auto& [maker, type] = GetParam();
  const RealWorld world(type, 150, 40);
  maker.use(world.matrix,
            [&](const engine::SimilarityEngine& engine) { check_that_it_finds(engine, world.truth()); });
}

TEST_P(RealSimilarityConformance, ValuesAreThoseOfTheirDefinition) {
  const auto& [maker, type] = GetParam();
  const RealWorld world(type, 33, 40);
  const TrueProducts truth = world.truth();
  const auto product = [&](const TrueMembers& of) {
    return of.size() == 1   ? truth.sum(of[0])
           : of.size() == 2 ? truth.product(std::nullopt, of[0], of[1])
                            : truth.product(of[2], of[0], of[1]);
  };
  maker.use(world.matrix, [&](const engine::SimilarityEngine& engine) {
    for (const std::size_t way : {2U, 3U}) {
      std::vector<double> right;
      for (const TrueMembers& of : true_combinations(truth.n(), way))
        right.push_back(true_proportion(of, product));
      EXPECT_EQ(
          values_by(engine, engine::planes_of(world.matrix), engine::SimilarityMetric::kCzekanowski, way),
          right);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, RealSimilarityConformance,
                         ::testing::Combine(::testing::ValuesIn(real_makers()),
                                            ::testing::Values(engine::RealType::kFloat,
                                                              engine::RealType::kDouble)),
                         [](const auto& named) {
                           return std::get<0>(named.param).name +
                                  (std::get<1>(named.param) == engine::RealType::kFloat ? "_float"
                                                                                        : "_double");
                         });

}  // namespace
}  // namespace fastid
