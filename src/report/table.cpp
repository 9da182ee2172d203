// For a person: one section a query, names left, numbers right, each column as wide as its widest cell.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/columns.hpp"
#include "report/report.hpp"
#include "report/statements.hpp"

namespace fastid::report {
namespace {

using Line = std::vector<std::string>;

constexpr std::size_t kIndent = 2;

/// Facts one after the other, parted by semicolons.
std::string joined(const std::vector<std::string>& facts) {
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : "; ") + fact;
  return text;
}

std::string section(const MatchTable& matches, const QueryMatches& query) {
  std::string text = fmt::format("{} {}: {} of {} sites called, {} with a minor allele\n",
                                 asked(matches.comparison), query.name, with_commas(query.called_sites),
                                 with_commas(matches.provenance.n_sites), with_commas(query.minor_alleles));
  if (const auto facts = query_facts(matches, query); !facts.empty())
    text += wrapped("", joined(facts), kIndent);
  if (const auto warning = saturation_warning(query); !warning.empty()) text += wrapped("", warning, kIndent);
  if (query.rows.empty()) return text + fmt::format("  no {} passes\n", stored(matches.comparison));
  const std::vector<Column> shown = columns_of_section(matches.comparison);
  std::vector<Line> lines(1);
  std::vector<bool> names;
  for (const Column& column : shown) {
    lines[0].push_back(column.heading);
    names.push_back(is_name(column));
  }
  for (const MatchRow& row : query.rows) {
    Line line;
    for (const Column& column : shown) line.push_back(text_of(column.cell(query, row), Digits::kFew));
    lines.push_back(std::move(line));
  }
  text += aligned(lines, names, "  ");
  if (query.ties_cut > 0)
    text += fmt::format("  {} more tie with the last one listed\n", with_commas(query.ties_cut));
  return text;
}

}  // namespace

std::string table(const MatchTable& matches) {
  std::string text;
  for (const QueryMatches& query : matches.queries) {
    if (!text.empty()) text += '\n';
    text += section(matches, query);
  }
  if (!text.empty()) text += '\n';
  for (const Statement& statement : statements(matches))
    text += wrapped("", statement.title + ": " + statement.text, kIndent);
  return text;
}

std::string tsv(const MatchTable& matches) {
  const std::vector<Column>& all = columns(matches.comparison);
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
