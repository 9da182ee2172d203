#include "stats/internal/read_counts.hpp"

#include <algorithm>
#include <cmath>

#include "stats/internal/log_gamma.hpp"

namespace fastid::stats {

ReadCounts::ReadCounts(std::span<const AlleleReads> sites, std::uint32_t threshold,
                       std::span<const std::span<const SiteRead>> few)
    : threshold_(threshold), sites_(sites.size()) {
  for (const AlleleReads& reads : sites)
    numbers_.insert(numbers_.end(), {reads.minor, reads.major, reads.total()});
  std::ranges::sort(numbers_);
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  const auto place = [&](std::uint64_t number) {
    return static_cast<std::size_t>(std::ranges::lower_bound(numbers_, number) - numbers_.begin());
  };
  const auto log_factorial = [](std::uint64_t n) { return log_gamma(static_cast<double>(n) + 1).value; };
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const AlleleReads& reads = sites[i];
    const std::uint64_t total = reads.total();
    const bool one_alone = reads.minor == 0 || reads.major == 0;
    const auto hidden = static_cast<double>(one_alone ? std::min<std::uint64_t>(threshold, total + 1) : 1);
    sites_[i] = {.reads = reads,
                 .minor = place(reads.minor),
                 .major = place(reads.major),
                 .total = place(total),
                 .log_ways = log_factorial(total) - log_factorial(reads.minor) - log_factorial(reads.major),
                 .outlier = kOutlier * hidden / (static_cast<double>(total) + 1)};
    if (few.empty() || few[i].empty()) continue;
    sites_[i].few = few_.size();
    sites_[i].outlier = kOutlier * few_.emplace_back(few[i]).uniform();
  }
}

class ReadCounts::Table final : public SignalTable {
 public:
  Table(const ReadCounts& counts, std::span<const double> shares, const SignalParameters& parameters)
      : counts_(counts),
        concentration_(parameters[0]),
        error_(parameters[1]),
        of_total_(rising(concentration_)),
        few_total_(concentration_) {
    for (const double share : shares) {
      const double mean = error_ + (1 - 2 * error_) * share, minor = mean * concentration_,
                   major = (1 - mean) * concentration_;
      shares_.push_back({share, mean, minor, major, rising(minor), rising(major)});
      if (counts.few_.empty()) continue;
      few_minor_.emplace_back(share * concentration_);
      few_major_.emplace_back((1 - share) * concentration_);
    }
  }

  double value(std::size_t site, std::size_t share) const override {
    return evaluate<false>(site, share).value;
  }
  SignalCell cell(std::size_t site, std::size_t share) const override { return evaluate<true>(site, share); }

 private:
  /// log of x (x + 1) ... (x + n - 1), with its derivative.
  struct Rising {
    double log = 0, slope = 0;
  };
  /// The terms of one f for each of ReadCounts::numbers_.
  struct OfShare {
    double share = 0, mean = 0, minor = 0, major = 0;  ///< minor, major: mean k and (1 - mean) k
    std::vector<Rising> of_minor, of_major;
  };

  std::vector<Rising> rising(double x) const {
    std::vector<Rising> all;
    all.reserve(counts_.numbers_.size());
    const LogGamma least = log_gamma(x);
    for (const std::uint64_t number : counts_.numbers_) {
      const LogGamma at = number == 0 ? least : log_gamma(x + static_cast<double>(number));
      all.push_back({at.value - least.value, at.slope - least.slope});
    }
    return all;
  }

  template <bool kSlopes>
  SignalCell evaluate(std::size_t site, std::size_t share) const;

  const ReadCounts& counts_;
  double concentration_, error_;
  std::vector<Rising> of_total_;
  std::vector<OfShare> shares_;
  std::vector<RisingPowers> few_minor_, few_major_;  ///< of each share, for sites that go read by read
  RisingPowers few_total_;
};

template <bool kSlopes>
SignalCell ReadCounts::Table::evaluate(std::size_t site, std::size_t share) const {
  const Site& at = counts_.sites_[site];
  const OfShare& of = shares_[share];
  if (at.few) {
    SignalCell cell = counts_.few_[*at.few].mean(of.share, concentration_, few_minor_[share],
                                                 few_major_[share], few_total_);
    cell.value = (1 - kOutlier) * cell.value + at.outlier;
    cell.by_share *= 1 - kOutlier;
    for (double& slope : cell.by_parameters) slope *= 1 - kOutlier;
    return cell;
  }
  const Rising &minor = of.of_minor[at.minor], &major = of.of_major[at.major], &total = of_total_[at.total];
  double term = std::exp(at.log_ways + minor.log + major.log - total.log), sum = term;
  // Slopes of log(term) by the two shapes, and slopes of the sum, without the part of the total.
  double by_minor = minor.slope, by_major = major.slope;
  double sum_by_minor = term * by_minor, sum_by_major = term * by_major;
  if (counts_.threshold_ > 1 && (at.reads.minor == 0 || at.reads.major == 0)) {
    const bool no_minor = at.reads.minor == 0;
    const double hidden = no_minor ? of.minor : of.major, seen = no_minor ? of.major : of.minor;
    double& by_hidden = no_minor ? by_minor : by_major;
    double& by_seen = no_minor ? by_major : by_minor;
    const std::uint64_t reads = at.reads.total(),
                        most = std::min<std::uint64_t>(counts_.threshold_ - std::uint64_t{1}, reads);
    for (std::uint64_t i = 1; i <= most; ++i) {
      const double left = static_cast<double>(reads - i), one_more = static_cast<double>(i);
      term *= (left + 1) * (hidden + one_more - 1) / (one_more * (left + seen));
      sum += term;
      if (!kSlopes) continue;
      by_hidden += 1 / (hidden + one_more - 1);
      by_seen -= 1 / (left + seen);
      sum_by_minor += term * by_minor;
      sum_by_major += term * by_major;
    }
  }
  constexpr double kUsual = 1 - kOutlier;
  SignalCell cell{.value = kUsual * sum + at.outlier};
  if (!kSlopes) return cell;
  const double by_mean = kUsual * concentration_ * (sum_by_minor - sum_by_major);
  cell.by_share = (1 - 2 * error_) * by_mean;
  cell.by_parameters = {kUsual * (of.mean * sum_by_minor + (1 - of.mean) * sum_by_major - sum * total.slope),
                        (1 - 2 * of.share) * by_mean};
  return cell;
}

std::unique_ptr<SignalTable> ReadCounts::table(std::span<const double> shares,
                                               const SignalParameters& parameters) const {
  return std::make_unique<Table>(*this, shares, parameters);
}

}  // namespace fastid::stats
