// Stretches: where they end, and their length.
#include "linked/segments.hpp"

#include <gtest/gtest.h>

namespace fastid::linked {
namespace {

TEST(Segments, EndHalfWayToTheNextSiteOutside) {
  const std::vector<MappedSite> sites{{0, "1", 1, 0}, {1, "1", 2, 2},  {2, "1", 3, 6},
                                      {3, "1", 4, 7}, {4, "2", 1, 10}, {5, "2", 2, 11}};
  const std::vector<SharedAlleles> shared{{.1, .1}, {.5, .1}, {.1, .7}, {.2, .2}, {.9, 0}, {.5, .5}};
  const auto segments = segments_of(sites, shared);
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[0].state, 1u);
  EXPECT_EQ(segments[0].first_site, 1u);
  EXPECT_EQ(segments[0].last_site, 2u);
  EXPECT_EQ(segments[0].sites(), 2u);
  EXPECT_EQ(segments[0].start_cm, 1);
  EXPECT_EQ(segments[0].end_cm, 6.5);
  EXPECT_NEAR(segments[0].mean_posterior, .7, 1e-12);
  EXPECT_EQ(segments[1].state, 2u);
  EXPECT_EQ(segments[1].start_cm, 4);
  EXPECT_EQ(segments[1].end_cm, 6.5);
  EXPECT_EQ(segments[2].start_cm, 10) << "the chromosome's first site";
  EXPECT_EQ(segments[2].end_cm, 11) << "its last one";
  EXPECT_EQ(segments[3].state, 2u);
  EXPECT_EQ(segments[3].start_cm, 10.5);
}

TEST(SharedLength, IsTheTrapeziumOfEachChromosome) {
  const std::vector<MappedSite> sites{{0, "1", 1, 0}, {1, "1", 2, 2}, {2, "2", 1, 10}, {3, "2", 2, 14}};
  const std::vector<SharedAlleles> shared{{.5, .25}, {1, 0}, {0, 1}, {0, .5}};
  const auto [any, two] = shared_length(sites, shared);
  EXPECT_NEAR(any, 2 * .875 + 4 * .75, 1e-12);
  EXPECT_NEAR(two, 2 * .125 + 4 * .75, 1e-12);
}

TEST(Segments, OfNothingAreNone) {
  EXPECT_TRUE(segments_of({}, {}).empty());
  EXPECT_EQ(shared_length({}, {}).any_cm, 0);
}

}  // namespace
}  // namespace fastid::linked
