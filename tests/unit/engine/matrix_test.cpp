// What products of matrices of bytes count. That engines which multiply find the right pairs is the
// conformance test's business.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "engine/cpu/cpu_matrix.hpp"

namespace fastid::engine {
namespace {

constexpr Encoding kBoth = Encoding::kAlleles;

// `missing` of a thousand sites are not called, and the last one of profile `but`.
BitBlocks people(std::size_t n, std::uint32_t n_sites, unsigned missing, std::size_t but = SIZE_MAX) {
  BitBlocks blocks({n, n_sites, kBoth});
  std::mt19937 random(static_cast<unsigned>(n * 7 + n_sites));
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t site = 0; site < n_sites; ++site) {
      const auto seen = static_cast<Seen>(1 + random() % 3);
      if (random() % 1000 >= missing && !(i == but && site + 1 == n_sites)) blocks.set_seen(i, site, seen);
    }
  return blocks;
}

ProfileRows rows_of(const BitBlocks& blocks) {
  std::vector<std::uint64_t> all(blocks.shape().n_profiles);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return ProfileRows::from_blocks(blocks.view(), all);
}

GroupThresholds open_thresholds() {
  GroupThresholds open;
  open.start.fill(-(1 << 30));
  open.least.fill(-0x1p30F);
  open.beyond.fill(-0x1p30F);
  return open;
}

constexpr const char* kNoUnit = "this CPU has no AMX-INT8, or Linux does not let it be used";

class Matrix : public ::testing::TestWithParam<Multiply> {
 protected:
  void SetUp() override {
    if (!is_plain(GetParam()) && !cpu_multiplies_bytes()) GTEST_SKIP() << kNoUnit;
  }
};

std::uint32_t own_denominator(const Problem& problem, const BlocksView& stored, std::uint64_t profile) {
  if (problem.by == Encoding::kMinor && problem.comparison != Comparison::kMixture)
    return stored.shape.n_sites;  // the query's own decides
  std::uint32_t own = 0;
  for (std::size_t word = 0; word < stored.shape.n_words(); ++word) {
    const Word minor = stored.bits_word(profile, word);
    const Word major = problem.by == Encoding::kAlleles ? stored.major_word(profile, word) : 0;
    const bool kin = problem.comparison == Comparison::kKinship;
    own += static_cast<std::uint32_t>(__builtin_popcount(kin ? minor & major : minor | major));
  }
  return own;
}

// All of a group's counts with a block, and the denominators.
void expect_counts(const Problem& problem, const BlocksView& stored, std::size_t block, std::size_t group,
                   const BlockCounts& counts, const std::uint32_t* denominators) {
  const std::size_t lanes = std::min<std::size_t>(kLanes, stored.shape.n_profiles - block * kLanes);
  const std::size_t queries = std::min(kMaxGroup, problem.queries->n_rows() - group * kMaxGroup);
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t query = group * kMaxGroup + i, profile = block * kLanes + lane;
      ASSERT_TRUE((counts.profiles >> lane & 1) != 0);
      ASSERT_EQ(
          counts.count[i * kLanes + lane],
          count_pair(problem.comparison, problem.by, problem.queries->row(query), stored, profile).count)
          << "query " << query << ", profile " << profile;
    }
  for (std::size_t lane = 0; lane < lanes; ++lane)
    ASSERT_EQ(denominators[lane], own_denominator(problem, stored, block * kLanes + lane));
}

// All groups with all blocks but those in which calls are missing.
void expect_all_counts(const Problem& problem, const MatrixQueries& made, const BlocksView& stored,
                       const std::vector<std::size_t>& gaps) {
  MatrixPass pass(made);
  BlockCounts counts;
  WordBuffer denominators(static_cast<std::size_t>(stored.shape.n_blocks()) * kLanes);
  const std::vector<GroupThresholds> open(pass.n_groups(), open_thresholds());
  std::set<std::pair<std::size_t, std::size_t>> taken;
  const std::size_t done =
      pass.find(stored, open, denominators.data(), counts, [&](std::size_t block, std::size_t group) {
        EXPECT_TRUE(taken.emplace(block, group).second);
        expect_counts(problem, stored, block, group, counts, denominators.data() + block * kLanes);
      });
  EXPECT_EQ(done, stored.shape.n_blocks());
  EXPECT_EQ(taken.size(), (done - gaps.size()) * pass.n_groups());
  EXPECT_EQ(std::vector<std::size_t>(pass.gaps().begin(), pass.gaps().end()), gaps);
}

struct Size {
  std::size_t queries, profiles;
  std::uint32_t sites;
};
constexpr Size kSizes[] = {{1, 1, 1},    {9, 33, 32},    {32, 64, 33},   {33, 577, 64},
                           {40, 65, 65}, {265, 40, 100}, {31, 70, 1024}, {17, 40, 2049}};

TEST_P(Matrix, CountsAreThoseOfTheDefinition) {
  for (const Size& size : kSizes)
    for (const Comparison comparison : {Comparison::kIdentity, Comparison::kKinship})
      for (const unsigned missing : {0u, 100u}) {
        SCOPED_TRACE(::testing::Message() << size.queries << " queries, " << size.sites << " sites, kinship "
                                          << (comparison == Comparison::kKinship) << ", missing " << missing);
        const ProfileRows queries = rows_of(people(size.queries, size.sites, missing));
        const BitBlocks stored = people(size.profiles, size.sites, 0, 37);  // a gap in the second block
        const Problem problem{comparison, &queries, stored.shape(), true, kBoth};
        const MatrixQueries made(problem, GetParam());
        EXPECT_EQ(made.n_queries(), size.queries);
        EXPECT_EQ(made.stored(), comparison == Comparison::kKinship && queries.all_called()
                                     ? StoredBytes::kCopies
                                     : StoredBytes::kEither);
        expect_all_counts(problem, made, stored.view(),
                          size.profiles > 37 ? std::vector<std::size_t>{1} : std::vector<std::size_t>{});
      }
}

TEST_P(Matrix, CountsByMinorAllelesAreThoseOfTheDefinition) {
  for (const Size& size : kSizes)
    for (const Comparison comparison :
         {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture})
      for (const unsigned missing : {0u, 100u}) {
        SCOPED_TRACE(::testing::Message() << size.queries << " queries, " << size.sites << " sites, question "
                                          << static_cast<int>(comparison) << ", missing " << missing);
        const ProfileRows queries = rows_of(people(size.queries, size.sites, missing));
        BitBlocks stored({size.profiles, size.sites, Encoding::kMinor});
        std::mt19937 random(static_cast<unsigned>(size.profiles + size.sites));
        for (std::size_t i = 0; i < size.profiles; ++i)
          for (std::uint32_t site = 0; site < size.sites; ++site) stored.set(i, site, random() % 3 == 0);
        const Problem problem{comparison, &queries, stored.shape(), false, Encoding::kMinor};
        const MatrixQueries made(problem, GetParam());
        EXPECT_EQ(made.n_queries(), size.queries);
        EXPECT_EQ(made.stored(), StoredBytes::kBits);
        expect_all_counts(problem, made, stored.view(), {});
      }
}

const auto kUnitsName = [](const auto& unit) { return is_plain(unit.param) ? "Plain" : "Amx"; };

INSTANTIATE_TEST_SUITE_P(Units, Matrix, ::testing::Values(Multiply::kAlways, Multiply::kAlwaysPlain),
                         kUnitsName);

std::size_t multiplied(std::size_t n_queries, Comparison comparison, Encoding by, Multiply multiply,
                       std::uint64_t n_profiles = 1'000'000, bool has_second = true) {
  const ProfileRows queries = rows_of(people(n_queries, 64, 0));
  return MatrixQueries::multiplied({comparison, &queries, {n_profiles, 64, by}, has_second, by}, multiply);
}

TEST(MatrixQueries, AreOfQuestionsThatProductsAnswerSooner) {
  constexpr Multiply kAny = Multiply::kAlwaysPlain;
  EXPECT_EQ(multiplied(3, Comparison::kIdentity, kBoth, kAny), 3u);
  EXPECT_EQ(multiplied(3, Comparison::kKinship, kBoth, kAny), 3u);
  EXPECT_EQ(multiplied(3, Comparison::kMixture, kBoth, kAny), 0u);
  EXPECT_EQ(multiplied(3, Comparison::kReverseMixture, kBoth, kAny), 0u);
  EXPECT_EQ(multiplied(3, Comparison::kIdentity, Encoding::kMinor, kAny), 0u) << "two planes are read";
  EXPECT_EQ(multiplied(3, Comparison::kIdentity, Encoding::kMinor, kAny, 1'000'000, false), 3u);
  EXPECT_EQ(multiplied(3, Comparison::kMixture, Encoding::kMinor, kAny), 3u);
  EXPECT_EQ(multiplied(64, Comparison::kIdentity, kBoth, Multiply::kNever), 0u);
}

class MatrixWhereItPays : public Matrix {};

TEST_P(MatrixWhereItPays, QueriesAreWholeGroups) {
  const auto of = [](std::size_t n, std::uint64_t n_profiles) {
    return multiplied(n, Comparison::kKinship, kBoth, GetParam(), n_profiles);
  };
  EXPECT_EQ(of(31, 1'000'000), 0u);
  EXPECT_EQ(of(32, 1'000'000), 32u);
  EXPECT_EQ(of(40, 1'000'000), 32u) << "the rest by the bits";
  EXPECT_EQ(of(60, 1'000'000), 60u);
  EXPECT_EQ(of(64, 1'000), is_plain(GetParam()) ? 64u : 0u);
  const auto by_minor = [](std::size_t n) {
    return multiplied(n, Comparison::kMixture, Encoding::kMinor, GetParam());
  };
  EXPECT_EQ(by_minor(63), 0u);
  EXPECT_EQ(by_minor(64), 64u);
}

TEST_P(MatrixWhereItPays, APassStopsWhereCallsAreMissing) {
  const ProfileRows queries = rows_of(people(32, 64, 0));
  const BitBlocks stored = people(1280, 64, 100);
  const BlockShape many{1'000'000, 64, kBoth};
  const MatrixQueries made({Comparison::kIdentity, &queries, many, true, kBoth}, GetParam());
  MatrixPass pass(made);
  EXPECT_TRUE(pass.pays(false));
  EXPECT_FALSE(pass.pays(true));
  BlockCounts counts;
  WordBuffer denominators(40 * kLanes);
  const std::vector<GroupThresholds> open(pass.n_groups(), open_thresholds());
  const std::size_t done = pass.find(stored.view(), open, denominators.data(), counts,
                                     [](std::size_t, std::size_t) { FAIL() << "calls are missing"; });
  EXPECT_LT(done, 40u);
  EXPECT_EQ(pass.gaps().size(), done);
  EXPECT_FALSE(pass.pays(false));
}

INSTANTIATE_TEST_SUITE_P(Units, MatrixWhereItPays,
                         ::testing::Values(Multiply::kWhereItPays, Multiply::kPlainWhereItPays), kUnitsName);

}  // namespace
}  // namespace fastid::engine
