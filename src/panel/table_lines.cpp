#include "panel/table_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"

namespace fastid {

std::optional<std::vector<std::string_view>> TableLines::take(std::string_view line) {
  ++number_;
  line = trim(line);
  if (line.starts_with('#')) {
    const std::vector<std::string_view> words = split_blanks(trim(line.substr(1)));
    if (words.size() == 2 && words[0] == "build") build_ = parse_build(words[1]);
    return std::nullopt;
  }
  if (line.empty()) return std::nullopt;
  std::vector<std::string_view> cells = split(line, '\t');
  if (seen_header_) {
    if (cells.size() != form_.columns.size())
      refuse(fmt::format("has {}", counted(cells.size(), "column")), form_.row_cure);
    return cells;
  }
  if (!std::ranges::equal(cells, form_.columns)) {
    refuse_semicolons(line, source_, fmt::format("line {}", number_));
    refuse(fmt::format("is not the header of {}", form_.name), form_.header_cure);
  }
  seen_header_ = true;
  return std::nullopt;
}

void TableLines::refuse_line(std::size_t number, std::string_view problem, std::string_view cure) const {
  throw InputError(source_, fmt::format("line {}", number), problem, cure);
}

void check_build(const std::string& source, GenomeBuild build, const Panel& panel, std::string_view cure) {
  if (build == GenomeBuild::kUnknown || panel.build() == GenomeBuild::kUnknown || build == panel.build())
    return;
  throw InputError(
      source, "",
      fmt::format("has positions of {}, and the panel those of {}", name_of(build), name_of(panel.build())),
      cure);
}

}  // namespace fastid
