#include "tune/measure/timing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/process.hpp"

namespace fastid::tune {
namespace {

constexpr std::size_t kLeastRuns = 5;

}  // namespace

Timing steady_median(const Repeats& repeats, const std::function<double()>& run) {
  run();
  std::vector<double> all;
  Timing timing;
  for (std::size_t i = 0; i < std::max(repeats.most, kLeastRuns); ++i) {
    check_interrupt();
    if (const double seconds = run(); seconds > 0 && std::isfinite(seconds)) all.push_back(seconds);
    if (all.size() < kLeastRuns) continue;
    std::ranges::sort(all);
    timing = {all[all.size() / 2], 0, all.size()};
    timing.spread = (all[all.size() * 3 / 4] - all[all.size() / 4]) / timing.seconds;
    if (timing.spread <= repeats.steady) break;
  }
  return timing;
}

}  // namespace fastid::tune
