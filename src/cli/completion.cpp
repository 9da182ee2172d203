#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/embedded.hpp"
#include "base/shell_words.hpp"
#include "cli/common.hpp"
#include "cli/manual.hpp"

namespace fastid::cli {
namespace {

std::string options_of(const CommandText& command) {
  std::string names;
  for (const OptionText& option : command.options) names += fmt::format(" {}", fmt::join(option.names, " "));
  return names;
}

std::string commands_of(const CommandText& command) {
  std::string names = command.name == "fastid" ? " help" : "";
  for (const CommandText& below : command.commands) names += ' ' + last_name(below);
  return names;
}

/// What is completed as an option's value, in the words of the script below.
std::string bash_value(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::kWords:
      return fmt::format("{} {}", option.is_list ? "list" : "words", fmt::join(option.words, " "));
    case ValueKind::kDatabases:
      return "databases";
    case ValueKind::kFiles:
      return "files";
    case ValueKind::kFolders:
      return "folders";
    default:
      return "text";
  }
}

constexpr std::string_view kBash = "src/cli/shell/fastid.bash";
constexpr std::string_view kFish = "src/cli/shell/fastid.fish";

/// The same of arguments without a name. Which of them is completed is not counted: files are offered where
/// they differ.
std::string bash_value(const std::vector<OptionText>& arguments) {
  const auto is_first = [&](const OptionText& one) { return one.kind == arguments.front().kind; };
  return std::ranges::all_of(arguments, is_first) ? bash_value(arguments.front()) : "files";
}

/// Text within the brackets of an option of zsh's _arguments, or between its colons.
std::string zsh_text(std::string_view text) {
  return escaped(text, "[]:\\");
}

std::string zsh_action(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::kWords:
      return option.is_list ? fmt::format("_values -s , word {}", fmt::join(option.words, " "))
                            : escaped(fmt::format("({})", fmt::join(option.words, " ")), ":");
    case ValueKind::kDatabases:
      return "_files -g \"*.(h5|hdf5)\"";
    case ValueKind::kFiles:
      return "_files";
    case ValueKind::kFolders:
      return "_files -/";
    default:
      return " ";
  }
}

/// The arguments of _arguments for an option: one for each of its names.
std::string zsh_specs(const OptionText& option) {
  std::string specs;
  for (const std::string& name : option.names) {
    const std::string mark = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
    const std::string before = option.repeats ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    specs += fmt::format(" \\\n    {}", shell_word(fmt::format("{}{}{}[{}]{}", before, name, mark,
                                                               zsh_text(option.what), value)));
  }
  return specs;
}

std::string zsh_function_name(const CommandText& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '_');
  return '_' + name;
}

std::string zsh_function(const CommandText& command) {
  std::string text =
      zsh_function_name(command) + "() {\n  local curcontext=$curcontext state\n  _arguments -C -S";
  for (const OptionText& option : command.options) text += zsh_specs(option);
  for (const OptionText& argument : command.arguments)
    text +=
        fmt::format(" \\\n    {}", shell_word(fmt::format("{}:{}:{}", argument.repeats ? "*" : "",
                                                          zsh_text(argument.value), zsh_action(argument))));
  if (command.commands.empty()) return text + "\n}\n";
  text +=
      " \\\n    '1: :->command' '*:: :->arguments'\n  case $state in\n    command)\n      local -a "
      "commands=(\n";
  for (const CommandText& below : command.commands)
    text += fmt::format("        {}\n", shell_word(zsh_text(last_name(below)) + ':' + below.what));
  if (command.name == "fastid") text += "        'help:Explain a command'\n";
  text +=
      "      )\n      _describe -t commands command commands\n      ;;\n    arguments)\n      case $words[1] "
      "in\n";
  for (const CommandText& below : command.commands)
    text += fmt::format("        {}) {} ;;\n", last_name(below), zsh_function_name(below));
  if (command.name == "fastid") text += "        help) _fastid ;;\n";
  return text + "      esac\n      ;;\n  esac\n}\n";
}

/// What follows "complete -c fastid" for an option's value.
std::string fish_value(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::kWords:
      return fmt::format(" -x -a {}", shell_word(fmt::format("{}", fmt::join(option.words, " "))));
    case ValueKind::kDatabases:
      return " -x -a '(__fish_complete_suffix .h5)'";
    case ValueKind::kFiles:
      return " -r -F";
    case ValueKind::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    default:
      return " -x";
  }
}

std::string fish_quoted(std::string_view text) {
  return "'" + escaped(text, "\\'") + "'";
}

std::string fish_lines(const CommandText& command) {
  const std::string path = command.name == "fastid" ? "" : command.name.substr(command.name.find(' ') + 1);
  const std::string at = fmt::format("complete -c fastid -n '__fastid_at {}'", path);
  std::string text;
  for (const OptionText& option : command.options) {
    text += at;
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text +=
        fmt::format("{} -d {}\n", option.value.empty() ? "" : fish_value(option), fish_quoted(option.what));
  }
  for (const CommandText& below : command.commands)
    text += fmt::format("{} -f -a {} -d {}\n", at, last_name(below), fish_quoted(below.what));
  for (const OptionText& argument : command.arguments)
    text += argument.kind == ValueKind::kFiles ? fmt::format("{} -F\n", at)
                                               : fmt::format("{}{}\n", at, fish_value(argument));
  return text;
}

}  // namespace

std::string bash_completion(const CommandText& top) {
  std::string options, commands, values;
  for (const CommandText* command : flattened(top)) {
    const std::string name = shell_word(command->name);
    options += fmt::format("    {}) echo {} ;;\n", name, shell_word(options_of(*command)));
    if (!command->commands.empty())
      commands += fmt::format("    {}) echo {} ;;\n", name, shell_word(commands_of(*command)));
    if (!command->arguments.empty())
      values += fmt::format("    {}) echo {} ;;\n", shell_word(command->name + ':'),
                            shell_word(bash_value(command->arguments)));
    for (const OptionText& option : command->options)
      for (const std::string& flag : option.names)
        if (!option.value.empty())
          values += fmt::format("    {}) echo {} ;;\n", shell_word(command->name + ':' + flag),
                                shell_word(bash_value(option)));
  }
  const auto function = [](const char* what, const char* name, const char* on, const std::string& cases) {
    return fmt::format("\n# {}\n{}() {{\n  case {} in\n{}  esac\n}}\n", what, name, on, cases);
  };
  return "# Completion of fastid for bash, made by `fastid --generate bash`.\n" +
         function("The options of a command; none where it is no command.", "_fastid_options", "$1",
                  options) +
         function("The commands below a command.", "_fastid_commands", "$1", commands) +
         function("What the value of an option is, or with '' an argument.", "_fastid_value", "$1:$2",
                  values) +
         "\n" + std::string(embedded_text(kBash));
}

std::string zsh_completion(const CommandText& top) {
  std::string text = "#compdef fastid\n# Completion of fastid for zsh, made by `fastid --generate zsh`.\n";
  for (const CommandText* command : flattened(top)) text += '\n' + zsh_function(*command);
  return text + "\n_fastid \"$@\"\n";
}

std::string fish_completion(const CommandText& top) {
  std::string names, lines;
  for (const CommandText* command : flattened(top)) {
    if (command != &top) names += ' ' + shell_word(command->name.substr(top.name.size()));
    lines += fish_lines(*command);
  }
  return std::string(embedded_text(kFish)) + "set -g __fastid_commands" + names + "\n" + lines;
}

}  // namespace fastid::cli
