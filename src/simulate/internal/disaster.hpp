/// \file
/// Writes a simulated disaster: the remains, the families, their samples, and what is true.
#pragma once

#include <vector>

#include "panel/panel.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// \param minor_freqs  [population][site] \throws as simulate_database() does
void write_disaster(const SimulateOptions& options, const Panel& panel,
                    const std::vector<std::vector<double>>& minor_freqs);

}  // namespace fastid::simulate
