// What ld counts of X, Y and M: by copies, which follow from the sexes that X and Y show, or else from stated
// ones.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "questions/ld/run.hpp"
#include "unit/asking/asking_testing.hpp"

namespace fastid::ld {
namespace {

/// Men, women and others at two sites of X (at 9 and 10 Mb), two of Y, two of M and one of PAR's copy on Y.
class PeopleCopies : public ::testing::Test {
 protected:
  PeopleCopies() {
    log::set_level(log::Level::kQuiet);
    options_.progress = ProgressMode::kNever;
    options_.device.engine.threads = 2;
    options_.window.all = true;
    options_.min_r2 = 0;
    for (const char* chrom : {"X", "Y", "M"})
      for (std::uint32_t s = 0; s < 2; ++s)
        sites_.push_back({chrom + std::to_string(s), chrom, 9'000'000 + 1'000'000 * s, 'A', 'C'});
    sites_.push_back({"left_out", "Y", 100'000, 'A', 'C'});
  }
  ~PeopleCopies() override { log::set_level(log::Level::kNormal); }

  /// \param sexes  as tags
  void write(const std::vector<testing::Letters>& people, const std::vector<std::string>& sexes) {
    const Panel panel(sites_, {}, GenomeBuild::kGRCh37, "test");
    options_.file = folder_ / "people.h5";
    db::Writer writer(options_.file, panel, {.encoding = Encoding::kAlleles});
    BitBlocks blocks({people.size(), panel.n_sites(), Encoding::kAlleles});
    std::vector<std::string> ids;
    db::Tags tags(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) {
      ids.push_back("P" + std::to_string(i));
      tags.set(i, db::kSexKey, sexes[i]);
      for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
        if (people[i][s] != '-') blocks.set_seen(i, s, testing::seen_of(people[i][s]));
    }
    writer.set_tags(std::move(tags));
    writer.append(ids, blocks.view());
    writer.finish({.action = "build", .command = "test"});
  }

  std::map<std::pair<std::string, std::string>, SitePair> find() {
    std::map<std::pair<std::string, std::string>, SitePair> found;
    const LdSearch search(options_);
    facts_ = search.facts();
    search.find_all(true, [&](std::span<const SitePair> pairs) {
      for (const SitePair& pair : pairs)
        found[{facts_.sites[pair.sites.first].id, facts_.sites[pair.sites.second].id}] = pair;
    });
    return found;
  }

  testing::TempFolder folder_;
  std::vector<Site> sites_;
  LdOptions options_;
  SiteFacts facts_;
};

TEST_F(PeopleCopies, MenHaveOneOfXAndWomenNoneOfY) {
  // Two sites decide no sex: it is the stated one.
  write({"2220220", "0202002", "2002200", "1011120", "1200220", "2110020", "010--20"},
        {"M", "male", "1", "XY", "F", "2", "female"});
  const auto found = find();
  EXPECT_EQ(facts_.sites.size(), 6u);  // PAR on Y is the same as on X
  const engine::LdCounts x = found.at({"X0", "X1"}).sites.counts;
  // The fourth man is heterozygous at X0. Minor copies at X0 and X1: of men 1 1, 0 1, 1 0, of women 1 2, 2 1,
  // 0 1. They are more than the major ones, which therefore are counted: 0 0, 1 0, 0 1, and 1 0, 0 1, 2 1.
  EXPECT_EQ(x, (engine::LdCounts{.called = 6, .x = 4, .y = 3, .xx = 6, .yy = 3, .xy = 2}));
  const engine::LdCounts y = found.at({"Y0", "Y1"}).sites.counts;
  // Of men 2 0, 0 2, 0 2; the fourth is heterozygous.
  EXPECT_EQ(y, (engine::LdCounts{.called = 3, .x = 2, .y = 4, .xx = 4, .yy = 8, .xy = 0}));
  EXPECT_DOUBLE_EQ(found.at({"Y0", "Y1"}).r2, 1);
  EXPECT_DOUBLE_EQ(*found.at({"Y0", "Y1"}).d_prime, -1);
  // X0: of 3 copies of men and 6 of women 5 are minor. Y1: 2 of 3.
  EXPECT_NEAR(facts_.minor_share[0], 5. / 9, 1e-15);
  EXPECT_NEAR(facts_.minor_share[3], 2. / 3, 1e-15);
  EXPECT_NEAR(facts_.called_share[2], 3. / 7, 1e-15);
}

}  // namespace
}  // namespace fastid::ld
