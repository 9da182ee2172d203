#include "stats/internal/poisson_binomial.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

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

PoissonBinomial::PoissonBinomial(std::vector<Event> events)
    : n_events_(events.size()), open_(std::move(events)) {
  const EventTotals totals = totals_of(open_);
  n_ = most_open_ = static_cast<std::uint32_t>(n_events_) + totals.twos;
  mean_ = totals.mean, sd_ = std::sqrt(totals.variance);
  log10_none_ = totals.log_none * std::numbers::log10e;
  twice_ = totals.twos > 0;
  if (!totals.all_open) keep_open();
}

/// Subtracts each event's certain count, and leaves out events that are certain or impossible.
void PoissonBinomial::keep_open() {
  const std::vector<Event> events = std::move(open_);
  open_.clear();
  most_open_ = 0, twice_ = false;
  for (Event open : events) {
    for (int least = 0; open.no <= 0 && least < 2; ++least, ++certain_) open = {open.twice, open.yes, 0};
    if (open.yes <= 0 && open.twice <= 0) continue;
    most_open_ += open.most();
    twice_ |= open.twice > 0;
    open_.push_back(open);
  }
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

const CumulantSeries* PoissonBinomial::series_at(double log_tilt) const {
  const auto found = std::ranges::find(series_, log_tilt, &CumulantSeries::log_tilt);
  if (found != series_.end()) return &*found;
  const std::optional<CumulantSeries> made = cumulants_of(open_, log_tilt);
  if (!made) return nullptr;
  series_.push_back(*made);
  return &series_.back();
}

std::optional<double> PoissonBinomial::log10_cdf_without(std::uint32_t k,
                                                         std::span<const Event> left_out) const {
  if (!left_out.empty()) return tail_without(k, left_out);
  const auto [known, is_new] = of_all_.try_emplace(k);
  if (is_new) known->second = tail_without(k, {});
  return known->second;
}

std::optional<double> PoissonBinomial::tail_without(std::uint32_t k, std::span<const Event> left_out) const {
  if (open_.size() < n_events_) return std::nullopt;
  double most = most_open_, mean = mean_, variance = sd_ * sd_;
  for (const Event& event : left_out) {
    most -= event.most();
    mean -= event.mean();
    variance -= event.variance();
  }
  if (k >= most) return 0.0;
  if (k == 0) return log10_none_ - stats::log10_none(left_out);
  // Newton's method on the logarithm of the mean's odds, as in log_tilt_to(). The tilts depend on nothing
  // but k and the events, so that it does not matter what else was asked.
  constexpr double kTiltsToOne = 4;
  constexpr int kMostTilts = 16;
  double log_tilt = 0;
  for (int step = 0; step < kMostTilts; ++step) {
    const double slope = variance * most / (mean * (most - mean));
    const double newton = log_tilt + (std::log(k / (most - k)) - std::log(mean / (most - mean))) / slope;
    const double next = std::min(0.0, std::round(newton * kTiltsToOne) / kTiltsToOne);
    if (!std::isfinite(next) || (step > 0 && next == log_tilt)) return std::nullopt;
    log_tilt = next;
    const CumulantSeries* const whole = series_at(log_tilt);
    if (whole == nullptr) return std::nullopt;
    CumulantSeries rest = *whole;
    if (!left_out.empty()) {
      const std::optional<CumulantSeries> out = cumulants_of(left_out, log_tilt);
      if (!out) return std::nullopt;
      rest.leave_out(*out);
    }
    if (const std::optional<double> found = log10_at_most(rest, k, twice_)) return found;
    mean = rest.mean(), variance = rest.variance();
  }
  return std::nullopt;
}

}  // namespace fastid::stats
