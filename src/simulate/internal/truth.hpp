/// \file
/// The tables of truth beside a simulated database (simulate.hpp describes their columns).
#pragma once

#include <string>

#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// Writes the tables that the options ask for. \throws Failure, Interrupted.
void write_truth(const SimulateOptions& options, const People& people);

}  // namespace fastid::simulate
