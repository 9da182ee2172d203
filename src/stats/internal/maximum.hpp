/// \file
/// Parameters within limits that make a smooth function largest, by Newton's method with raised curvature
/// (Levenberg and Marquardt). Where second derivatives are not at hand, the curvature is learnt from the
/// slopes on the way (Broyden, Fletcher, Goldfarb and Shanno).
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace fastid::stats {

/// Lower triangle of a symmetric matrix: [i][j] for j <= i.
using Triangle = std::vector<std::vector<double>>;

/// A function at a place.
struct LocalShape {
  double value = 0;
  std::vector<double> slope;  ///< by each parameter
  Triangle curvature;         ///< minus the second derivatives; Curvature::kLearnt: a guess
};

enum class Curvature {
  kExact,  ///< LocalShape has it at each place
  kLearnt  ///< LocalShape has a positive definite guess; only the first guess is used
};

struct Limits {
  double low, high;
};

/// Moves `at` to a maximum near it and returns the value there. A parameter stays at its limit where a step
/// would go beyond. \param at  within `limits`, one for each limit \param least_gain  the search ends where a
/// step promises less than half of this
double maximise(std::span<double> at, std::span<const Limits> limits, double least_gain, Curvature kind,
                const std::function<LocalShape(std::span<const double>)>& shape_at);

}  // namespace fastid::stats
