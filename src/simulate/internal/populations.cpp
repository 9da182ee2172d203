#include "simulate/internal/populations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "simulate/random.hpp"

namespace fastid::simulate {
namespace {

constexpr double kMillion = 1e6;

/// A standard normal variate (Box and Muller).
double normal(Stream& stream) {
  const double radius = std::sqrt(-2 * std::log(stream.uniform()));
  return radius * std::cos(2 * std::numbers::pi * stream.uniform());
}

/// The logarithm of a gamma variate of this shape (G. Marsaglia, W. W. Tsang, 2000). For a shape below 1 a
/// variate of shape + 1 is drawn and multiplied by a power of a uniform number. This is done in logarithms,
/// since the variate may be smaller than a double can hold.
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

}  // namespace

std::vector<double> drifted(const std::vector<double>& minor_freq, double fst, std::uint64_t seed,
                            std::uint64_t index) {
  if (fst == 0) return minor_freq;
  Stream stream(seed, Purpose::kDrift, index);
  const double scale = (1 - fst) / fst;
  std::vector<double> drawn;
  for (const double q : minor_freq) {
    const bool fixed = q <= 0 || q >= 1;
    const double now = fixed ? q : beta_variate(q * scale, (1 - q) * scale, stream);
    drawn.push_back(std::round(now * kMillion) / kMillion);
  }
  return drawn;
}

Panel with_drifted(const Panel& panel, const std::vector<double>& minor_freq, std::uint32_t n, double fst,
                   std::uint64_t seed, const std::string& source) {
  std::vector<Population> populations = panel.populations();
  for (std::uint32_t i = 0; i < n; ++i)
    populations.push_back({fmt::format("pop{}", i + 1), drifted(minor_freq, fst, seed, i)});
  return Panel(panel.sites(), std::move(populations), panel.build(), source);
}

}  // namespace fastid::simulate
