// One tail probability as an integral around the origin; poisson_binomial.hpp explains why.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "stats/internal/poisson_binomial.hpp"

namespace fastid::stats {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t kFewEvents = 128;  ///< up to here computing the whole distribution is as fast
constexpr double kSpread = 2;            ///< tilting starts this many standard deviations below the mean
/// Relative to the largest term: once terms are smaller, the rest of the integral is left out.
constexpr double kNothing = 1e-19;

struct TiltedMoments {
  double mean = 0, variance = 0;
};

/// The moments of the events when their odds are multiplied by `tilt`.
TiltedMoments moments_of(std::span<const Event> events, double tilt) {
  TiltedMoments sum;
  for (const Event& event : events) {
    const Event at = tilted(event, tilt);
    sum.mean += at.mean();
    sum.variance += at.variance();
  }
  return sum;
}

/// A tilt in (0, 1) that gives about this mean, which lies below the untilted mean. No value where Newton's
/// method does not converge.
std::optional<double> tilt_to(std::span<const Event> events, double mean) {
  double tilt = 1;
  for (int step = 0; step < 50; ++step) {
    const TiltedMoments at = moments_of(events, tilt);
    if (std::abs(at.mean - mean) <= 0.1 * std::sqrt(at.variance))
      return tilt < 1 ? std::optional(tilt) : std::nullopt;
    tilt *= std::exp(std::clamp((mean - at.mean) / at.variance, -1.0, 1.0));
    if (!std::isfinite(tilt)) break;
  }
  return std::nullopt;
}

/// log prod(no + yes * tilt + twice * tilt^2); the factors are multiplied in groups whose product stays
/// within a double's range.
double log_norm(std::span<const Event> events, double tilt) {
  constexpr std::size_t kGroup = 16;
  double sum = 0, lost = 0;
  for (std::size_t first = 0; first < events.size(); first += kGroup) {
    double product = 1, separate = 0;
    for (const auto& [yes, no, twice] : events.subspan(first, std::min(kGroup, events.size() - first))) {
      const double term = no + (yes + twice * tilt) * tilt;
      if (term > 1e-15)
        product *= term;
      else
        separate += std::log(term);
    }
    const double log_group = std::log(product) + separate, next = sum + log_group - lost;  // Kahan summation
    lost = (next - sum) - (log_group - lost);
    sum = next;
  }
  return sum;
}

/// Points on the circle that are computed together: enough to fill the processor's pipelines.
constexpr std::size_t kPoints = 8;

/// prod(no + yes e^(i angle) + twice e^(2 i angle)) of the tilted events at angles first * step,
/// (first + 1) * step, ...
std::array<Complex, kPoints> characteristic(std::span<const Event> events, std::size_t first, double step) {
  std::array<double, kPoints> re{}, im{}, re_turn{}, im_turn{}, re_two{}, im_two{};
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double angle = static_cast<double>(first + i) * step, half = std::sin(angle / 2);
    re[i] = 1, im[i] = 0;
    re_turn[i] = -2 * half * half;  // cos(angle) - 1, without cancellation
    im_turn[i] = std::sin(angle);
    re_two[i] = -2 * im_turn[i] * im_turn[i];
    im_two[i] = std::sin(2 * angle);
  }
  for (const auto& [yes, no, twice] : events)
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double a = 1 + yes * re_turn[i] + twice * re_two[i], b = yes * im_turn[i] + twice * im_two[i],
                   old = re[i];
      re[i] = old * a - im[i] * b;
      im[i] = old * b + im[i] * a;
    }
  std::array<Complex, kPoints> values{};
  for (std::size_t i = 0; i < kPoints; ++i) values[i] = {re[i], im[i]};
  return values;
}

/// Whether the product of the events' characteristic functions, in absolute value, is below `least` at
/// `angle` and everywhere from there to pi. For an event that counts 1 the absolute value only falls. For an
/// event that may count twice it can rise again, since the angle of its count of 2 goes round the circle.
bool vanishes_from(std::span<const Event> events, double angle, double least) {
  // The square of a factor's absolute value is a convex function of the angle's cosine, so that from here to
  // pi it is highest at one of the two ends.
  const double cosine = std::cos(angle), twice_cosine = std::cos(2 * angle);
  double log_highest = 0;
  for (const auto& [yes, no, twice] : events) {
    const double squares = no * no + yes * yes + twice * twice, at_pi = no - yes + twice;
    const double here = squares + 2 * yes * (no + twice) * cosine + 2 * no * twice * twice_cosine;
    log_highest += std::log(std::max({here, at_pi * at_pi, 1e-300}));
  }
  return log_highest < 2 * std::log(least);
}

/// The integral of characteristic * e^(-ik angle) / (1 - tilt e^(i angle)) over the circle, divided by its
/// length.
double integral(std::span<const Event> events, double tilt, std::uint32_t k, std::size_t n_points) {
  const double step = 2 * std::numbers::pi / static_cast<double>(n_points);
  double sum = 0;
  for (std::size_t first = 0; 2 * first <= n_points; first += kPoints) {
    const auto values = characteristic(events, first, step);
    for (std::size_t i = 0; i < kPoints && 2 * (first + i) <= n_points; ++i) {
      const std::size_t point = first + i;
      const double angle = static_cast<double>(point) * step;
      // The two halves of the circle are complex conjugates; the points at 0 and pi have no counterpart.
      const double weight = point == 0 || 2 * point == n_points ? 1 : 2;
      const std::size_t turns = point * k % n_points;
      const Complex back = std::polar(1.0, -static_cast<double>(turns) * step);
      const double half = std::sin(angle / 2);
      const Complex pole{(1 - tilt) + 2 * tilt * half * half, -tilt * std::sin(angle)};
      sum += weight * (values[i] * back / pole).real();
    }
    const double last = static_cast<double>(first + kPoints - 1) * step;
    if (std::abs(values.back()) < kNothing && vanishes_from(events, last, kNothing)) break;
  }
  return sum / static_cast<double>(n_points);
}

/// Enough points that the aliases of k, the counts k + n_points, k + 2 n_points, ..., contribute nothing.
std::size_t points_for(double tilt, double sd, double largest) {
  return static_cast<std::size_t>(std::ceil(std::max(14 * sd + 16 * largest, -40 / std::log(tilt))));
}

/// Up to this count the probabilities of all counts are computed event by event.
constexpr std::uint32_t kFewCounts = 128;

/// P(count <= k) for a low k: the product of 1 + (odds of 1) x + (odds of 2) x^2 over the events, cut off
/// after the power k. All terms are positive. No value where odds are so high that their powers may leave a
/// double's range.
std::optional<double> log10_few(std::span<const Event> events, std::uint32_t k) {
  constexpr double kLeastNo = 1e-4;
  double odds = 0;
  for (const auto& [yes, no, twice] : events) {
    if (no < kLeastNo) return std::nullopt;
    odds += (yes + 2 * twice) / no;
  }
  // The powers of x are scaled so that those near k are the largest; the sum of all is then below e^2k.
  const double scale = std::min(1.0, k / odds);
  constexpr std::size_t kBefore = 2;  // entries that stand for negative powers
  std::vector<double> mass(kBefore + k + 1), next(mass.size());
  mass[kBefore] = 1;
  for (const auto& [yes, no, twice] : events) {
    const double once = yes / no * scale, both = twice / no * scale * scale;
    const double* const from = mass.data();
    double* const to = next.data();
    for (std::size_t i = kBefore; i < mass.size(); ++i)
      to[i] = from[i] + once * from[i - 1] + both * from[i - 2];
    std::swap(mass, next);
  }
  double sum = 0;  // of mass[j] scale^(k - j)
  for (std::size_t i = kBefore; i < mass.size(); ++i) sum = sum * scale + mass[i];
  return log10_none(events) + (std::log(sum) - k * std::log(scale)) * std::numbers::log10e;
}

}  // namespace

double log10_none(std::span<const Event> events) {
  return totals_of(events).log_none * std::numbers::log10e;
}

double log10_tail(std::span<const Event> events, std::uint32_t k) {
  const auto whole = [&] { return PoissonBinomial({events.begin(), events.end()}).log10_cdf(k); };
  if (k == 0) return log10_none(events);
  if (k <= kFewCounts)
    if (const std::optional<double> few = log10_few(events, k)) return std::min(0.0, *few);
  if (events.size() < kFewEvents || !std::ranges::all_of(events, is_open)) return whole();
  const TiltedMoments plain = moments_of(events, 1);
  const double sd = std::sqrt(plain.variance), highest = plain.mean - kSpread * sd;
  if (highest < 1 || k > plain.mean + kSpread * sd) return whole();
  const std::optional<double> tilt = tilt_to(events, std::min<double>(k, highest));
  if (!tilt) return whole();

  std::vector<Event> at_tilt;
  at_tilt.reserve(events.size());
  for (const Event& event : events) at_tilt.push_back(tilted(event, *tilt));
  const double spread = std::sqrt(moments_of(events, *tilt).variance);
  const bool twice = std::ranges::any_of(events, [](const Event& event) { return event.twice > 0; });
  const double value = integral(at_tilt, *tilt, k, points_for(*tilt, spread, twice ? 2 : 1));
  return (std::log(value) + log_norm(events, *tilt) - k * std::log(*tilt)) * std::numbers::log10e;
}

}  // namespace fastid::stats
