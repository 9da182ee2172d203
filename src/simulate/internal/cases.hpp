/// \file
/// Query files with known answers.
#pragma once

#include "simulate/internal/sample.hpp"
#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// Makes the folder that write_cases() writes to. It is made before the database, so that an error shows
/// early. \throws Failure.
void make_cases_folder(const SimulateOptions& options);

/// Writes the cases of `options` and truth.tsv. \throws Failure.
void write_cases(const SimulateOptions& options, const Panel& panel, const People& people);

}  // namespace fastid::simulate
