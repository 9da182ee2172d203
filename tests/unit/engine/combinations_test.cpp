// The order of pairs and triples, and shares of it.
#include "engine/combinations.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace fastid::engine {
namespace {

TEST(Combinations, AreCountedInTheOrderOfTheirLastMember) {
  std::uint64_t pair = 0, triple = 0;
  for (std::uint32_t k = 0; k < 20; ++k)
    for (std::uint32_t j = 0; j < k; ++j) {
      EXPECT_EQ(index_of({j, k, 0}, 2), pair);
      EXPECT_EQ(members_of(pair++, 2), (Members{j, k, 0}));
      for (std::uint32_t i = 0; i < j; ++i) {
        EXPECT_EQ(index_of({i, j, k}, 3), triple);
        EXPECT_EQ(members_of(triple++, 3), (Members{i, j, k}));
      }
    }
  EXPECT_EQ(n_combinations(20, 2), pair);
  EXPECT_EQ(n_combinations(20, 3), triple);
  const Members far{7, 99'999, 1'000'000};
  EXPECT_EQ(members_of(index_of(far, 3), 3), far);
  EXPECT_THROW(n_combinations(std::uint64_t{1} << 32, 3), Failure);
}

// Shares follow each other, have all, and none has more than one last member's combinations too many.
TEST(Combinations, AreSharedWhole) {
  for (const std::size_t way : {2, 3})
    for (const std::uint64_t n : {2, 3, 5, 300})
      for (const std::uint32_t shards : {1, 2, 7, 400}) {
        std::uint64_t next = 0;
        for (std::uint32_t stage = 1; stage <= 3; ++stage)
          for (std::uint32_t shard = 1; shard <= shards; ++shard) {
            const Range share = last_members(n, way, {stage, 3}, {shard, shards});
            EXPECT_EQ(share.first, next);
            EXPECT_LE(share.first, share.end);
            next = share.end;
            const std::uint64_t have = n_combinations(share.end, way) - n_combinations(share.first, way);
            EXPECT_LE(have, n_combinations(n, way) / (3 * shards) + 2 * n_combinations(n, way - 1) + 1);
          }
        EXPECT_EQ(next, n);
      }
}

TEST(Combinations, ATriangleIsTiledOnce) {
  for (const std::uint32_t n : {1, 31, 32, 100}) {
    std::vector<int> seen(static_cast<std::size_t>(n) * n);
    const std::uint64_t tiles = n_combinations((n + 31) / 32 + 1, 2);
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
      const Rectangle pairs = triangle_tile(tile, 32, n);
      for (std::uint32_t j = pairs.row_begin; j < pairs.row_end; ++j)
        for (std::uint32_t i = pairs.column_begin; i < pairs.column_end; ++i)
          ++seen.at(std::size_t{j} * n + i);
    }
    for (std::uint32_t j = 0; j < n; ++j)
      for (std::uint32_t i = 0; i < j; ++i) EXPECT_EQ(seen[std::size_t{j} * n + i], 1);
  }
}

}  // namespace
}  // namespace fastid::engine
