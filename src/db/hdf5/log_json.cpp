#include "db/hdf5/log_json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace fastid::db {
namespace {

/// Refuses a negative number or a fraction, whose conversion to an integer may be undefined.
std::uint64_t count_of(const Json& json, const char* key) {
  return json.at(key).count();
}

/// \throws std::invalid_argument where the text is too long or not printable (to_json_line() never writes
/// such a text).
std::string text_of(const Json& json, const char* key, std::size_t most = kLongestLogText) {
  std::string text = json.at(key).text();
  if (text.size() > most * kGrowthByRemovals || !is_printable_utf8(text)) throw std::invalid_argument(key);
  return text;
}

/// A list of texts, empty where there is none.
std::vector<std::string> texts_of(const Json& json, const char* key) {
  std::vector<std::string> texts;
  if (!json.contains(key)) return texts;
  for (const Json& one : json.at(key).elements()) {
    texts.push_back(one.text());
    if (texts.back().size() > kLongestLogText || !is_printable_utf8(texts.back()))
      throw std::invalid_argument(key);
  }
  return texts;
}

LogRecord parse_record(const Json& json) {
  LogRecord record;
  record.action = text_of(json, "action");
  record.command = text_of(json, "command", kLongestLogCommand);
  record.created_by = text_of(json, "created_by");
  record.utc = text_of(json, "utc");
  record.derived_panel = json.contains("derived_panel") && json.at("derived_panel").boolean();
  if (json.contains("counted_sha256")) record.counted_sha256 = text_of(json, "counted_sha256");
  if (json.contains("pruned_r2")) record.pruned_r2 = json.at("pruned_r2").number();
  record.profiles_before = count_of(json, "profiles_before");
  record.profiles_after = count_of(json, "profiles_after");
  for (const Json& input : json.at("inputs").elements())
    record.inputs.push_back({text_of(input, "name"), text_of(input, "sha256"), count_of(input, "profiles")});
  if (json.contains("reason")) record.reason = text_of(json, "reason");
  record.ids_sha256 = texts_of(json, "profile_ids_sha256");
  record.ids = texts_of(json, "profile_ids");
  if (json.contains("audit")) {
    const Json& audit = json.at("audit");
    record.audit = {text_of(audit, "log"), count_of(audit, "records"), text_of(audit, "head")};
  }
  return record;
}

}  // namespace

std::string this_program() {
  return fmt::format("fastid {} ({})", version(), revision());
}

namespace {

/// The bytes of a text, where each kRemovedMark counts as one byte: a lower bound of its length before
/// removals.
std::size_t bytes_without_marks(std::string_view text) {
  std::size_t bytes = text.size();
  for (std::size_t at = text.find(kRemovedMark); at != std::string_view::npos;
       at = text.find(kRemovedMark, at + kRemovedMark.size()))
    bytes -= kRemovedMark.size() - 1;
  return bytes;
}

}  // namespace

void check_record(const LogRecord& record, const std::string& file) {
  const auto check = [&](std::string_view what, const std::string& text, std::size_t most) {
    if (bytes_without_marks(text) > most)
      throw InputError(file, "log", fmt::format("{} of {} bytes is too long", what, with_commas(text.size())),
                       fmt::format("keep it within {} bytes", with_commas(most)));
  };
  check("a reason", record.reason, kLongestLogText);
  check("a command line", record.command, kLongestLogCommand);
  for (const LogInput& input : record.inputs) check("the name of an input", input.name, kLongestLogText);
  for (const std::string& id : record.ids) check("a profile id", id, kLongestProfileId);
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
  if (!record.counted_sha256.empty()) json["counted_sha256"] = record.counted_sha256;
  if (record.pruned_r2) json["pruned_r2"] = *record.pruned_r2;
  for (const LogInput& input : record.inputs)
    json["inputs"].push_back(
        {{"name", shown(input.name)}, {"sha256", input.sha256}, {"profiles", input.profiles}});
  if (!record.reason.empty()) json["reason"] = shown(record.reason);
  if (!record.ids_sha256.empty()) json["profile_ids_sha256"] = record.ids_sha256;
  if (!record.ids.empty()) json["profile_ids"] = record.ids;
  if (record.audit)
    json["audit"] = {
        {"log", record.audit->log}, {"records", record.audit->records}, {"head", record.audit->head}};
  return json.dump(-1, Json::BadText::kThrow) + "\n";
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
    } catch (const Json::Error&) {
      refuse();
    } catch (const std::invalid_argument&) {
      refuse();
    }
  }
  return records;
}

std::string log_without(std::string_view log, const Forgotten& gone, const std::string& file) {
  parse_log(log, file);
  const auto clean = [&](Json& text) { text = gone.without(text.text()); };
  std::string out;
  for (const std::string_view line : split(log, '\n')) {
    if (line.empty()) continue;
    Json record = Json::parse(line);
    record["command"] = gone.command_without(record["command"].text());
    for (Json& input : record["inputs"].elements()) clean(input["name"]);
    if (record.contains("reason")) clean(record["reason"]);
    if (record.contains("profile_ids"))
      record["profile_ids"].erase_if([&](const Json& id) { return gone.without(id.text()) != id.text(); });
    out += record.dump(-1, Json::BadText::kThrow) + "\n";
  }
  return out;
}

}  // namespace fastid::db
