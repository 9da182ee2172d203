#include "stats/internal/maximum.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fastid::stats {
namespace {

/// Solves matrix * x = right for a positive definite matrix; no value where it is none.
std::optional<std::vector<double>> solved(Triangle matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {  // Cholesky
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
      if (i != j)
        matrix[i][j] = sum / matrix[j][j];
      else if (sum > 0)
        matrix[i][i] = std::sqrt(sum);
      else
        return std::nullopt;
    }
    for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[k][i] * right[k];
    right[i] /= matrix[i][i];
  }
  return right;
}

/// The parameters that a step may move.
std::vector<std::size_t> free_parameters(std::span<const double> at, std::span<const Limits> limits,
                                         const LocalShape& shape) {
  constexpr double kFlat = 1e-9;
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double slope = shape.slope[i];
    const bool stays = (at[i] <= limits[i].low && slope < 0) || (at[i] >= limits[i].high && slope > 0);
    if (!stays && std::abs(slope) > kFlat) free.push_back(i);
  }
  return free;
}

/// The product of a symmetric matrix and a vector.
std::vector<double> times(const Triangle& matrix, std::span<const double> vector) {
  std::vector<double> product(vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i)
    for (std::size_t j = 0; j < vector.size(); ++j)
      product[i] += matrix[std::max(i, j)][std::min(i, j)] * vector[j];
  return product;
}

/// Updates the curvature along a step from the slopes at its two ends.
void learn(Triangle& curvature, std::span<const double> step, std::span<const double> before,
           std::span<const double> after) {
  const std::size_t n = step.size();
  std::vector<double> turn(n);
  double turned = 0, length = 0, bent = 0;
  for (std::size_t i = 0; i < n; ++i) {
    turn[i] = before[i] - after[i];
    turned += turn[i] * step[i];
    length += step[i] * step[i];
    bent += turn[i] * turn[i];
  }
  constexpr double kLeast = 1e-8;  // of a step along which the function bends down
  if (!(turned > kLeast * std::sqrt(length * bent))) return;
  const std::vector<double> known = times(curvature, step);
  double along = 0;
  for (std::size_t i = 0; i < n; ++i) along += known[i] * step[i];
  if (!(along > 0)) return;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      curvature[i][j] += turn[i] * turn[j] / turned - known[i] * known[j] / along;
}

}  // namespace

double maximise(std::span<double> at, std::span<const Limits> limits, double least_gain, Curvature kind,
                const std::function<LocalShape(std::span<const double>)>& shape_at) {
  constexpr int kMostSteps = 200;
  constexpr double kLeastRaise = 1e-9, kMostRaise = 1e9, kLongestStep = 3;
  LocalShape shape = shape_at(at);
  double raise = 1e-3;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::vector<std::size_t> free = free_parameters(at, limits, shape);
    if (free.empty()) break;
    Triangle curvature(free.size());
    std::vector<double> right(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) {
      right[i] = shape.slope[free[i]];
      for (std::size_t j = 0; j <= i; ++j) curvature[i].push_back(shape.curvature[free[i]][free[j]]);
    }
    bool better = false;
    for (; !better && raise < kMostRaise; raise *= 8) {
      Triangle raised = curvature;
      for (std::size_t i = 0; i < free.size(); ++i)
        raised[i][i] += raise * (std::abs(curvature[i][i]) + std::abs(right[i]));
      const auto by = solved(std::move(raised), right);
      if (!by) continue;
      double gain = 0;  // twice what the step is expected to add
      for (std::size_t i = 0; i < free.size(); ++i) gain += right[i] * (*by)[i];
      if (gain < least_gain) break;
      std::vector<double> next(at.begin(), at.end());
      for (std::size_t i = 0; i < free.size(); ++i)
        next[free[i]] = std::clamp(at[free[i]] + std::clamp((*by)[i], -kLongestStep, kLongestStep),
                                   limits[free[i]].low, limits[free[i]].high);
      LocalShape there = shape_at(next);
      if (!(there.value > shape.value)) continue;
      better = true;
      if (kind == Curvature::kLearnt) {
        std::vector<double> moved(next);
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= at[i];
        learn(shape.curvature, moved, shape.slope, there.slope);
        there.curvature = std::move(shape.curvature);
      }
      std::ranges::copy(next, at.begin());
      shape = std::move(there);
      raise = std::max(raise / 64, kLeastRaise);
    }
    if (!better) break;
  }
  return shape.value;
}

}  // namespace fastid::stats
