/// \file
/// A laboratory's validation as a page, as json and in a few lines: what was asked of fastid, what it
/// answered, and whether the answers met the criteria. The module `validate` fills it in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastid::report {

enum class Outcome { kPassed, kFailed, kNotRun };

/// "passed", "failed", "not run".
std::string_view name_of(Outcome outcome);

/// One criterion of a test.
struct Check {
  std::string what;    ///< "mean log10 LR of the true person, 94 sites"
  std::string wanted;  ///< "36.1 to 37.4"
  std::string found;
  bool met = false;
};

/// Figures of a test, as plain text.
struct Table {
  std::string caption;
  std::vector<std::string> head;
  std::vector<bool> left;  ///< whether a column is text
  std::vector<std::vector<std::string>> rows;
};

/// One test: the requirement, the method, and the results.
struct Result {
  std::string id;           ///< "sensitivity"
  std::string title;        ///< "Sensitivity"
  std::string requirement;  ///< what must hold
  std::string method;       ///< what was done
  Outcome outcome = Outcome::kNotRun;
  std::vector<Check> checks;
  std::vector<Table> tables;
  std::string note;  ///< why it was not run, or the error that ended it
  double seconds = 0, processor_seconds = 0;

  void check(std::string what, std::string wanted, std::string found, bool met) {
    checks.push_back({std::move(what), std::move(wanted), std::move(found), met});
  }
  std::size_t failed_checks() const;
};

/// What was used, so that the validation can be repeated.
struct Material {
  std::string name;      ///< "database of the sensitivity test"
  std::string content;   ///< "20,000 profiles, 1,024 sites"
  std::string checksum;  ///< SHA-256 of its content
};

/// A published recommendation, in our words, and what answers it.
struct Recommendation {
  std::string_view source, item;
  std::string_view tests;    ///< ids, separated by blanks; "": none
  std::string_view besides;  ///< what answers it besides tests, or is left to the laboratory
};

struct Validation {
  bool quick = false;
  std::uint64_t seed = 1;
  std::string command, started_utc, ended_utc;
  double seconds = 0, processor_seconds = 0;
  std::vector<std::pair<std::string, std::string>>
      program;  ///< version, revision, its own SHA-256, system ...
  std::vector<Material> materials;
  std::vector<Result> results;
  std::vector<Recommendation> recommendations;

  /// Whether every test that was run has passed, and at least one was run.
  bool passed() const;
};

std::string html(const fastid::report::Validation& validation);
std::string json(const fastid::report::Validation& validation);
/// A line for each test and each check that was not met, within 80 columns.
std::string text(const fastid::report::Validation& validation);

}  // namespace fastid::report
