#include "stats/internal/frequency_nodes.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::stats {
namespace {

/// A symmetric tridiagonal matrix, whose eigenvalues are the nodes; the squares of the first elements of its
/// eigenvectors are their weights.
struct JacobiMatrix {
  std::array<double, kMostFrequencyNodes> diagonal{}, beside{}, first{1};
};

JacobiMatrix jacobi_matrix(double q, double theta, std::size_t n) {
  const double own = 1 - theta, minor = q * own, major = (1 - q) * own;
  JacobiMatrix matrix;
  matrix.diagonal[0] = q;
  for (std::size_t i = 1; i < n; ++i) {
    const auto m = static_cast<double>(i);
    const double low = own + (2 * m - 2) * theta, high = own + 2 * m * theta;
    // Where i is 1, `own` stands in numerator and denominator.
    const double turn = i == 1 ? 2 * q - 1 : (minor - major) / low;
    matrix.diagonal[i] = (1 + turn * (own - 2 * theta) / high) / 2;
    const double square =
        i == 1 ? theta * q * (1 - q)
               : m * theta * (minor + (m - 1) * theta) * (major + (m - 1) * theta) * (own + (m - 2) * theta) /
                     (low * low * (own + (2 * m - 1) * theta) * (own + (2 * m - 3) * theta));
    matrix.beside[i - 1] = std::sqrt(square);
  }
  return matrix;
}

/// Turns the matrix into a diagonal one by implicit QL steps with shifts.
void diagonalise(JacobiMatrix& matrix, std::size_t n) {
  auto &diagonal = matrix.diagonal, &beside = matrix.beside, &first = matrix.first;
  const auto split_from = [&](std::size_t at) {
    for (; at + 1 < n; ++at) {
      const double scale = std::abs(diagonal[at]) + std::abs(diagonal[at + 1]);
      if (scale + std::abs(beside[at]) == scale) break;
    }
    return at;
  };
  constexpr int kMostSteps = 60;  // two or three are usual
  for (std::size_t at = 0; at < n; ++at)
    for (int steps = 0; steps < kMostSteps; ++steps) {
      const std::size_t last = split_from(at);
      if (last == at) break;
      const double half = (diagonal[at + 1] - diagonal[at]) / (2 * beside[at]);
      double g = diagonal[last] - diagonal[at] +
                 beside[at] / (half + std::copysign(std::sqrt(half * half + 1), half));
      double sine = 1, cosine = 1, moved = 0;
      bool split = false;
      for (std::size_t i = last; i-- > at;) {
        const double f = sine * beside[i], b = cosine * beside[i], length = std::sqrt(f * f + g * g);
        beside[i + 1] = length;
        if (length == 0) {
          diagonal[i + 1] -= moved;
          beside[last] = 0;
          split = true;
          break;
        }
        sine = f / length, cosine = g / length;
        g = diagonal[i + 1] - moved;
        const double r = (diagonal[i] - g) * sine + 2 * cosine * b;
        moved = sine * r;
        diagonal[i + 1] = g + moved;
        g = cosine * r - b;
        const double upper = first[i + 1], lower = first[i];
        first[i + 1] = sine * lower + cosine * upper;
        first[i] = cosine * lower - sine * upper;
      }
      if (split) continue;
      diagonal[at] -= moved;
      beside[at] = g;
      beside[last] = 0;
    }
}

}  // namespace

void frequency_nodes(double q, double theta, std::span<FrequencyNode> nodes) {
  JacobiMatrix matrix = jacobi_matrix(q, theta, nodes.size());
  diagonalise(matrix, nodes.size());
  double all = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = {std::clamp(matrix.diagonal[i], 0.0, 1.0), matrix.first[i] * matrix.first[i]};
    all += nodes[i].weight;
  }
  for (FrequencyNode& node : nodes) node.weight /= all;
  std::ranges::sort(nodes, {}, &FrequencyNode::p);
}

}  // namespace fastid::stats
