#include "db/log_json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::db {
namespace {

using Json = nlohmann::ordered_json;

LogRecord parse_record(const Json& json) {
  LogRecord record;
  json.at("action").get_to(record.action);
  json.at("command").get_to(record.command);
  json.at("created_by").get_to(record.created_by);
  json.at("utc").get_to(record.utc);
  json.at("profiles_before").get_to(record.profiles_before);
  json.at("profiles_after").get_to(record.profiles_after);
  for (const Json& input : json.at("inputs"))
    record.inputs.push_back({input.at("name").get<std::string>(), input.at("sha256").get<std::string>(),
                             input.at("profiles").get<std::uint64_t>()});
  return record;
}

}  // namespace

std::string this_program() {
  return fmt::format("fastid {} ({})", version(), revision());
}

std::string to_json_line(const LogRecord& record) {
  Json json = {{"action", record.action},
               {"command", record.command},
               {"created_by", record.created_by},
               {"utc", record.utc},
               {"profiles_before", record.profiles_before},
               {"profiles_after", record.profiles_after},
               {"inputs", Json::array()}};
  for (const LogInput& input : record.inputs)
    json["inputs"].push_back({{"name", input.name}, {"sha256", input.sha256}, {"profiles", input.profiles}});
  // File names and command lines are bytes: those that are not UTF-8 become U+FFFD.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<LogRecord> parse_log(std::string_view text, const std::string& file) {
  std::vector<LogRecord> records;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    try {
      records.push_back(parse_record(Json::parse(line)));
    } catch (const nlohmann::json::exception&) {
      throw InputError(file, fmt::format("log record {}", records.size() + 1), "is not what fastid writes",
                       "restore the database from a copy");
    }
  }
  return records;
}

}  // namespace fastid::db
