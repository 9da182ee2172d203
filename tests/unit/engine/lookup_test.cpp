// The pieces of counting by lookups, for each instruction set. That engines which look up find the right
// pairs is the conformance test's business.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/lookup_pass.hpp"

namespace fastid::engine {
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
    table = kernels_of(GetParam());
    kernels = table->lookup;
  }

  const KernelTable* table = nullptr;
  const LookupKernels* kernels = nullptr;
};

// Where a vector's byte has its profile, as cpu_lookup.cpp says.
std::size_t byte_of(const LookupShape& shape, std::size_t profile) {
  const std::size_t place = profile % shape.elements;
  return profile / shape.elements * shape.elements + place % (shape.elements / 4) * 4 +
         place / (shape.elements / 4);
}

TEST_P(Lookup, KernelsWriteTheIndexThatRowsHave) {
  const LookupShape& shape = kernels->shape;
  for (const std::uint32_t n_sites : {1u, 32u, 33u, 64u, 65u, 96u, 97u, 200u}) {
    const People people = make_people(shape.profiles(), n_sites, 0.5, n_sites);
    const ProfileRows rows = rows_of(people);
    WordBuffer buffer(people.shape.n_words() * kWordGroups * shape.profiles() / sizeof(Word));
    auto* const index = reinterpret_cast<std::uint8_t*>(buffer.data());
    kernels->pack(people.bits.data(), nullptr, people.shape.block_words(), people.shape.n_words(), index,
                  shape.profiles());
    for (std::size_t profile = 0; profile < shape.profiles(); ++profile) {
      const std::vector<std::uint8_t> expected = row_index(rows.row(profile).bits);
      ASSERT_EQ(expected.size(), people.shape.n_words() * kWordGroups);
      for (std::size_t group = 0; group < expected.size(); ++group)
        ASSERT_EQ(index[group * shape.profiles() + byte_of(shape, profile)] % kTableBytes, expected[group])
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
  const LookupTables tables(problem, kernels->shape);
  LookupPass pass(*table, tables, stored.shape);
  const std::vector<Threshold> thresholds(queries.n_rows(),
                                          Threshold{340, 1, 0});  // about one stranger in 100 passes
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const PairPlace& pair : pass.find(stored.view(), packed, thresholds, nullptr, SIZE_MAX))
    found.emplace_back(pair.query, pair.profile);
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "a pair came twice";
  std::size_t passing = 0;
  for (std::uint32_t query = 0; query < queries.n_rows(); ++query)
    for (std::uint32_t profile = 0; profile < kProfiles; ++profile) {
      if (count_pair(problem.comparison, Encoding::kMinor, queries.row(query), stored.view(), profile).count >
          340)
        continue;
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
  const LookupTables tables(problem, kernels->shape);
  LookupPass pass(*table, tables, stored.shape);
  const std::vector<Threshold> thresholds(queries.n_rows(), Threshold{kSites, 1, 0});
  EXPECT_EQ(pass.find(stored.view(), PackedQueries(problem), thresholds, nullptr, SIZE_MAX).size(), 5u * 300);
}

TEST(LookupPass, PaysFromSomeQueriesAndProfilesOn) {
  const auto pays = [](std::size_t n_queries, std::uint64_t n_profiles) {
    const ProfileRows queries(n_queries, 64);
    return LookupPass::pays({Comparison::kIdentity, &queries, {n_profiles, 64}, false});
  };
  EXPECT_TRUE(pays(2, 1'000'000));
  EXPECT_FALSE(pays(1, 1'000'000));
  EXPECT_FALSE(pays(32, 1'000));
}

// Spans of words, their last steps, and runs of units that each have an index.
TEST_P(Lookup, FindsAllThatPassOfAnyNumberOfWordsAndPlanes) {
  for (const std::uint32_t n_sites : {1u, 65u, 383u, 384u, 385u, 577u, 1000u, 6000u}) {
    const std::size_t n_profiles = n_sites > 1000 ? 600 : 2100;
    const People bits = make_people(n_profiles, n_sites, 0.3, n_sites);
    const std::uint32_t n_queries = n_sites == 1000 ? 70 : 9;  // several chunks of sets
    const ProfileRows queries = rows_of(make_people(n_queries, n_sites, 0.3, n_sites + 1));
    // The plane of called sites: where there is a bit, and most others.
    People called = make_people(n_profiles, n_sites, 0.9, n_sites + 2);
    for (std::size_t i = 0; i < called.bits.size(); ++i) called.bits.data()[i] |= bits.bits.data()[i];
    const BlocksView stored{bits.shape, bits.bits.data(), called.bits.data()};
    const Problem problem{Comparison::kIdentity, &queries, bits.shape, true};
    const LookupTables tables(problem, kernels->shape);
    LookupPass pass(*table, tables, bits.shape);
    WordBuffer denominators(ceil_div<std::size_t>(n_profiles, kMaxLookupProfiles) * kMaxLookupProfiles);
    const Threshold threshold{n_sites * 2 / 5, 2, 5};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const PairPlace& pair :
         pass.find(stored, PackedQueries(problem), std::vector<Threshold>(n_queries, threshold),
                   denominators.data(), SIZE_MAX))
      found.emplace_back(pair.query, pair.profile);
    std::ranges::sort(found);
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "a pair came twice";
    std::size_t passing = 0;
    for (std::uint32_t query = 0; query < n_queries; ++query)
      for (std::uint32_t profile = 0; profile < n_profiles; ++profile) {
        const PairCounts counts =
            count_pair(problem.comparison, Encoding::kMinor, queries.row(query), stored, profile);
        ASSERT_EQ(denominators.data()[profile], counts.compared);
        if (!threshold.passes(counts)) continue;
        ++passing;
        EXPECT_TRUE(std::ranges::binary_search(found, std::pair(query, profile)))
            << n_sites << " sites: " << query << ", " << profile;
      }
    EXPECT_LE(found.size(), passing + passing / 2 + 1000) << n_sites << " sites";
  }
}

TEST_P(Lookup, StopsWhereTooManyMayPass) {
  const People stored = make_people(4096, 96, 0.5, 1);
  const ProfileRows queries = rows_of(make_people(5, 96, 0.5, 2));
  const Problem problem{Comparison::kIdentity, &queries, stored.shape, false};
  const LookupTables tables(problem, kernels->shape);
  LookupPass pass(*table, tables, stored.shape);
  const std::size_t found =
      pass.find(stored.view(), PackedQueries(problem), std::vector<Threshold>(5), nullptr, 1000).size();
  EXPECT_GT(found, 1000u) << "so that it is known";
  EXPECT_LT(found, 5u * 4096 / 2);
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}
std::vector<std::string> targets_with_lookups() {
  std::vector<std::string> targets = kernel_targets();
  std::erase_if(targets, [](const std::string& target) { return kernels_of(target)->lookup == nullptr; });
  return targets;
}
INSTANTIATE_TEST_SUITE_P(All, Lookup, ::testing::ValuesIn(targets_with_lookups()), name_of);

TEST(LookupTables, AStepsSumsStayInTheirNibbles) {
  constexpr LookupShape kShape{.step = 4, .elements = 32, .vectors = 2, .pairs_a_set = 2};
  const ProfileRows queries = rows_of(make_people(4, 192, 0, 1));
  const LookupTables tables({Comparison::kIdentity, &queries, {1, 192}, false}, kShape);
  for (std::size_t step = 0; step < 192 / kGroupSites / kShape.step; ++step)
    for (std::size_t pair = 0; pair < 2; ++pair) {
      unsigned low = 0, high = 0;
      for (std::size_t group = 0; group < kShape.step; ++group) {
        const unsigned entry = tables.of(0, step)[(group * 2 + pair) * kTableBytes + 15];  // all four differ
        low += entry % 16;
        high += entry / 16;
      }
      EXPECT_EQ(low, 15u);
      EXPECT_EQ(high, 16u);  // its overflow is lost
    }
}

}  // namespace
}  // namespace fastid::engine
