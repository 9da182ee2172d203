/// \file
/// An Excel workbook (.xlsx, Office Open XML): its sheets, row by row, as text.
///
///   zip archive
///     _rels/.rels                   which part is the workbook
///     xl/workbook.xml               names of the sheets, in order
///     xl/_rels/workbook.xml.rels    which part is which sheet
///     xl/sharedStrings.xml          texts that cells name by their number
///     xl/worksheets/sheet1.xml ...  rows of cells
///
/// Rows are streamed; only the shared texts are held in memory, within a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "import/io/source.hpp"
#include "import/io/xml_stream.hpp"
#include "import/io/zip_archive.hpp"

namespace fastid::imports {

struct SheetCell {
  std::uint32_t column = 0;             ///< from 0
  bool formula = false;                 ///< the text is what a program computed, perhaps of other values
  std::string own;                      ///< the cell's text, unless it is a shared one
  const std::string* shared = nullptr;  ///< one of the workbook's shared texts

  /// Without blanks around it; a number as it stands in the file.
  std::string_view text() const;
};

struct SheetRow {
  std::uint32_t number = 0;      ///< from 1, as a spreadsheet shows it
  std::vector<SheetCell> cells;  ///< by column, without cells that the file leaves out

  /// The cell of a column; null where the row has none, or one without text.
  const SheetCell* cell(std::uint32_t column) const;
  /// The text of a cell; "" where there is none.
  std::string_view text(std::uint32_t column) const;
};

/// "B7".
std::string cell_name(std::uint32_t column, std::uint32_t row);

class Workbook {
 public:
  /// Whether an archive is a workbook.
  static bool is_in(const ZipArchive& archive);

  /// Reads the list of sheets and the shared texts. \throws InputError where they are missing, damaged, or
  /// larger than a report of a kit can be
  explicit Workbook(const Source& source);

  /// Names of the sheets with cells, in their order.
  const std::vector<std::string>& sheets() const { return names_; }

  using TakeRow = std::function<void(const SheetRow& row)>;
  /// Hands on the rows of a sheet that have a cell. \param sheet  its place in sheets()
  /// \throws InputError where it is missing or malformed; what `take` throws
  void read_sheet(std::size_t sheet, const TakeRow& take);

 private:
  void read_part(const std::string& part, XmlHandler& handler);
  std::string find_main_part();
  void find_sheets(const std::string& main_part);

  std::string name_;
  ZipArchive archive_;
  std::vector<std::string> names_, parts_;
  std::vector<std::string> texts_;  ///< shared
};

}  // namespace fastid::imports
