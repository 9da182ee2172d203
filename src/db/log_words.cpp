// Removes ids and tags from the texts of a log.
#include <algorithm>
#include <optional>

#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "db/database.hpp"

namespace fastid::db {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A test of an expression, as 'case == "K-4711"'.
struct TagTest {
  std::size_t end;  ///< where the expression goes on
  std::string key, value;
};

std::size_t blanks_after(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\n", at), text.size());
}

/// The test that begins at `at`, where a key may begin.
std::optional<TagTest> test_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kKey = "abcdefghijklmnopqrstuvwxyz0123456789_", kOperator = "=!<>";
  const std::string key(text.substr(at, std::min(text.find_first_not_of(kKey, at), text.size()) - at));
  const std::size_t op = blanks_after(text, at + key.size());
  std::size_t end = std::min(text.find_first_not_of(kOperator, op), text.size());
  if (key.empty() || end == op) return std::nullopt;
  std::size_t from = blanks_after(text, end);
  if (from < text.size() && (text[from] == '"' || text[from] == '\'')) {
    end = text.find(text[from], from + 1);
    if (end == std::string_view::npos) return std::nullopt;
    ++from;
    return TagTest{end + 1, key, std::string(text.substr(from, end - from))};
  }
  end = std::min(text.find_first_of(" \t\n&|()!=<>", from), text.size());
  return TagTest{end, key, std::string(text.substr(from, end - from))};
}

bool is_held(const Tags& tags, const std::string& key, const std::string& value) {
  const auto column = tags.columns().find(key);
  if (value.empty()) return true;
  return column != tags.columns().end() && std::ranges::count(column->second.values(), value) > 0;
}

std::string expression_without(std::string_view text, const Tags& left) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '_');
    const std::optional<TagTest> test = begins ? test_at(text, at) : std::nullopt;
    if (!test) {
      out += text[at++];
      continue;
    }
    out += is_held(left, test->key, test->value) ? text.substr(at, test->end - at) : kRemovedMark;
    at = test->end;
  }
  return out;
}

/// "case=K-4711", where all that follows the sign is the value.
std::string setting_without(const std::string& text, const Tags& left) {
  const std::size_t equals = text.find('=');
  const bool stays =
      equals == std::string::npos || is_held(left, text.substr(0, equals), text.substr(equals + 1));
  return stays ? text : std::string(kRemovedMark);
}

/// shell_word(), but marks need no quotes.
std::string quoted(const std::string& argument) {
  std::string rest = argument;
  for (std::size_t at; (at = rest.find(kRemovedMark)) != std::string::npos;)
    rest.erase(at, kRemovedMark.size());
  const bool is_mark = rest.empty() && !argument.empty();
  return is_mark || shell_word(rest) == rest ? argument : shell_word(argument);
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string line;
  for (std::size_t i = 0; i < arguments.size(); ++i) line += (i == 0 ? "" : " ") + quoted(arguments[i]);
  return line;
}

/// Takes tags that nobody has out of the values of --set and --only.
void forget_tags(std::vector<std::string>& arguments, const Tags& left) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const std::string option : {"--set", "--only"}) {
      const auto clean = [&](const std::string& value) {
        return option == "--set" ? setting_without(value, left) : expression_without(value, left);
      };
      if (i > 0 && arguments[i - 1] == option)
        arguments[i] = clean(arguments[i]);
      else if (arguments[i].starts_with(option + "="))
        arguments[i] = option + "=" + clean(arguments[i].substr(option.size() + 1));
    }
}

}  // namespace

Forgotten::Forgotten(std::span<const std::string> words, const Tags* left) : left_(left) {
  for (const std::string& word : words) {
    words_.insert(word);
    lengths_.insert(word.size());
  }
}

/// A mark that is there already stays, unless a word to be removed begins with it: the two become one mark.
std::string Forgotten::without(std::string_view text) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = at == 0 || !is_word(text[at - 1]) || !is_word(text[at]) ? found(text, at) : 0;
    if (text.substr(at).starts_with(kRemovedMark)) length = std::max(length, kRemovedMark.size());
    if (length == 0) {
      out += text[at++];
      continue;
    }
    out += kRemovedMark;
    at += length;
  }
  return out;
}

/// The length of the longest of the words that begins at `at` and ends where a word ends; 0: none.
std::size_t Forgotten::found(std::string_view text, std::size_t at) const {
  for (auto length = lengths_.rbegin(); length != lengths_.rend(); ++length) {
    const std::size_t end = at + *length;
    if (end > text.size() || !words_.contains(std::string(text.substr(at, *length)))) continue;
    if (end == text.size() || !is_word(text[end]) || !is_word(text[end - 1])) return *length;
  }
  return 0;
}

std::string Forgotten::command_without(std::string_view command) const {
  auto arguments = shell_arguments(command);
  if (!arguments || joined(*arguments) != command) return without(command);  // another program's
  if (left_ != nullptr) forget_tags(*arguments, *left_);
  for (std::string& argument : *arguments) argument = without(argument);
  return joined(*arguments);
}

}  // namespace fastid::db
