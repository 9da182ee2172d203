/// \file
/// How probable the heights of a stain's peaks are, by capillary electrophoresis, given what share of its
/// copies are minor alleles: the gamma model of EuroForMix at a site with two alleles and no stutter.
///
/// A peak of an allele with a share s of the copies has a height of the gamma distribution with shape 2 s /
/// v^2 and scale h v^2, which is not seen below the threshold. A peak of an allele that no contributor has is
/// drop-in: with probability c, times the allele's frequency, and an exponential distribution above the
/// threshold. The parameters are h, the height of a copy, and v, its coefficient of variation.
///
/// Source. O. Bleka, G. Storvik, P. Gill, EuroForMix, Forensic Science International: Genetics 21 (2016).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bits/allele_signal.hpp"
#include "stats/internal/signal.hpp"

namespace fastid::stats {

/// P(a, x): the share of a gamma distribution with shape a > 0 and scale 1 that lies below x >= 0.
double gamma_below(double a, double x);

/// Constants of the peak model.
struct PeakRule {
  double threshold = 50;
  double drop_in = .005;  ///< probability, for a site and replicate
  double decay = .01;     ///< rate of drop-in heights: 1 / their mean above the threshold
};

class PeakHeights final : public Signals {
 public:
  /// \param heights  [replicate][site] \param minor_freq  of each site
  PeakHeights(std::vector<SampleSignal> heights, std::vector<double> minor_freq, const PeakRule& rule);

  std::size_t n_sites() const override { return minor_freq_.size(); }
  std::unique_ptr<SignalTable> table(std::span<const double> shares,
                                     const SignalParameters& parameters) const override;
  SignalParameters start() const override { return {height_, .3}; }
  std::array<Limits, 2> limits() const override;

 private:
  class Table;
  double value(std::size_t site, double share, const SignalParameters& parameters) const;

  std::vector<SampleSignal> heights_;
  std::vector<double> minor_freq_;
  PeakRule rule_;
  double height_ = 1;  ///< mean height of one copy
};

}  // namespace fastid::stats
