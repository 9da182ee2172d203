#include "base/semicolons.hpp"

#include "base/error.hpp"

namespace fastid {

void refuse_semicolons(std::string_view line, std::string_view file, std::string_view place) {
  if (line.find(';') == std::string_view::npos || line.find('\t') != std::string_view::npos) return;
  throw InputError(file, place, "has semicolons between its columns",
                   "put tabs there: a spreadsheet saves a table so as text with tabs");
}

}  // namespace fastid
