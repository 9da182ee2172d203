// Relatives in small databases: which are candidates, their order, and ratios with closed forms.
#include "questions/kin/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/log.hpp"
#include "support/refusal.hpp"
#include "unit/asking/asking_testing.hpp"

namespace fastid::kin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Letters;
using testing::panel_of;
using testing::refusal;
using ::testing::UnorderedElementsAre;

class KinTest : public ::testing::Test {
 protected:
  KinTest() {
    log::set_level(log::Level::kQuiet);
    options_.search.evidence.parameters = {.theta = 0, .error_rate = 0};
    options_.search.progress = ProgressMode::kNever;
    options_.search.threads = 2;
    options_.search.import.individuals = true;
    options_.linked.unlinked = true;  // closed forms are of single sites
  }
  ~KinTest() override { log::set_level(log::Level::kNormal); }

  void store(const Panel& panel, const std::vector<Letters>& people, Encoding encoding = Encoding::kAlleles) {
    options_.search.database =
        testing::write_database(folder_, panel, people, db::Kind::kIndividuals, encoding);
  }
  void ask(const std::string& name, const Letters& letters) {
    options_.search.queries.push_back(testing::write_query(folder_, letters, name));
  }
  match::MatchTable find() {
    const auto engine = engine::make_reference_engine({});
    return find_kin(options_, *engine);
  }
  static std::vector<std::string> names(const match::MatchTable& table) {
    std::vector<std::string> all;
    for (const match::MatchRow& row : table.queries.at(0).rows) all.push_back(row.profile);
    return all;
  }
  static Panel panel(std::size_t n, double q) { return panel_of(n, {{"pop", std::vector<double>(n, q)}}); }

  testing::TempFolder folder_;
  KinOptions options_;
};

TEST_F(KinTest, DoesNotPlaceFewSitesBeforeMany) {
  // The second has kinship .5 by two sites, the first .375 by twelve, the last is at the bound of .25.
  store(panel(12, .3), {"111111111111", "11----------", "000000111111", "222222222222", "------------"});
  ask("q", "111111111111");
  options_.search.rule.top = 3;
  options_.min_kinship = .25;
  const match::MatchTable table = find();
  EXPECT_THAT(names(table), ElementsAre("P0", "P1", "P2"));
  EXPECT_EQ(table.queries[0].rows[2].kin->kinship, .25) << "six of twelve: 1/2 - 6 / (4 x 6)";
  options_.min_kinship = .250001;
  EXPECT_THAT(names(find()), ElementsAre("P0", "P1"));
}

TEST_F(KinTest, LeavesOutWhoHasNoKinship) {
  store(panel(4, .3), {"0000", "0022", "0101"});
  ask("q", "0011");
  options_.min_kinship = 0;
  EXPECT_THAT(names(find()), ElementsAre("P2")) << "the others are nowhere heterozygous";
}

// The chain finds whoever shares alleles; kinship leaves out of these who has none, or less than asked for.
TEST_F(KinTest, AlongTheMapLeavesOutWhoHasNoKinship) {
  store(panel(4, .3), {"0000", "0022", "0101", "0011"});
  ask("q", "0011");
  options_.linked = {.thin = 0, .min_lr = -100};
  EXPECT_THAT(names(find()), UnorderedElementsAre("P2", "P3")) << "the others are nowhere heterozygous";
  EXPECT_FALSE(find().provenance.evidence.min_kinship);
  options_.min_kinship = .5;
  const match::MatchTable table = find();
  EXPECT_THAT(names(table), ElementsAre("P3"));
  EXPECT_EQ(table.provenance.evidence.min_kinship, .5);
  EXPECT_EQ(table.queries[0].rows[0].counts, (engine::PairCounts{0, 2, 4})) << "of kinship, not of the chain";
}

TEST_F(KinTest, ListsByTheBestRatioOrByKinship) {
  // The rare allele is shared by the second one only, who differs at one more site from the query.
  store(panel_of(8, {{"pop", {.02, .4, .4, .4, .4, .4, .4, .4}}}), {"01111112", "11111100", "01111111"});
  ask("q", "11111110");
  EXPECT_THAT(names(find())[0], "P1");
  options_.search.evidence.by_rate = true;
  const match::MatchTable by_kinship = find();
  std::vector<double> kinship;
  for (const match::MatchRow& row : by_kinship.queries[0].rows) kinship.push_back(row.kin->kinship);
  EXPECT_TRUE(std::ranges::is_sorted(kinship, std::ranges::greater{}));
  EXPECT_EQ(by_kinship.provenance.evidence.sort, "kinship");
}

TEST_F(KinTest, NamesNoRelationThatChanceExplains) {
  std::mt19937_64 rng(3);
  Letters twin;
  for (int s = 0; s < 60; ++s) twin += static_cast<char>('0' + rng() % 3);
  store(panel(60, .5), {twin});
  ask("q", twin);
  match::MatchTable table = find();
  EXPECT_EQ(table.queries[0].rows.at(0).kin->relation, "same");
  EXPECT_GE(*table.queries[0].rows[0].kin->margin, 1);
  options_.margin = 1000;
  EXPECT_EQ(find().queries[0].rows.at(0).kin->relation, "undecided") << "the margin is asked for";
  options_.margin = 1;
  store(panel(4, .5), {"1111"});
  options_.search.queries.clear();
  ask("few", "1111");
  table = find();
  EXPECT_GT(*table.queries[0].rows.at(0).log10_lr, 1);
  EXPECT_EQ(table.queries[0].rows[0].kin->relation, "undecided") << "four sites prove nothing";
}

TEST_F(KinTest, AlongTheMapListsTheFirstOfManyEqual) {
  std::mt19937_64 rng(4);
  Letters twin;
  for (int s = 0; s < 200; ++s) twin += static_cast<char>('0' + rng() % 3);
  store(panel(200, .5), std::vector<Letters>(weighed_along_map(3) + 20, twin));
  ask("q", twin);
  options_.linked = {.thin = 0};
  options_.search.rule.top = 3;
  const match::MatchTable table = find();
  ASSERT_TRUE(table.provenance.evidence.map);
  EXPECT_THAT(names(table), ElementsAre("P0", "P1", "P2"));
  for (const match::MatchRow& row : table.queries[0].rows) {
    EXPECT_NEAR(*row.kin->margin, std::log10(4), .01) << "siblings share both alleles of one stretch in 1/4";
    EXPECT_TRUE(row.kin->linked->shared);
  }
  EXPECT_GT(table.queries[0].ties_cut, 0u);
}

// Closed forms with theta and error rate 0 (I. W. Evett, B. S. Weir, Interpreting DNA Evidence, 1998,
// chapters 4 and 6; those of Familias' manual): parent and child both heterozygous 1 / (4 p q) of a pair, and
// 1 / (2 q) where the mother has no such allele; siblings (1 + p + q + 2 p q) / (8 p q); half siblings (1 + 4
// p q) / (8 p q).
TEST_F(KinTest, GivesTheTextbooksRatios) {
  const std::vector<double> freq{.1, .2, .3};
  store(panel_of(3, {{"pop", freq}}), {"111"});
  ask("child", "111");
  const match::RelationFigures pair = *find().queries[0].rows.at(0).kin->log10_lr;
  double parent = 0, sibling = 0, half = 0, with_mother = 0;
  for (const double q : freq) {
    const double p = 1 - q;
    parent += std::log10(1 / (4 * p * q));
    sibling += std::log10((1 + p + q + 2 * p * q) / (8 * p * q));
    half += std::log10((1 + 4 * p * q) / (8 * p * q));
    with_mother += std::log10(1 / (2 * q));
  }
  EXPECT_NEAR(pair.parent_child, parent, 1e-12);
  EXPECT_NEAR(pair.sibling, sibling, 1e-12);
  EXPECT_NEAR(pair.half_sibling, half, 1e-12);

  options_.family = folder_.write("family.txt", "child father mother\n");
  EXPECT_THROW(find(), UsageError) << "father or mother?";
  options_.missing = {"father"};
  match::MatchTable table = find();
  EXPECT_NEAR(*table.queries.at(0).rows.at(0).log10_lr, parent, 1e-12);
  ask("mother", "000");
  options_.missing.clear();
  table = find();
  EXPECT_EQ(table.queries[0].name, "father") << "the only one who is not typed";
  EXPECT_EQ(table.family->relatives.size(), 2u);
  EXPECT_NEAR(*table.queries[0].rows.at(0).log10_lr, with_mother, 1e-12);
  EXPECT_EQ(table.queries[0].rows[0].kin->relative, "child") << "with the mother there is no kinship";
}

TEST_F(KinTest, DoesNotRankTypedMembersThemselves) {
  const Letters child(60, '1'), mother = Letters(30, '0') + Letters(30, '1'),
                                father = Letters(30, '1') + Letters(30, '0');
  store(panel(60, .3), {child, mother, father, child});
  ask("child", child);
  ask("mother", mother);
  options_.family = folder_.write("family.txt", "child father mother\n");
  options_.search.evidence.parameters.error_rate = .005;
  options_.search.rule.top = 1;
  const match::QueryMatches query = find().queries.at(0);
  ASSERT_EQ(query.rows.size(), 1u) << "typed members take no place of --top";
  EXPECT_EQ(query.rows[0].profile, "P2");
  EXPECT_EQ(query.rows[0].rank, 1u);
  EXPECT_EQ(query.rows[0].kin->member, "");
  std::vector<std::pair<std::string, std::string>> members;
  for (const match::MatchRow& row : query.typed_members) {
    members.emplace_back(row.profile, row.kin->member);
    EXPECT_EQ(row.rank, 0u);
    EXPECT_TRUE(row.log10_lr);
  }
  EXPECT_THAT(members,
              ElementsAre(std::pair("P0", "child"), std::pair("P1", "mother"), std::pair("P3", "child")));
}

/// Of 13 bits: 32 candidates are followed, and fewer other places are weighed than there are.
TEST_F(KinTest, SaysOfALargeFamilyWhatIsLeftOut) {
  constexpr std::size_t kSites = 24, kOther = 6;
  const Letters all(kSites, '1');
  store(panel(kSites, .05), std::vector<Letters>(34, Letters(kSites - kOther, '1') + Letters(kOther, '0')));
  std::string family = "nephew sister spouse\nsister father mother\nmissing father mother\n";
  ask("nephew", all);
  for (const char* const sibling : {"a", "b", "c", "d", "e"}) {
    ask(sibling, all);
    family += std::string(sibling) + " father mother\n";
  }
  options_.family = folder_.write("family.txt", family);
  options_.missing = {"missing"};
  options_.linked = {.thin = 0};
  options_.search.evidence.parameters.error_rate = .005;
  options_.search.rule.top = 2;
  const match::MatchTable table = find();
  const match::MissingFacts& missing = table.family->missing.at(0);
  EXPECT_EQ(missing.bits, 13u);
  EXPECT_TRUE(missing.along_map);
  EXPECT_GT(missing.places_not_weighed, 0u);
  EXPECT_EQ(table.queries.at(0).rows.size(), 2u);
  EXPECT_TRUE(table.queries[0].more_may_match) << "two as likely were not followed";
}

TEST_F(KinTest, TakesTheFamilyOfTheMissingMemberOutOfAFile) {
  store(panel(3, .2), {"111"});
  ask("child", "111");
  options_.family = folder_.write("two.ped", "F child father mother 0 0\nG other stranger 0 0 0\n");
  options_.missing = {"father"};
  EXPECT_EQ(find().family->members, 3u);
  options_.missing = {"stranger"};
  EXPECT_THAT(
      refusal([&] { find(); }),
      HasSubstr("child is of family F, and stranger, the missing one, of G; ask for one family at a time"));
}

TEST_F(KinTest, WeighsCandidatesAsEachMissingMember) {
  store(panel(4, .3), {"1101", "0111"});
  ask("child", "1111");
  options_.family = folder_.write(
      "two.ped",
      "F child father mother 0 0\nF father 0 0 1 missing\nF brother father mother 1 2\nF aunt gm gf 2 0\n"
      "F mother gm gf 2 1\nG other 0 0 1 2\n");
  const auto alone = [&](const char* name) {
    options_.missing = {name};
    return find();
  };
  const match::MatchTable father = alone("father"), aunt = alone("aunt"), brother = alone("brother");
  const auto expect_all = [&](std::vector<const match::MatchTable*> expected) {
    const match::MatchTable all = find();
    ASSERT_EQ(all.queries.size(), expected.size());
    ASSERT_EQ(all.family->missing.size(), expected.size());
    for (std::size_t m = 0; m < expected.size(); ++m) {
      const match::QueryMatches &query = all.queries[m], &of = expected[m]->queries.at(0);
      EXPECT_EQ(query.name, of.name);
      EXPECT_EQ(all.family->missing[m].name, of.name);
      ASSERT_EQ(query.rows.size(), of.rows.size());
      for (std::size_t r = 0; r < of.rows.size(); ++r) {
        EXPECT_EQ(query.rows[r].profile, of.rows[r].profile);
        EXPECT_EQ(*query.rows[r].log10_lr, *of.rows[r].log10_lr);
        EXPECT_EQ(query.rows[r].kin->other_role, of.rows[r].kin->other_role);
      }
    }
  };
  options_.missing = {"aunt", "father", "aunt"};
  expect_all({&aunt, &father});
  options_.missing.clear();
  expect_all({&father, &brother});  // whom the file marks, of the child's family
  options_.missing = {"father", "other"};
  EXPECT_THAT(refusal([&] { find(); }),
              HasSubstr("other is of family G, and father, who is missing too, of F"));
}

TEST_F(KinTest, RefusesWhatSaysTooLittle) {
  store(panel(3, .2), {"111"}, Encoding::kMinor);
  ask("q", "111");
  EXPECT_THAT(refusal([&] { find(); }), HasSubstr("build it again from its inputs with --encoding alleles"));
}

TEST(ShortlistedKin, IsLongerThanWhatIsListed) {
  EXPECT_EQ(shortlisted_kin(1), 500u);
  EXPECT_EQ(shortlisted_kin(25), 500u);
  EXPECT_EQ(shortlisted_kin(26), 520u);
  EXPECT_EQ(shortlisted_kin(match::KeepRule::kAll), match::KeepRule::kAll);
}

}  // namespace
}  // namespace fastid::kin
