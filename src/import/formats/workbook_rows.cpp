#include "import/formats/workbook_rows.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::imports {
namespace {

// Excel's own limits.
constexpr std::uint32_t kMostRows = 1u << 20, kMostColumns = 1u << 14;
constexpr std::size_t kLongestCell = std::size_t{4} * 32'767;  ///< characters of up to four bytes

}  // namespace

void SheetRows::refuse(std::string_view problem) const {
  const std::string place = row_.cells.empty()
                                ? fmt::format("row {}", row_.number)
                                : fmt::format("cell {}", cell_name(row_.cells.back().column, row_.number));
  throw InputError(file_, fmt::format("sheet '{}', {}", printable(sheet_), place), problem,
                   "export the report again, or save it again as .xlsx");
}

void SheetRows::start(std::string_view name, const XmlAttributes& attributes) {
  if (name == "row") return start_row(attribute(attributes, "r"));
  if (name == "c" && within_row_) return start_cell(attributes);
  if (name == "rPh") within_phonetic_ = true;
  if (!within_cell_) return;
  if (name == "f") row_.cells.back().formula = true;
  within_value_ = name == "v" || (name == "t" && !within_phonetic_);
}

void SheetRows::start_row(std::string_view number) {
  const auto given = number.empty() ? row_.number + 1 : parse_number<std::uint32_t>(number);
  row_.cells.clear();
  if (within_row_ || !given || *given <= row_.number || *given > kMostRows)
    refuse("is followed by a row that is not numbered as the next one");
  row_.number = *given;
  within_row_ = true;
}

void SheetRows::start_cell(const XmlAttributes& attributes) {
  if (within_cell_) refuse("holds another cell");
  const std::string_view reference = attribute(attributes, "r"), type = attribute(attributes, "t");
  const std::uint32_t next = row_.cells.empty() ? 0 : row_.cells.back().column + 1;
  const std::uint32_t column = reference.empty() ? next : column_of(reference);
  if (column < next || column >= kMostColumns) refuse("is followed by a cell that is not to its right");
  row_.cells.push_back({.column = column});
  shared_ = type == "s";
  within_cell_ = true;
}

/// The column of "B7" is 1. \throws InputError where it is no cell of the current row
std::uint32_t SheetRows::column_of(std::string_view reference) const {
  std::uint32_t column = 0;
  std::size_t letters = 0;
  while (letters < reference.size() && reference[letters] >= 'A' && reference[letters] <= 'Z' && letters < 3)
    column = column * 26 + static_cast<std::uint32_t>(reference[letters++] - 'A' + 1);
  if (letters == 0 || parse_number<std::uint32_t>(reference.substr(letters)) != row_.number)
    refuse(fmt::format("is followed by a cell that calls itself '{}'", printable(reference)));
  return column - 1;
}

void SheetRows::text(std::string_view part) {
  if (!within_value_) return;
  std::string& text = row_.cells.back().own;
  if (text.size() + part.size() > kLongestCell) refuse("holds more text than a cell can");
  text += part;
}

void SheetRows::finish_cell() {
  SheetCell& cell = row_.cells.back();
  within_cell_ = within_value_ = false;
  if (!shared_ || cell.own.empty()) return;
  const auto number = parse_number<std::size_t>(trim(cell.own));
  if (!number || *number >= texts_.size()) refuse("names a shared text that the workbook does not have");
  cell.shared = &texts_[*number];
}

void SheetRows::end(std::string_view name) {
  if (name == "rPh") within_phonetic_ = false;
  if (name == "v" || name == "t") within_value_ = false;
  if (name == "c" && within_cell_) finish_cell();
  if (name != "row" || !within_row_) return;
  within_row_ = false;
  if (!row_.cells.empty()) take_(row_);
}

}  // namespace fastid::imports
