// Which databases are warned of as linked: by their positions, and by what their log says of pruning.
#include "db/linked_panel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/temp_folder.hpp"
#include "unit/db/db_testing.hpp"

namespace fastid::db {
namespace {

using ::testing::HasSubstr;

Panel panel_with_distance(std::uint32_t distance) {
  std::vector<Site> sites;
  for (std::uint32_t s = 0; s < 4; ++s)
    sites.push_back({"rs" + std::to_string(s), "1", 1000 + s * distance, 'A', 'C'});
  return {std::move(sites), {{"one", {.1, .2, .3, .4}}}, GenomeBuild::kGRCh37, "test"};
}

/// The warning of a database whose log says so.
std::string warning_of(std::uint32_t distance, std::optional<double> pruned_r2) {
  const fastid::testing::TempFolder folder;
  const std::string path = folder / "people.h5";
  Writer writer(path, panel_with_distance(distance), {});
  const std::vector<std::string> ids = {"P1"};
  writer.append(ids, testing::pack({"0101"}, 0, 1).view());
  writer.finish({.action = "build", .pruned_r2 = pruned_r2});
  const Reader reader(path);
  EXPECT_EQ(reader.log().front().pruned_r2, pruned_r2);
  EXPECT_EQ(verify(path, 1, [](std::uint64_t) {}).size(), 0u);
  return linkage_warning(reader);
}

TEST(LinkedPanel, IsOneOfDenseSites) {
  EXPECT_EQ(warning_of(50'000, {}), "");
  EXPECT_THAT(warning_of(49'999, {}), HasSubstr("49,999 base pairs apart"));
}

TEST(LinkedPanel, IsNoneWhoseSitesWerePruned) {
  EXPECT_EQ(warning_of(200, kUnlinkedR2), "");
  EXPECT_EQ(warning_of(200, 0), "");
  EXPECT_THAT(warning_of(200, .201), HasSubstr("200 base pairs apart")) << "they are linked all the same";
}

}  // namespace
}  // namespace fastid::db
