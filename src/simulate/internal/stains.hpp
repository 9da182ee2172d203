/// \file
/// Stains: mixtures of a make that is asked for, as files that `fastid mixture` reads, and who left them.
#pragma once

#include <string>
#include <vector>

#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// \throws UsageError where stains of this make cannot be made of this database.
void check_stains(const SimulateOptions& options);

/// The files of stains of `options`, and those of an earlier run with more or other ones, which are removed.
std::vector<std::string> stain_files(const SimulateOptions& options);

/// Writes the stains and stains.tsv. \throws Failure.
void write_stains(const SimulateOptions& options, const Panel& panel, const People& people);

}  // namespace fastid::simulate
