// The points that `fastid bench` measures by default.
#include "bench/bench.hpp"

namespace fastid::bench {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

/// Adds long panels with every mask, and a short one without masks.
void add_grid(std::vector<Point>& points, std::uint64_t queries, std::uint64_t profiles) {
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture}) {
    for (const Masks masks : {Masks::kNone, Masks::kQuery, Masks::kBoth})
      points.push_back({comparison, masks, queries, profiles, 1024});
    points.push_back({comparison, Masks::kNone, queries, profiles, 128});
  }
}

}  // namespace

std::vector<Point> usual_points(Depth depth) {
  std::vector<Point> points;
  if (depth == Depth::kQuick) {
    for (const std::uint64_t queries : {1, 32, 256})
      points.push_back({.queries = queries, .profiles = 100'000});
    points.push_back({.comparison = engine::Comparison::kMixture, .profiles = 100'000});
    points.push_back({.profiles = 100'000, .from_file = true});
    return points;
  }
  add_grid(points, 256, kMillion);
  add_grid(points, 32, kMillion);
  points.push_back({.queries = 1, .profiles = 4 * kMillion});
  points.push_back({.queries = 32, .profiles = 4 * kMillion});
  points.push_back({.queries = 32, .profiles = 4 * kMillion, .max_count = 50});
  points.push_back(
      {.queries = 32, .profiles = (depth == Depth::kFull ? 20 : 4) * kMillion, .from_file = true});
  return points;
}

}  // namespace fastid::bench
