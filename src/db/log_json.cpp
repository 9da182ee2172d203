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

/// A number that is negative or has a fraction is not one: turning that into an integer need not be defined.
std::uint64_t count_of(const Json& json, const char* key) {
  return json.at(key).get_ref<const Json::number_unsigned_t&>();
}

LogRecord parse_record(const Json& json) {
  LogRecord record;
  json.at("action").get_to(record.action);
  json.at("command").get_to(record.command);
  json.at("created_by").get_to(record.created_by);
  json.at("utc").get_to(record.utc);
  record.derived_panel = json.value("derived_panel", false);
  record.profiles_before = count_of(json, "profiles_before");
  record.profiles_after = count_of(json, "profiles_after");
  for (const Json& input : json.at("inputs"))
    record.inputs.push_back({input.at("name").get<std::string>(), input.at("sha256").get<std::string>(),
                             count_of(input, "profiles")});
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
  if (record.derived_panel) json["derived_panel"] = true;
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
