#include "engine/cpu/standings.hpp"

#include <algorithm>

namespace fastid {
namespace {

constexpr float kWhole = 1 << 29;
constexpr float kTooLight = 4 * kWhole;
constexpr float kMost = 2'147'483'520;  // below 2^31

}  // namespace

float share_scale(std::uint32_t weight, std::uint32_t min_weight) {
  return weight < min_weight ? kTooLight : kWhole / static_cast<float>(std::max(weight, 1u));
}

void Standings::add(std::size_t block, const std::uint32_t* counts, const float* scales) {
  const auto first = static_cast<std::uint32_t>(block * kLanes);
  constexpr std::int32_t kLaneBits = kLanes - 1;
  std::array<std::int32_t, kLanes> shares;  // the lane in the lowest bits
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    // A half, so that a count of 0 is scaled too.
    const float count = static_cast<float>(static_cast<std::int32_t>(counts[lane])) + 0.5F;
    shares[lane] = (static_cast<std::int32_t>(std::min(count * scales[lane], kMost)) & ~kLaneBits) |
                   static_cast<std::int32_t>(lane);
  }
  if (best_only_) {
    std::int32_t best = INT32_MAX;
    for (const std::int32_t share : shares) best = std::min(best, share);
    pairs_.push_back({best, first + static_cast<std::uint32_t>(best & kLaneBits)});
  } else {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) pairs_.push_back({shares[lane], first + lane});
  }
}

std::span<const Standings::Pair> Standings::best() {
  std::ranges::nth_element(pairs_, pairs_.begin() + static_cast<std::ptrdiff_t>(keep_ - 1), {}, &Pair::share);
  return std::span(pairs_).first(keep_);
}

}  // namespace fastid
