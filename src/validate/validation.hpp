/// \file
/// A laboratory's validation of this installation: what was asked of it, what it answered, and whether that
/// meets what was written down beforehand.
///
/// Most tests simulate people, so that the right answer is known, and ask about them as a laboratory does:
/// genotypes in files, a database, an engine, the printed figure. Expected results are computed apart from
/// the code under test (by hand, or from frequencies by formulas of internal/theory.hpp), or follow from the
/// definition of a likelihood ratio. A correct program exceeds a bound once in a million runs, and never with
/// the default seed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "asking/engines.hpp"
#include "base/progress.hpp"
#include "engine/engine.hpp"
#include "questions/search/run.hpp"
#include "report/validation.hpp"
#include "stats/population_model.hpp"

namespace fastid::validate {

/// What is validated. The defaults are fastid's own parts; the tests of the validation itself put something
/// wrong in their place, which must make it fail.
struct Subject {
  std::function<std::unique_ptr<engine::Engine>(const std::string& device, const engine::EngineOptions&)>
      make_engine = asking::make_engine;
  /// The frequencies and theta that every figure is computed from.
  std::function<stats::PopulationModel(const std::vector<double>& minor_freq, const stats::Parameters&)>
      model = [](const std::vector<double>& minor_freq, const stats::Parameters& parameters) {
        return stats::PopulationModel("simulated", minor_freq, parameters);
      };
  /// Answers the searches of the test of X, Y and M.
  std::function<match::MatchTable(const asking::SearchOptions&, engine::Engine&)> search =
      [](const asking::SearchOptions& options, engine::Engine& engine) {
        return search::search(options, engine);
      };
};

struct Options {
  bool quick = false;             ///< a minute instead of the better part of an hour
  std::uint64_t seed = 1;         ///< of the simulated people
  std::string panel;              ///< a panel (TSV) to validate with; "": 1,024 simulated autosomal sites
  std::string population;         ///< of the panel; "": its first
  std::string database;           ///< the laboratory's own; "": none
  std::string truth;              ///< known samples of it (internal/own.cpp); "": none
  std::vector<std::string> only;  ///< tests by id; none: all
  std::size_t threads = 0;        ///< 0: as many as the process may use
  std::string scratch;            ///< folder for simulated databases; "": $TMPDIR, else /tmp
  ProgressMode progress = ProgressMode::kAuto;
  std::string command;  ///< the command line, for the report
};

/// Runs the tests, one after the other. An error ends a test, which has then failed; what it found until then
/// is kept.
/// \throws InputError (the panel, the database or the known samples cannot be read), UsageError (no such
/// test), Failure (no folder for simulated databases), Interrupted
report::Validation validate(const Options& options, const Subject& subject = {});

/// The ids of all tests, in the order in which they are run.
std::vector<std::string> test_ids();

}  // namespace fastid::validate
