// What is counted again: pairs of people by the counts of their genotypes.
#include "pipeline/search.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/thread_pool.hpp"

namespace fastid::pipeline {
namespace {

/// People by alleles, of whom some are not called at some sites.
BitBlocks people(std::uint64_t n, std::uint32_t n_sites) {
  BitBlocks blocks({n, n_sites, Encoding::kAlleles});
  std::mt19937 random(7);
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint32_t site = 0; site < n_sites; ++site)
      if (const auto seen = static_cast<Seen>(random() % 4); seen != kNoneSeen)
        blocks.set_seen(i, site, seen);
  return blocks;
}

TEST(CountsOfGenotypes, AreThoseOfThePair) {
  const BitBlocks blocks = people(6, 75);
  ThreadPool pool(1);
  const ProfileRows rows = ProfileRows::from_source(MemorySource(blocks.view()), 0, 6, pool);
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kKinship})
    for (std::size_t first = 0; first < 6; ++first)
      for (std::size_t second = 0; second < 6; ++second)
        EXPECT_EQ(counts_of(comparison, engine::count_genotypes(rows.row(first), rows.row(second))),
                  engine::count_pair(comparison, Encoding::kAlleles, rows.row(first), blocks.view(), second));
}

TEST(Recount, HoldsAPairToTheRightCounts) {
  const engine::Problem problem{};
  std::size_t blamed = 0;
  const match::Blame blame = [&](std::uint64_t, const std::string&) { ++blamed; };
  const Recount recount(problem, blame);
  recount.hold({5, 0, {1, 2, 3}}, {1, 2, 3});
  EXPECT_EQ(blamed, 0u);
  for (const engine::PairCounts& wrong :
       {engine::PairCounts{0, 2, 3}, engine::PairCounts{1, 1, 3}, engine::PairCounts{1, 2, 4}})
    recount.hold({5, 0, wrong}, {1, 2, 3});
  EXPECT_EQ(blamed, 3u);
}

}  // namespace
}  // namespace fastid::pipeline
