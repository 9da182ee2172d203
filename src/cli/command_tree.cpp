#include "cli/command_tree.hpp"

#include <algorithm>
#include <iterator>

namespace fastid::cli {

ValueKind kind_of(std::string_view value) {
  static constexpr std::string_view kDatabases[] = {"DB", "SOURCE", "DB...", "DB [DB2]"};
  static constexpr std::string_view kFiles[] = {"FILE",          "INPUT...", "QUERY... DB",
                                                "MIXTURE... DB", "PANEL",    "PART..."};
  const auto is_one = [&](const auto& names) { return std::ranges::find(names, value) != std::end(names); };
  if (value == "DIR") return ValueKind::kFolders;
  if (is_one(kDatabases)) return ValueKind::kDatabases;
  return is_one(kFiles) ? ValueKind::kFiles : ValueKind::kNone;
}

std::string usage_of(const CommandText& command) {
  std::string usage = command.name + " [OPTIONS]";
  if (!command.commands.empty()) usage += " COMMAND";
  for (const OptionText& argument : command.arguments) usage += ' ' + argument.value;
  return usage;
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
