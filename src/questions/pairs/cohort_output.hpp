/// \file
/// The options of `fastid pairs` for reports on a cohort, and the files that they ask for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/common.hpp"
#include "questions/pairs/cohort.hpp"
#include "questions/pairs/run.hpp"

namespace fastid::pairs {

struct CohortArguments {
  std::string page;                ///< --cohort; "" in each: not asked for
  std::string expect;              ///< the file of --expect
  std::string groups;              ///< --groups
  std::string unrelated;           ///< --unrelated
  std::optional<unsigned> degree;  ///< --degree
  std::string multiqc;             ///< the folder of --multiqc
  bool fail_if_unexpected = false;

  /// Whether any option is given.
  bool asked() const;
  /// Sets the question's limits by --degree. \throws UsageError where the options do not go together
  void apply(PairsOptions& options) const;
  std::vector<cli::WrittenFile> written() const;
};
void add_cohort(cli::Command app, CohortArguments& arguments);

/// Gathers the pairs of a search, and writes what was asked for.
class CohortOutput {
 public:
  /// Opens the files before the search, so that one that cannot be written is refused early, and reads the
  /// expectation.
  /// \param search  must outlive this object \throws InputError, Failure
  CohortOutput(const CohortArguments& arguments, const PairSearch& search);

  void take(std::span<const match::NamedPair> pairs);

  /// Makes the table, and writes the files; they appear by commit(). \param run  for the page
  void write(const match::RunInfo& run);

  /// Makes the files appear, and prints a summary. \return kNoMatch where the cohort is not as expected and
  /// --fail-if-unexpected is given, else kDone
  ExitCode commit();

 private:
  void write_multiqc() const;

  const CohortArguments& arguments_;
  std::vector<std::string> ids_, second_ids_;
  std::vector<match::ClosePair> pairs_;
  std::unique_ptr<OutputFile> page_, groups_, unrelated_;  ///< null: not asked for
  std::unique_ptr<CohortAnalysis> analysis_;
  CohortTable table_;
};

}  // namespace fastid::pairs
