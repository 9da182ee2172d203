#include "stats/internal/tail_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fastid::stats {
namespace {

/// The logarithm of the bound at one x, and its derivatives with respect to log x.
struct AtTilt {
  double value = 0, first = 0, second = 0;
};

AtTilt at_tilt(std::span<const Event> events, std::span<const double> weights, double most, double log_tilt) {
  const double tilt = std::exp(log_tilt);
  AtTilt sum{-most * log_tilt, -most, 0};
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& [yes, no, twice] = events[i];
    const double all = no + (yes + twice * tilt) * tilt;
    const double mean = (yes + 2 * twice * tilt) * tilt / all;
    const double square = (yes + 4 * twice * tilt) * tilt / all;
    sum.value += weights[i] * std::log(all);
    sum.first += weights[i] * mean;
    sum.second += weights[i] * (square - mean * mean);
  }
  return sum;
}

double log_none(std::span<const Event> events, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < events.size(); ++i) sum += weights[i] * std::log(events[i].no);
  return sum;
}

}  // namespace

double log10_tail_bound(std::span<const Event> events, std::span<const double> weights, double most) {
  if (most <= 0) return log_none(events, weights) * std::numbers::log10e;
  constexpr double kLowest = -300;  // of log x, whose square is still far from the smallest double
  constexpr int kMostSteps = 100;
  // The logarithm is convex in log x: Newton's method, kept between two bounds by halving. The bound holds at
  // every x, so that it remains a bound if the search stops early.
  double low = kLowest, high = 0, at = 0;
  double least = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const AtTilt now = at_tilt(events, weights, most, at);
    least = std::min(least, now.value);
    if (now.first == 0 || (at == 0 && now.first < 0)) break;
    (now.first < 0 ? low : high) = at;
    const double newton = at - now.first / now.second;
    const double next = now.second > 0 && newton > low && newton < high ? newton : (low + high) / 2;
    if (std::abs(next - at) <= 1e-7 * (1 + std::abs(at))) break;
    at = next;
  }
  return least * std::numbers::log10e;
}

}  // namespace fastid::stats
