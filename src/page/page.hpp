/// \file
/// The frame of an html report of any kind: one self-contained page for screen and paper. It loads no
/// resources and runs no scripts, and a content security policy in the page forbids both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastid::page {

/// `text` escaped for html, for use inside elements and quoted attributes: markup becomes entities; invalid
/// UTF-8 and control characters become U+FFFD.
std::string escaped(std::string_view text);

/// A name from a file, escaped and isolated, so that its writing direction cannot reorder the page.
std::string name_html(std::string_view name);

/// `text` with its first letter, if it is an ASCII letter, in upper case.
std::string capitalized(std::string_view text);

/// The whole page. \param title  plain text \param body  html \param head  plain text at the top of each
/// printed sheet; the foot of a sheet has the title and the sheet's number
std::string page(std::string_view title, std::string_view body, std::string_view head = "");

/// A list of facts: terms with html beside them.
std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts);

/// A table. On a narrow page each row becomes a block, and each cell a line with the name of its column.
struct HtmlTable {
  /// A dividing line across the table, with a text.
  struct Rule {
    std::size_t before = 0;  ///< index of the row below the line
    std::string text;        ///< html
  };

  std::string caption;            ///< plain text, for readers who cannot see the table
  std::vector<std::string> head;  ///< plain text, one for each column
  std::vector<bool> left;  ///< one for each column: true where its cells are text, which is left-aligned
  std::vector<std::vector<std::string>> rows;  ///< html
  std::vector<std::string> kinds;              ///< a class for each row, or empty for no classes
  std::optional<Rule> rule;
};
std::string table_html(const HtmlTable& table);

}  // namespace fastid::page
