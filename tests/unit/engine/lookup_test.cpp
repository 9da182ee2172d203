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

/// Profiles by both alleles, some of their sites not called.
struct Genotypes {
  BlockShape shape;
  WordBuffer minor, major;

  BlocksView view() const { return {shape, minor.data(), major.data()}; }
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

Genotypes make_genotypes(std::size_t n, std::uint32_t n_sites, double chance, unsigned seed) {
  People first = make_people(n, n_sites, chance, seed), second = make_people(n, n_sites, chance, seed + 1);
  const People called = make_people(n, n_sites, 0.9, seed + 2);
  for (std::size_t i = 0; i < first.bits.size(); ++i) {
    const Word minor = first.bits.data()[i] | second.bits.data()[i],
               both = first.bits.data()[i] & second.bits.data()[i];
    first.bits.data()[i] = minor & called.bits.data()[i];
    second.bits.data()[i] = ~both & called.bits.data()[i];
  }
  BlockShape shape = first.shape;
  shape.encoding = Encoding::kAlleles;
  return {shape, std::move(first.bits), std::move(second.bits)};
}

template <class Profiles>
ProfileRows rows_of(const Profiles& people) {
  std::vector<std::uint64_t> all(people.shape.n_profiles);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return ProfileRows::from_blocks(people.view(), all);
}

class Lookup : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    table = kernels_of(GetParam());
    kernels = table->lookup_of(KernelCase::kDiffer);
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
  using enum IndexPlane;
  const LookupShape& shape = kernels->shape;
  for (const IndexPlane plane : {kBits, kOthers, kFirstPairs, kLastPairs})
    for (const std::uint32_t n_sites : {1u, 32u, 33u, 64u, 65u, 96u, 97u, 200u}) {
      const Genotypes people = make_genotypes(shape.profiles(), n_sites, 0.5, n_sites);
      const ProfileRows rows = rows_of(people);
      WordBuffer buffer(people.shape.n_words() * kWordGroups * shape.profiles() / sizeof(Word));
      auto* const index = reinterpret_cast<std::uint8_t*>(buffer.data());
      kernels->pack(plane, people.minor.data(), plane == kBits ? nullptr : people.major.data(),
                    people.shape.block_words(), people.shape.n_words(), index, shape.profiles());
      for (std::size_t profile = 0; profile < shape.profiles(); ++profile) {
        const RowView row = rows.row(profile);
        std::vector<Word> words;
        for (std::size_t word = 0; word < row.bits.size(); ++word)
          words.push_back(index_word(plane, row.bits[word], row.major[word]));
        const std::vector<std::uint8_t> expected = row_index(words);
        ASSERT_EQ(expected.size(), people.shape.n_words() * kWordGroups);
        for (std::size_t group = 0; group < expected.size(); ++group)
          ASSERT_EQ(index[group * shape.profiles() + byte_of(shape, profile)] % kTableBytes, expected[group])
              << n_sites << " sites, profile " << profile << ", group " << group;
      }
    }
}

TEST(LookupIndex, HasTwoSitesOfBothPlanes) {
  using enum IndexPlane;
  for (std::size_t site = 0; site < kWordBits; ++site) {
    const std::size_t place = site / 4 * 4 + site % 2;
    const IndexPlane own = site % 4 < 2 ? kFirstPairs : kLastPairs,
                     other = site % 4 < 2 ? kLastPairs : kFirstPairs;
    EXPECT_EQ(index_word(own, 0, Word{1} << site), Word{1} << place);
    EXPECT_EQ(index_word(own, Word{1} << site, 0), Word{1} << (place + 2));
    EXPECT_EQ(index_word(other, Word{1} << site, Word{1} << site), 0u);
  }
  EXPECT_EQ(index_word(kOthers, 1, 3), 2u);
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

TEST_P(Lookup, LosesNothingWhereAllAllelesDiffer) {
  const Genotypes people = make_genotypes(300, 1200, 1, 1);
  const ProfileRows queries = rows_of(make_genotypes(5, 1200, 0, 2));
  for (const Comparison comparison :
       {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture, Comparison::kKinship}) {
    std::vector<Threshold> thresholds(5);
    for (std::uint32_t query = 0; query < 5; ++query)
      for (std::uint32_t profile = thresholds[query].max_count = 0; profile < 300; ++profile)
        thresholds[query].max_count = std::max(
            thresholds[query].max_count,
            count_pair(comparison, Encoding::kAlleles, queries.row(query), people.view(), profile).count);
    const Problem problem{comparison, &queries, people.shape, true, Encoding::kAlleles};
    const LookupTables tables(problem, table->lookup_of(kernel_case(problem))->shape);
    LookupPass pass(*table, tables, people.shape);
    WordBuffer denominators(2 * kMaxLookupProfiles);
    EXPECT_EQ(
        pass.find(people.view(), PackedQueries(problem), thresholds, denominators.data(), SIZE_MAX).size(),
        5u * 300);
  }
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

/// That a pass finds every pair that passes, once, and few others than those that would pass with the
/// denominator that the profile alone allows.
void expect_found(const KernelTable& table, const Problem& problem, const BlocksView& stored,
                  const Threshold& threshold) {
  const auto n_queries = static_cast<std::uint32_t>(problem.queries->n_rows());
  const auto n_profiles = static_cast<std::uint32_t>(stored.shape.n_profiles);
  const LookupTables tables(problem, table.lookup_of(kernel_case(problem))->shape);
  LookupPass pass(table, tables, stored.shape);
  WordBuffer denominators(ceil_div<std::size_t>(n_profiles, kMaxLookupProfiles) * kMaxLookupProfiles);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const PairPlace& pair :
       pass.find(stored, PackedQueries(problem), std::vector<Threshold>(n_queries, threshold),
                 denominators.data(), SIZE_MAX))
    found.emplace_back(pair.query, pair.profile);
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "a pair came twice";
  std::size_t likely = 0;
  for (std::uint32_t query = 0; query < n_queries; ++query)
    for (std::uint32_t profile = 0; profile < n_profiles; ++profile) {
      PairCounts counts =
          count_pair(problem.comparison, problem.by, problem.queries->row(query), stored, profile);
      if (threshold.passes(counts)) {
        EXPECT_TRUE(std::ranges::binary_search(found, std::pair(query, profile))) << query << ", " << profile;
      }
      if (bounded_by_profile(tables.which())) {
        ASSERT_GE(denominators.data()[profile], counts.denominator);
        counts.denominator = denominators.data()[profile];
      }
      likely += threshold.passes(counts) ? 1 : 0;
    }
  EXPECT_LE(found.size(), likely + likely / 4 + 200);
}

// Spans of words, their last steps, and runs of units that each have an index.
TEST_P(Lookup, FindsAllThatPassOfAnyNumberOfWordsAndPlanes) {
  for (const std::uint32_t n_sites : {1u, 65u, 383u, 384u, 385u, 577u, 1000u, 6000u}) {
    SCOPED_TRACE(n_sites);
    const std::size_t n_profiles = n_sites > 1000 ? 600 : 2100;
    const People bits = make_people(n_profiles, n_sites, 0.3, n_sites);
    const std::size_t n_queries = n_sites == 1000 ? 70 : 9;  // several chunks of sets
    const ProfileRows queries = rows_of(make_people(n_queries, n_sites, 0.3, n_sites + 1));
    // The plane of called sites: where there is a bit, and most others.
    People called = make_people(n_profiles, n_sites, 0.9, n_sites + 2);
    for (std::size_t i = 0; i < called.bits.size(); ++i) called.bits.data()[i] |= bits.bits.data()[i];
    const BlocksView stored{bits.shape, bits.bits.data(), called.bits.data()};
    expect_found(*table, {Comparison::kIdentity, &queries, bits.shape, true}, stored,
                 {n_sites * 2 / 5, 2, 5});
  }
}

// Both planes are turned into one index. About one pair in 100 passes where there are sites enough.
TEST_P(Lookup, FindsAllThatPassByAlleles) {
  const std::pair<Comparison, Threshold> questions[] = {
      {Comparison::kIdentity, {.max_count = UINT32_MAX, .num = 5, .den = 9}},
      {Comparison::kMixture, {.max_count = UINT32_MAX, .num = 1, .den = 4}},
      {Comparison::kReverseMixture, {.max_count = UINT32_MAX, .num = 1, .den = 4}},
      {Comparison::kKinship, {.max_count = UINT32_MAX, .num = 8, .den = 5}}};
  for (const auto& [comparison, threshold] : questions)
    for (const std::uint32_t n_sites : {1u, 31u, 191u, 192u, 193u, 577u, 1000u, 6000u}) {
      SCOPED_TRACE(n_sites);
      const std::size_t n_profiles = n_sites > 1000 ? 300 : 1200;
      const Genotypes people = make_genotypes(n_profiles, n_sites, 0.3, n_sites);
      const ProfileRows queries =
          rows_of(make_genotypes(n_sites == 1000 ? 70 : 9, n_sites, 0.3, n_sites + 3));
      for (const Encoding by : {Encoding::kAlleles, Encoding::kMinor})
        if (by == Encoding::kAlleles || !by_alleles_alone(comparison))
          expect_found(*table, {comparison, &queries, people.shape, true, by}, people.view(), threshold);
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
  std::erase_if(targets, [](const std::string& target) { return kernels_of(target)->has_vector_popcount(); });
  return targets;
}
INSTANTIATE_TEST_SUITE_P(All, Lookup, ::testing::ValuesIn(targets_with_lookups()), name_of);

TEST(LookupTables, AStepsSumsStayInTheirNibbles) {
  constexpr LookupShape kShape{.step = 4, .elements = 32, .vectors = 2, .pairs_a_set = 2};
  const ProfileRows queries = rows_of(make_people(4, 192, 0, 1));
  const LookupTables tables({Comparison::kIdentity, &queries, {1, 192}, false}, kShape);
  for (std::size_t step = 0; step < 192 / kIndexBits / kShape.step; ++step)
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

TEST(LookupTables, AStepsSumsOfKinshipStayInTheirNibbles) {
  constexpr LookupShape kShape{.step = 2, .elements = 32, .vectors = 2, .pairs_a_set = 2};
  constexpr std::uint32_t kSites = 192;
  ProfileRows queries(4, kSites, Encoding::kAlleles);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::uint32_t site = 0; site < kSites; ++site) queries.set_seen(row, site, kMinorSeen);
  const LookupTables tables(
      {Comparison::kKinship, &queries, {1, kSites, Encoding::kAlleles}, true, Encoding::kAlleles}, kShape);
  constexpr std::size_t kGroups = 2 * kSites / kIndexBits;  // of both planes
  for (std::size_t step = 0; step < kGroups / kShape.step; ++step)
    for (std::size_t pair = 0; pair < 2; ++pair) {
      unsigned most_low = 0, most_high = 0;
      for (std::size_t index = 0; index < kTableBytes; ++index) {
        unsigned low = 0, high = 0;
        for (std::size_t group = 0; group < kShape.step; ++group) {
          const unsigned entry = tables.of(0, step)[(group * 2 + pair) * kTableBytes + index];
          low += entry % 16;
          high += entry / 16;
        }
        most_low = std::max(most_low, low);
        most_high = std::max(most_high, high);
      }
      EXPECT_EQ(most_low, 15u);
      EXPECT_EQ(most_high, 16u);  // its overflow is lost
    }
}

}  // namespace
}  // namespace fastid::engine
