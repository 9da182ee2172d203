#include "simulate/internal/variates.hpp"

#include <cmath>
#include <numbers>

namespace fastid::simulate {
namespace {

/// A standard normal variate (Box and Muller).
double normal(Stream& stream) {
  const double radius = std::sqrt(-2 * std::log(stream.uniform()));
  return radius * std::cos(2 * std::numbers::pi * stream.uniform());
}

}  // namespace

// After G. Marsaglia and W. W. Tsang (2000). For a shape below 1 a variate of shape + 1 is drawn and
// multiplied by a power of a uniform number. This is done in logarithms, since the variate may be smaller
// than a double can hold.
double log_gamma_variate(double shape, Stream& stream) {
  const double boost = shape < 1 ? std::log(stream.uniform()) / shape : 0;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(stream), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(stream.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return std::log(d * v) + boost;
  }
}

double beta_variate(double a, double b, Stream& stream) {
  const double x = log_gamma_variate(a, stream);
  return 1 / (1 + std::exp(log_gamma_variate(b, stream) - x));
}

}  // namespace fastid::simulate
