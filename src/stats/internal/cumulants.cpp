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
namespace fastid::stats::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using stats::CumulantSeries;
using stats::Event;
using stats::EventTotals;

constexpr std::size_t kTerms = CumulantSeries::kTerms;
constexpr std::size_t kAtOnce = 8;  // events, in as many vectors as the processor takes for them
using Doubles = hn::CappedTag<double, kAtOnce>;
using Vector = hn::Vec<Doubles>;

/// What is summed: log f at 0, the power sums, the spread, and the bound on the rest.
constexpr std::size_t kSpread = kTerms, kRest = kTerms + 1, kSums = kTerms + 2;
using Lanes = std::array<std::array<double, kAtOnce>, kSums>;

/// Events of a lane whose factors are multiplied before the logarithm is taken: none is below 1e-18.
constexpr std::size_t kPiece = 16 * kAtOnce;
constexpr double kLeastProduct = 1e-290;

HWY_INLINE void add_to(std::array<double, kAtOnce>& sum, std::size_t lane, Vector value) {
  hn::StoreU(hn::Add(hn::LoadU(Doubles(), sum.data() + lane), value), Doubles(), sum.data() + lane);
}

/// The bound on an event's coefficient of the order kTerms. As asin(r) >= r >= r^2 for r <= 1, 1 / R is at
/// most 4 P(0) P(2) / (2 pi P(0) P(2) + P(1)^2).
HWY_INLINE Vector rest_of(Vector yes, Vector no, Vector twice) {
  static_assert(kTerms == 12);
  const Doubles d;
  constexpr double kPi12 = 924269.1815233742, kToPi = 22.140692632779267, kToTwoPi = 534.4916555247646;
  const auto w = hn::Add(hn::Mul(yes, hn::Set(d, kToPi)), hn::Mul(twice, hn::Set(d, kToTwoPi)));
  const auto once = hn::Mul(yes, yes), apart = hn::Mul(hn::Set(d, 4), hn::Mul(no, twice));
  const auto nearest =
      hn::IfThenElse(hn::Ge(once, apart), hn::Set(d, 1 / (std::numbers::pi / 2 + 1)),
                     hn::Div(apart, hn::Add(hn::Mul(apart, hn::Set(d, std::numbers::pi / 2)), once)));
  const auto r2 = hn::Mul(nearest, nearest), r4 = hn::Mul(r2, r2), r12 = hn::Mul(r4, hn::Mul(r4, r4));
  return hn::IfThenElse(hn::Le(w, hn::Set(d, 0.5)), hn::Mul(w, hn::Set(d, 2 / kPi12)),
                        hn::Mul(hn::Set(d, 4. / kTerms), r12));
}

/// Adds kAtOnce events to the sums, and multiplies `f` by their values of f at the tilt.
HWY_INLINE void add_events(const Event* events, double tilt, Lanes& sums, std::array<double, kAtOnce>& f) {
  const Doubles d;
  for (std::size_t lane = 0; lane < kAtOnce; lane += hn::MaxLanes(d)) {
    Vector yes, no, twice;
    hn::LoadInterleaved3(d, &events[lane].yes, yes, no, twice);
    if (tilt != 1) {
      yes = hn::Mul(yes, hn::Set(d, tilt)), twice = hn::Mul(twice, hn::Set(d, tilt * tilt));
      const auto all = hn::Add(no, hn::Add(yes, twice)), share = hn::Div(hn::Set(d, 1), all);
      hn::StoreU(hn::Mul(hn::LoadU(d, f.data() + lane), all), d, f.data() + lane);
      yes = hn::Mul(yes, share), no = hn::Mul(no, share), twice = hn::Mul(twice, share);
    }
    // Newton's recurrence: p and q have the sum P(1) + 2 P(2) and the product P(2).
    const auto sum = hn::Add(yes, hn::Add(twice, twice));
    Vector before = hn::Set(d, 2), power = sum;  // p^k + q^k for k - 1 and k
    add_to(sums[1], lane, power);
    FASTID_UNROLL
    for (std::size_t k = 2; k < kTerms; ++k) {
      const auto next = hn::Sub(hn::Mul(sum, power), hn::Mul(twice, before));
      before = power, power = next;
      add_to(sums[k], lane, power);
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
  totals = {};
  for (std::size_t first = 0; first < events.size(); first += kPiece) {
    const std::span<const Event> piece = events.subspan(first, std::min(kPiece, events.size() - first));
    Lanes sums{};
    std::array<double, kAtOnce> f;
    f.fill(1);
    std::size_t at = 0;
    for (; at + kAtOnce <= piece.size(); at += kAtOnce) add_events(&piece[at], tilt, sums, f);
    if (at < piece.size()) {
      std::array<Event, kAtOnce> last;  // events beyond the end never happen
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

/// The logarithm of the product of the events' P(0), which may be 0. \param products  the product of each
/// lane
double log_of_products(std::span<const Event> piece, const std::array<double, kAtOnce>& products) {
  double sum = 0;
  if (std::ranges::all_of(products, [](double product) { return product > kLeastProduct; }))
    for (const double product : products) sum += std::log(product);
  else
    for (const Event& event : piece) sum += std::log(event.no);
  return sum;
}

/// Sums of EventTotals, in lanes.
struct LaneTotals {
  std::array<double, kAtOnce> mean{}, variance{}, twos{}, least, none;

  /// Adds kAtOnce events.
  HWY_INLINE void add(const Event* events) {
    const Doubles d;
    for (std::size_t lane = 0; lane < kAtOnce; lane += hn::MaxLanes(d)) {
      Vector yes, no, twice;
      hn::LoadInterleaved3(d, &events[lane].yes, yes, no, twice);
      add_to(mean, lane, hn::Add(yes, hn::Add(twice, twice)));
      add_to(variance, lane,
             hn::Add(hn::Mul(yes, no), hn::Mul(twice, hn::Add(hn::Mul(hn::Set(d, 4), no), yes))));
      add_to(twos, lane, hn::IfThenElseZero(hn::Gt(twice, hn::Zero(d)), hn::Set(d, 1)));
      const auto lower = hn::Min(no, hn::Add(yes, twice));
      hn::StoreU(hn::Min(lower, hn::LoadU(d, least.data() + lane)), d, least.data() + lane);
      hn::StoreU(hn::Mul(no, hn::LoadU(d, none.data() + lane)), d, none.data() + lane);
    }
  }
  void add(const Event& event, std::size_t lane) {
    mean[lane] += event.mean(), variance[lane] += event.variance(), twos[lane] += event.twice > 0;
    least[lane] = std::min({least[lane], event.no, event.yes + event.twice});
    none[lane] *= event.no;
  }
};

void total_all(std::span<const Event> events, EventTotals& totals) {
  LaneTotals lanes;
  lanes.least.fill(1);
  for (std::size_t first = 0; first < events.size(); first += kPiece) {
    const std::span<const Event> piece = events.subspan(first, std::min(kPiece, events.size() - first));
    lanes.none.fill(1);
    std::size_t at = 0;
    for (; at + kAtOnce <= piece.size(); at += kAtOnce) lanes.add(&piece[at]);
    for (; at < piece.size(); ++at) lanes.add(piece[at], at % kAtOnce);
    totals.log_none += log_of_products(piece, lanes.none);
  }
  totals.mean = tree(lanes.mean), totals.variance = tree(lanes.variance);
  totals.twos = static_cast<std::uint32_t>(tree(lanes.twos));
  totals.all_open = *std::ranges::min_element(lanes.least) > 0;
}

}  // namespace
}  // namespace fastid::stats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::stats {
namespace {

HWY_EXPORT(add_all);
HWY_EXPORT(total_all);

}  // namespace

namespace {

using Complex = std::complex<double>;
using Coefficients = std::array<double, CumulantSeries::kTerms>;

constexpr double kNearestZero = std::numbers::pi / 2;  ///< the least R

/// [m][k]: the factor of the k-th power sum in the coefficient of order m. log(1 + p w), w = e^t - 1, is the
/// sum of (-1)^(k+1) p^k w^k / k, and the coefficient of w^k in t is k! S(m, k) / m!, S being Stirling's
/// numbers of the second kind.
constexpr std::array<Coefficients, CumulantSeries::kTerms> power_sum_shares() {
  std::array<Coefficients, CumulantSeries::kTerms> shares{};  // at first without signs
  shares[1][1] = 1;
  for (std::size_t m = 2; m < shares.size(); ++m)
    for (std::size_t k = 1; k <= m; ++k)
      shares[m][k] =
          (static_cast<double>(k) * shares[m - 1][k] + static_cast<double>(k - 1) * shares[m - 1][k - 1]) /
          static_cast<double>(m);
  for (Coefficients& of_order : shares)
    for (std::size_t k = 2; k < of_order.size(); k += 2) of_order[k] = -of_order[k];
  return shares;
}

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

/// The step from the series' tilt to the saddle point, or as near to it as the series reaches and a tilt of 0
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

Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
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

EventTotals totals_of(std::span<const Event> events) {
  EventTotals totals;
  HWY_DYNAMIC_DISPATCH(total_all)(events, totals);
  return totals;
}

std::optional<CumulantSeries> cumulants_of(std::span<const Event> events, double log_tilt) {
  std::array<double, CumulantSeries::kTerms + 2> totals{};
  if (!HWY_DYNAMIC_DISPATCH(add_all)(events, log_tilt == 0 ? 1 : std::exp(log_tilt), totals))
    return std::nullopt;
  CumulantSeries series{.log_tilt = log_tilt,
                        .spread = totals[CumulantSeries::kTerms],
                        .rest = totals[CumulantSeries::kTerms + 1]};
  static constexpr std::array kShares = power_sum_shares();
  series.coefficients[0] = totals[0];
  for (std::size_t m = 1; m < kShares.size(); ++m)
    for (std::size_t k = 1; k <= m; ++k) series.coefficients[m] += kShares[m][k] * totals[k];
  return series;
}

std::optional<double> log10_at_most(const CumulantSeries& series, std::uint32_t k, bool twice) {
  // How far from the mean and below k probabilities matter, in standard deviations. By Bernstein's inequality
  // the rest, with kPad, is less than 1e-11.
  constexpr double kDepth = 7.8, kPad = 16;
  constexpr double kVanished = 30;  ///< e^-30 is 1e-13
  constexpr double kRounding = 1e-15;
  constexpr double kNegligible = 1e-14;  // of a term, beside the first one's 1
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

  // The angle where the rest of the series weighs most.
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
  const Complex turn = std::polar(1.0, apart),
                turn_to_depth = std::polar(1.0, static_cast<double>(depth % period) * apart);
  Complex turned = 1, turned_to_depth = 1;
  for (std::size_t m = 1; 2 * m <= period; ++m) {
    turned = product(turned, turn), turned_to_depth = product(turned_to_depth, turn_to_depth);
    const double angle = static_cast<double>(m) * apart, highest = (1 - turned.real()) * spread;
    if (highest > kVanished) break;
    const double square = angle * angle;
    double even = 0, odd = 0;  // of the orders 2, 4, ... and 1, 3, ...
    for (std::size_t order = of.size(); order-- > 1;) {
      double& part = order % 2 == 0 ? even : odd;
      part = of[order] - square * part;
    }
    const double size = std::exp(-square * even), phase = angle * (odd - count);
    const Complex powers = sum_of_powers(tilt * turned, tilt_to_depth * turned_to_depth);
    const double weight = (2 * m == period ? 1 : 2) * length(powers.real(), powers.imag());
    // e^x - 1 is at most x + x^2 for x up to 1.
    const double rest = rest_at(series, length(step, angle)),
                 unknown = rest < 1 ? size * rest * (1 + rest) : std::numeric_limits<double>::infinity();
    const double dropped = unknown > kNegligible ? std::exp(-highest) : kNegligible;
    error += weight * std::min(unknown, dropped);
    if (unknown > dropped) continue;
    sum += (2 * m == period ? 1 : 2) * size *
           (std::cos(phase) * powers.real() - std::sin(phase) * powers.imag());
    magnitude += weight * size;
  }
  if (!(error + kRounding * magnitude <= kSeriesError * sum)) return std::nullopt;
  sum /= static_cast<double>(period);
  return std::min(0.0, (std::log(sum) + of[0] - log_tilt * count) * std::numbers::log10e);
}

}  // namespace fastid::stats
#endif
