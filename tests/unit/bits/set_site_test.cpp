// set_site() is set() and clear() for all profiles at once, on both sides of every block and word.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {
namespace {

TEST(SetSite, EqualsSettingEachProfileAndReplacesWhatWasThere) {
  std::mt19937 random(32);
  for (const std::uint64_t profiles : {1u, 31u, 32u, 33u, 65u})
    for (const std::uint32_t sites : {1u, 31u, 32u, 33u, 65u}) {
      BitBlocks columns({profiles, sites}), singles({profiles, sites});
      for (int pass = 0; pass < 2; ++pass)
        for (std::uint32_t site = 0; site < sites; ++site) {
          std::vector<std::uint8_t> calls(profiles);
          for (std::uint64_t p = 0; p < profiles; ++p) {
            const unsigned kind = static_cast<unsigned>(random() % 3);
            calls[p] = kind == 0 ? 0 : kind == 1 ? 1 : 3;
            if (kind == 0) singles.clear(p, site);
            if (kind != 0) singles.set(p, site, kind == 2);
          }
          columns.set_site(site, calls);
        }
      for (std::uint64_t p = 0; p < profiles; ++p)
        for (std::uint32_t site = 0; site < sites; ++site) {
          ASSERT_EQ(columns.called(p, site), singles.called(p, site)) << p << ", " << site;
          ASSERT_EQ(columns.bit(p, site), singles.bit(p, site)) << p << ", " << site;
        }
    }
}

TEST(SetSite, RefusesAnotherNumberOfCalls) {
  BitBlocks blocks({3, 5});
  EXPECT_THROW(blocks.set_site(0, std::vector<std::uint8_t>(2)), Failure);
}

}  // namespace
}  // namespace fastid
