// The table for a terminal: one section for each query, with names left-aligned, numbers right-aligned, and
// each column as wide as its widest cell.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/columns.hpp"
#include "report/page/statements.hpp"
#include "report/report.hpp"

namespace fastid::report {
namespace {

using Line = std::vector<std::string>;

constexpr std::size_t kIndent = 2;

/// Facts one after the other, separated by semicolons.
std::string joined(const std::vector<std::string>& facts) {
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : "; ") + fact;
  return text;
}

/// "relative? 1st" \param degree  whether there is room for it
std::string perhaps_relative(const match::MatchRow& row, bool degree) {
  std::string text = "relative?";
  if (degree && row.suggests == "first-degree") text += " 1st";
  if (degree && row.suggests == "second-degree") text += " 2nd";
  return text;
}

/// A word on what a match means, coloured where the reader should look closer, as at a possible relative.
std::string verdict(const std::string& word, bool color) {
  static constexpr std::string_view kPlain[] = {"", "NA", "unrelated", "inconclusive", "undecided"};
  if (!color || std::ranges::find(kPlain, word) != std::end(kPlain)) return word;
  return colored(word == "same" || word == "contributor" ? Color::kGreen : Color::kYellow, word, true);
}

/// The space that a table has. To fit its columns, the gap is made narrower first, then the degree of
/// relatives is left out, and then the columns of X, Y and M.
struct Room {
  const char* gap;
  bool degree, beside = true;
};

std::string ranking(const match::MatchTable& matches, const match::QueryMatches& query,
                    const Options& options, const Room& room) {
  std::vector<Column> shown = columns_of_section(matches, &Column::heading);
  if (!room.beside) std::erase_if(shown, [](const Column& column) { return column.beside != nullptr; });
  const bool remarks = std::ranges::find(shown, "suggests", &Column::name) == shown.end() &&
                       std::ranges::any_of(query.rows, &match::MatchRow::relative);
  std::vector<Line> lines(1);
  std::vector<bool> words;
  for (const Column& column : shown) {
    lines[0].push_back(column.heading);
    words.push_back(column.text);
  }
  if (remarks) words.push_back(true);
  for (const match::MatchRow& row : query.rows) {
    Line line;
    for (const Column& column : shown) {
      const bool relative = column.name == "suggests" && row.relative;
      const bool verdicts = column.name == "suggests" || column.name == "relation";
      const std::string text =
          relative ? perhaps_relative(row, room.degree) : short_text_of(column.of(query, row), options.cap);
      line.push_back(verdicts ? verdict(text, options.style.color) : text);
    }
    if (remarks)
      line.push_back(row.relative ? verdict(perhaps_relative(row, false), options.style.color) : "");
    lines.push_back(std::move(line));
  }
  return aligned(lines, words, room.gap);
}

bool fits(const std::string& text, std::size_t columns) {
  return std::ranges::all_of(split(text, '\n'),
                             [columns](std::string_view line) { return display_width(line) <= columns; });
}

std::string ranking(const match::MatchTable& matches, const match::QueryMatches& query,
                    const Options& options) {
  std::string text;
  for (const Room& room : {Room{"  ", true}, Room{" ", true}, Room{" ", false}, Room{"  ", true, false},
                           Room{" ", true, false}, Room{" ", false, false}}) {
    text = ranking(matches, query, options, room);
    if (fits(text, options.style.columns)) break;
  }
  return text;
}

std::string headline(const match::MatchTable& matches, const match::QueryMatches& query) {
  if (query.by_likelihoods)
    return fmt::format("{} {}: weighed by the likelihoods of its genotypes at {} of {} sites\n",
                       match::asked(matches.comparison), query.name, with_commas(query.called_sites),
                       with_commas(matches.provenance.counted_sites()));
  const std::string called = fmt::format("{} of {} sites called", with_commas(query.called_sites),
                                         with_commas(matches.provenance.counted_sites()));
  if (matches.family) return fmt::format("missing {}: {} in a relative\n", query.name, called);
  return fmt::format("{} {}: {}, {} with a minor allele\n", match::asked(matches.comparison), query.name,
                     called, with_commas(query.minor_alleles));
}

std::string section(const match::MatchTable& matches, const match::QueryMatches& query,
                    const Options& options) {
  std::string text = headline(matches, query);
  if (const auto facts = query_facts(matches, query); !facts.empty())
    text += wrapped("", joined(facts), kIndent, options.style.columns);
  if (const auto warning = saturation_warning(query); !warning.empty())
    text += wrapped("", warning, kIndent, options.style.columns);
  for (const std::string& warning : match::query_warnings(matches, query))
    text += wrapped("", warning, kIndent, options.style.columns);
  std::string members;
  for (const match::MatchRow& row : query.rows)
    if (match::fits_other_role(row))
      members += wrapped("", other_role_line(row), kIndent, options.style.columns);
  for (const match::MatchRow& row : query.typed_members)
    members += wrapped("", member_line(row), kIndent, options.style.columns);
  if (query.rows.empty()) return text + fmt::format("  no {} passes\n", match::stored(matches)) + members;
  text += ranking(matches, query, options) + members;
  if (query.ties_cut > 0)
    text += fmt::format("  {} more tie with the last one listed\n", with_commas(query.ties_cut));
  return text;
}

}  // namespace

std::string table(const match::MatchTable& matches, const Options& options) {
  std::string text;
  for (const match::QueryMatches& query : matches.queries) {
    if (!text.empty()) text += '\n';
    text += section(matches, query, options);
  }
  if (options.caveats) text += (text.empty() ? "" : "\n") + caveats(matches);
  return text;
}

namespace {

Column column_without_value(const std::string& name) {
  return {name, "", "", false, [](const match::QueryMatches&, const match::MatchRow&) { return Cell{}; }};
}

/// The columns that are asked for.
std::vector<Column> columns_for(const match::MatchTable& matches, const Options& options) {
  std::vector<Column> all = columns(matches);
  if (options.columns.empty()) return all;
  std::vector<Column> chosen;
  for (const std::string& name : options.columns) {
    const auto known = std::ranges::find(all, name, &Column::name);
    chosen.push_back(known != all.end() ? *known : column_without_value(name));
  }
  return chosen;
}

std::string tsv_line(const std::vector<std::string>& cells) {
  return fmt::format("{}\n", fmt::join(cells, "\t"));
}

/// What the best row of a query suggests, NA where nothing is said.
std::string verdict_of(const match::QueryMatches& query) {
  if (query.rows.empty()) return "none";
  const match::MatchRow& best = query.rows.front();
  const std::string& said = best.kin ? best.kin->relation : best.suggests;
  return !said.empty() ? said : best.relative ? "relative?" : "NA";
}

}  // namespace

std::string tsv(const match::MatchTable& matches, const Options& options) {
  const std::vector<Column> shown = columns_for(matches, options);
  std::vector<std::string> cells;
  for (const Column& column : shown) cells.push_back(column.name);
  std::string text = options.header ? tsv_line(cells) : "";
  for (const match::QueryMatches& query : matches.queries)
    for (const match::MatchRow* const row : all_rows(query)) {
      for (std::size_t c = 0; c < shown.size(); ++c) cells[c] = text_of(shown[c].of(query, *row));
      text += tsv_line(cells);
    }
  return text;
}

std::string summary(const match::MatchTable& matches, const Options& options) {
  std::string text;
  if (options.header)
    text += tsv_line({match::asked(matches.comparison), "file", "called_sites", "matches", "best",
                      "best_log10_lr", "best_chance_matches", "second", "second_log10_lr", "verdict"});
  const auto ratio = [](const match::MatchRow& row) {
    return row.log10_lr ? text_of(Log10Ratio{*row.log10_lr}) : text_of(Cell{});
  };
  for (const match::QueryMatches& query : matches.queries) {
    const match::MatchRow* const best = query.rows.empty() ? nullptr : query.rows.data();
    const match::MatchRow* const second = query.rows.size() < 2 ? nullptr : query.rows.data() + 1;
    text += tsv_line(
        {query.name, query.file, fmt::format("{}", query.called_sites), fmt::format("{}", query.rows.size()),
         best ? best->profile : "NA", best ? ratio(*best) : "NA",
         best && best->log10_chance_matches ? text_of(Chance{*best->log10_chance_matches}) : "NA",
         second ? second->profile : "NA", second ? ratio(*second) : "NA", verdict_of(query)});
  }
  return text;
}

}  // namespace fastid::report
