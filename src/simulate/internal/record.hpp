/// \file
/// What the log of a simulated database says of how it was made.
#pragma once

#include "db/database.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// The record of Writer::finish(): the command, and the panel's file.
db::LogRecord simulation_record(const SimulateOptions& options);

}  // namespace fastid::simulate
