/// \file
/// Numbers that are kept as their log10, since they may be far below the range of a double.
#pragma once

#include <cmath>
#include <span>
#include <string>

namespace fastid::stats {

/// 10^log10_value with `digits` significant digits: 0.0123 is "1.23e-02", and 10^-2500.5 is "3.16e-2501"
/// although no double holds it. -infinity, which stands for an impossible event, gives "0"; a possible event
/// is never rounded to 0. Text below 5e-324 reads as 0 in a double, which should be mentioned where it is
/// printed.
std::string scientific(double log10_value, int digits = 3);

/// log10 of the ratio of two probabilities, from their log10. The ratio is -infinity where the first
/// probability is 0, whatever the second is.
double log10_ratio(double log10_first, double log10_second);

/// log10 of first / second, two probabilities of the same observation. 0 where both are 0: what is impossible
/// under both hypotheses is no evidence.
double log10_quotient(double first, double second);

/// log10 of the mean of numbers given by their log10; -infinity where there are none.
double log10_mean(std::span<const double> log10);

/// The log10 of a product of many factors, each in [0, 1], with one logarithm for many of them.
class LogProduct {
 public:
  void multiply(double factor) {
    if (factor < kSmall) {
      sum_ += std::log10(factor);
      return;
    }
    product_ *= factor;
    if (product_ > kSmall) return;
    sum_ += std::log10(product_);
    product_ = 1;
  }
  /// Multiplies by factor^weight.
  void multiply(double factor, double weight) {
    if (weight == 1)
      multiply(factor);
    else
      sum_ += weight * std::log10(factor);
  }
  double log10() const { return sum_ + std::log10(product_); }

 private:
  /// A product above kSmall, times one more factor, is still far from the range in which doubles lose digits.
  static constexpr double kSmall = 1e-100;
  double sum_ = 0, product_ = 1;
};

/// Decimals with which a log10 likelihood ratio is printed, and to which rows are sorted by it.
inline constexpr int kRatioDecimals = 4;

/// `log10_ratio` as it is printed: rounded to kRatioDecimals; -infinity is kept.
double as_printed(double log10_ratio);

}  // namespace fastid::stats
