/// \file
/// Which two to four sites together go with a trait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "asking/device_options.hpp"
#include "asking/work.hpp"
#include "base/progress.hpp"
#include "engine/epistasis.hpp"
#include "import/import.hpp"
#include "part/part_set.hpp"
#include "questions/epistasis/table.hpp"

namespace fastid::epistasis {

struct EpistasisOptions {
  std::string file;  ///< a database, or genotypes in a file that makes a panel (VCF, BCF, .bed, EIGENSTRAT)
  std::string phenotypes;  ///< a file that says who is a case; "": the .fam beside a .bed
  std::string sites;       ///< a file with the ids of the sites that are combined; "": all
  imports::ImportOptions import;
  std::size_t way = 3;  ///< 2, 3 or 4 sites
  engine::EpistasisScore score = engine::EpistasisScore::kK2;
  /// People who must be called at all sites of a combination; none given: nine tenths of all cases and
  /// controls.
  std::optional<std::uint64_t> min_people;
  std::size_t top = 10;                      ///< how many are listed
  std::uint64_t permutations = 0, seed = 1;  ///< of the trait (permutations.hpp)
  asking::DeviceOptions device;
  ProgressMode progress = ProgressMode::kAuto;
};

/// A question about combinations of sites: read, then asked once.
class EpistasisSearch {
 public:
  /// Reads the genotypes and the phenotypes. \throws InputError, UsageError, Interrupted
  explicit EpistasisSearch(const EpistasisOptions& options);
  ~EpistasisSearch();

  /// Finds the best combinations, this process's share of the work. Those that are listed are counted again
  /// by the definition. \return the best of all; no value where another process has them \throws InputError,
  /// UsageError, DeviceError, Interrupted
  std::optional<EpistasisTable> find_share(asking::Work& work) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::epistasis
