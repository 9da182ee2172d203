#include "validate/internal/theory.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::validate {
namespace {

constexpr double kRare = 1e-6;

double poisson_term(double expected, std::uint64_t k) {
  if (expected <= 0) return k == 0 ? 1 : 0;
  const double count = static_cast<double>(k);
  return std::exp(count * std::log(expected) - expected - std::lgamma(count + 1));
}

/// The largest k with P(count >= k) above kRare, where term(k) = P(count = k) rises to `mode` and then falls.
template <class Term>
std::uint64_t upper(std::uint64_t mode, std::uint64_t last, const Term& term) {
  std::uint64_t top = mode;
  while (top < last && term(top + 1) > kRare * 1e-6) ++top;
  double above = 0;
  for (; top > mode; --top)
    if ((above += term(top)) > kRare) return top;
  return mode;
}

/// The least k with P(count <= k) above kRare.
template <class Term>
std::uint64_t lower(std::uint64_t mode, const Term& term) {
  std::uint64_t bottom = mode;
  while (bottom > 0 && term(bottom - 1) > kRare * 1e-6) --bottom;
  double below = 0;
  for (; bottom < mode; ++bottom)
    if ((below += term(bottom)) > kRare) return bottom;
  return mode;
}

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::max(0., value));
}

}  // namespace

double binomial_term(std::uint64_t n, double p, std::uint64_t k) {
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  const double all = static_cast<double>(n), some = static_cast<double>(k);
  return std::exp(std::lgamma(all + 1) - std::lgamma(some + 1) - std::lgamma(all - some + 1) +
                  some * std::log(p) + (all - some) * std::log1p(-p));
}

std::array<double, 3> genotypes(double q) {
  return {(1 - q) * (1 - q), 2 * q * (1 - q), q * q};
}

std::array<std::array<double, 4>, 3> seen(const Damage& damage) {
  std::array<std::array<double, 4>, 3> result{};
  const double w = damage.error, d = damage.drop_out;
  for (std::size_t g = 0; g < 3; ++g) {
    // One copy shows the major allele, the minor one, or nothing.
    const auto copy = [&](bool minor) {
      return std::array{(1 - d) * (minor ? w : 1 - w), (1 - d) * (minor ? 1 - w : w), d};
    };
    const auto first = copy(g == 2), second = copy(g > 0);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const bool major = a == 0 || b == 0, minor = a == 1 || b == 1;
        result[g][major ? (minor ? 1 : 0) : (minor ? 2 : 3)] += first[a] * second[b];
      }
  }
  return result;
}

std::uint64_t most_by_chance(double expected) {
  return upper(whole(expected), UINT64_MAX, [&](std::uint64_t k) { return poisson_term(expected, k); });
}

std::uint64_t least_by_chance(double expected) {
  return lower(whole(expected), [&](std::uint64_t k) { return poisson_term(expected, k); });
}

std::uint64_t most_of(std::uint64_t n, double p) {
  const std::uint64_t mode = std::min(n, whole(static_cast<double>(n + 1) * p));
  return upper(mode, n, [&](std::uint64_t k) { return binomial_term(n, p, k); });
}

std::uint64_t least_of(std::uint64_t n, double p) {
  const std::uint64_t mode = std::min(n, whole(static_cast<double>(n + 1) * p));
  return lower(mode, [&](std::uint64_t k) { return binomial_term(n, p, k); });
}

}  // namespace fastid::validate
