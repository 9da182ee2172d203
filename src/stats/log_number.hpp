/// \file
/// Numbers that are kept as their log10, since they may be far below what a double holds.
#pragma once

#include <string>

namespace fastid::stats {

/// 10^log10_value with `digits` significant digits: 0.0123 is "1.23e-02", and 10^-2500.5 is
/// "3.16e-2501" although no double holds it. "0" for -infinity, the mark of what is impossible. Never
/// rounds a possible event to 0. Read as a double, text below 5e-324 is 0: say so where it is printed.
std::string scientific(double log10_value, int digits = 3);

/// log10 of the ratio of two probabilities, from theirs. What is impossible under the first hypothesis stays
/// so whatever the second says.
double log10_ratio(double log10_first, double log10_second);

/// Decimals that a log10 likelihood ratio is printed with, and rows are put in order by.
inline constexpr int kRatioDecimals = 4;

/// `log10_ratio` as it is printed: rounded to so many decimals; -infinity stays.
double as_printed(double log10_ratio);

}  // namespace fastid::stats
