// What kernels do for a problem, which of them serves it, and in which shape the matrix kernel does: pure
// numbers, no device.
#include "opencl/problem_work.hpp"

#include <gtest/gtest.h>

#include "model/registry.hpp"
#include "model/stated_traits.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid::opencl {
namespace {

// Queries with every site called, or in each a share of them not called.
ProfileRows queries_of(std::size_t n, std::uint32_t sites, std::uint32_t every = UINT32_MAX) {
  ProfileRows rows(n, sites);
  for (std::size_t row = 0; row < n; ++row)
    for (std::uint32_t site = 0; site < sites; ++site)
      if (site % every != every - 1) rows.set(row, site, site % 2 == 0);
  return rows;
}

struct AskedWork {
  AskedWork(engine::Comparison comparison, ProfileRows asked, bool has_second = false)
      : queries(std::move(asked)),
        problem{comparison, &queries, {1'000'000, queries.n_sites()}, has_second} {}
  ProfileRows queries;
  engine::Problem problem;
};

bool matrix_serves(const model::KernelConfig& config, std::size_t n, std::uint32_t sites) {
  const AskedWork asked(engine::Comparison::kIdentity, queries_of(n, sites));
  const MatrixShape shape = matrix_shape(asked.problem, config);
  return model::matrix_is_faster(config, model::run_traits({}, &config, false),
                                 kernel_work_of(asked.problem, config, nullptr),
                                 kernel_work_of(asked.problem, config, &shape));
}

TEST(ProblemWork, IsWhatIsReadAndSent) {
  const AskedWork asked(engine::Comparison::kMixture, queries_of(3, 100), true);
  const model::Workload work = workload_of(asked.problem);
  EXPECT_EQ(work.queries, 3u);
  EXPECT_EQ(work.bytes(), 1e6 * 4 * 4 * 2);
}

TEST(ProblemWork, FillsUpToWhatAKernelTakesAtOnce) {
  const model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const AskedWork asked(engine::Comparison::kIdentity, queries_of(33, 1000));
  const MatrixShape shape = matrix_shape(asked.problem, config);
  const model::KernelWork popcounts = kernel_work_of(asked.problem, config, nullptr);
  const model::KernelWork matrix = kernel_work_of(asked.problem, config, &shape);
  EXPECT_EQ(popcounts.rows, 64u);
  EXPECT_EQ(popcounts.sites, 1024u);
  EXPECT_EQ(popcounts.bytes, 2 * 128u);  // for each M_C
  EXPECT_EQ(matrix.rows, shape.group_queries());
  EXPECT_EQ(matrix.sites, 1024u);
  EXPECT_EQ(matrix.bytes, 128u);
}

TEST(ProblemWork, MasksTakeMoreProductsAndBothPlanes) {
  const model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const AskedWork asked(engine::Comparison::kIdentity, queries_of(32, 1000, 10), true);
  const MatrixShape shape = matrix_shape(asked.problem, config);
  EXPECT_EQ(kernel_work_of(asked.problem, config, nullptr).sites, 2 * 1024u);
  EXPECT_EQ(kernel_work_of(asked.problem, config, nullptr).bytes, 2 * 128u);
  EXPECT_EQ(kernel_work_of(asked.problem, config, &shape).sites, 3 * 1024u);
}

// A work-item of the config has 4 queries and 8 profiles, of 16 work-items for 128.
TEST(KernelStep, OfPopcountsIsAWorkItemsRectangle) {
  const model::KernelConfig config = model::embedded_config("generic");
  const AskedWork plain(engine::Comparison::kIdentity, queries_of(32, 1000));
  const engine::KernelStep step = blocked_step(plain.problem, config);
  EXPECT_EQ(step.bits, 32.0 * 4 * 8);
  EXPECT_EQ(step.bytes, 4.0 * (4 + 8));
  EXPECT_EQ(step.counted, 1);
  const AskedWork masked(engine::Comparison::kIdentity, queries_of(32, 1000, 10), true);
  const engine::KernelStep both = blocked_step(masked.problem, config);
  EXPECT_EQ(both.bytes, 2 * step.bytes);
  EXPECT_EQ(both.counted, 2);  // the denominator too
}

TEST(KernelStep, OfMatrixProductsIsAWarpsRectangle) {
  const model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const AskedWork plain(engine::Comparison::kIdentity, queries_of(2048, 1000));
  MatrixShape shape = matrix_shape(plain.problem, config);
  shape.holds = false;
  const double rows = 16 * shape.tiles, columns = 32 * shape.blocks;
  const engine::KernelStep streamed = matrix_step(plain.problem, shape);
  EXPECT_EQ(streamed.bits, 32 * rows * columns);
  EXPECT_EQ(streamed.bytes, 4 * (rows + columns));
  shape.holds = true;  // registers have the queries
  EXPECT_EQ(matrix_step(plain.problem, shape).bytes, 4 * columns);
  const AskedWork masked(engine::Comparison::kIdentity, queries_of(2048, 1000, 10), true);
  EXPECT_EQ(matrix_step(masked.problem, matrix_shape(masked.problem, config)).counted, 3);
}

TEST(KernelChoice, FollowsTheConfigsRates) {
  model::KernelConfig config = model::embedded_config("nvidia_sm90");
  EXPECT_TRUE(matrix_serves(config, 2048, 1024));
  EXPECT_TRUE(matrix_serves(config, 2048, 33));
  config.rate_matrix = config.rate_popcount;     // then a step's waste decides
  EXPECT_TRUE(matrix_serves(config, 16, 1024));  // the other fills up to 32 queries
  EXPECT_FALSE(matrix_serves(config, 32, 33));
  config.hw_memory_mbytes = 1000;  // both wait for the memory, and the plainer one is as fast
  EXPECT_FALSE(matrix_serves(config, 16, 1024));
}

TEST(KernelChoice, NeverTakesAMatrixKernelThatIsNotThereOrHasNoRate) {
  model::KernelConfig config = model::embedded_config("nvidia_sm90");
  config.rate_matrix = 0;
  EXPECT_FALSE(matrix_serves(config, 2048, 1024));
  EXPECT_FALSE(matrix_serves(model::embedded_config("generic"), 2048, 1024));
  EXPECT_TRUE(matrix_serves(model::embedded_config("portable_matrix"), 1, 1));
}

TEST(MatrixShape, IsNoLargerThanTheQueriesFill) {
  model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const auto shape = [&](std::size_t queries, std::uint32_t sites) {
    const AskedWork asked(engine::Comparison::kIdentity, queries_of(queries, sites));
    return matrix_shape(asked.problem, config);
  };
  EXPECT_EQ(shape(1, 1024).group_queries(), 16u);
  EXPECT_EQ(shape(32, 1024).group_queries(), 32u);
  EXPECT_EQ(shape(64, 1024).tiles, config.matrix_held_tiles);
  EXPECT_FALSE(shape(64, 1024).own_bits);
  EXPECT_FALSE(shape(65, 1024).own_bits);
  EXPECT_TRUE(shape(2048, 1024).own_bits);
  EXPECT_EQ(shape(5000, 1024).query_warps, config.matrix_rows * config.matrix_columns);
  EXPECT_GT(shape(16, 1024).ahead, shape(64, 1024).ahead);
  EXPECT_TRUE(shape(5000, 1024).holds);
  EXPECT_FALSE(shape(5000, 1025).holds);
  EXPECT_EQ(shape(5000, 1025).query_warps, config.matrix_rows);
}

// Counting profiles' own bits once a tile takes a pass over it; it pays with many queries, or where memory is
// fast.
TEST(MatrixShape, CountsProfilesOwnBitsOnceWhereThatPays) {
  model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const auto counts_once = [&](std::size_t queries) {
    const AskedWork asked(engine::Comparison::kIdentity, queries_of(queries, 1024));
    return matrix_shape(asked.problem, config).own_bits;
  };
  EXPECT_FALSE(counts_once(256));
  EXPECT_TRUE(counts_once(512));
  config.hw_memory_mbytes *= 4;
  EXPECT_TRUE(counts_once(256));
  EXPECT_FALSE(counts_once(64));  // one warp's: nothing is counted twice
  config.hw_memory_mbytes = 0;
  EXPECT_TRUE(counts_once(65));
}

TEST(MatrixShape, MasksAreBoundedWhereFewSitesAreNotCalledAndMultipliedElse) {
  const model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const auto products = [&](engine::Comparison comparison, std::uint32_t every, bool stored) {
    const AskedWork asked(comparison, queries_of(100, 1000, every), stored);
    return matrix_products(asked.problem, matrix_shape(asked.problem, config));
  };
  constexpr std::uint32_t kAll = UINT32_MAX, kFew = 100, kMany = 10;  // one site in so many is not called
  EXPECT_EQ(products(engine::Comparison::kIdentity, kAll, false), 1u);
  EXPECT_EQ(products(engine::Comparison::kIdentity, kFew, false), 1u);
  EXPECT_EQ(products(engine::Comparison::kIdentity, kMany, false), 2u);
  EXPECT_EQ(products(engine::Comparison::kIdentity, kAll, true), 2u);
  EXPECT_EQ(products(engine::Comparison::kIdentity, kFew, true), 2u);
  EXPECT_EQ(products(engine::Comparison::kIdentity, kMany, true), 3u);
  EXPECT_EQ(products(engine::Comparison::kMixture, kAll, true), 1u);
  EXPECT_EQ(products(engine::Comparison::kMixture, kFew, true), 1u);
  EXPECT_EQ(products(engine::Comparison::kMixture, kMany, false), 2u);
  EXPECT_EQ(products(engine::Comparison::kReverseMixture, kMany, false), 1u);
  EXPECT_EQ(products(engine::Comparison::kReverseMixture, kAll, true), 2u);
}

// As the table of questions has them.
TEST(MatrixShape, BothAllelesTakeTheProductsOfTheirTermsAndTheProfilesOwnBits) {
  const model::KernelConfig config = model::embedded_config("nvidia_sm90");
  const auto expect = [&](engine::Comparison comparison, std::size_t products, std::uint64_t words) {
    const ProfileRows queries(20, 1000, Encoding::kAlleles);
    const engine::Problem problem{
        comparison, &queries, {1'000'000, 1000, Encoding::kAlleles}, true, Encoding::kAlleles};
    const MatrixShape shape = matrix_shape(problem, config);
    EXPECT_TRUE(shape.own_bits);
    EXPECT_FALSE(shape.exact);
    EXPECT_EQ(matrix_products(problem, shape), products);
    EXPECT_EQ(kernel_work_of(problem, config, &shape).sites, products * 1024);
    EXPECT_EQ(kernel_work_of(problem, config, nullptr).sites, words * 1024);
  };
  expect(engine::Comparison::kIdentity, 4, 2);
  expect(engine::Comparison::kMixture, 2, 2);
  expect(engine::Comparison::kReverseMixture, 2, 2);
  expect(engine::Comparison::kKinship, 8, 4);
}

}  // namespace
}  // namespace fastid::opencl
