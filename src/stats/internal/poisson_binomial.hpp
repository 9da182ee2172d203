/// \file
/// The distribution of a count of independent events, each with its own probabilities: mismatches with an
/// unrelated person, or alleles excluded from a mixture. An event counts 1 if it happens; where alleles are
/// counted, it may also count 2. It is exact at any depth of the tail.
///
/// A tail of 1e-300 or 1e-3000 cannot be summed directly in doubles. So the distribution is tilted first: the
/// probability of a count c of an event becomes P(c) x^c / f(x), f(x) = P(0) + P(1) x + P(2) x^2, with x such
/// that the mean is the count asked for. The tilted distribution has its bulk there and fits doubles;
/// P(count = i) is the tilted probability times the product of all f(x), divided by x^i. The
/// tilted distribution is computed by convolving halves, which only adds and multiplies positive numbers, so
/// nothing cancels: 1e-9 relative everywhere (tested against 400-digit arithmetic), in milliseconds for
/// 10,000 events and some tens for 100,000.
///
/// Sources. S. X. Chen, J. S. Liu, Statistica Sinica 7 (1997) for the distribution; the tilt is Esscher's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "stats/internal/cumulants.hpp"
#include "stats/internal/event.hpp"

namespace fastid::stats {

/// The event with the probability of each count c multiplied by tilt^c.
Event tilted(const Event& event, double tilt);

/// log10 of the probability that none of the events happens.
double log10_none(std::span<const Event> events);

/// Not safe for use by several threads at once, since it caches what it has computed.
class PoissonBinomial {
 public:
  /// \param events  any number of them, or none; the probabilities of each lie in [0, 1] and add up to 1
  explicit PoissonBinomial(std::vector<Event> events);

  /// The highest count: the number of events, where none may count twice.
  std::uint32_t n() const { return n_; }
  double mean() const { return mean_; }
  /// log10 P(count = 0).
  double log10_none() const { return log10_none_; }
  double sd() const { return sd_; }

  /// log10 P(count = k); -infinity where it is impossible (k > n(), or events that are certain or
  /// impossible).
  double log10_pmf(std::uint32_t k) const;

  /// log10 P(count <= k); 0 for k >= n(); -infinity only where it is impossible (events of probability 1).
  double log10_cdf(std::uint32_t k) const;

  /// log10_cdf(first) .. log10_cdf(last). All of 0 .. n() for 1,000 events take milliseconds, for 100,000
  /// seconds.
  std::vector<double> log10_cdf(std::uint32_t first, std::uint32_t last) const;

  /// log10 P(count <= k) over the events without those in `left_out`, a subset of them: the same as
  /// log10_cdf(k) of the remaining events, but it takes only microseconds where it is called many times. The
  /// cumulants of all events are kept for each tilt, and the cumulants of the events left out are subtracted
  /// (stats/internal/cumulants.hpp). The relative error is at most 2e-9. No value where this method does not
  /// work (too few events remain, certain events): then see log10_tail().
  std::optional<double> log10_cdf_without(std::uint32_t k, std::span<const Event> left_out) const;

  /// Largest k in [0, n()] with log10 P(count <= k) <= log10_limit; no value where k = 0 is already too
  /// probable.
  std::optional<std::uint32_t> largest_within(double log10_limit) const;

  /// P(count = k) for k = 0 .. n() as plain numbers, for charts: probabilities below 1e-18 may be 0.
  std::vector<double> pmf() const;

 private:
  /// A range of counts, with a relative error of at most 1e-9: entry i is for `first + i` open events.
  struct Pane {
    std::uint32_t first = 0;
    std::vector<double> log10_pmf, log10_cdf;  ///< log10_cdf is not valid where tilted upwards
    bool holds(std::uint32_t count) const { return count >= first && count - first < log10_pmf.size(); }
  };
  /// The logarithms of an open event's P(1) / P(0), P(2) / P(0) and P(0).
  struct Logarithms {
    double yes = 0, twice = 0, no = 0;
  };
  void keep_open();
  static Logarithms logarithms_of(const Event& event);
  /// The event tilted by e^log_tilt, and log f(e^log_tilt).
  struct Tilted {
    Event event;
    double log_norm = 0;
  };
  static Tilted tilt_of(const Logarithms& logs, double log_tilt);
  const std::vector<Logarithms>& logs() const;
  const CumulantSeries* series_at(double log_tilt) const;
  std::optional<double> tail_without(std::uint32_t k, std::span<const Event> left_out) const;
  Pane make_pane(double log_tilt) const;
  double log_tilt_to(double mean) const;
  const Pane& central() const;
  const Pane& pane_of(std::uint32_t count) const;

  std::uint32_t n_ = 0;
  std::size_t n_events_ = 0;
  std::uint32_t certain_ = 0;    ///< least possible count of all events
  std::uint32_t most_open_ = 0;  ///< highest possible count of the open events
  bool twice_ = false;           ///< an open event may count twice
  std::vector<Event> open_;      ///< each event's count above its least one, unless that is certain
  double mean_ = 0, sd_ = 0, log10_none_ = 0;
  mutable std::vector<Logarithms> logs_;  ///< of the open events
  mutable std::vector<Pane> panes_;       ///< the first is the central one, not tilted
  mutable std::vector<CumulantSeries> series_;
  mutable std::map<std::uint32_t, std::optional<double>> of_all_;  ///< log10_cdf_without() of no events
};

/// The same as PoissonBinomial(events).log10_cdf(k), for a single k. The time is linear in the number of
/// events, so it is several times as fast for a hit that has its own set of compared sites.
///
/// P(count <= k) is the coefficient of z^k in prod(no + yes z) / (1 - z). Cauchy's integral computes it from
/// the values on a circle around 0. On the circle through the saddle point (the same tilt as above) all but
/// some 25 of them vanish, and the sum over evenly spaced points converges faster than any power of their
/// number.
double log10_tail(std::span<const Event> events, std::uint32_t k);

}  // namespace fastid::stats
