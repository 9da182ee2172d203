/// \file
/// The tables of truth beside a simulated database (simulate.hpp describes their columns).
#pragma once

#include <string>

#include "panel/panel.hpp"
#include "simulate/internal/trait.hpp"
#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// Removes the tables of an earlier run beside a database, since they are not true for a new one.
void remove_tables(const std::string& output);

/// Writes the tables that the options ask for. \throws Failure, Interrupted.
void write_truth(const SimulateOptions& options, const People& people);

/// Writes who is a case. \throws Failure, Interrupted.
void write_phenotypes(const SimulateOptions& options, const Panel& panel, const People& people,
                      const Trait& trait);

}  // namespace fastid::simulate
