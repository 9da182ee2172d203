/// \file
/// What the commands that ask a database a question share: search, mixture and kin. Their options with the
/// same meaning, and the way from these to the printed table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "asking/linked_options.hpp"
#include "asking/options.hpp"
#include "asking/pair_finder.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/sharding.hpp"
#include "cli/stretches_file.hpp"
#include "engine/engine.hpp"
#include "match/match_table.hpp"
#include "report/report.hpp"

namespace fastid::cli {

enum class Format { kTable, kTsv, kJson, kJsonLines, kHtml };

struct Question {
  asking::SearchOptions search;
  Sharding sharding;
  ReadingOptions reading;
  asking::DeviceOptions device;
  Verbosity verbosity;
  std::vector<std::string> files;  ///< the queries, then the database, unless that is in `database`
  std::string database;            ///< --db
  std::string queries_from;        ///< a file that lists files of queries; "": none
  bool family = false;             ///< asks for a family's missing member
  StretchesFile segments;          ///< of commands that weigh relatives
  bool summary = false;
  std::optional<Format> format;  ///< not set: by the suffix of the output, else table on a terminal, else tsv
  std::string output = "-";
  report::Options report;
  bool fail_if_no_match = false;
  Accountability account;
};

/// The files, --top and the option `add_limit` adds after it, and --min-compared.
void add_files_and_rule(Command app, Question& question, const std::string& file,
                        const std::function<void()>& add_limit);

/// --population, --theta and, of people, --error-rate. They open the group of the evidence.
void add_populations(Command app, std::string& population, stats::Parameters& parameters, bool error_rate);

/// --blocks, of commands that weigh a query's matches.
void add_blocks(Command app, std::string& blocks);

/// All that says what is printed, and where.
/// \param columns  what --columns may name; none: what the help of other commands says
void add_output(Command app, Question& question, const std::vector<std::string>& columns);

/// A limit that is not set by default.
Option add_limit(Command app, const std::string& flag, std::optional<double>& value, const std::string& what);

/// --margin, of commands that name relations.
void add_margin(Command app, double& margin);

/// --unlinked, --map, --thin and --relations, of commands that weigh relatives along the genetic map.
void add_linked(Command app, asking::LinkedOptions& options);
/// --unlinked, --map, --thin. \param unlinked  what the first one does
/// \param thins  whether sites may be left out
void add_map(Command app, asking::LinkedOptions& options, const std::string& unlinked, bool thins = true);

/// All that comes after the evidence: on reading, output, device and messages.
/// \param comparison  whose columns --columns names
void add_common_options(Command app, Question& question, engine::Comparison comparison);

/// Asks and prints. Files are checked and outputs opened first, so that what cannot be written is not asked.
/// \param usage      the command's arguments, for a message: "fastid kin QUERY... DB"
/// \param genotypes  files that are read as the queries are, besides these \param others  other files read
/// \param ask        is called when question.search is complete
ExitCode answer(Question& question, const std::string& usage, const std::vector<std::string>& genotypes,
                const std::vector<std::string>& others,
                const std::function<std::optional<match::MatchTable>(asking::PairFinder&)>& ask);

}  // namespace fastid::cli
