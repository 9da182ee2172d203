/// \file
/// A cohort's table (questions/pairs/cohort_table.hpp) as a page, as tables for programs, as content for
/// MultiQC, and in a few lines for a terminal. docs/commands/pairs-cohort.md documents them.
#pragma once

#include <string>
#include <vector>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

/// One self-contained page for screen and paper. \param run  the run's command line, engine and times
std::string cohort_html(const CohortTable& cohort, const match::RunInfo& run);

/// A line for each member of a group: group database profile row person members persons closest.
std::string groups_tsv(const CohortTable& cohort);

/// The ids of the largest set without relatives, one a line. \param cohort  has such a set
std::string unrelated_list(const CohortTable& cohort);

/// What was found, expected and exchanged: a line of plain text for each finding.
std::vector<std::string> cohort_summary(const CohortTable& cohort);

/// A file that MultiQC recognises by its name as custom content.
struct MultiqcFile {
  std::string name;  ///< "fastid_cohort_mqc.tsv"
  std::string text;  ///< empty: there is nothing to show
};
/// All files that a cohort can have.
std::vector<MultiqcFile> multiqc_files(const CohortTable& cohort);

}  // namespace fastid::pairs
