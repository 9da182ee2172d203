/// \file
/// Simulated databases of any size, and query files whose right answers are known.
///
/// A person is two alleles at each site, each the minor one with the probability q of the panel
/// (Hardy-Weinberg proportions: P(bit 1) = 1 - (1 - q)^2). What a database or a case holds of the person is
/// an observation: each allele is misread with the error rate, and a site is not called with the no-call
/// rate. Everything follows from the seed: each block of 32 people has random streams of its own, so the
/// number of threads changes nothing, and the people of a case are made anew from the seed instead of being
/// read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/progress.hpp"

namespace fastid {

struct SimulateOptions {
  std::string output;          ///< the database
  std::uint64_t profiles = 0;  ///< at least 1
  std::uint32_t sites = 1024;  ///< of the simulated panel; not used with panel_path
  std::string panel_path;      ///< a panel as TSV; empty: a simulated one (simulate_panel)
  std::string population;      ///< whose frequencies; empty: the panel's first
  std::uint64_t seed = 1;
  double no_call_rate = 0;  ///< of the database, in [0, 1)
  double error_rate = 0;    ///< of the database, per allele, in [0, 1)
  std::uint32_t cases = 0;  ///< query files of each kind; at least kLargestMixture profiles are then needed
  std::string cases_dir;    ///< made where it does not exist
  double case_no_call_rate = 0.02;
  double case_error_rate = 0.005;  ///< of identity and absent cases
  std::size_t threads = 0;         ///< 0: as many as the process may use
  ProgressMode progress = ProgressMode::kNever;
  std::string command;  ///< the command line, for the log
};

inline constexpr std::uint32_t kLargestMixture = 5;  ///< people in a mixture: 2 to 5

/// Writes the database, then, where cases are asked for, in cases_dir for i = 1 .. cases:
///
///   identity-0001.snp   someone in the database, observed again with errors and no-calls
///   absent-0001.snp     someone who is not in it
///   mixture-0001.snp    all alleles of 2 to 5 people of the database, with no-calls
///   truth.tsv           file, kind, contributors (profile ids) and rows of each, separated by commas; "-"
///   for none
///
/// Profile ids are P000000001 and on. Memory does not grow with `profiles`.
/// \throws UsageError (options that make no sense), InputError (the panel), Failure (disk), Interrupted.
void simulate_database(const SimulateOptions& options);

}  // namespace fastid
