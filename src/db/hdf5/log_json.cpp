#include "db/hdf5/log_json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::db {
namespace {

using Json = nlohmann::ordered_json;

/// Refuses a negative number or a fraction, whose conversion to an integer may be undefined.
std::uint64_t count_of(const Json& json, const char* key) {
  return json.at(key).get_ref<const Json::number_unsigned_t&>();
}

/// Names and paths are short; a command line may name very many files.
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kLongestCommand = std::size_t{8} << 20;

/// \throws std::invalid_argument where the text is too long or not printable, as to_json_line() never writes.
std::string text_of(const Json& json, const char* key, std::size_t most = kLongestText) {
  std::string text = json.at(key).get<std::string>();
  if (text.size() > most || !is_printable_utf8(text)) throw std::invalid_argument(key);
  return text;
}

LogRecord parse_record(const Json& json) {
  LogRecord record;
  record.action = text_of(json, "action");
  record.command = text_of(json, "command", kLongestCommand);
  record.created_by = text_of(json, "created_by");
  record.utc = text_of(json, "utc");
  record.derived_panel = json.value("derived_panel", false);
  record.profiles_before = count_of(json, "profiles_before");
  record.profiles_after = count_of(json, "profiles_after");
  for (const Json& input : json.at("inputs"))
    record.inputs.push_back({text_of(input, "name"), text_of(input, "sha256"), count_of(input, "profiles")});
  return record;
}

}  // namespace

std::string this_program() {
  return fmt::format("fastid {} ({})", version(), revision());
}

std::string to_json_line(const LogRecord& record) {
  // File names and command lines are bytes: unprintable ones become '?'.
  const auto shown = [](const std::string& text) { return printable(text, text.size()); };
  Json json = {{"action", record.action},
               {"command", shown(record.command)},
               {"created_by", record.created_by},
               {"utc", record.utc},
               {"profiles_before", record.profiles_before},
               {"profiles_after", record.profiles_after},
               {"inputs", Json::array()}};
  if (record.derived_panel) json["derived_panel"] = true;
  for (const LogInput& input : record.inputs)
    json["inputs"].push_back(
        {{"name", shown(input.name)}, {"sha256", input.sha256}, {"profiles", input.profiles}});
  return json.dump() + "\n";
}

std::vector<LogRecord> parse_log(std::string_view text, const std::string& file) {
  std::vector<LogRecord> records;
  const auto refuse = [&] {
    throw InputError(file, fmt::format("log record {}", records.size() + 1), "is not what fastid writes",
                     "restore the database from a copy");
  };
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    try {
      records.push_back(parse_record(Json::parse(line)));
    } catch (const nlohmann::json::exception&) {
      refuse();
    } catch (const std::invalid_argument&) {
      refuse();
    }
  }
  return records;
}

}  // namespace fastid::db
