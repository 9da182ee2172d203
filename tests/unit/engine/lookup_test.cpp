// The pieces of counting by lookups, for each instruction set. That engines which look up find the right
// pairs is the conformance test's business.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu_kernel.hpp"
#include "engine/lookup_pass.hpp"

namespace fastid {
namespace {

struct People {
  BlockShape shape;
  WordBuffer bits;

  BlocksView view() const { return {shape, bits.data(), nullptr}; }
};

// Each site of each profile carries a minor allele with the given chance.
People make_people(std::size_t n, std::uint32_t n_sites, double chance, unsigned seed) {
  const BlockShape shape{n, n_sites};
  // Whole units of any instruction set, so that kernels may read past the last profile.
  People people{
      shape, WordBuffer(ceil_div<std::size_t>(n, kMaxLookupProfiles) * kMaxLookupProfiles * shape.n_words())};
  std::mt19937 random(seed);
  std::bernoulli_distribution minor(chance);
  for (std::size_t profile = 0; profile < n; ++profile)
    for (std::uint32_t site = 0; site < n_sites; ++site)
      if (minor(random))
        people.bits
            .data()[profile / kLanes * shape.block_words() + site / kWordBits * kLanes + profile % kLanes] |=
            Word{1} << (site % kWordBits);
  return people;
}

ProfileRows rows_of(const People& people) {
  std::vector<std::uint64_t> all(people.shape.n_profiles);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return ProfileRows::from_blocks(people.view(), all);
}

class Lookup : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    kernels = kernels_of(GetParam())->lookup;
    if (kernels == nullptr) GTEST_SKIP() << GetParam() << " has nothing to look up with";
  }

  const LookupKernels* kernels = nullptr;
};

// Where a vector's byte has its profile, as cpu_lookup.cpp says.
std::size_t byte_of(const LookupShape& shape, std::size_t profile) {
  const std::size_t place = profile % shape.lanes;
  return profile / shape.lanes * shape.lanes + place % (shape.lanes / 4) * 4 + place / (shape.lanes / 4);
}

TEST_P(Lookup, KernelsWriteTheIndexThatRowsHave) {
  const LookupShape& shape = kernels->shape;
  for (const std::uint32_t n_sites : {1u, 32u, 33u, 64u, 65u, 96u, 97u, 200u}) {
    const People people = make_people(shape.profiles(), n_sites, 0.5, n_sites);
    const ProfileRows rows = rows_of(people);
    WordBuffer buffer(shape.groups(people.shape.n_words()) * shape.profiles() / sizeof(Word));
    auto* const index = reinterpret_cast<std::uint8_t*>(buffer.data());
    kernels->pack(people.bits.data(), nullptr, people.shape.block_words(), people.shape.n_words(), index,
                  shape.profiles());
    for (std::size_t profile = 0; profile < shape.profiles(); ++profile) {
      const std::vector<std::uint8_t> expected = row_index(rows.row(profile).bits, shape.sites);
      ASSERT_EQ(expected.size(), shape.groups(people.shape.n_words()));
      for (std::size_t group = 0; group < expected.size(); ++group)
        ASSERT_EQ(index[group * shape.profiles() + byte_of(shape, profile)] % shape.table_bytes(),
                  expected[group])
            << n_sites << " sites, profile " << profile << ", group " << group;
    }
  }
}

TEST_P(Lookup, FindsAllThatPassAndFewOthers) {
  constexpr std::uint32_t kSites = 1000;
  constexpr std::size_t kProfiles = 1500;
  const People stored = make_people(kProfiles, kSites, 0.25, 1);
  const ProfileRows queries = rows_of(make_people(11, kSites, 0.25, 2));
  const Problem problem{Comparison::kIdentity, &queries, stored.shape, false};
  const PackedQueries packed(problem);
  LookupPass pass(*kernels, std::make_shared<const LookupTables>(problem, kernels->shape), stored.shape);
  const std::vector<Bar> bars(queries.n_rows(), Bar{340, 1, 0});  // about one stranger in 100 passes
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const MayPass& pair : pass.find(stored.view(), packed, bars, nullptr))
    found.emplace_back(pair.query, pair.profile);
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "a pair came twice";
  std::size_t passing = 0;
  for (std::uint32_t query = 0; query < queries.n_rows(); ++query)
    for (std::uint32_t profile = 0; profile < kProfiles; ++profile) {
      if (count_pair(problem.comparison, queries.row(query), stored.view(), profile).count > 340) continue;
      ++passing;
      EXPECT_TRUE(std::ranges::binary_search(found, std::pair(query, profile))) << query << ", " << profile;
    }
  EXPECT_GT(passing, 10u);
  EXPECT_LT(found.size(), 20 * passing);
}

// Where everyone differs from everyone at every site, sums wrap and run over: never upwards.
TEST_P(Lookup, LosesNothingWhereAllSitesCount) {
  constexpr std::uint32_t kSites = 1200;
  const People stored = make_people(300, kSites, 1, 1);
  const ProfileRows queries = rows_of(make_people(5, kSites, 0, 2));
  const Problem problem{Comparison::kIdentity, &queries, stored.shape, false};
  LookupPass pass(*kernels, std::make_shared<const LookupTables>(problem, kernels->shape), stored.shape);
  const std::vector<Bar> bars(queries.n_rows(), Bar{kSites, 1, 0});
  EXPECT_EQ(pass.find(stored.view(), PackedQueries(problem), bars, nullptr).size(), 5u * 300);
}

// Everywhere with a mask of the queries' side; without, only where bits cannot be counted a vector at a time.
TEST_P(Lookup, PaysFromSomeQueriesAndProfilesOn) {
  const auto pays = [&](std::size_t n_queries, std::uint64_t n_profiles, bool masked) {
    ProfileRows queries(n_queries, 64);
    for (std::size_t query = 0; query < n_queries; ++query)
      for (std::uint32_t site = masked ? 1 : 0; site < 64; ++site) queries.set(query, site, true);
    return LookupPass::pays({Comparison::kIdentity, &queries, {n_profiles, 64}, false}, *kernels);
  };
  EXPECT_TRUE(pays(32, 1'000'000, true));
  EXPECT_EQ(pays(32, 1'000'000, false), kernels->shape.sites == 4);
  EXPECT_FALSE(pays(1, 1'000'000, true));
  EXPECT_FALSE(pays(32, 1'000, true));
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(All, Lookup, ::testing::ValuesIn(kernel_targets()), name_of);

TEST(LookupTables, AStepsSumOfTheFirstQueryStaysInItsNibble) {
  constexpr LookupShape kShape{6, 64, 4, 2};
  const ProfileRows queries = rows_of(make_people(4, 192, 0, 1));
  const LookupTables tables({Comparison::kIdentity, &queries, {1, 192}, false}, kShape);
  ASSERT_EQ(tables.n_steps(), 8u);
  for (std::size_t step = 0; step < tables.n_steps(); ++step)
    for (std::size_t pair = 0; pair < 2; ++pair) {
      unsigned low = 0;
      for (std::size_t group = 0; group < kLookupsASum; ++group)
        low += tables.of(0, step)[(group * 2 + pair) * 64 + 63] % 16u;  // all six differ
      EXPECT_LE(low, 15u);
      EXPECT_GE(low, 12u);
    }
}

}  // namespace
}  // namespace fastid
