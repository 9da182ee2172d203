#include "engine/combinations.hpp"

#include "base/error.hpp"

namespace fastid::engine {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr std::uint64_t kMost = std::uint64_t{1} << 60;

Wide choose(std::uint64_t n, std::size_t way) {
  if (n < way) return 0;
  const Wide wide = n;
  return way == 1 ? wide : way == 2 ? wide * (n - 1) / 2 : wide * (n - 1) / 2 * (n - 2) / 3;
}

/// The most vectors whose combinations are not more than some.
std::uint64_t vectors_of(std::uint64_t combinations, std::size_t way) {
  std::uint64_t low = 0, high = std::uint64_t{1} << 32;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (choose(middle, way) <= combinations ? low : high) = middle;
  }
  return low;
}

Range share_by_combinations(const Range& last, std::size_t way, const Shard& shard) {
  const std::uint64_t first = n_combinations(last.first, way);
  const Range share = share_of(n_combinations(last.end, way) - first, shard);
  const auto at = [&](std::uint64_t combinations) {
    return combinations == 0 ? last.first : vectors_of(first + combinations, way);
  };
  return {at(share.first), shard.index == shard.of ? last.end : at(share.end)};
}

}  // namespace

std::uint64_t n_combinations(std::uint64_t n, std::size_t way) {
  const Wide all = choose(n, way);
  if (all > kMost) throw Failure("there are more combinations than can be counted; give fewer vectors");
  return static_cast<std::uint64_t>(all);
}

std::uint64_t index_of(const Members& members, std::size_t way) {
  std::uint64_t index = 0;
  for (std::size_t m = 0; m < way; ++m) index += n_combinations(members[m], m + 1);
  return index;
}

Members members_of(std::uint64_t index, std::size_t way) {
  Members members{};
  for (std::size_t m = way; m-- > 0;) {
    members[m] = static_cast<std::uint32_t>(vectors_of(index, m + 1));
    index -= n_combinations(members[m], m + 1);
  }
  return members;
}

Range last_members(std::uint64_t n, std::size_t way, const Shard& stage, const Shard& shard) {
  return share_by_combinations(share_by_combinations({0, n}, way, stage), way, shard);
}

Rectangle triangle_tile(std::uint64_t tile, std::uint32_t side, std::uint32_t end) {
  const Members at = members_of(tile, 2);
  const std::uint32_t row = (at[1] - 1) * side, column = at[0] * side;
  const auto until = [&](std::uint32_t begin) { return end - begin > side ? begin + side : end; };
  return {row, until(row), column, until(column)};
}

}  // namespace fastid::engine
