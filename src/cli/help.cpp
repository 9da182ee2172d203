#include "cli/help.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace fastid::cli {
namespace {

constexpr std::size_t kRight = 27;  ///< where the right column begins

/// A name and its meaning. The meaning is wrapped within its column; after a long name it begins on a new
/// line.
std::string two_columns(const std::string& left, std::string_view right) {
  const std::string name = "  " + left;
  return name.size() + 2 > kRight ? name + '\n' + wrapped("", right, kRight) : wrapped(name, right, kRight);
}

/// "-k, --top N"
std::string left_of(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
  return option.value.empty() ? names : names + ' ' + option.value;
}

std::string option_texts(const CommandText& command) {
  std::vector<std::string> groups;
  for (const OptionText& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  std::string text;
  for (const std::string& group : groups) {
    text += '\n' + group + ":\n";
    for (const OptionText& option : command.options)
      if (option.group == group)
        text += two_columns(left_of(option), option.what + (option.required ? " (required)" : ""));
  }
  return text;
}

/// Indented lines (commands to copy) are kept as they are; other lines are wrapped as paragraphs.
std::string footer_of(const CommandText& command) {
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += wrapped("", paragraph, 0);
    paragraph.clear();
  };
  for (const std::string_view line : split(command.footer, '\n')) {
    const bool stays = line.empty() || line.starts_with(' ');
    if (stays) end_paragraph();
    if (stays)
      text.append(line) += '\n';
    else
      paragraph.append(line) += ' ';
  }
  end_paragraph();
  return text;
}

/// Up to two of the commands that the footer shows.
std::string examples_of(const CommandText& command) {
  constexpr std::size_t kMost = 2, kWidth = 80;
  std::string text;
  std::size_t n = 0;
  for (const std::string_view line : split(command.footer, '\n'))
    if (line.starts_with(' ') && line.size() <= kWidth && n < kMost) {
      text.append(line) += '\n';
      ++n;
    }
  return text.empty() ? "" : "\nExamples:\n" + text;
}

/// "Who is a relative?" of a text that goes on.
std::string_view question_of(std::string_view what) {
  return what.substr(0, what.find("? ") == std::string_view::npos ? what.size() : what.find("? ") + 1);
}

std::string brief_line(const std::string& left, const OptionText& option) {
  return two_columns(left, (option.brief.empty() ? option.what : option.brief) +
                               (option.required && !option.names.empty() ? " (required)" : ""));
}

}  // namespace

std::string help_of(const CommandText& command) {
  std::string text = command.what + "\n\nUsage: " + usage_of(command) + '\n';
  if (!command.arguments.empty()) text += '\n';
  for (const OptionText& argument : command.arguments) text += two_columns(argument.value, argument.what);
  text += option_texts(command);
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const CommandText& below : command.commands) text += two_columns(last_name(below), below.what);
  return text + '\n' + footer_of(command);
}

std::string brief_help_of(const CommandText& command) {
  std::string text = wrapped("", command.what, 0) + "Usage: " + usage_of(command) + '\n';
  const std::size_t head = text.size();
  for (const OptionText& argument : command.arguments) text += brief_line(argument.value, argument);
  for (const OptionText& option : command.options)
    if (option.is_brief) text += brief_line(left_of(option), option);
  for (const CommandText& below : command.commands)
    text += two_columns(last_name(below), question_of(below.what));
  if (text.size() > head) text.insert(head, "\n");
  text += command.commands.empty() ? examples_of(command) + '\n'
                                   : "\n`" + command.name + " COMMAND -h` explains a command\n";
  return text + "--help lists all options\n";
}

}  // namespace fastid::cli
