// Every engine for similarity against the oracle of support/similarity_oracle.hpp, its products of bits and
// the values that are made of them: products are whole numbers, so equality, no tolerance.
//
// FASTID_TEST_OPENCL names the OpenCL device to test, as in engine_conformance_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/bit_vectors.hpp"
#include "engine/similarity.hpp"
#include "opencl/counting_engines.hpp"
#include "support/engine_maker.hpp"
#include "support/opencl_device.hpp"
#include "support/packed_copies.hpp"
#include "support/product_filters.hpp"
#include "support/products.hpp"
#include "support/similarity_oracle.hpp"

namespace fastid {
namespace {

using namespace testing;

/// Vectors of bits.
struct BitWorld {
  BitWorld(std::uint32_t n, std::uint32_t units) : shape{n, units, Encoding::kMinor} {
    std::mt19937 random(n + 7 * units);
    for (std::uint32_t u = 0; u < n; ++u) {
      const auto share = 1 + random() % 9;
      for (std::uint32_t q = 0; q < units; ++q) bits.push_back(random() % 10 < share);
    }
    pack();
  }
  /// Once all bits are there.
  void pack() {
    const std::size_t units = shape.n_sites;
    words = packed_plane(static_cast<std::uint32_t>(shape.n_profiles), shape.n_sites,
                         [&](std::size_t u, std::size_t q) { return bits[u * units + q] > 0; });
  }
  BlocksView view() const { return {shape, words.data(), nullptr}; }
  TrueProducts truth() const {
    return {static_cast<std::uint32_t>(shape.n_profiles), shape.n_sites, bits, false};
  }

  BlockShape shape;
  std::vector<double> bits;
  WordBuffer words;
};

std::vector<SimilarityMaker> bit_makers() {
  auto makers = native_makers<engine::SimilarityEngine, engine::VectorBlocks>(engine::make_similarity);
  for (const auto& [name, reads] : {std::pair{"opencl_staged_popcounts", opencl::MinPlusReads::kStaged},
                                    {"opencl_direct_popcounts", opencl::MinPlusReads::kDirect}})
    makers.push_back({name,
                      [reads = reads](const engine::VectorBlocks& vectors) {
                        return opencl::make_opencl_similarity(opencl_selector(), vectors,
                                                              opencl::BitProducts::kPopcounts, reads);
                      },
                      "", true});
  makers.push_back({"opencl_portable_matrix",
                    [](const engine::VectorBlocks& vectors) {
                      return opencl::make_opencl_similarity(opencl_selector(), vectors,
                                                            opencl::BitProducts::kPortableMatrix);
                    },
                    "", true});
  return makers;
}

class BitSimilarityConformance : public ::testing::TestWithParam<SimilarityMaker> {
 protected:
  void SetUp() override {
    if (!GetParam().can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }
};

// Vectors on both sides of a group of 8, of a block of 32, of a device's tile and of a CPU's square of 8
// blocks; units on both sides of a word, of a step of 8 words and of a piece of words.
TEST_P(BitSimilarityConformance, ProductsAreCounted) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes = {
      {1, 33}, {33, 255}, {32, 256}, {150, 257}, {9, 6200}};
  if (!GetParam().opencl)
    sizes.insert(sizes.end(), {{7, 1}, {8, 31}, {9, 32}, {31, 33}, {70, 300}, {290, 3}});
  for (const auto& [n, units] : sizes) {
    SCOPED_TRACE(::testing::Message() << n << " vectors, " << units << " units");
    const BitWorld world(n, units);
    GetParam().use(world.view(),
                   [&](const engine::SimilarityEngine& engine) { check_products(engine, world.truth()); });
  }
}

TEST_P(BitSimilarityConformance, ThePairsThatPassAreFound) {
  const BitWorld world(150, 300);
  GetParam().use(world.view(),
                 [&](const engine::SimilarityEngine& engine) { check_that_it_finds(engine, world.truth()); });
}

/// People at sites, and all values of these, made once for all engines.
struct SimilarityWorld {
  SimilarityWorld(std::uint32_t n, std::uint32_t units, double missing)
      : cohort(make_cohort(n, units, engine::LdUnit::kGenotypes, missing)) {}
  const std::vector<double>& values(engine::SimilarityMetric metric, std::size_t way) const {
    std::vector<double>& values = made[{metric, way}];
    if (values.empty()) values = TrueSimilarity(cohort, metric).values(way);
    return values;
  }

  Cohort cohort;
  PackedCopies packed{cohort};
  mutable std::map<std::pair<engine::SimilarityMetric, std::size_t>, std::vector<double>> made;
};

// Each value of a proportion is one division of whole numbers; those of CCC are rounded some times.
TEST_P(BitSimilarityConformance, ValuesAreThoseOfTheirDefinitions) {
  static const SimilarityWorld few(9, 65, 0), few_missing(9, 33, 0.2), some(33, 32, 0),
      some_missing(33, 31, 0.1);
  for (const SimilarityWorld* const world : {&few, &few_missing, &some, &some_missing})
    for (const engine::SimilarityMetric metric :
         {engine::SimilarityMetric::kSorensen, engine::SimilarityMetric::kCzekanowski,
          engine::SimilarityMetric::kCcc}) {
      const engine::BitVectors vectors(world->packed.view(), metric);
      ASSERT_EQ(vectors.planes().all_called, world == &few || world == &some);
      GetParam().use(vectors.view(), [&](const engine::SimilarityEngine& engine) {
        for (const std::size_t way : {2U, 3U}) {
          if (way == 3 && world->cohort.n_sites > 9 && GetParam().opencl) continue;  // very many calls
          SCOPED_TRACE(::testing::Message() << world->cohort.units << " units, metric "
                                            << static_cast<int>(metric) << ", " << way);
          const double rounding = metric == engine::SimilarityMetric::kCcc ? 1e-14 : 0;
          EXPECT_THAT(values_by(engine, vectors.planes(), metric, way),
                      ::testing::Pointwise(::testing::DoubleNear(rounding), world->values(metric, way)));
        }
      });
    }
}

/// Vectors of copies of an allele in two planes: where it was seen, and of these where it was seen twice.
struct CopiesWorld {
  static constexpr std::uint32_t kVectors = 70, kStride = 96;

  explicit CopiesWorld(std::uint32_t units) : bits(kStride + kVectors, units) {
    for (std::uint32_t v = 0; v < kVectors; ++v)
      for (std::uint32_t q = 0; q < units; ++q)
        bits.bits[(v + kStride) * units + q] *= bits.bits[v * units + q];
    bits.pack();
  }

  /// The sum of products in every choice of planes.
  double sum(std::optional<std::uint32_t> pivot, std::uint32_t row, std::uint32_t column,
             const engine::ProductPlanes& of) const {
    const std::uint32_t units = bits.shape.n_sites;
    const auto copies = [&](std::uint32_t vector, const engine::MemberPlanes& planes, std::size_t q) {
      double n = 0;
      for (std::uint32_t plane = planes.first; plane < planes.first + planes.n; ++plane)
        n += bits.bits[(vector + plane * kStride) * units + q];
      return n;
    };
    double sum = 0;
    for (std::uint32_t q = 0; q < units; ++q)
      sum +=
          copies(row, of.row, q) * copies(column, of.column, q) * (pivot ? copies(*pivot, of.pivot, q) : 1);
    return sum;
  }

  BitWorld bits;
};

TEST_P(BitSimilarityConformance, ProductsOfPlanesAreSummed) {
  const CopiesWorld world(300);
  const std::uint32_t n = CopiesWorld::kVectors;
  const engine::MemberPlanes both{0, 2}, second{1, 1};
  GetParam().use(world.bits.view(), [&](const engine::SimilarityEngine& engine) {
    for (const engine::ProductPlanes& planes : {engine::ProductPlanes{CopiesWorld::kStride, both, both, both},
                                                {CopiesWorld::kStride, both, second, both},
                                                {CopiesWorld::kStride, second, both, second}})
      for (const std::optional<std::uint32_t> pivot : {std::optional<std::uint32_t>(), {n - 1}}) {
        const engine::Rectangle pairs{20, n, 3, n - 2};
        std::vector<double> sums(pairs.pairs());
        engine.sums_below(pivot, pairs, planes, sums);
        for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row)
          for (std::uint32_t column = pairs.column_begin; column < std::min(row, pairs.column_end); ++column)
            EXPECT_EQ(sums[(row - pairs.row_begin) * pairs.columns() + column - pairs.column_begin],
                      world.sum(pivot, row, column, planes));
      }
  });
}

/// A filter of the copies' CCC, which few pairs of a rectangle pass.
class CorrelationWorld {
 public:
  CorrelationWorld(const CopiesWorld& world, std::optional<std::uint32_t> pivot)
      : world_(world), pivot_(pivot) {
    for (std::uint32_t row = kPairs.row_begin; row < kPairs.row_end; ++row)
      for (std::uint32_t column = kPairs.column_begin; column < kPairs.column_end; ++column) {
        sums_.push_back(world.sum(pivot, row, column, kPlanes));
        without_.push_back(world.sum({}, row, column, kPlanes));
      }
    for (std::size_t i = 0; pivot && i < kPairs.rows(); ++i)
      rows_.push_back(without_.data() + i * kPairs.columns());
    limit(kPairs.row_begin, kPairs.row_end, row_);
    limit(kPairs.column_begin, kPairs.column_end, column_);
    constexpr std::size_t kFew = 20;
    for (double least = 1; passing().size() < kFew; least *= .98)
      for (Limits* limits : {&row_, &column_}) std::ranges::fill(limits->least, least);
  }

  engine::ProductFilter filter() const {
    return {pivot_,
            row_.get(),
            column_.get(),
            rows_,
            kPlanes,
            engine::CorrelationFilter{1 / ((pivot_ ? 8 : 4) * units()), pivot_ ? share_of(*pivot_) : 0}};
  }
  /// In the order of rows and columns.
  std::vector<engine::FoundProduct> passing() const {
    std::vector<engine::FoundProduct> passing;
    for (std::uint32_t i = kPairs.row_begin; i < std::min(kPairs.row_end, pivot_.value_or(kPairs.row_end));
         ++i)
      for (std::uint32_t j = kPairs.column_begin; j < std::min(i, kPairs.column_end); ++j) {
        const engine::FoundProduct one{0, i, j, sum_of(i, j)};
        if (passes(one)) passing.push_back(one);
      }
    return passing;
  }
  /// What an engine finds, less what does not pass.
  std::vector<engine::FoundProduct> found_by(const engine::SimilarityEngine& engine) const {
    const engine::ProductFilter asked = filter();
    auto found = engine.find(kPairs, {&asked, 1}).value_or(std::vector<engine::FoundProduct>());
    for (const engine::FoundProduct& one : found) EXPECT_EQ(one.product, sum_of(one.row, one.column));
    std::erase_if(found, [&](const engine::FoundProduct& one) { return !passes(one); });
    std::ranges::sort(found, {},
                      [](const engine::FoundProduct& one) { return std::tuple(one.row, one.column); });
    return found;
  }

 private:
  static constexpr engine::Rectangle kPairs{20, CopiesWorld::kVectors, 3, CopiesWorld::kVectors - 2};
  static constexpr engine::ProductPlanes kPlanes{CopiesWorld::kStride, {0, 2}, {0, 2}, {0, 2}};
  struct Limits {
    std::vector<double> least, share, with_pivot;
    engine::ProductLimits get() const { return {least, share, with_pivot}; }
  };

  double units() const { return world_.bits.shape.n_sites; }
  double share_of(std::uint32_t vector) const {
    const TrueProducts truth = world_.bits.truth();
    return (truth.sum(vector) + truth.sum(vector + CopiesWorld::kStride)) / (2 * units());
  }
  void limit(std::uint32_t begin, std::uint32_t end, Limits& limits) const {
    for (std::uint32_t vector = begin; vector < end; ++vector) {
      limits.least.push_back(1);
      limits.share.push_back(share_of(vector));
      limits.with_pivot.push_back(pivot_ ? world_.sum({}, vector, *pivot_, kPlanes) / (4 * units()) : 0);
    }
  }
  double sum_of(std::uint32_t row, std::uint32_t column) const {
    return sums_[(row - kPairs.row_begin) * kPairs.columns() + column - kPairs.column_begin];
  }
  bool passes(const engine::FoundProduct& one) const {
    return filter().passes(one.row - kPairs.row_begin, one.column - kPairs.column_begin, one.product);
  }

  const CopiesWorld& world_;
  std::optional<std::uint32_t> pivot_;
  std::vector<double> sums_, without_;
  std::vector<const double*> rows_;
  Limits row_, column_;
};

TEST_P(BitSimilarityConformance, ThePairsWhoseCorrelationPassesAreFound) {
  const CopiesWorld world(300);
  GetParam().use(world.bits.view(), [&](const engine::SimilarityEngine& engine) {
    for (const std::optional<std::uint32_t> pivot :
         {std::optional<std::uint32_t>(), {CopiesWorld::kVectors - 1}}) {
      const CorrelationWorld correlated(world, pivot);
      EXPECT_EQ(correlated.found_by(engine), correlated.passing());
    }
  });
}

/// Pairs of copies with missing calls, and a filter that twenty of them pass by their highest CCC.
class MissingWorld {
 public:
  MissingWorld() {
    std::vector<double> highest;
    for_each_pair(
        [&](std::uint32_t row, std::uint32_t column) { highest.push_back(highest_of(row, column)); });
    std::ranges::sort(highest, std::greater<>());
    least = (highest[kFew - 1] + highest[kFew]) / 2;
    leasts_.assign(kVectors, least / engine::kCorrelationScale);
    for (std::uint32_t v = 0; v < kVectors; ++v) {
      double minor = 0, called = 0;
      for (const int copies : world_.cohort.copies[v]) {
        minor += copies == kMissing ? 0 : copies;
        called += copies == kMissing ? 0 : 1;
      }
      shares_.push_back(minor / (2 * called));
    }
  }

  engine::ProductFilter filter() const {
    const engine::MemberPlanes copies{0, 2}, calls{2, 1};
    const std::uint32_t stride = vectors.planes().stride;
    const auto limits = [&](std::uint32_t begin, std::uint32_t end) {
      const std::size_t n = end - begin;
      return engine::ProductLimits{std::span(leasts_).first(n), std::span(shares_).subspan(begin, n),
                                   std::span(none_).first(n)};
    };
    return {{},
            limits(kPairs.row_begin, kPairs.row_end),
            limits(kPairs.column_begin, kPairs.column_end),
            {},
            {stride, copies, copies, {}},
            engine::CorrelationFilter{1 / (4.0 * kUnits), 0,
                                      engine::CommonPlanes{.units = {stride, calls, calls, {}},
                                                           .row = {stride, calls, copies, {}},
                                                           .column = {stride, copies, calls, {}}}}};
  }

  /// The highest of a pair's four values.
  double highest_of(std::uint32_t row, std::uint32_t column) const {
    const std::vector<double>& values = world_.values(engine::SimilarityMetric::kCcc, 2);
    const auto first = values.begin() + 4 * (row * (row - 1) / 2 + column);
    return *std::max_element(first, first + 4);
  }
  double product(std::uint32_t row, std::uint32_t column) const {
    double sum = 0;
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
      const int u = world_.cohort.copies[row][unit], v = world_.cohort.copies[column][unit];
      if (u != kMissing && v != kMissing) sum += u * v;
    }
    return sum;
  }
  template <class Visit>
  static void for_each_pair(const Visit& visit) {
    for (std::uint32_t row = kPairs.row_begin; row < kPairs.row_end; ++row)
      for (std::uint32_t column = kPairs.column_begin; column < std::min(row, kPairs.column_end); ++column)
        visit(row, column);
  }

  static constexpr std::uint32_t kVectors = 70, kUnits = 300;
  static constexpr engine::Rectangle kPairs{20, kVectors, 3, kVectors - 2};
  static constexpr std::size_t kFew = 20;

 private:
  SimilarityWorld world_{kVectors, kUnits, .1};
  std::vector<double> shares_, leasts_, none_ = std::vector<double>(kVectors, 0);

 public:
  engine::BitVectors vectors{world_.packed.view(), engine::SimilarityMetric::kCcc};
  double least = 0;
};

TEST_P(BitSimilarityConformance, ThePairsWhoseCorrelationPassesAreFoundWhereCallsAreMissing) {
  const MissingWorld world;
  const engine::ProductFilter filter = world.filter();
  GetParam().use(world.vectors.view(), [&](const engine::SimilarityEngine& engine) {
    const auto found = engine.find(MissingWorld::kPairs, {&filter, 1});
    ASSERT_TRUE(found.has_value());
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> products;
    for (const engine::FoundProduct& one : *found) products[{one.row, one.column}] = one.product;
    std::size_t passing = 0;
    MissingWorld::for_each_pair([&](std::uint32_t row, std::uint32_t column) {
      const auto there = products.find({row, column});
      const double value = world.highest_of(row, column);
      passing += value >= world.least ? 1 : 0;
      EXPECT_TRUE(there != products.end() || value < world.least) << row << " " << column;
      if (there == products.end()) return;
      EXPECT_EQ(there->second, world.product(row, column));
      EXPECT_GE(value, world.least - 1e-3);
      products.erase(there);
    });
    EXPECT_EQ(passing, MissingWorld::kFew);
    EXPECT_TRUE(products.empty());  // but pairs that were asked for
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, BitSimilarityConformance, ::testing::ValuesIn(bit_makers()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace fastid
