#include "db/hdf5/log_json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <unordered_set>

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

/// Names and paths are short; a command line may name very many files.
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kLongestCommand = std::size_t{8} << 20;

/// \throws std::invalid_argument where the text is too long or not printable, as to_json_line() never writes.
std::string text_of(const Json& json, const char* key, std::size_t most = kLongestText) {
  std::string text = json.at(key).text();
  if (text.size() > most || !is_printable_utf8(text)) throw std::invalid_argument(key);
  return text;
}

/// A list of texts, empty where there is none.
std::vector<std::string> texts_of(const Json& json, const char* key) {
  std::vector<std::string> texts;
  if (!json.contains(key)) return texts;
  for (const Json& one : json.at(key).elements()) {
    texts.push_back(one.text());
    if (texts.back().size() > kLongestText || !is_printable_utf8(texts.back()))
      throw std::invalid_argument(key);
  }
  return texts;
}

LogRecord parse_record(const Json& json) {
  LogRecord record;
  record.action = text_of(json, "action");
  record.command = text_of(json, "command", kLongestCommand);
  record.created_by = text_of(json, "created_by");
  record.utc = text_of(json, "utc");
  record.derived_panel = json.contains("derived_panel") && json.at("derived_panel").boolean();
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

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Finds words in texts; several lengths of them cost a look-up each at each place where a word begins.
class WordFinder {
 public:
  explicit WordFinder(std::span<const std::string> words) {
    for (const std::string& word : words) {
      words_.insert(word);
      lengths_.insert(word.size());
    }
  }

  std::string without(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length =
          at == 0 || !is_word(text[at - 1]) || !is_word(text[at]) ? found(text, at) : 0;
      if (length == 0) {
        out += text[at++];
        continue;
      }
      out += "[removed]";
      at += length;
    }
    return out;
  }

 private:
  /// The length of the longest of the words that begins at `at` and ends where a word ends; 0: none.
  std::size_t found(std::string_view text, std::size_t at) const {
    for (auto length = lengths_.rbegin(); length != lengths_.rend(); ++length) {
      const std::size_t end = at + *length;
      if (end > text.size() || !words_.contains(std::string(text.substr(at, *length)))) continue;
      if (end == text.size() || !is_word(text[end]) || !is_word(text[end - 1])) return *length;
    }
    return 0;
  }

  std::unordered_set<std::string> words_;
  std::set<std::size_t> lengths_;
};

}  // namespace

std::string without_words(std::string_view text, std::span<const std::string> words) {
  return WordFinder(words).without(text);
}

std::string log_without_words(std::string_view log, std::span<const std::string> words,
                              const std::string& file) {
  parse_log(log, file);
  const WordFinder finder(words);
  std::string out;
  for (const std::string_view line : split(log, '\n')) {
    if (line.empty()) continue;
    Json record = Json::parse(line);
    record["command"] = finder.without(record["command"].text());
    for (Json& input : record["inputs"].elements()) input["name"] = finder.without(input["name"].text());
    if (record.contains("reason")) record["reason"] = finder.without(record["reason"].text());
    if (record.contains("profile_ids"))
      record["profile_ids"].erase_if([&](const Json& id) { return finder.without(id.text()) != id.text(); });
    out += record.dump(-1, Json::BadText::kThrow) + "\n";
  }
  return out;
}

}  // namespace fastid::db
