#include "cli/command_tree.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "cli/help.hpp"

namespace fastid::cli {
namespace {

/// The words of one_of() or suggested(), which follow the value's name: "WHEN:{auto,always,never}".
std::vector<std::string> words_of(const std::string& type) {
  const std::size_t from = type.find(":{"), to = type.find('}');
  if (from == std::string::npos || to == std::string::npos) return {};
  std::vector<std::string> words;
  for (const std::string_view word : split(std::string_view(type).substr(from + 2, to - from - 2), ','))
    words.emplace_back(word);
  return words;
}

ValueKind kind_of(const std::string& value) {
  static constexpr std::string_view kDatabases[] = {"DB", "SOURCE", "DB...", "DB [DB2]"};
  static constexpr std::string_view kFiles[] = {"FILE",          "INPUT...", "QUERY... DB",
                                                "MIXTURE... DB", "PANEL",    "PART..."};
  const auto is_one = [&](const auto& names) { return std::ranges::find(names, value) != std::end(names); };
  if (value == "DIR") return ValueKind::kFolders;
  if (is_one(kDatabases)) return ValueKind::kDatabases;
  return is_one(kFiles) ? ValueKind::kFiles : ValueKind::kNone;
}

OptionText described(const CLI::Option& option) {
  OptionText text{
      .what = option.get_description(), .group = option.get_group(), .variable = option.get_envname()};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.required = option.get_required();
  if (option.get_type_size() == 0) return text;
  text.value = value_name(option);
  text.words = words_of(option.get_type_name());
  text.kind = text.words.empty() ? kind_of(text.value) : ValueKind::kWords;
  text.is_list = option.get_delimiter() != '\0';
  text.repeats = option.get_items_expected_max() > 1;
  return text;
}

}  // namespace

CommandText described(const CLI::App& app) {
  CommandText text{.name = full_name(app),
                   .what = app.get_description(),
                   .usage = usage_of(app),
                   .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? text.arguments : text.options).push_back(described(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    text.commands.push_back(described(*command));
  return text;
}

std::vector<const CommandText*> flattened(const CommandText& top) {
  std::vector<const CommandText*> all = {&top};
  for (const CommandText& command : top.commands)
    for (const CommandText* below : flattened(command)) all.push_back(below);
  return all;
}

std::string last_name(const CommandText& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace fastid::cli
