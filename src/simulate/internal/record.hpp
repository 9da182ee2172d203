/// \file
/// The log record of a simulated database.
#pragma once

#include "db/database.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// The record of Writer::finish(): the command, and the panel's file.
db::LogRecord simulation_record(const SimulateOptions& options);

}  // namespace fastid::simulate
