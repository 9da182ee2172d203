/// \file
/// Tails of a count of many independent events from the cumulants of their sum, so that events are left out
/// by subtraction.
///
/// K(t) = log E(e^(t count)) is the sum of the events' own K. Its power series about a tilt, to the order
/// kTerms - 1, is all that is kept of the events. P(count <= k) is an integral of e^K(t + i angle) over
/// angles, along the line through the saddle point (K'(t) = k), where it is taken as a sum over evenly spaced
/// angles until the integrand has vanished.
///
/// An event is the sum of two that count 1 at most, of probabilities p and q which may be conjugate complex
/// numbers. Its coefficients follow from the power sums p^k + q^k, so only these power sums are added up over
/// the events.
///
/// The orders left out. An event's K has its singularities where f(e^t) = P(0) + P(1) e^t + P(2) e^2t is 0.
/// The angle of these zeros is at least R = pi / 2 + asin(min(1, r)), r^2 = P(1)^2 / (4 P(0) P(2)), whatever
/// the tilt; so the coefficient of the order m is at most 4 / m R^-m. Where both probabilities are small, w =
/// P(1) (e^pi - 1) + P(2) (e^2pi - 1) <= 1/2, it is at most 2 w pi^-m, too (Cauchy's inequality for log(1 +
/// w)). From the lesser of these follows a bound on the error of each term of the sum, and an answer is only
/// given if their sum is below kSeriesError of it.
///
/// Source. H. E. Daniels, Saddlepoint approximations in statistics, Annals of Mathematical Statistics 25
/// (1954): the line through the saddle point. Here the integral along it is not approximated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "stats/internal/event.hpp"

namespace fastid::stats {

/// Relative error of log10_at_most()'s probabilities. Rounding adds less than that up to 100,000 events.
inline constexpr double kSeriesError = 1e-9;

/// What is known of a sum of events near one tilt.
struct CumulantSeries {
  static constexpr std::size_t kTerms = 12;

  double log_tilt = 0;
  std::array<double, kTerms> coefficients{};  ///< [m]: the m-th derivative of K at log_tilt, by m!
  /// Sum of P(1) (P(0) + P(2)) at this tilt: log |E(e^(i angle count))| <= -(1 - cos(angle)) spread.
  double spread = 0;
  double rest = 0;  ///< a bound on the coefficient of the order kTerms, and times R^-1 for each further one

  double mean() const { return coefficients[1]; }
  double variance() const { return 2 * coefficients[2]; }
  /// Leaves out events that are part of this sum. \param of  with this log_tilt
  void leave_out(const CumulantSeries& of);
};

/// What a PoissonBinomial knows of its events at once.
struct EventTotals {
  double mean = 0, variance = 0;
  double log_none = 0;     ///< natural logarithm of the probability that none happens
  std::uint32_t twos = 0;  ///< how many may count twice
  bool all_open = true;
};

/// In one order of additions, whatever the processor.
EventTotals totals_of(std::span<const Event> events);

/// In one order of additions, whatever the processor. No value where an event's P(0) is so small beside its
/// other probabilities that the logarithm of f would be lost.
/// \param log_tilt  at most 0
std::optional<CumulantSeries> cumulants_of(std::span<const Event> events, double log_tilt);

/// log10 P(count <= k) with a relative error of the probability of at most kSeriesError; no value where the
/// series does not reach so far, or is too short for so few events. \param twice  an event may count twice
std::optional<double> log10_at_most(const CumulantSeries& series, std::uint32_t k, bool twice);

}  // namespace fastid::stats
