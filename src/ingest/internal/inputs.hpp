/// \file
/// Reads many input files onto a panel in parallel, with results in input order: for db build and db append.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "base/thread_pool.hpp"
#include "import/import.hpp"

namespace fastid::ingest {

/// Reads every input with the threads of `pool` and passes the people of each to `take`, one input at a time
/// and in the order of the inputs. Warnings, the line of counts of each input and the lines of options.report
/// come in that order too. As many inputs are in memory as there are threads. `done(n)` is called as inputs
/// are read, for progress; it may be null. \throws what reading or `take` throws: of several failures, the
/// first input's.
void read_inputs(std::span<const std::string> inputs, const Panel& panel,
                 const imports::ImportOptions& options, ThreadPool& pool,
                 const std::function<void(std::size_t input, imports::ImportedProfiles profiles)>& take,
                 const std::function<void(std::uint64_t)>& done);

/// \throws InputError where the options ask for the alleles seen and the file does not state them: its header
/// says so, or, by the panel's frequencies, some people must have two minor copies and nobody does
void check_encoding(const imports::ImportedProfiles& profiles, const Panel& panel,
                    const imports::ImportOptions& options);

/// Prints the warnings and the line of counts of one input.
void announce(imports::ImportedProfiles& profiles, const Panel& panel, const imports::ImportOptions& options);

}  // namespace fastid::ingest
