// Google Highway compiles the first part of this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/internal/cumulants.cpp"
#include "stats/internal/cumulants.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using stats::CumulantSeries;
using stats::Event;

constexpr std::size_t kTerms = CumulantSeries::kTerms;
constexpr std::size_t kAtOnce = 8;  // events, in as many vectors as the processor takes for them
using Doubles = hn::CappedTag<double, kAtOnce>;
using Vector = hn::Vec<Doubles>;

/// What is summed: the derivatives of K' by their factorials, the spread, and the bound on the rest.
constexpr std::size_t kSpread = kTerms, kRest = kTerms + 1, kSums = kTerms + 2;
using Lanes = std::array<std::array<double, kAtOnce>, kSums>;

HWY_INLINE void add_to(std::array<double, kAtOnce>& sum, std::size_t lane, Vector value) {
  hn::StoreU(hn::Add(hn::LoadU(Doubles(), sum.data() + lane), value), Doubles(), sum.data() + lane);
}

/// The bound on an event's coefficient of the order kTerms.
HWY_INLINE Vector rest_of(Vector yes, Vector no, Vector twice) {
  static_assert(kTerms == 12);
  const Doubles d;
  constexpr double kPi12 = 924269.1815233742, kToPi = 22.140692632779267, kToTwoPi = 534.4916555247646;
  const auto w = hn::Add(hn::Mul(yes, hn::Set(d, kToPi)), hn::Mul(twice, hn::Set(d, kToTwoPi)));
  const auto square = hn::Div(hn::Mul(yes, yes), hn::Mul(hn::Set(d, 4), hn::Mul(no, twice)));
  // asin(r) is at least r.
  const auto radius = hn::Add(hn::Set(d, std::numbers::pi / 2), hn::Min(hn::Sqrt(square), hn::Set(d, 1)));
  const auto r2 = hn::Mul(radius, radius), r4 = hn::Mul(r2, r2), r12 = hn::Mul(r4, hn::Mul(r4, r4));
  return hn::IfThenElse(hn::Le(w, hn::Set(d, 0.5)), hn::Mul(w, hn::Set(d, 2 / kPi12)),
                        hn::Div(hn::Set(d, 4. / kTerms), r12));
}

/// Adds kAtOnce events, whose probabilities at the tilt are multiplied by f, and multiplies `f` by theirs.
HWY_INLINE void add_events(const Event* events, double tilt, Lanes& sums, std::array<double, kAtOnce>& f) {
  const Doubles d;
  for (std::size_t lane = 0; lane < kAtOnce; lane += hn::MaxLanes(d)) {
    Vector yes, no, twice;
    hn::LoadInterleaved3(d, &events[lane].yes, yes, no, twice);
    if (tilt != 1) {
      yes = hn::Mul(yes, hn::Set(d, tilt)), twice = hn::Mul(twice, hn::Set(d, tilt * tilt));
      const auto all = hn::Add(no, hn::Add(yes, twice));
      hn::StoreU(hn::Mul(hn::LoadU(d, f.data() + lane), all), d, f.data() + lane);
      yes = hn::Div(yes, all), no = hn::Div(no, all), twice = hn::Div(twice, all);
    }
    // With f(e^z) = 1 + a_1 z + a_2 z^2 + ... the coefficients d_m of z K' are m a_m - sum of d_j a_(m-j).
    Vector a[kTerms], slope[kTerms];
    double power = 1, factorial = 1;
    FASTID_UNROLL
    for (std::size_t m = 1; m < kTerms; ++m) {
      power *= 2, factorial *= static_cast<double>(m);
      a[m] = hn::Add(hn::Mul(yes, hn::Set(d, 1 / factorial)), hn::Mul(twice, hn::Set(d, power / factorial)));
      slope[m] = hn::Mul(a[m], hn::Set(d, static_cast<double>(m)));
      FASTID_UNROLL
      for (std::size_t j = 1; j < m; ++j) slope[m] = hn::Sub(slope[m], hn::Mul(slope[j], a[m - j]));
      add_to(sums[m], lane, slope[m]);
    }
    add_to(sums[kSpread], lane, hn::Mul(yes, hn::Add(no, twice)));
    add_to(sums[kRest], lane, rest_of(yes, no, twice));
  }
}

double tree(const std::array<double, kAtOnce>& of) {
  return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
}

bool add_all(std::span<const Event> events, double tilt, std::array<double, kSums>& totals) {
  static_assert(sizeof(Event) == 3 * sizeof(double));
  // Events of a lane whose factors f are multiplied before the logarithm is taken: none is below
  // 1e-18.
  constexpr std::size_t kPiece = 16 * kAtOnce;
  constexpr double kLeastProduct = 1e-290;
  totals = {};
  for (std::size_t first = 0; first < events.size(); first += kPiece) {
    const std::span<const Event> piece = events.subspan(first, std::min(kPiece, events.size() - first));
    Lanes sums{};
    std::array<double, kAtOnce> f;
    f.fill(1);
    std::size_t at = 0;
    for (; at + kAtOnce <= piece.size(); at += kAtOnce) add_events(&piece[at], tilt, sums, f);
    if (at < piece.size()) {
      std::array<Event, kAtOnce> last;  // those that are missing never happen
      std::ranges::copy(piece.subspan(at), last.begin());
      add_events(last.data(), tilt, sums, f);
    }
    for (std::size_t i = 1; i < kSums; ++i) totals[i] += tree(sums[i]);
    if (tilt == 1) continue;
    for (const double product : f) {
      if (!(product > kLeastProduct)) return false;
      totals[0] += std::log(product);
    }
  }
  return true;
}

}  // namespace
}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid {
namespace {

HWY_EXPORT(add_all);

}  // namespace

namespace stats {
namespace {

using Complex = std::complex<double>;
using Coefficients = std::array<double, CumulantSeries::kTerms>;

constexpr double kNearestZero = std::numbers::pi / 2;  ///< the least R

/// The series about another tilt that lies `step` from this one's.
Coefficients moved(Coefficients of, double step) {
  for (std::size_t low = 0; low + 1 < of.size(); ++low)
    for (std::size_t m = of.size() - 1; m-- > low;) of[m] += step * of[m + 1];
  return of;
}

/// K' at `step` from the series' tilt, and K''.
std::array<double, 2> slopes_at(const Coefficients& of, double step) {
  double first = 0, second = 0;
  for (std::size_t m = of.size() - 1; m > 0; --m) {
    second = second * step + first;
    first = first * step + static_cast<double>(m) * of[m];
  }
  return {first, second};
}

/// From the series' tilt to the saddle point, or as near to it as the series may reach and a tilt of 0
/// allows.
double step_to(double count, const CumulantSeries& series) {
  constexpr double kFarthest = 0.75;
  const double most = std::min(kFarthest, -series.log_tilt);
  double step = 0;
  for (int i = 0; i < 8; ++i) {
    const auto [mean, variance] = slopes_at(series.coefficients, step);
    const double away = (count - mean) / variance;
    if (!std::isfinite(away)) return step;
    step = std::clamp(step + away, -kFarthest, most);
    if (std::abs(away) < 1e-6) break;
  }
  return step;
}

/// A bound on all orders that the series leaves out, at a distance from its tilt.
double rest_at(const CumulantSeries& series, double distance) {
  if (distance >= kNearestZero) return std::numeric_limits<double>::infinity();
  double power = distance * distance * distance;
  power *= power, power *= power;
  return series.rest * power / (1 - distance / kNearestZero);
}

double length(double a, double b) {
  return std::sqrt(a * a + b * b);  // far from the ends of a double's range
}

/// Sum of q^d for d = 0 .. n - 1, from q^n.
Complex sum_of_powers(Complex q, Complex q_to_n) {
  const double a = 1 - q_to_n.real(), b = -q_to_n.imag(), c = 1 - q.real(), d = -q.imag(),
               square = c * c + d * d;
  return {(a * c + b * d) / square, (b * c - a * d) / square};
}

}  // namespace

void CumulantSeries::leave_out(const CumulantSeries& of) {
  for (std::size_t m = 0; m < kTerms; ++m) coefficients[m] -= of.coefficients[m];
  spread -= of.spread;
}

std::optional<CumulantSeries> cumulants_of(std::span<const Event> events, double log_tilt) {
  std::array<double, CumulantSeries::kTerms + 2> totals{};
  if (!HWY_DYNAMIC_DISPATCH(add_all)(events, log_tilt == 0 ? 1 : std::exp(log_tilt), totals))
    return std::nullopt;
  CumulantSeries series{.log_tilt = log_tilt,
                        .spread = totals[CumulantSeries::kTerms],
                        .rest = totals[CumulantSeries::kTerms + 1]};
  series.coefficients[0] = totals[0];
  for (std::size_t m = 1; m < CumulantSeries::kTerms; ++m)
    series.coefficients[m] = totals[m] / static_cast<double>(m);
  return series;
}

std::optional<double> log10_at_most(const CumulantSeries& series, std::uint32_t k, bool twice) {
  // In standard deviations: how far below the mean, and below k, and how far above the mean probabilities
  // matter. By Bernstein's inequality what lies beyond, with kPad, is less than 1e-14.
  constexpr double kDepth = 9, kPad = 16;
  constexpr double kVanished = 41.5;  ///< e^-41.5 is below a double's precision
  constexpr double kRounding = 1e-15;
  const double count = k, step = step_to(count, series);
  const double log_tilt = series.log_tilt + step;
  const Coefficients of = moved(series.coefficients, step);
  const double variance = 2 * of[2], largest = twice ? 2 : 1;
  // The spread at the other tilt is at least this: no probability falls by more than e^-2step.
  const double spread = series.spread * std::exp(-3 * std::abs(step));
  if (!(variance > 0) || !(spread > 0)) return std::nullopt;
  const double sd = std::sqrt(variance), above = (count - of[1]) / sd;
  if (above > 6.2 + 6 * largest / sd) return log_tilt == 0 ? std::optional(0.0) : std::nullopt;
  if (above < -4) return std::nullopt;  // there is a better tilt

  // Where the rest of the series weighs most.
  constexpr double kTerms = CumulantSeries::kTerms, kHopeless = 100 * kSeriesError;
  if (rest_at(series, length(step, std::sqrt(kTerms) / sd)) * std::exp(-kTerms / 2) > kHopeless)
    return std::nullopt;

  const auto depth = static_cast<std::size_t>((kDepth + std::max(0.0, above)) * sd + kPad * largest);
  const std::size_t period = depth + static_cast<std::size_t>(kDepth * sd + kPad * largest) + 1;
  const double apart = 2 * std::numbers::pi / static_cast<double>(period), tilt = std::exp(log_tilt),
               tilt_to_depth = std::exp(log_tilt * static_cast<double>(depth));
  double sum = log_tilt == 0 ? static_cast<double>(depth)
                             : std::expm1(log_tilt * static_cast<double>(depth)) / std::expm1(log_tilt);
  double error = sum * std::expm1(rest_at(series, std::abs(step))), magnitude = sum;
  for (std::size_t m = 1; 2 * m <= period; ++m) {
    const double angle = static_cast<double>(m) * apart, highest = (1 - std::cos(angle)) * spread;
    if (highest > kVanished) break;
    const double square = angle * angle;
    double even = 0, odd = 0;  // of the orders 2, 4, ... and 1, 3, ...
    for (std::size_t order = of.size(); order-- > 1;) {
      double& part = order % 2 == 0 ? even : odd;
      part = of[order] - square * part;
    }
    const double size = std::exp(-square * even), phase = angle * (odd - count);
    const std::size_t turns = m * depth % period;
    const Complex powers =
        sum_of_powers(std::polar(tilt, angle), std::polar(tilt_to_depth, static_cast<double>(turns) * apart));
    const double weight = (2 * m == period ? 1 : 2) * length(powers.real(), powers.imag());
    const double unknown = size * std::expm1(rest_at(series, length(step, angle))),
                 dropped = std::exp(-highest);
    error += weight * std::min(unknown, dropped);
    if (!(unknown < dropped)) continue;
    sum += (2 * m == period ? 1 : 2) * size *
           (std::cos(phase) * powers.real() - std::sin(phase) * powers.imag());
    magnitude += weight * size;
  }
  if (!(error + kRounding * magnitude <= kSeriesError * sum)) return std::nullopt;
  sum /= static_cast<double>(period);
  return std::min(0.0, (std::log(sum) + of[0] - log_tilt * count) * std::numbers::log10e);
}

}  // namespace stats
}  // namespace fastid
#endif
