#include "stats/internal/poisson_binomial.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <numbers>

namespace fastid::stats {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// The parts cut off at both ends of each convolution may add up to some 1e-29, so that what is kept of a pane
// has a relative error of at most 1e-10.
constexpr double kTrim = 1e-34, kKept = 1e-18;

constexpr std::size_t kLeafEvents = 64;

/// A distribution without its far ends: mass[i] = P(count = first + i).
struct Piece {
  std::size_t first = 0;
  std::vector<double> mass{1};

  void trim(double below) {
    const auto large = [below](double m) { return m >= below; };
    const auto begin = std::ranges::find_if(mass, large);
    const auto end = std::find_if(mass.rbegin(), mass.rend(), large).base();
    first += static_cast<std::size_t>(begin - mass.begin());
    mass.erase(end, mass.end());
    mass.erase(mass.begin(), begin);
  }
};

Piece convolve(const Piece& a, const Piece& b) {
  Piece sum{a.first + b.first, std::vector<double>(a.mass.size() + b.mass.size() - 1)};
  for (std::size_t i = 0; i < a.mass.size(); ++i) {
    const double share = a.mass[i];
    double* out = sum.mass.data() + i;
    for (std::size_t j = 0; j < b.mass.size(); ++j) out[j] += share * b.mass[j];
  }
  sum.trim(kTrim);
  return sum;
}

/// Adds one event after the other, in place, from the highest count down.
Piece one_by_one(std::span<const Event> events) {
  Piece piece;
  for (const auto& event : events) {
    const auto [yes, no, twice] = event;
    std::vector<double>& mass = piece.mass;
    mass.resize(mass.size() + event.most());
    for (std::size_t k = mass.size() - 1; k > 1; --k)
      mass[k] = mass[k] * no + mass[k - 1] * yes + mass[k - 2] * twice;
    mass[1] = mass[1] * no + mass[0] * yes;
    mass[0] *= no;
  }
  piece.trim(kTrim);
  return piece;
}

Piece distribution_of(std::span<const Event> events) {
  if (events.size() <= kLeafEvents) return one_by_one(events);
  const std::size_t half = events.size() / 2;
  return convolve(distribution_of(events.first(half)), distribution_of(events.subspan(half)));
}

/// A sum that keeps track of rounding errors (A. Neumaier, 1974): with 100,000 logarithms the 12th decimal is
/// still correct.
class ExactSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace

Event tilted(const Event& event, double tilt) {
  const double yes = event.yes * tilt, twice = event.twice * tilt * tilt, all = event.no + yes + twice;
  return {yes / all, event.no / all, twice / all};
}

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

PoissonBinomial::PoissonBinomial(std::span<const Event> events) : n_events_(events.size()) {
  double variance = 0;
  for (const Event& event : events) {
    n_ += event.most();
    mean_ += event.mean();
    variance += event.variance();
    Event open = event;
    for (int least = 0; open.no <= 0 && least < 2; ++least, ++certain_) open = {open.twice, open.yes, 0};
    if (open.yes <= 0 && open.twice <= 0) continue;
    most_open_ += open.most();
    twice_ |= open.twice > 0;
    open_.push_back(open);
  }
  sd_ = std::sqrt(variance);
}

PoissonBinomial::Logarithms PoissonBinomial::logarithms_of(const Event& event) {
  const auto& [yes, no, twice] = event;
  return {std::log(yes / no), twice > 0 ? std::log(twice / no) : kImpossible,
          no < 0.5 ? std::log(no) : std::log1p(-(yes + twice))};
}

PoissonBinomial::Tilted PoissonBinomial::tilt_of(const Logarithms& logs, double log_tilt) {
  const double yes = logs.yes + log_tilt, twice = logs.twice + 2 * log_tilt;
  if (logs.twice == kImpossible) {
    const double odds = std::exp(-std::abs(yes)), rare = odds / (1 + odds), common = 1 / (1 + odds);
    return {yes < 0 ? Event{rare, common} : Event{common, rare},
            logs.no + (std::max(yes, 0.0) + std::log1p(odds))};
  }
  const double highest = std::max({0.0, yes, twice}), none = std::exp(-highest),
               once = std::exp(yes - highest), two = std::exp(twice - highest), all = none + once + two;
  return {{once / all, none / all, two / all}, logs.no + (highest + std::log(all))};
}

/// Computed when the first tilt needs them, since most queries need none.
const std::vector<PoissonBinomial::Logarithms>& PoissonBinomial::logs() const {
  if (logs_.empty()) std::ranges::transform(open_, std::back_inserter(logs_), logarithms_of);
  return logs_;
}

/// Newton's method, kept between bounds, on the logarithm of the mean's odds. That function is a straight
/// line where all events are equally probable, and nearly one in the tails, so a few steps suffice. An
/// approximate result is enough, since a pane is right for any tilt that it is made with.
double PoissonBinomial::log_tilt_to(double mean) const {
  constexpr double kWidest = 1500;  // odds of doubles lie within e^+-750
  const auto n = static_cast<double>(most_open_);
  const double wanted = std::log(mean / (n - mean));
  double low = -kWidest, high = kWidest, tilt = 0;
  for (int step = 0; step < 100; ++step) {
    double at = 0, variance = 0;
    for (const Logarithms& logs : logs()) {
      const Event event = tilt_of(logs, tilt).event;
      at += event.mean();
      variance += event.variance();
    }
    if (std::abs(at - mean) <= 0.05 * std::max(0.5, std::sqrt(variance))) break;
    (at < mean ? low : high) = tilt;
    const double slope = variance * n / (at * (n - at));  // not finite where the mean is 0 or n
    const double newton = tilt + (wanted - std::log(at / (n - at))) / slope;
    tilt = newton > low && newton < high ? newton : (low + high) / 2;
  }
  return tilt;
}

PoissonBinomial::Pane PoissonBinomial::make_pane(double log_tilt) const {
  std::vector<Event> tilted;
  ExactSum log_norm;
  if (log_tilt != 0)
    for (const Logarithms& logs : logs()) {
      const auto [event, log_of_norm] = tilt_of(logs, log_tilt);
      tilted.push_back(event);
      log_norm.add(log_of_norm);
    }
  const Piece piece = distribution_of(log_tilt == 0 ? open_ : tilted);
  const auto kept = [](double mass) { return mass >= kKept; };
  const auto first = std::ranges::find_if(piece.mass, kept) - piece.mass.begin(),
             end = std::find_if(piece.mass.rbegin(), piece.mass.rend(), kept).base() - piece.mass.begin();
  const double norm = log_norm.value(), tilt = std::exp(log_tilt);
  Pane pane{.first = static_cast<std::uint32_t>(piece.first) + static_cast<std::uint32_t>(first)};
  double cdf = 0;  // P(count <= k), divided by the tilt factor of P(count = k)
  for (std::ptrdiff_t at = 0; at < end; ++at) {
    const auto i = static_cast<std::size_t>(at);
    const std::size_t count = piece.first + i;
    cdf = cdf * tilt + piece.mass[i];
    if (at < first) continue;
    const double untilt = norm - log_tilt * static_cast<double>(count);
    pane.log10_pmf.push_back((std::log(piece.mass[i]) + untilt) * std::numbers::log10e);
    pane.log10_cdf.push_back(std::min(0.0, (std::log(cdf) + untilt) * std::numbers::log10e));
  }
  return pane;
}

const PoissonBinomial::Pane& PoissonBinomial::central() const {
  if (panes_.empty()) panes_.push_back(make_pane(0));
  return panes_.front();
}

/// \param count  of the open events, in [0, most_open_]
const PoissonBinomial::Pane& PoissonBinomial::pane_of(std::uint32_t count) const {
  central();
  const auto found = std::ranges::find_if(panes_, [count](const Pane& pane) { return pane.holds(count); });
  if (found != panes_.end()) return *found;
  const double most = static_cast<double>(most_open_);
  panes_.push_back(make_pane(log_tilt_to(std::clamp(static_cast<double>(count), 0.5, most - 0.5))));
  return panes_.back();
}

double PoissonBinomial::log10_pmf(std::uint32_t k) const {
  if (k < certain_ || k - certain_ > most_open_) return kImpossible;
  const std::uint32_t count = k - certain_;
  const Pane& pane = pane_of(count);
  return pane.log10_pmf[count - pane.first];
}

double PoissonBinomial::log10_cdf(std::uint32_t k) const {
  if (k < certain_) return kImpossible;
  const std::uint32_t count = k - certain_;
  if (count >= most_open_ || count >= central().first + central().log10_pmf.size()) return 0;
  const Pane& pane = pane_of(count);
  return pane.log10_cdf[count - pane.first];
}

std::vector<double> PoissonBinomial::log10_cdf(std::uint32_t first, std::uint32_t last) const {
  std::vector<double> values;
  for (std::uint64_t k = first; k <= last; ++k) values.push_back(log10_cdf(static_cast<std::uint32_t>(k)));
  return values;
}

std::optional<std::uint32_t> PoissonBinomial::largest_within(double log10_limit) const {
  if (log10_limit >= 0) return n_;
  // Most limits lie in the central pane. Below it, each step of the search may have to compute a pane.
  const std::uint32_t bulk = certain_ + central().first;
  const bool deep = log10_cdf(bulk) > log10_limit;
  std::uint64_t low = deep ? 0 : std::uint64_t{bulk} + 1,
                high = deep ? bulk : n_;  // the answer + 1 is in low .. high
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (log10_cdf(static_cast<std::uint32_t>(middle)) <= log10_limit)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return std::nullopt;
  return static_cast<std::uint32_t>(low - 1);
}

std::vector<double> PoissonBinomial::pmf() const {
  std::vector<double> values(std::size_t{n_} + 1);
  const Pane& pane = central();
  for (std::size_t i = 0; i < pane.log10_pmf.size(); ++i)
    values[certain_ + pane.first + i] = std::pow(10, pane.log10_pmf[i]);
  return values;
}

namespace {

// In standard deviations of a tilted distribution: how far a count may lie from the mean for the wave to be
// used, and below it where it is not tilted, which serves most counts of a query; how far below it
// probabilities are added up; and the period, which is long enough that aliased terms are negligible.
constexpr double kWaveReach = 2.5, kPlainReach = 4, kWaveDepth = 16, kWavePeriod = 29;
constexpr double kWaveBandwidth = 9;  ///< e^(-9^2 / 2) is below a double's precision
constexpr double kWaveLeast = 1e-17;  ///< as is this

/// Sum of q^d for d = 0 .. n - 1.
std::complex<double> geometric_sum(double log_q, std::complex<double> turn, std::size_t n) {
  const auto terms = static_cast<double>(n);
  if (std::abs(turn - 1.0) == 0) return log_q == 0 ? terms : std::expm1(terms * log_q) / std::expm1(log_q);
  const std::complex<double> q = std::exp(log_q) * turn;
  return (1.0 - std::exp(terms * log_q) * std::pow(turn, static_cast<int>(n))) / (1.0 - q);
}

/// 2 pi * numerator / period, reduced before it is rounded.
double angle_of(std::uint64_t numerator, std::size_t period) {
  return 2 * std::numbers::pi * static_cast<double>(numerator % period) / static_cast<double>(period);
}

/// e^(i angle)
std::complex<double> turn_of(std::uint64_t numerator, std::size_t period) {
  const double angle = angle_of(numerator, period);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

PoissonBinomial::Wave PoissonBinomial::make_wave(double log_tilt) const {
  Wave wave{.log_tilt = log_tilt};
  std::vector<Event> events;
  ExactSum log_norm;
  double variance = 0;
  if (log_tilt == 0)
    events = open_;
  else
    for (const Logarithms& logs : logs()) {
      const auto [event, log_of_norm] = tilt_of(logs, log_tilt);
      events.push_back(event);
      log_norm.add(log_of_norm);
    }
  for (const Event& event : events) {
    wave.mean += event.mean();
    variance += event.variance();
  }
  wave.log_norm = log_norm.value();
  wave.sd = std::sqrt(variance);
  const std::size_t largest = twice_ ? 2 : 1;
  wave.period = 2 * static_cast<std::size_t>(kWavePeriod * wave.sd / 2) + 32 * largest + 1;
  const double last =
      kWaveBandwidth * static_cast<double>(wave.period) / (2 * std::numbers::pi * std::max(wave.sd, 1e-3));
  std::size_t n = 1 + std::min(wave.period / 2, static_cast<std::size_t>(std::min(last, 1e9)));
  if (twice_ && !vanishes_from(events, angle_of(n, wave.period), kWaveLeast)) n = 1 + wave.period / 2;
  std::vector<double> real(n, 1), imaginary(n, 0), versine(2 * n), sine(2 * n);
  for (std::size_t m = 0; m < n; ++m) {
    wave.turn.push_back(turn_of(m, wave.period));
    const std::complex<double> two = turn_of(2 * m, wave.period);
    versine[m] = 1 - wave.turn[m].real(), versine[n + m] = 1 - two.real();
    sine[m] = wave.turn[m].imag(), sine[n + m] = two.imag();
  }
  for (const auto& [yes, no, twice] : events)
    for (std::size_t m = 0; m < n; ++m) {  // times no + yes e^(i frequency) + twice e^(2 i frequency)
      const double a = 1 - yes * versine[m] - twice * versine[n + m], b = yes * sine[m] + twice * sine[n + m],
                   r = real[m];
      real[m] = r * a - imaginary[m] * b;
      imaginary[m] = r * b + imaginary[m] * a;
    }
  const std::size_t depth = static_cast<std::size_t>(kWaveDepth * wave.sd) + 16 * largest;
  for (std::size_t m = 0; m < n; ++m)
    wave.value.push_back(std::complex(real[m], imaginary[m]) * geometric_sum(log_tilt, wave.turn[m], depth));
  return wave;
}

double PoissonBinomial::reach_of(const Wave& wave) {
  return wave.log_tilt == 0 ? kPlainReach : kWaveReach;
}

/// A wave whose mean, times 1 - share_out, lies near `count`. It is never tilted upwards.
const PoissonBinomial::Wave& PoissonBinomial::wave_of(double count, double share_out) const {
  const auto near = [&](const Wave& wave) {
    const double away = count - wave.mean * (1 - share_out);
    return std::abs(away) <= reach_of(wave) * wave.sd || (wave.log_tilt == 0 && away > 0);
  };
  if (waves_.empty()) waves_.push_back(make_wave(0));
  const auto found = std::ranges::find_if(waves_, near);
  if (found != waves_.end()) return *found;
  waves_.push_back(make_wave(std::min(0.0, log_tilt_to(std::max(count, 0.5) / (1 - share_out)))));
  return waves_.back();
}

std::optional<double> PoissonBinomial::log10_cdf_without(std::uint32_t k,
                                                         std::span<const Event> left_out) const {
  constexpr double kMostLeftOut = 0.1;
  const double share_out =
      static_cast<double>(left_out.size()) / static_cast<double>(std::max<std::size_t>(1, n_events_));
  if (open_.size() < n_events_ || share_out > kMostLeftOut) return std::nullopt;
  const double count = k;
  const Wave& wave = wave_of(count, share_out);

  std::vector<std::complex<double>> out(wave.value.size(), 1);
  double log_norm = wave.log_norm, mean = wave.mean, variance_out = 0;
  for (const Event& event : left_out) {
    const auto [tilted, log_of_norm] = tilt_of(logarithms_of(event), wave.log_tilt);
    log_norm -= log_of_norm;
    mean -= tilted.mean();
    variance_out += tilted.variance();
    for (std::size_t m = 0; m < out.size(); ++m)
      out[m] *= 1.0 + tilted.yes * (wave.turn[m] - 1.0) + tilted.twice * (wave.turn[m] * wave.turn[m] - 1.0);
  }
  const double largest = twice_ ? 2 : 1;
  if (count > mean + 6.2 * wave.sd + 6 * largest) return 0.0;  // the rest is below 3e-10
  const double away = wave.log_tilt == 0 ? std::min(0.0, count - mean) : count - mean;
  if (variance_out > kMostLeftOut * wave.sd * wave.sd || std::abs(away) > (reach_of(wave) + 1) * wave.sd + 1)
    return std::nullopt;

  double sum = 0;
  for (std::size_t m = 0; m < out.size(); ++m) {
    if (std::norm(out[m]) < 1e-100) return std::nullopt;
    const std::complex<double> term =
        wave.value[m] / out[m] * std::conj(turn_of(m * std::uint64_t{k}, wave.period));
    sum += (m == 0 ? 1 : 2) * term.real();
  }
  sum /= static_cast<double>(wave.period);
  if (!(sum > 0)) return std::nullopt;
  return std::min(0.0, (std::log(sum) + log_norm - wave.log_tilt * count) * std::numbers::log10e);
}

}  // namespace fastid::stats
