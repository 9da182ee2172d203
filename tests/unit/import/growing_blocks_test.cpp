// Sites that come one by one, against what was put in: around words, batches and blocks, by one thread and by
// two.
#include "import/match/growing_blocks.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fastid::imports {
namespace {

/// Of a person at a site: 0 two copies of allele 1, 1 missing, 2 one of each, 3 two copies of allele 2.
using LdCounts = std::vector<unsigned>;

std::vector<LdCounts> draw(std::size_t n_sites, std::size_t n_people) {
  std::mt19937 random(static_cast<unsigned>(n_sites * 1000 + n_people));
  std::vector<LdCounts> sites(n_sites, LdCounts(n_people));
  for (std::size_t s = 0; s < n_sites; ++s)
    for (unsigned& code : sites[s]) {
      code = random() % 4;
      if (code == 1 && s / kWordBits % 2 == 0) code = 0;  // words at which all are called, and others
    }
  return sites;
}

bool is_called(unsigned code) {
  return code != 1;
}
/// Allele 2 is the minor one.
bool has_minor(unsigned code) {
  return code == 2 || code == 3;
}
bool has_major(unsigned code) {
  return code == 2 || code == 0;
}

void add_calls(GrowingBlocks& blocks, const LdCounts& site) {
  CallRow calls(site.size());
  for (std::size_t i = 0; i < site.size(); ++i)
    calls.set(i, static_cast<Seen>((has_major(site[i]) ? kMajorSeen : kNoneSeen) |
                                   (has_minor(site[i]) ? kMinorSeen : kNoneSeen)));
  blocks.add(calls);
}

void add_codes(GrowingBlocks& blocks, const LdCounts& site) {
  std::vector<std::uint8_t> row(ceil_div<std::size_t>(site.size(), 4));
  for (std::size_t i = 0; i < site.size(); ++i)
    row[i / 4] = static_cast<std::uint8_t>(row[i / 4] | site[i] << 2 * (i % 4));
  blocks.add(row, false);
}

void expect_sites(const BitBlocks& blocks, const std::vector<LdCounts>& sites, std::size_t n_people,
                  Encoding encoding) {
  ASSERT_EQ(blocks.shape(), (BlockShape{n_people, static_cast<std::uint32_t>(sites.size()), encoding}));
  const BlocksView view = blocks.view();
  for (std::uint32_t s = 0; s < sites.size(); ++s)
    for (std::size_t i = 0; i < n_people; ++i) {
      ASSERT_EQ(blocks.called(i, s), is_called(sites[s][i])) << "person " << i << ", site " << s;
      ASSERT_EQ(blocks.bit(i, s), has_minor(sites[s][i])) << "person " << i << ", site " << s;
      if (encoding == Encoding::kMinor) continue;
      ASSERT_EQ((view.major_word(i, s / kWordBits) >> s % kWordBits & 1) != 0, has_major(sites[s][i]))
          << "person " << i << ", site " << s;
    }
}

using Add = void (*)(GrowingBlocks&, const LdCounts&);

class Growing
    : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t, std::size_t, Add, Encoding>> {};

TEST_P(Growing, HoldsWhatWasAdded) {
  const auto [n_people, n_sites, threads, add, encoding] = GetParam();
  ThreadPool pool(threads);
  const std::vector<LdCounts> sites = draw(n_sites, n_people);
  for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{n_sites}, std::uint64_t{n_sites + 40}}) {
    GrowingBlocks blocks(n_people, encoding, most, pool);
    for (const LdCounts& site : sites) add(blocks, site);
    expect_sites(blocks.take(), sites, n_people, encoding);
  }
}

INSTANTIATE_TEST_SUITE_P(Edges, Growing,
                         ::testing::Combine(::testing::Values(1, 32, 33, 64, 65, 97),
                                            ::testing::Values(1, 31, 32, 33, 511, 512, 513, 1100),
                                            ::testing::Values(1, 2),
                                            ::testing::Values(&add_calls, &add_codes),
                                            ::testing::Values(Encoding::kMinor, Encoding::kAlleles)));

/// Long work on the only thread lets batches in between its steps, and who breaks off leaves nothing behind.
TEST(GrowingBeside, LongWorkIsDoneInBetween) {
  constexpr std::size_t kPeople = 97, kSites = 5000;
  const std::vector<LdCounts> sites = draw(kSites, kPeople);
  ThreadPool pool(2);
  const ThreadPool::Task busy = pool.start_steps([] { return true; });
  {
    GrowingBlocks broken_off(kPeople, Encoding::kMinor, kSites, pool);
    for (const LdCounts& site : sites) add_codes(broken_off, site);
  }
  GrowingBlocks blocks(kPeople, Encoding::kMinor, kSites, pool);
  for (const LdCounts& site : sites) add_codes(blocks, site);
  expect_sites(blocks.take(), sites, kPeople, Encoding::kMinor);
}

/// Where one site's calls take more than a batch may, a batch is one word.
TEST(GrowingMany, PeopleMakeBatchesSmall) {
  constexpr std::size_t kPeople = 200'001, kSites = 70;
  const std::vector<LdCounts> sites = draw(kSites, kPeople);
  ThreadPool pool(2);
  GrowingBlocks blocks(kPeople, Encoding::kMinor, kSites, pool);
  for (const LdCounts& site : sites) add_codes(blocks, site);
  const BitBlocks all = blocks.take();
  for (std::uint32_t s = 0; s < kSites; ++s)
    for (std::size_t i = 0; i < kPeople; i += 997) {
      ASSERT_EQ(all.called(i, s), is_called(sites[s][i]));
      ASSERT_EQ(all.bit(i, s), has_minor(sites[s][i]));
    }
}

}  // namespace
}  // namespace fastid::imports
