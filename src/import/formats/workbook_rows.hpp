/// \file
/// The XML of a worksheet as rows of cells.
///
///   <row r="7"> <c r="B7" t="s"> <f>formula</f> <v>number of a shared text</v> </c> ... </row>
///   <row r="8"> <c r="B8" t="inlineStr"> <is> <t>text</t> </is> </c> ... </row>
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/formats/workbook.hpp"

namespace fastid::imports {

class SheetRows final : public XmlHandler {
 public:
  /// \param texts  shared; all must outlive this
  SheetRows(const std::string& file, const std::string& sheet, const std::vector<std::string>& texts,
            const Workbook::TakeRow& take)
      : file_(file), sheet_(sheet), texts_(texts), take_(take) {}

  void start(std::string_view name, const XmlAttributes& attributes) override;
  void end(std::string_view name) override;
  void text(std::string_view part) override;

 private:
  [[noreturn]] void refuse(std::string_view problem) const;
  void start_row(std::string_view number);
  void start_cell(const XmlAttributes& attributes);
  void finish_cell();
  std::uint32_t column_of(std::string_view reference) const;

  const std::string& file_;
  const std::string& sheet_;
  const std::vector<std::string>& texts_;
  const Workbook::TakeRow& take_;
  SheetRow row_;
  bool shared_ = false;  ///< the value of the current cell is the number of a shared text
  bool within_row_ = false, within_cell_ = false, within_value_ = false, within_phonetic_ = false;
};

}  // namespace fastid::imports
