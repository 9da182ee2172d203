// What a shard of dvi leaves is what a merge goes on from; a part that says what cannot be is refused.
#include "questions/dvi/part.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "stats/population_model.hpp"

namespace fastid::dvi {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kSitesOfPart = 8;

stats::PersonReadings heterozygous() {
  ProfileRows row(1, kSitesOfPart, Encoding::kAlleles);
  for (std::uint32_t site = 0; site < kSitesOfPart; ++site) row.set_seen(0, site, kBothSeen);
  return {row.row(0), kSitesOfPart};
}

/// Two families, of a typed mother and a missing son each; a man's remains and a woman's.
class PartOfVictims : public ::testing::Test {
 protected:
  std::vector<Family> families() const {
    std::vector<Family> families;
    for (const char* const name : {"F1", "F2"})
      families.push_back({.name = name,
                          .members = {{"mother", {}, &mother_}, {"son", {{}, 0}, nullptr}},
                          .sexes = {Sex::kFemale, Sex::kMale},
                          .missing = {1}});
    return families;
  }
  FirstFigures figures(const Range& some) const {
    return event_.first(event_.pooled(1), some, 1, true, ProgressMode::kNever);
  }
  /// What a merge makes of two parts.
  FirstFigures merged(const FirstFigures& first, const FirstFigures& second) const {
    std::vector<part::File> parts;
    for (std::uint32_t i = 1; i <= 2; ++i) {
      part::Writer to;
      fastid::dvi::add_first_figures(to, i == 1 ? first : second, remains_.size());
      to.finish({.command = "dvi", .shard = {i, 2}});
      parts.emplace_back("part " + std::to_string(i), to.take());
    }
    return fastid::dvi::first_figures(part::PartSet(std::move(parts)), event_);
  }
  void expect_refused(const FirstFigures& second, const std::string& why) const {
    EXPECT_THAT([&] { merged(figures({0, 1}), second); }, ThrowsMessage<InputError>(HasSubstr(why)));
  }

  const std::vector<double> freq_ = std::vector<double>(kSitesOfPart, 0.3);
  const std::vector<stats::PopulationModel> models_ = {stats::PopulationModel("test", freq_, {0.01, 0.005})};
  const stats::AlleleModel alleles_{models_};
  const stats::PersonReadings mother_ = heterozygous();
  const std::vector<Family> families_ = families();
  const std::vector<Remains> remains_ = {{"a", Sex::kMale, heterozygous()},
                                         {"b", Sex::kFemale, heterozygous()}};
  const Rules rules_{.pool = false};
  const Event event_{alleles_, families_, remains_, rules_, "families.ped"};
};

TEST_F(PartOfVictims, GivesBackTheFiguresOfAllFamilies) {
  const FirstFigures whole = figures({0, 2}), both = merged(figures({0, 1}), figures({1, 2}));
  EXPECT_EQ(both.groups, whole.groups);
  EXPECT_EQ(both.consistency, whole.consistency);
  ASSERT_EQ(both.ratios.size(), 2U);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(both.ratios[m][0], whole.ratios[m][0]);
    EXPECT_TRUE(std::isnan(both.ratios[m][1])) << "of another sex";
    EXPECT_EQ(both.power[m]->member.mean, whole.power[m]->member.mean);
    EXPECT_EQ(both.power[m]->log10_not_excluded, whole.power[m]->log10_not_excluded);
  }
}

TEST_F(PartOfVictims, IsRefusedWhereItSaysWhatCannotBe) {
  constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
  FirstFigures wrong = figures({1, 2});
  wrong.ratios[0][1] = 1;
  expect_refused(wrong, "has a ratio of a pair that is forbidden");
  wrong = figures({1, 2});
  wrong.ratios[0][0] = kNoValue;
  expect_refused(wrong, "or none of one that is not");
  wrong = figures({1, 2});
  wrong.consistency[0][1] = 1;
  expect_refused(wrong, "of other members than are typed");
  expect_refused(figures({0, 2}), "has a number of figures that cannot be");
  wrong = figures({1, 2});
  wrong.groups = {{1}, {0}};
  expect_refused(wrong, "has people who are not in their order");
  wrong.groups = {{0, 1}};
  expect_refused(wrong, "has other people than the first part");
}

}  // namespace
}  // namespace fastid::dvi
