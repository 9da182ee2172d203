/// \file
/// The frame of an html report: one self-contained page for screen and paper, whatever it is about. Nothing
/// in it is fetched and nothing runs: a content security policy in the page forbids both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastid::report {

/// `text` fit for html, inside elements and quoted attributes: markup as entities; what is no UTF-8, and
/// control characters, as U+FFFD.
std::string escaped(std::string_view text);

/// A name that a file gave, escaped and isolated, so that its direction of writing cannot reorder the page.
std::string name_html(std::string_view name);

/// `text` with its first letter, where that is one of ASCII's, in upper case.
std::string capitalized(std::string_view text);

/// The whole page. \param title  plain text \param body  html \param head  plain text, at the top of each
/// printed sheet, whose foot has the title and the sheet's number
std::string page(std::string_view title, std::string_view body, std::string_view head = "");

/// A list of facts: a term, and what it is (html) beside it.
std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts);

/// A table. Where the page is narrow each row is a block of its own, each cell a line that says its column.
struct HtmlTable {
  /// A line across the table, with what it parts in words.
  struct Rule {
    std::size_t before = 0;  ///< the row below it
    std::string text;        ///< html
  };

  std::string caption;                         ///< plain text: read to who cannot see the table
  std::vector<std::string> head;               ///< plain text, one for each column
  std::vector<bool> left;                      ///< one for each column: true where its cells are text
  std::vector<std::vector<std::string>> rows;  ///< html
  std::vector<std::string> kinds;              ///< a class for each row, or none at all
  std::optional<Rule> rule;
};
std::string table_html(const HtmlTable& table);

}  // namespace fastid::report
