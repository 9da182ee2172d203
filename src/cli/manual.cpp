#include "cli/manual.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "base/build_info.hpp"
#include "base/embedded.hpp"
#include "base/text.hpp"

namespace fastid::cli {
namespace {

/// Text as troff must have it, so that each character stays what it is: quotes and hyphens are copied.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '"':
        out += "\\(dq";
        break;
      default:
        out += c;
    }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return text.empty() ? "" : " \\fI" + plain(text) + "\\fR";
}

std::string entry(const std::string& head, const std::string& what) {
  return fmt::format(".TP\n{}\n{}\n", head, plain(what));
}

std::string entry(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  return entry(names.empty() ? italic(option.value).substr(1) : names + italic(option.value),
               option.what + (option.required && !option.names.empty() ? " (required)" : ""));
}

/// Indented lines, commands to copy, stay as they are; the others are paragraphs.
std::string paragraphs(const std::string& footer) {
  std::string text;
  bool copied = false, open = false;
  for (const std::string_view line : split(footer, '\n')) {
    if (line.starts_with(' ') != copied) {
      copied = !copied;
      text += copied ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n";
      open = false;
    }
    if (line.empty()) {
      open = false;
      continue;
    }
    if (!copied && !open) text += ".PP\n";
    open = true;
    text += plain(trim(line)) + '\n';
  }
  return text + (copied ? ".fi\n.RE\n" : "");
}

std::string section(const CommandText& command) {
  std::string text = fmt::format(".SS {}\n{}.\n", bold(command.name), plain(command.what));
  text += fmt::format(".PP\n{}\n", plain(usage_of(command)));
  for (const OptionText& argument : command.arguments) text += entry(argument);
  std::string group;
  for (const OptionText& option : command.options) {
    if (option.group != group) text += fmt::format(".PP\n{}:\n", plain(option.group));
    group = option.group;
    text += entry(option);
  }
  return text + paragraphs(command.footer);
}

/// The variables of the environment, and the options that they stand for.
std::string variables(const CommandText& top) {
  std::map<std::string, std::string> options;
  for (const CommandText* command : flattened(top))
    for (const OptionText& option : command->options)
      if (!option.variable.empty()) options[option.variable] = option.names.back();
  std::string text;
  for (const auto& [variable, option] : options)
    text += entry(bold(variable), fmt::format("Stands for {} where that is not given.", option));
  return text;
}

}  // namespace

std::string man_page(const CommandText& top) {
  const std::string what = top.what.substr(top.what.find(": ") + 2);
  std::string text = fmt::format(".TH FASTID 1 \"\" \"fastid {}\" \"User Commands\"\n", version());
  text += fmt::format(".SH NAME\nfastid \\- {}\n.SH SYNOPSIS\n", plain(what));
  text += ".B fastid\n.I COMMAND\n.RI [ OPTIONS ]\n.I ARGUMENT...\n.br\n.B fastid help\n.I COMMAND\n";
  text += ".SH DESCRIPTION\n";
  for (const OptionText& option : top.options) text += entry(option);
  text += paragraphs(top.footer) + ".SH COMMANDS\n";
  for (const CommandText* command : flattened(top))
    if (command != &top) text += section(*command);
  text += ".SH ENVIRONMENT\n" + variables(top);
  return text.append(embedded_text("src/cli/shell/fastid.1"));
}

}  // namespace fastid::cli
