/// \file
/// Random numbers of continuous distributions.
#pragma once

#include "simulate/random.hpp"

namespace fastid::simulate {

/// The logarithm of a gamma variate of this shape, above 0, and scale 1.
double log_gamma_variate(double shape, Stream& stream);

/// A beta variate; both parameters are above 0.
double beta_variate(double a, double b, Stream& stream);

}  // namespace fastid::simulate
