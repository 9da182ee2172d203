/// \file
/// Which two or three sites together go with a trait.
#pragma once

#include <cstdint>
#include <string>

#include "base/progress.hpp"
#include "engine/epistasis.hpp"
#include "import/import.hpp"
#include "match/epistasis_table.hpp"

namespace fastid {

struct EpistasisOptions {
  std::string file;  ///< a database, or genotypes in a file that makes a panel (VCF, BCF, .bed, EIGENSTRAT)
  std::string phenotypes;  ///< a file that says who is a case; "": the .fam beside a .bed
  ImportOptions import;
  std::size_t way = 3;  ///< 2 or 3 sites
  EpistasisScore score = EpistasisScore::kK2;
  std::size_t top = 10;  ///< how many are listed
  std::string device = "cpu";
  std::size_t threads = 0;  ///< 0: as many as the process may use
  ProgressMode progress = ProgressMode::kAuto;
};

/// The best combinations of all. Those that are listed are counted again by the definition.
/// \throws InputError, UsageError, DeviceError, Interrupted
EpistasisTable run_epistasis(const EpistasisOptions& options);

}  // namespace fastid
