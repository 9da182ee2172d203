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
std::string left_of(const CLI::Option& option) {
  std::string name;
  for (const char c : option.get_name(false, true)) name += c == ',' ? std::string(", ") : std::string(1, c);
  const bool takes_value = option.get_type_size() != 0;
  return takes_value ? name + ' ' + value_name(option) : name;
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + ' ' + app.get_name();
}

std::string value_name(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

std::string usage_of(const CLI::App& app) {
  std::string usage = full_name(app) + " [OPTIONS]";
  if (!app.get_subcommands([](const CLI::App*) { return true; }).empty()) usage += " COMMAND";
  for (const CLI::Option* option : positionals_of(app)) usage += ' ' + value_name(*option);
  return usage;
}

/// CLI11 leaves two lines between groups; one is enough.
std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  return CLI::detail::find_and_replace(Formatter::make_help(app, name, mode), "\n\n\n", "\n\n");
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string) const {
  return "\nUsage: " + usage_of(*app) + '\n';
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return app->get_description() + '\n';
}

std::string HelpFormatter::make_positionals(const CLI::App* app) const {
  std::string text;
  for (const CLI::Option* option : positionals_of(*app)) text += make_option(option, true);
  return text.empty() ? text : '\n' + text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return two_columns(command->get_name(), command->get_description());
}

/// Indented lines (commands to copy) are kept as they are; other lines are wrapped as paragraphs.
std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const std::string footer = app->get_footer();
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += wrapped("", paragraph, 0);
    paragraph.clear();
  };
  for (const std::string_view line : split(footer, '\n')) {
    const bool stays = line.empty() || line.starts_with(' ');
    if (stays) end_paragraph();
    if (stays)
      text.append(line) += '\n';
    else
      paragraph.append(line) += ' ';
  }
  end_paragraph();
  return '\n' + text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  const bool must_be_said = option->get_required() && !is_positional;
  return two_columns(is_positional ? value_name(*option) : left_of(*option),
                     option->get_description() + (must_be_said ? " (required)" : ""));
}

}  // namespace fastid::cli
