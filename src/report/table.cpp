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

constexpr std::size_t kIndent = 2, kColumns = 80;

/// Facts one after the other, separated by semicolons.
std::string joined(const std::vector<std::string>& facts) {
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : "; ") + fact;
  return text;
}

/// "relative? 1st" \param degree  whether there is room for it
std::string perhaps_relative(const MatchRow& row, bool degree) {
  std::string text = "relative?";
  if (degree && row.suggests == "first-degree") text += " 1st";
  if (degree && row.suggests == "second-degree") text += " 2nd";
  return text;
}

/// The space that a table has. To fit 80 columns, the gap is made narrower first, and then the degree of
/// relatives is left out.
struct Room {
  const char* gap;
  bool degree;
};

std::string ranking(const MatchTable& matches, const QueryMatches& query, const Options& options,
                    const Room& room) {
  const std::vector<Column> shown = columns_of_section(matches, &Column::heading);
  // Identity has a column for what a row suggests.
  const bool remarks =
      matches.comparison != Comparison::kIdentity && std::ranges::any_of(query.rows, &MatchRow::relative);
  std::vector<Line> lines(1);
  std::vector<bool> words;
  for (const Column& column : shown) {
    lines[0].push_back(column.heading);
    words.push_back(column.text);
  }
  if (remarks) words.push_back(true);
  for (const MatchRow& row : query.rows) {
    Line line;
    for (const Column& column : shown)
      line.push_back(column.name == "suggests" && row.relative
                         ? perhaps_relative(row, room.degree)
                         : short_text_of(column.cell(query, row), options.cap));
    if (remarks) line.push_back(row.relative ? perhaps_relative(row, false) : "");
    lines.push_back(std::move(line));
  }
  return aligned(lines, words, room.gap);
}

bool fits(const std::string& text) {
  return std::ranges::all_of(split(text, '\n'),
                             [](std::string_view line) { return line.size() <= kColumns; });
}

std::string ranking(const MatchTable& matches, const QueryMatches& query, const Options& options) {
  std::string text;
  for (const Room& room : {Room{"  ", true}, Room{" ", true}, Room{" ", false}}) {
    text = ranking(matches, query, options, room);
    if (fits(text)) break;
  }
  return text;
}

std::string section(const MatchTable& matches, const QueryMatches& query, const Options& options) {
  std::string text = fmt::format("{} {}: {} of {} sites called, {} with a minor allele\n",
                                 asked(matches.comparison), query.name, with_commas(query.called_sites),
                                 with_commas(matches.provenance.n_sites), with_commas(query.minor_alleles));
  if (const auto facts = query_facts(matches, query); !facts.empty())
    text += wrapped("", joined(facts), kIndent);
  if (const auto warning = saturation_warning(query); !warning.empty()) text += wrapped("", warning, kIndent);
  if (query.rows.empty()) return text + fmt::format("  no {} passes\n", stored(matches.comparison));
  text += ranking(matches, query, options);
  if (query.ties_cut > 0)
    text += fmt::format("  {} more tie with the last one listed\n", with_commas(query.ties_cut));
  return text;
}

}  // namespace

std::string table(const MatchTable& matches, const Options& options) {
  std::string text;
  for (const QueryMatches& query : matches.queries) {
    if (!text.empty()) text += '\n';
    text += section(matches, query, options);
  }
  if (options.caveats) text += (text.empty() ? "" : "\n") + caveats(matches);
  return text;
}

std::string tsv(const MatchTable& matches) {
  const std::vector<Column> all = columns(matches);
  std::string text;
  for (const Column& column : all) text += (text.empty() ? "" : "\t") + column.name;
  text += '\n';
  for (const QueryMatches& query : matches.queries)
    for (const MatchRow& row : query.rows) {
      for (std::size_t c = 0; c < all.size(); ++c)
        text += (c > 0 ? "\t" : "") + text_of(all[c].cell(query, row));
      text += '\n';
    }
  return text;
}

}  // namespace fastid::report
