// A source of which only some sites are kept equals rows that keep them.
#include "bits/kept_sites.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/thread_pool.hpp"
#include "bits/rows.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kSites = 70;
constexpr std::uint64_t kProfiles = 45;  // the last block is partly full

BitBlocks some_blocks(Encoding encoding, bool all_called) {
  std::mt19937 random(1);
  BitBlocks blocks({kProfiles, kSites, encoding});
  for (std::uint64_t profile = 0; profile < kProfiles; ++profile)
    for (std::uint32_t site = 0; site < kSites; ++site)
      if (const unsigned draw = random() % 4; all_called || draw != 0)
        blocks.set_seen(profile, site, static_cast<Seen>(draw == 0 ? kMajorSeen : draw));
  return blocks;
}

void expect_same(const BitBlocks& blocks) {
  const Word sites[] = {0x0F0F0F0F, 0, 0b100001};
  const MemorySource memory(blocks.view());
  const KeptSites kept(memory, sites);
  ThreadPool pool(1);
  ProfileRows expected = ProfileRows::from_source(memory, 0, kProfiles, pool);
  expected.keep_sites(sites);
  EXPECT_EQ(ProfileRows::from_source(kept, 0, kProfiles, pool), expected);
}

TEST(KeptSites, OfAllelesEqualRowsThatKeepThem) {
  expect_same(some_blocks(Encoding::kAlleles, false));
}

TEST(KeptSites, OfBitsEqualRowsThatKeepThem) {
  expect_same(some_blocks(Encoding::kMinor, false));
  expect_same(some_blocks(Encoding::kMinor, true));  // without a second plane
}

}  // namespace
}  // namespace fastid
