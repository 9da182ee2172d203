// Counting by matrix products. That an engine which multiplies finds the right pairs is the conformance
// test's business.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "engine/cpu/matrix_pass.hpp"

namespace fastid {
namespace {

ProfileRows random_rows(std::size_t n, std::uint32_t n_sites, bool all_called, unsigned seed) {
  ProfileRows rows(n, n_sites);
  std::mt19937 random(seed);
  for (std::size_t row = 0; row < n; ++row)
    for (std::uint32_t site = 0; site < n_sites; ++site)
      if (all_called || random() % 8 != 0) rows.set(row, site, random() % 3 == 0);
  return rows;
}

/// Stored profiles whose bits and calls are those of rows.
struct Stored {
  Stored(const ProfileRows& rows, std::uint32_t n_sites)
      : shape{rows.n_rows(), n_sites}, bits(words()), called(words()) {
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
      for (std::size_t word = 0; word < shape.n_words(); ++word) {
        const std::size_t at = row / kLanes * shape.block_words() + word * kLanes + row % kLanes;
        bits.data()[at] = rows.row(row).bits[word];
        called.data()[at] = rows.row(row).called[word];
      }
  }
  std::size_t words() const { return static_cast<std::size_t>(shape.n_blocks()) * shape.block_words(); }
  BlocksView view(bool with_called) const {
    return {shape, bits.data(), with_called ? called.data() : nullptr};
  }

  BlockShape shape;
  WordBuffer bits, called;
};

// The site of a byte of a product's row.
std::size_t site_of(std::size_t product, std::size_t byte) {
  return product * kProductSites + byte / kWordBits * kWordBits + byte % kWordBits / 4 + byte % 4 * 8;
}
std::int32_t bit_of(std::span<const Word> words, std::size_t site) {
  if (site / kWordBits >= words.size()) return 0;
  return static_cast<std::int32_t>(words[site / kWordBits] >> (site % kWordBits) & 1);
}

// A pair's products one site at a time.
std::int32_t multiply_plainly(const MatrixQueries& queries, std::size_t query, const RowView& profile) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < queries.n_products(); ++i) {
    const bool of_called = queries.n_planes() == 2 && i % 2 == 1;
    const std::int8_t* const bytes =
        queries.of(query / queries.group_size(), i) + query % queries.group_size() * kProductSites;
    for (std::size_t byte = 0; byte < kProductSites; ++byte)
      sum += bytes[byte] *
             bit_of(of_called ? profile.called : profile.bits, site_of(i / queries.n_planes(), byte));
  }
  return sum;
}

TEST(MatrixQueries, ProductsAndAConstantAreTheCountOfEveryCase) {
  for (const std::uint32_t n_sites : {1u, 32u, 33u, 64u, 65u, 200u})
    for (const Comparison comparison :
         {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture})
      for (const bool query_mask : {false, true})
        for (const bool stored_mask : {false, true}) {
          const ProfileRows queries = random_rows(35, n_sites, !query_mask, n_sites);
          const ProfileRows people = random_rows(40, n_sites, !stored_mask, n_sites + 1);
          const Stored stored(people, n_sites);
          const Problem problem{comparison, &queries, stored.shape, stored_mask};
          const MatrixQueries made(problem);
          for (std::size_t query = 0; query < queries.n_rows(); ++query)
            for (std::size_t profile = 0; profile < people.n_rows(); ++profile) {
              const PairCounts counts =
                  count_pair(comparison, queries.row(query), stored.view(stored_mask), profile);
              ASSERT_EQ(multiply_plainly(made, query, people.row(profile)) +
                            static_cast<std::int32_t>(made.constant(query)),
                        static_cast<std::int32_t>(counts.count))
                  << n_sites << " sites, case " << static_cast<int>(made.which());
            }
        }
}

TEST(MatrixQueries, DealsQueriesToAsFewGroupsOfOneEvenSize) {
  const auto made = [](std::size_t n) {
    const ProfileRows queries = random_rows(n, 64, true, 1);
    return MatrixQueries({Comparison::kIdentity, &queries, {1, 64}, false});
  };
  for (const auto& [n, groups, size] :
       {std::array<std::size_t, 3>{1, 1, 2}, {12, 1, 12}, {32, 1, 32}, {33, 2, 18}, {300, 10, 30}}) {
    EXPECT_EQ(made(n).n_groups(), groups) << n;
    EXPECT_EQ(made(n).group_size(), size) << n;
  }
}

class MatrixUnit : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_matrix_unit()) GTEST_SKIP() << "this CPU has no AMX, or the system does not let programs use it";
  }
};

// Whatever the walk is: one run of products or several, a set of groups or several, queries that do not fit
// L2.
TEST_F(MatrixUnit, FindsWhatPassesWithItsCountAndNothingElse) {
  struct Shape {
    std::size_t queries, profiles;
    std::uint32_t sites;
  };
  for (const Shape& shape : {Shape{1, 33, 65}, Shape{40, 100, 128}, Shape{600, 70, 200}, Shape{12, 90, 1100},
                             Shape{300, 40, 6000}, Shape{5, 600, 2100}}) {
    const ProfileRows queries = random_rows(shape.queries, shape.sites, false, 3);
    const ProfileRows people = random_rows(shape.profiles, shape.sites, false, 4);
    const Stored stored(people, shape.sites);
    const Problem problem{Comparison::kReverseMixture, &queries, stored.shape, true};
    const PackedQueries packed(problem);
    std::vector<Bar> bars(shape.queries);
    std::vector<MayPass> expected;
    for (std::uint32_t query = 0; query < shape.queries; ++query) {
      bars[query].max_count = shape.sites / 5 + query % 3;
      for (std::uint32_t profile = 0; profile < shape.profiles; ++profile) {
        const PairCounts counts =
            count_pair(problem.comparison, queries.row(query), stored.view(true), profile);
        if (counts.count <= bars[query].max_count) expected.push_back({profile, query, counts.count});
      }
    }
    MatrixPass pass(std::make_shared<const MatrixQueries>(problem));
    for (int turn = 0; turn < 2; ++turn) {
      const auto found = pass.find(stored.view(true), packed, bars, nullptr, SIZE_MAX);
      std::vector<MayPass> sorted(found.begin(), found.end());
      std::ranges::sort(sorted, {}, [](const MayPass& pair) { return std::pair(pair.query, pair.profile); });
      ASSERT_EQ(sorted.size(), expected.size()) << shape.queries << " queries, " << shape.sites << " sites";
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        EXPECT_EQ(sorted[i].profile, expected[i].profile);
        EXPECT_EQ(sorted[i].count, expected[i].count);
      }
    }
  }
}

TEST_F(MatrixUnit, WeighsProfilesOnTheWay) {
  constexpr std::uint32_t kSites = 2100;  // several runs of products
  const ProfileRows queries = random_rows(20, kSites, true, 5);
  const ProfileRows people = random_rows(75, kSites, false, 6);
  const Stored stored(people, kSites);
  for (const bool called : {false, true}) {
    const Problem problem{called ? Comparison::kIdentity : Comparison::kMixture, &queries, stored.shape,
                          called};
    WordBuffer weights(3 * kLanes);
    MatrixPass(std::make_shared<const MatrixQueries>(problem))
        .find(stored.view(called), PackedQueries(problem), std::vector<Bar>(20), weights.data(), SIZE_MAX);
    for (std::size_t profile = 0; profile < people.n_rows(); ++profile) {
      std::uint32_t bits = 0;
      for (std::uint32_t site = 0; site < kSites; ++site)
        bits += static_cast<std::uint32_t>(
            bit_of(called ? people.row(profile).called : people.row(profile).bits, site));
      EXPECT_EQ(weights.data()[profile], bits) << profile;
    }
  }
}

TEST_F(MatrixUnit, PaysFromSomeQueriesAndSitesOn) {
  const auto pays = [](std::size_t n, std::uint32_t n_sites) {
    const ProfileRows queries = random_rows(n, n_sites, true, 1);
    return MatrixPass::pays({Comparison::kIdentity, &queries, {1'000'000, n_sites}, false});
  };
  EXPECT_FALSE(pays(1, 1024));
  EXPECT_FALSE(pays(32, 128));
  EXPECT_TRUE(pays(32, 1024));
}

}  // namespace
}  // namespace fastid
