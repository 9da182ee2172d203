// The genetic map: places between points and outside of them, texts that are no map, the maps that come with
// fastid, and the order of mapped sites.
#include "panel/genetic_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/refusal.hpp"

namespace fastid {
namespace {

using ::testing::HasSubstr;

GeneticMap map_of(const std::string& lines) {
  return GeneticMap::parse("chrom\tpos\tcM\n" + lines, "test.map");
}

TEST(GeneticMap, LiesOnStraightLinesBetweenPoints) {
  const GeneticMap map = map_of("1\t100\t2\n1\t200\t4\n1\t300\t4\nchr2\t50\t-1\n");
  EXPECT_EQ(map.cm("1", 100), 2);
  EXPECT_EQ(map.cm("1", 150), 3);
  EXPECT_EQ(map.cm("1", 250), 4);
  EXPECT_EQ(map.cm("1", 1), 2) << "before the first point";
  EXPECT_EQ(map.cm("1", 1000), 4) << "after the last one";
  EXPECT_EQ(map.cm("2", 7), -1);
  EXPECT_TRUE(map.has("2"));
  EXPECT_FALSE(map.has("3"));
  EXPECT_NEAR(map.cm("3", 2'000'000), 2.4, 1e-12) << "1.2 cM a Mb where nothing is known";
}

TEST(GeneticMap, StatesItsBuild) {
  EXPECT_EQ(map_of("1\t1\t0\n").build(), GenomeBuild::kUnknown);
  EXPECT_EQ(GeneticMap::parse("# a map\n#build hg19\nchrom\tpos\tcM\n1\t1\t0\r\n", "m").build(),
            GenomeBuild::kGRCh37);
}

TEST(GeneticMap, RefusesWhatIsNoMap) {
  const auto problem = [](const std::string& lines) { return testing::refusal([&] { map_of(lines); }); };
  EXPECT_THAT(problem(""), HasSubstr("no point"));
  EXPECT_THAT(problem("1\t5\n"), HasSubstr("test.map, line 2: has 2 columns"));
  EXPECT_THAT(problem("1\t0\t1\n"), HasSubstr("position '0'"));
  EXPECT_THAT(problem("1\tx\t1\n"), HasSubstr("position 'x'"));
  EXPECT_THAT(problem("1\t5\tnan\n"), HasSubstr("'nan' is not a number of centimorgans"));
  EXPECT_THAT(problem("1\t5\t1e9\n"), HasSubstr("'1e9' is not a number of centimorgans"));
  EXPECT_THAT(problem("1\t5\t1\n1\t5\t2\n"), HasSubstr("line 3: position 5 is not above"));
  EXPECT_THAT(problem("1\t5\t1\n1\t6\t.5\n"), HasSubstr("line 3: 0.5 cM is below"));
  EXPECT_THAT(problem("1\t5\t1\n2\t6\t1\n1\t7\t1\n"), HasSubstr("line 4: comes back to chromosome 1"));
  EXPECT_THAT(testing::refusal([] { GeneticMap::parse("pos\tcM\n", "m"); }),
              HasSubstr("m, line 1: is not the header"));
}

TEST(GeneticMap, ComesWithFastidForTwoBuilds) {
  EXPECT_FALSE(GeneticMap::shipped(GenomeBuild::kNCBI36));
  EXPECT_FALSE(GeneticMap::shipped(GenomeBuild::kUnknown));
  for (const GenomeBuild build : {GenomeBuild::kGRCh37, GenomeBuild::kGRCh38}) {
    const auto map = GeneticMap::shipped(build);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->build(), build);
    double total = 0;
    for (int chrom = 1; chrom <= 22; ++chrom) {
      ASSERT_TRUE(map->has(std::to_string(chrom)));
      total += map->cm(std::to_string(chrom), UINT32_MAX) - map->cm(std::to_string(chrom), 1);
    }
    EXPECT_NEAR(total, build == GenomeBuild::kGRCh37 ? 3545.83 : 3543.78, .05);
    EXPECT_FALSE(map->has("X"));
  }
}

TEST(Recombination, IsHaldanes) {
  EXPECT_EQ(recombination(0), 0);
  EXPECT_NEAR(recombination(.1), (1 - std::exp(-.2)) / 2, 1e-15);
  EXPECT_EQ(recombination(1000), .5);
}

TEST(MappedSites, AreInTheOrderOfChromosomesAndPositions) {
  const Panel panel({{"a", "X", 100, 'A', 'C'},  // in PAR1
                     {"b", "10", 5, 'A', 'C'},
                     {"c", "2", 70, 'A', 'C'},
                     {"d", "2", 30, 'A', 'C'},
                     {"e", "0", 30, 'A', 'C'},
                     {"f", "2", 0, 'A', 'C'},
                     {"g", "2", 50, 'A', 'C'},
                     {"h", "PAR1", 50, 'A', 'C'}},
                    {}, GenomeBuild::kGRCh37, "test");
  const std::vector<Word> sites{0b10111111};
  const GeneticMap map = map_of("2\t20\t0\n2\t120\t100\n");
  const auto mapped = mapped_sites(panel, sites, map);
  std::vector<std::uint32_t> order;
  for (const MappedSite& site : mapped) order.push_back(site.site);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 2, 1, 7, 0}))
      << "g is not asked for, e and f have no place";
  EXPECT_EQ(mapped[0].cm, 10);
  EXPECT_EQ(mapped[3].chrom, "X");
  const auto before = recombination_before(mapped);
  EXPECT_EQ(before[0], .5);
  EXPECT_NEAR(before[1], recombination(.4), 1e-15);
  EXPECT_EQ(before[2], .5);
  EXPECT_EQ(before[3], .5);
  EXPECT_NEAR(before[4], recombination(50 * kMorgansABase), 1e-15);
}

}  // namespace
}  // namespace fastid
