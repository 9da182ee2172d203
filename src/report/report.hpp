/// \file
/// The table of matches as text, json or a page. Columns, their names and their order are documented in
/// docs/output.md and must not change.
#pragma once

#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "match/match_table.hpp"

namespace fastid::report {

/// Where a page lists the sites that speak against each match.
enum class SitesOnPage { kAnnex, kNone };

/// Options of a report. None of them changes a figure of tsv or json.
struct Options {
  /// log10 of the likelihood ratio above which table and page print "more than" this cap (--report-cap).
  double cap = 9;
  std::string case_name, laboratory, examiner;  ///< plain text, for the head of the page; empty: not given
  SitesOnPage sites = SitesOnPage::kAnnex;
  std::string date;                  ///< of the report, as shown in the page; empty: the day of the search
  bool caveats = true;               ///< whether a table has the lines on how to read it
  bool with_run = false;             ///< json: the facts of this run (command line, engine, times)
  bool header = true;                ///< tsv: a line of names
  std::vector<std::string> columns;  ///< tsv: these alone, in this order; none: all
  TextStyle style;                   ///< of the table
};

/// The table for a terminal: one section for each query, as wide as the terminal where names allow it.
std::string table(const match::MatchTable& matches, const Options& options = {});

/// One header line, then a line for each match; NA where a figure is not computed, or a column belongs to
/// another command.
std::string tsv(const match::MatchTable& matches, const Options& options = {});

/// Tsv with a line for each query: its best two profiles and what the best one suggests.
std::string summary(const match::MatchTable& matches, const Options& options = {});

/// An object on a line for each match: its columns and figures, as they are in json().
std::string json_lines(const match::MatchTable& matches);

/// Queries, matches, ties, evidence, provenance. The same bytes for every device, thread count and tile size,
/// unless Options::with_run adds the facts of the run.
std::string json(const match::MatchTable& matches, const Options& options = {});

/// One self-contained page for screen and paper, which opens with the findings (finding.hpp): queries,
/// matches, histograms, differing sites, how to read them, and provenance, with the facts of the run.
std::string html(const match::MatchTable& matches, const Options& options = {});

}  // namespace fastid::report
