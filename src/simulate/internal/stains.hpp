/// \file
/// Simulated stains: mixtures with given shares or drop-outs, as files that `fastid mixture` reads, and the
/// truth about who left them.
#pragma once

#include <string>
#include <vector>

#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// \throws UsageError where such stains cannot be made from this database.
void check_stains(const SimulateOptions& options);

/// The stain files that a run writes, and the stain files of an earlier run that it removes.
std::vector<std::string> stain_files(const SimulateOptions& options);

/// Writes the stains and stains.tsv. \throws Failure.
void write_stains(const SimulateOptions& options, const Panel& panel, const People& people);

}  // namespace fastid::simulate
