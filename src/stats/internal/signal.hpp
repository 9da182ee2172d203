/// \file
/// What is measured of a stain's alleles (reads, heights of peaks), as P(a site's measurement | f), f being
/// the share of the minor allele among the stain's copies. Each model of it has two parameters, which are
/// fitted to the stain along with the contributors' shares.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "stats/internal/maximum.hpp"

namespace fastid::stats {

using SignalParameters = std::array<double, 2>;

/// P(measurement | f), or its density, with its derivatives.
struct SignalCell {
  double value = 0, by_share = 0;
  SignalParameters by_parameters{};
};

/// The SignalCells of all sites, for some f and parameters.
class SignalTable {
 public:
  virtual ~SignalTable() = default;
  virtual double value(std::size_t site, std::size_t share) const = 0;
  virtual SignalCell cell(std::size_t site, std::size_t share) const = 0;
};

/// The measurements of some sites.
class Signals {
 public:
  virtual ~Signals() = default;
  virtual std::size_t n_sites() const = 0;
  /// \param shares  f, each in [0, 1] \param parameters  each above 0. The table needs this object.
  virtual std::unique_ptr<SignalTable> table(std::span<const double> shares,
                                             const SignalParameters& parameters) const = 0;
  /// Where a fit starts, and between which values it stays.
  virtual SignalParameters start() const = 0;
  virtual std::array<Limits, 2> limits() const = 0;
};

}  // namespace fastid::stats
