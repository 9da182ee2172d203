/// \file
/// Identification of remains as missing members of families: from options to a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "asking/work.hpp"
#include "base/progress.hpp"
#include "db/row_choice.hpp"
#include "import/import.hpp"
#include "questions/dvi/event/table.hpp"
#include "stats/population_model.hpp"

namespace fastid::dvi {

struct VictimsOptions {
  std::string families;            ///< a PED file
  std::vector<std::string> typed;  ///< files of the families' samples
  std::string typed_in;            ///< a database of the families' samples; "": none
  std::string remains;             ///< the database
  std::string looked_for;          ///< a file that lists the missing members; "": the PED file marks them
  std::string priors;              ///< a file of factors of other evidence; "": none
  std::string blocks;              ///< "": none
  std::string population;          ///< names of populations, or "": all
  stats::Parameters parameters;
  fastid::dvi::Rules rules;
  bool power = false;
  db::RowRule rows;
  imports::ImportOptions import;
  std::size_t threads = 0;  ///< 0: as many as the process may use
  ProgressMode progress = ProgressMode::kNever;
};

/// \return no value where another process, or a merge, has the result \throws InputError, UsageError,
/// Interrupted
std::optional<fastid::dvi::Table> find_victims(const VictimsOptions& options, asking::Work& work);

}  // namespace fastid::dvi
