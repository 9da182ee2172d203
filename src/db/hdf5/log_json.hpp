/// \file
/// Records of /log as lines of JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/database.hpp"

namespace fastid::db {

/// "fastid 0.1.0 (revision)", for created_by.
std::string this_program();

/// \throws InputError naming `file` where the record has a text that parse_log() would refuse.
void check_record(const LogRecord& record, const std::string& file);

/// One line, with its newline.
std::string to_json_line(const LogRecord& record);

/// Parses all lines. \throws InputError naming file and record.
std::vector<LogRecord> parse_log(std::string_view text, const std::string& file);

}  // namespace fastid::db
