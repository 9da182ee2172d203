/// \file
/// Side files of positions: a header line, then tab-separated cells, with comments and the build that
/// positions are of.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panel/panel.hpp"

namespace fastid {

/// The form that a table must have, and the cures where it has another.
struct TableForm {
  std::span<const std::string_view> columns;  ///< of the header line
  std::string_view name;                      ///< "a genetic map"
  std::string_view header_cure, row_cure;
};

/// Takes the lines of a table one by one. '#' starts a comment, and "#build GRCh37" states the build.
class TableLines {
 public:
  /// \param source  for messages; must outlive this, as `form` must
  TableLines(const std::string& source, const TableForm& form) : source_(source), form_(form) {}

  /// The cells of a row, as many as there are columns; no value for the header, comments and blank lines.
  /// \throws InputError naming the line
  std::optional<std::vector<std::string_view>> take(std::string_view line);

  bool seen_header() const { return seen_header_; }
  GenomeBuild build() const { return build_; }
  /// The number of the line taken last, from 1.
  std::size_t number() const { return number_; }
  /// \throws InputError at the line taken last
  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const {
    refuse_line(number_, problem, cure);
  }
  [[noreturn]] void refuse_line(std::size_t number, std::string_view problem, std::string_view cure) const;

 private:
  const std::string& source_;
  const TableForm& form_;
  std::size_t number_ = 0;
  bool seen_header_ = false;
  GenomeBuild build_ = GenomeBuild::kUnknown;
};

/// Refuses positions of another build than the panel's, where both are known. \throws InputError
void check_build(const std::string& source, GenomeBuild build, const Panel& panel, std::string_view cure);

}  // namespace fastid
