// Who is close to whom: each pair once, whoever is asked about.
#include "questions/pairs/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <set>

#include "base/log.hpp"
#include "questions/pairs/sides.hpp"
#include "support/refusal.hpp"
#include "unit/asking/asking_testing.hpp"
#include "unit/pipeline/world.hpp"

namespace fastid::pairs {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Letters;
using testing::panel_of;
using testing::refusal;

const std::vector<Letters> kPeople = {"111100002222", "111100002222", "000011110000",
                                      "111100002221", "------------", "000011110000"};

class PairsTest : public ::testing::Test {
 protected:
  PairsTest() {
    log::set_level(log::Level::kQuiet);
    options_.progress = ProgressMode::kNever;
    options_.threads = 2;
    options_.parameters = {.theta = 0, .error_rate = 0};
    options_.linked.unlinked = true;
    store(kPeople);
  }
  ~PairsTest() override { log::set_level(log::Level::kNormal); }

  void store(const std::vector<Letters>& people, Encoding encoding = Encoding::kAlleles) {
    options_.database = testing::write_database(folder_, panel(), people, db::Kind::kIndividuals, encoding);
  }
  static Panel panel() { return panel_of(12, {{"pop", std::vector<double>(12, .3)}}); }

  std::vector<match::NamedPair> find() {
    const auto engine = engine::make_reference_engine({});
    std::vector<match::NamedPair> all;
    PairSearch search(options_);
    facts_ = search.facts();
    search.run(*engine, [&](std::span<const match::NamedPair> pairs) {
      all.insert(all.end(), pairs.begin(), pairs.end());
    });
    return all;
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const match::NamedPair& pair : find()) all.push_back(pair.first + "-" + pair.second);
    return all;
  }

  testing::TempFolder folder_;
  PairsOptions options_;
  match::PairsFacts facts_;
};

TEST_F(PairsTest, EachPairOnceInTheOrderOfTheLaterRow) {
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3", "P2-P5"));
  EXPECT_EQ(facts_.n_pairs, 15U);
  EXPECT_EQ(facts_.n_profiles, 6U);
}

TEST_F(PairsTest, CountsAreThoseOfTheTwoProfiles) {
  const match::ClosePair pair = find().at(1).pair;
  EXPECT_EQ(pair.compared, 12U);
  EXPECT_EQ(pair.differing, 1U);
  EXPECT_EQ(pair.both_het, 4U);
  EXPECT_EQ(pair.ibs0, 0U);
  EXPECT_DOUBLE_EQ(pair.kinship, .5 - 1 / 16.);
  ASSERT_TRUE(pair.log10_lr);
  EXPECT_EQ(pair.log10_lr->same, -INFINITY);
}

TEST_F(PairsTest, AKinshipAtTheBoundIsCloseAndOneBelowItIsNot) {
  options_.min_kinship = .4375;
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3", "P2-P5"));
  options_.min_kinship = .437501;
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P2-P5"));
}

TEST_F(PairsTest, BothLimitsHold) {
  options_.max_mismatch_rate = 1 / 24.;
  options_.min_kinship = 0;
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P2-P5"));  // 1/24 to six decimals is less than 1 of 24
  options_.max_mismatch_rate = .041667;
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3", "P2-P5"));
}

TEST_F(PairsTest, ByBitsSitesThatDifferAreCounted) {
  store(kPeople, Encoding::kMinor);
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3", "P2-P5"));  // rs11 of P3 has a minor allele too
  EXPECT_DOUBLE_EQ(*facts_.max_mismatch_rate, kSameMismatchRate);
  options_.min_kinship = .1;
  EXPECT_THAT(refusal<UsageError>([&] { find(); }), HasSubstr("--max-mismatch-rate"));
}

TEST_F(PairsTest, ListsChooseWhoIsCompared) {
  options_.within = folder_.write("within.txt", "P3\nP1\r\n\nP3\nP2\n");
  EXPECT_THAT(names(), ElementsAre("P1-P3"));
  EXPECT_EQ(facts_.n_pairs, 3U);
  options_.against = folder_.write("against.txt", "P0\nP1\n");
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3"));
  EXPECT_EQ(facts_.n_pairs, 5U);  // P1 with P0; P2 and P3 with either
  options_.within.clear();
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3"));
  EXPECT_EQ(facts_.n_pairs, 9U);
  options_.against = folder_.write("against.txt", "P9\n");
  EXPECT_THAT(refusal<InputError>([&] { find(); }), HasSubstr("P9"));
  options_.against = folder_.write("against.txt", "\n");
  EXPECT_THAT(refusal<InputError>([&] { find(); }),
              AllOf(HasSubstr("against.txt"), HasSubstr("lists no profile")));
}

TEST_F(PairsTest, NewProfilesMeetAllAndEachOther) {
  options_.new_since = 3;
  EXPECT_THAT(names(), ElementsAre("P0-P3", "P1-P3", "P2-P5"));
  EXPECT_EQ(facts_.n_pairs, 3U + 4U + 5U);
  options_.new_since = 6;
  EXPECT_THAT(refusal<InputError>([&] { find(); }), HasSubstr("6 profiles"));
}

TEST_F(PairsTest, TwoDatabasesMakePairsOfOneOfEach) {
  const std::string first = folder_ / "first.h5";
  std::filesystem::rename(options_.database, first);
  store({kPeople[2], kPeople[0]});
  options_.second = options_.database;
  options_.database = first;
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P1-P1", "P2-P0", "P3-P1", "P5-P0"));
  EXPECT_EQ(facts_.n_pairs, 12U);
  options_.second = first;  // the same file twice is one database
  EXPECT_THAT(names(), ElementsAre("P0-P1", "P0-P3", "P1-P3", "P2-P5"));
}

TEST_F(PairsTest, MorePairsThanAskedForAreAnError) {
  options_.max_pairs = 3;
  EXPECT_THAT(refusal<Failure>([&] { find(); }),
              AllOf(HasSubstr("more than 3 pairs"), HasSubstr("0.0884"), HasSubstr("--max-pairs")));
  options_.max_pairs = 4;
  EXPECT_EQ(find().size(), 4U);
}

// The second reading is for the evidence: the file is cut while pairs are compared.
TEST_F(PairsTest, AFileThatIsDamagedMeanwhileEndsTheRun) {
  testing::Changed engine;
  engine.on_pairs = [&](std::vector<engine::Pair>&) {
    std::filesystem::resize_file(options_.database, 2000);
  };
  PairSearch search(options_);
  std::size_t found = 0;
  EXPECT_THAT(refusal([&] {
                search.run(engine, [&](std::span<const match::NamedPair> pairs) { found += pairs.size(); });
              }),
              HasSubstr("people.h5"));
  EXPECT_EQ(found, 0U);
}

// Every way to choose two sets of some rows, against the plain definition: pairs of different profiles, one
// of each side.
TEST_F(PairsTest, SidesCountEachPairOnce) {
  const db::Reader reader(options_.database);
  const auto chosen = [](unsigned bits) {
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < 4; ++row)
      if ((bits >> row & 1) != 0) rows.push_back(row);
    return rows;
  };
  for (unsigned a = 1; a < 16; ++a)
    for (unsigned b = 1; b < 16; ++b) {
      const PairSides sides(PairSide(reader, chosen(a)), PairSide(reader, chosen(b)));
      std::set<std::pair<std::uint64_t, std::uint64_t>> right, met;
      for (const std::uint64_t x : chosen(a))
        for (const std::uint64_t y : chosen(b))
          if (x != y) right.emplace(std::min(x, y), std::max(x, y));
      for (std::uint64_t i = 0; i < sides.columns().size(); ++i)
        for (std::uint64_t j = 0; j < sides.rows().size(); ++j) {
          if (!sides.counts(i, j)) continue;
          EXPECT_LT(j, sides.rows_for(i + 1)) << a << " " << b;
          const std::uint64_t x = sides.columns().row(i), y = sides.rows().row(j);
          EXPECT_TRUE(met.emplace(std::min(x, y), std::max(x, y)).second) << a << " " << b;
        }
      EXPECT_EQ(met, right) << a << " " << b;
      EXPECT_EQ(sides.n_pairs(), right.size()) << a << " " << b;
      EXPECT_EQ(sides.n_profiles(), static_cast<std::uint64_t>(std::popcount(a | b)));
    }
}

}  // namespace
}  // namespace fastid::pairs
