#include "stats/internal/peak_heights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/internal/log_gamma.hpp"

namespace fastid::stats {
namespace {

constexpr int kMostTerms = 10'000;
constexpr double kPrecision = 1e-15;

/// P(height of a peak), or that it is not seen, of an allele with this share of the copies.
double peak_density(double height, double share, double threshold, const SignalParameters& parameters) {
  const auto& [mean, variation] = parameters;
  const double shape = 2 * share / (variation * variation), scale = mean * variation * variation;
  if (height < threshold) return gamma_below(shape, threshold / scale);
  return std::exp((shape - 1) * std::log(height) - height / scale - log_gamma(shape).value -
                  shape * std::log(scale));
}

}  // namespace

double gamma_below(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a).value);
  if (x < a + 1) {  // a series
    double term = 1 / a, sum = term;
    for (int n = 1; n < kMostTerms && term > sum * kPrecision; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return std::min(1., front * sum);
  }
  constexpr double kTiny = 1e-300;  // Lentz's continued fraction of what lies above
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, fraction = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = factor * d + b;
    c = b + factor / c;
    if (std::abs(d) < kTiny) d = kTiny;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    fraction *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return std::clamp(1 - front * fraction, 0., 1.);
}

PeakHeights::PeakHeights(std::vector<SampleSignal> heights, std::vector<double> minor_freq,
                         const PeakRule& rule)
    : heights_(std::move(heights)), minor_freq_(std::move(minor_freq)), rule_(rule) {
  double sum = 0, n = 0;
  for (const SampleSignal& replicate : heights_)
    for (const AlleleSignal& at : replicate)
      if (at.total() > 0) sum += at.total(), ++n;
  if (n > 0) height_ = sum / n / 2;
}

std::array<Limits, 2> PeakHeights::limits() const {
  constexpr double kApart = 20;
  return {{{height_ / kApart, height_ * kApart}, {.02, 3}}};
}

double PeakHeights::value(std::size_t site, double share, const SignalParameters& parameters) const {
  constexpr double kNone = 1e-12;
  double all = 1;
  for (const SampleSignal& replicate : heights_) {
    bool strays = false;
    const auto of = [&](double height, double own, double freq) {
      if (own > kNone) return peak_density(height, own, rule_.threshold, parameters);
      if (height < rule_.threshold) return 1.;
      strays = true;
      return rule_.drop_in * freq * rule_.decay * std::exp(-rule_.decay * (height - rule_.threshold));
    };
    const double minor = of(replicate[site].minor, share, minor_freq_[site]),
                 major = of(replicate[site].major, 1 - share, 1 - minor_freq_[site]);
    all *= minor * major * (strays ? 1 : 1 - rule_.drop_in);
  }
  return std::max(all, std::numeric_limits<double>::min());
}

/// Slopes are differences between two near places: the probability below the threshold has no slope in closed
/// form.
class PeakHeights::Table final : public SignalTable {
 public:
  Table(const PeakHeights& heights, std::span<const double> shares, const SignalParameters& parameters)
      : heights_(heights), shares_(shares.begin(), shares.end()), parameters_(parameters) {}

  double value(std::size_t site, std::size_t share) const override {
    return heights_.value(site, shares_[share], parameters_);
  }

  SignalCell cell(std::size_t site, std::size_t share) const override {
    constexpr double kStep = 1e-6;
    const double f = shares_[share];
    SignalCell cell{.value = value(site, share)};
    // A share of 0 is another case than a very small one, and does not change with the contributors' shares.
    if (f > kStep && f < 1 - kStep)
      cell.by_share =
          (heights_.value(site, f + kStep, parameters_) - heights_.value(site, f - kStep, parameters_)) /
          (2 * kStep);
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      SignalParameters above = parameters_, below = parameters_;
      const double step = kStep * parameters_[k];
      above[k] += step, below[k] -= step;
      cell.by_parameters[k] = (heights_.value(site, f, above) - heights_.value(site, f, below)) / (2 * step);
    }
    return cell;
  }

 private:
  const PeakHeights& heights_;
  std::vector<double> shares_;
  SignalParameters parameters_;
};

std::unique_ptr<SignalTable> PeakHeights::table(std::span<const double> shares,
                                                const SignalParameters& parameters) const {
  return std::make_unique<Table>(*this, shares, parameters);
}

}  // namespace fastid::stats
