/// \file
/// The frame of an html report: one self-contained page for screen and paper, whatever it is about. Nothing
/// in it is fetched and nothing runs: a content security policy in the page forbids both.
#pragma once

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

/// The whole page. \param title  plain text \param body  html
std::string page(std::string_view title, std::string_view body);

/// A list of facts: a term, and what it is (html) beside it.
std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts);

/// A table in a frame of its own that scrolls where the page is too narrow, by keyboard too.
///
/// \param caption  plain text: read to who cannot see the table
/// \param head     plain text, one for each column
/// \param left     one for each column: true where its cells are text, false for figures
/// \param rows     html
struct HtmlTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<bool> left;
  std::vector<std::vector<std::string>> rows;
};
std::string table_html(const HtmlTable& table);

}  // namespace fastid::report
