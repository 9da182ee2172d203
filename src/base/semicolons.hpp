/// \file
/// Tables whose columns stand between semicolons, as spreadsheets save them where a comma is the decimal
/// sign.
#pragma once

#include <string_view>

namespace fastid {

/// Refuses a line with semicolons and no tabs, naming them. To be called where a table's line is refused
/// anyway: an id may hold a semicolon. \throws InputError
void refuse_semicolons(std::string_view line, std::string_view file, std::string_view place);

}  // namespace fastid
