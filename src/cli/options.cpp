// The one source that includes CLI11: what options.hpp describes becomes its options, and its errors become
// our messages.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "cli/command_tree.hpp"

namespace fastid::cli {

/// What is said of a command line beside what CLI11 keeps.
struct Definitions {
  Run chosen;                                       ///< of the command that was named
  std::map<const CLI::Option*, std::string> brief;  ///< the options that -h lists, and their help there
  std::set<const CLI::Option*> in_parts;            ///< Option::in_parts()
};

namespace {

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// CLI11 has forms of its own for some arguments: '[a,b]' is a list, '++' ends a command. Ids and file names
// may look so: such arguments are marked before CLI11 sees them, and the mark is taken off each value before
// anything else reads it.
constexpr char kMark = '\x01';  ///< at the end, where a list in brackets would end

std::string marked(std::string argument) {
  if (argument == "++" || argument.ends_with(']') || argument.ends_with(kMark)) argument += kMark;
  return argument;
}

std::string unmarked(std::string value) {
  if (value.ends_with(kMark)) value.pop_back();
  return value;
}

std::string without_marks(std::string text) {
  std::erase(text, kMark);
  return text;
}

/// CLI11's message about an argument, in the style of our messages.
std::string reword(const CLI::ParseError& error) {
  std::string text = without_marks(error.what());
  const std::string_view cannot = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(cannot) && equals != std::string::npos)
    return text.substr(cannot.size(), equals - cannot.size()) + ": '" + text.substr(equals + 3) +
           "' is no number that fits";
  const std::string_view range = ": Value ", outside = " not in range ";
  if (const std::size_t at = text.find(range);
      at != std::string::npos && text.find(outside) != std::string::npos)
    text.replace(at, range.size(), ": ").replace(text.find(outside), outside.size(), " is not in the range ");
  if (const std::string_view twice = ": At Most 1 required but received ";
      text.find(twice) != std::string::npos)
    return text.substr(0, text.find(twice)) + " is given more than once";
  if (const std::size_t required = text.find(": 1 required "); required != std::string::npos) {
    const std::string value = text.substr(required + 13, text.find(" missing") - required - 13);
    return text.substr(0, required) + " needs a value: " + value.substr(value.find(':') + 1);
  }
  return text;
}

constexpr const char* kNotKnown = " is not known here";

std::string no_number(const std::string& text) {
  return "'" + printable(text) + "' is no number that fits";
}

/// The words of a check, as CLI11 has them follow the value's name: "WHEN:{auto,always,never}".
std::string shown(const std::vector<std::string>& words) {
  return words.empty() ? "" : fmt::format("{{{}}}", fmt::join(words, ","));
}

std::vector<std::string> shown_words(const std::string& type) {
  const std::size_t from = type.find(":{"), to = type.find('}');
  if (from == std::string::npos || to == std::string::npos) return {};
  std::vector<std::string> words;
  for (const std::string_view word : split(std::string_view(type).substr(from + 2, to - from - 2), ','))
    words.emplace_back(word);
  return words;
}

OptionText text_of(const CLI::Option& option, const Definitions& definitions) {
  OptionText text{
      .what = option.get_description(), .group = option.get_group(), .variable = option.get_envname()};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.required = option.get_required();
  if (const auto brief = definitions.brief.find(&option); brief != definitions.brief.end()) {
    text.is_brief = true;
    text.brief = brief->second;
  }
  if (option.get_type_size() == 0) return text;
  const std::string type = option.get_type_name();
  text.value = type.substr(0, type.find(':'));
  text.words = shown_words(type);
  text.kind = text.words.empty() ? kind_of(text.value) : ValueKind::kWords;
  text.is_list = option.get_delimiter() != '\0';
  text.repeats = option.get_items_expected_max() > 1;
  return text;
}

bool takes_one_value(const CLI::Option& option) {
  return !option.get_positional() && option.get_items_expected_max() == 1 && option.get_type_size_max() == 1;
}

/// The rules of CommandLine::parse() on values that are empty or given twice.
void settle(CLI::App& app) {
  static const CLI::Validator kNotEmpty(
      [](const std::string& text) {
        return text.empty() ? std::string("the value is empty") : std::string();
      },
      "");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0)
      option->check(kNotEmpty)->transform(unmarked, "", "");  // comes first
    if (takes_one_value(*option)) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  for (CLI::App* command : commands_of(app)) {
    command->group("Commands");
    settle(*command);
  }
}

}  // namespace

// Checks.

Check one_of(const std::vector<std::string>& words) {
  return {[words](const std::string& word) {
            const bool known = std::ranges::find(words, word) != words.end();
            return known ? "" : fmt::format("'{}' is none of {}", printable(word), fmt::join(words, ", "));
          },
          words};
}

Check suggested(const std::vector<std::string>& words) {
  return {[](const std::string&) { return std::string(); }, words};
}

const Check& decimal() {
  static const Check kDecimal{[](const std::string& text) {
                                return text.starts_with('-') ? no_number(text)
                                                             : signed_decimal().problem(text);
                              },
                              {}};
  return kDecimal;
}

const Check& signed_decimal() {
  static const Check kDecimal{
      [](const std::string& text) {
        const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
        const bool octal = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
        return parse_number<double>(text) && !octal ? std::string() : no_number(text);
      },
      {}};
  return kDecimal;
}

template <class T>
Check within(T least, T most) {
  return {[range = CLI::Range(least, most)](const std::string& text) { return range(text); }, {}};
}
template Check within(int, int);
template Check within(unsigned, unsigned);
template Check within(std::uint64_t, std::uint64_t);
template Check within(double, double);

void refuse_value(const std::string& option, const std::string& why) {
  throw CLI::ValidationError(option, why);
}

// Options.

Option Option::value_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::help(const std::string& text) const {
  option_->description(text);
  return *this;
}

Option Option::brief(const std::string& text) const {
  definitions_->brief[option_] = text;
  return *this;
}

Option Option::in_parts() const {
  definitions_->in_parts.insert(option_);
  return *this;
}

Option Option::variable(const std::string& name) const {
  option_->envname(name);
  return *this;
}

Option Option::check(const Check& check) const {
  option_->check(CLI::Validator(check.problem, shown(check.words)));
  return *this;
}

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::list() const {
  option_->delimiter(',');
  return *this;
}

Option Option::one_at_a_time() const {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::takes(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

std::size_t Option::count() const {
  return option_->count();
}

bool Option::is_named() const {
  if (option_->count() == 0) return false;
  const char* usual = variable().empty() ? nullptr : std::getenv(variable().c_str());
  return usual == nullptr || option_->results().back() != usual;
}

std::vector<std::string> Option::values() const {
  if (option_->count() > 0) return option_->results();
  if (option_->get_default_str().empty()) return {};
  return {option_->get_default_str()};
}

std::string Option::set_usual(const std::string& value) const {
  try {
    option_->run_callback_for_default()->default_val(value);
    return "";
  } catch (const CLI::ParseError& error) {
    return reword(error);
  }
}

bool Option::is_positional() const {
  return option_->get_positional();
}

bool Option::is_flag() const {
  return option_->get_items_expected_max() == 0;
}

bool Option::is_in_parts() const {
  return definitions_->in_parts.contains(option_);
}

std::string Option::long_name() const {
  return option_->get_lnames().empty() ? "" : option_->get_lnames().front();
}

std::string Option::variable() const {
  return option_->get_envname();
}

// Commands.

Command Command::add_command(const std::string& name, const std::string& what) const {
  return {app_->add_subcommand(name, what), definitions_};
}

void Command::require_command() const {
  app_->require_subcommand(1);
}

void Command::group(const std::string& name) const {
  app_->option_defaults()->group(name);
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

void Command::runs(Run run) const {
  app_->callback([definitions = definitions_, run = std::move(run)] { definitions->chosen = run; });
}

template <class T>
Option Command::add_option(const std::string& names, T& value, const std::string& help) const {
  return {app_->add_option(names, value, help), definitions_};
}
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::string>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint32_t>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint64_t>&,
                                    const std::string&) const;

template <class T>
Option Command::take(const std::string& names, std::function<void(const T&)> take,
                     const std::string& help) const {
  return {app_->add_option_function<T>(names, take, help), definitions_};
}
template Option Command::take<double>(const std::string&, std::function<void(const double&)>,
                                      const std::string&) const;
template Option Command::take<std::uint32_t>(const std::string&, std::function<void(const std::uint32_t&)>,
                                             const std::string&) const;
template Option Command::take<std::uint64_t>(const std::string&, std::function<void(const std::uint64_t&)>,
                                             const std::string&) const;
template Option Command::take<std::string>(const std::string&, std::function<void(const std::string&)>,
                                           const std::string&) const;
template Option Command::take<std::vector<std::string>>(const std::string&,
                                                        std::function<void(const std::vector<std::string>&)>,
                                                        const std::string&) const;

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return {app_->add_flag(names, value, help), definitions_};
}

Option Command::add_flag(const std::string& names, std::function<void()> act, const std::string& help) const {
  return {app_->add_flag_callback(names, std::move(act), help), definitions_};
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::full_name() const {
  std::string name = app_->get_name();
  for (const CLI::App* above = app_->get_parent(); above != nullptr; above = above->get_parent())
    name = above->get_name() + ' ' + name;
  return name;
}

std::vector<Command> Command::commands() const {
  std::vector<Command> commands;
  for (CLI::App* command : commands_of(*app_)) commands.emplace_back(command, definitions_);
  return commands;
}

Command Command::beside(const std::string& name) const {
  return {app_->get_parent()->get_subcommand(name), definitions_};
}

std::vector<Option> Command::options() const {
  std::vector<Option> options;
  for (CLI::Option* option : app_->get_options()) options.emplace_back(option, definitions_);
  return options;
}

Option Command::option(const std::string& name) const {
  return {app_->get_option(name), definitions_};
}

bool Command::has_option(const std::string& name) const {
  return app_->get_option_no_throw(name) != nullptr;
}

Command Command::chosen() const {
  CLI::App* named = app_;
  while (!named->get_subcommands().empty()) named = named->get_subcommands().front();
  return {named, definitions_};
}

CommandText Command::described() const {
  CommandText text{.name = full_name(), .what = app_->get_description(), .footer = app_->get_footer()};
  for (const CLI::Option* option : app_->get_options())
    (option->get_positional() ? text.arguments : text.options).push_back(text_of(*option, *definitions_));
  for (const Command& command : commands()) text.commands.push_back(command.described());
  return text;
}

// The command line.

CommandLine::CommandLine(const std::string& name, const std::string& what)
    : app_(std::make_unique<CLI::App>(what, name)), definitions_(std::make_unique<Definitions>()) {
  app_->set_help_flag("-h", "What most users need, on one screen");
  app_->set_help_all_flag("--help", "All options, with more examples");
}

CommandLine::~CommandLine() = default;

Command CommandLine::top() const {
  return {app_.get(), definitions_.get()};
}

Parsed CommandLine::parse(std::vector<std::string> arguments) {
  using Result = Parsed::Result;
  settle(*app_);
  std::ranges::transform(arguments, arguments.begin(), marked);
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    app_->parse(std::move(arguments));
    return {.run = definitions_->chosen};
  } catch (const PrintedText& printed) {
    return {.result = Result::kText, .text = printed.text};
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = *top().chosen().app_;
    if (error.get_name() == "CallForHelp") return {.result = Result::kBriefHelp};
    if (error.get_name() == "CallForAllHelp") return {.result = Result::kHelp};
    std::vector<std::string> unknown = command.remaining();
    std::ranges::transform(unknown, unknown.begin(), without_marks);
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    // An option that is not known leaves its value behind, too, which says nothing.
    std::stable_partition(unknown.begin(), unknown.end(),
                          [](const std::string& one) { return one.starts_with('-'); });
    return {.result = Result::kWrong,
            .text = is_extra && !unknown.empty() ? unknown[0] + kNotKnown : reword(error),
            .no_command = error.get_name() == "RequiredError" && !top().chosen().commands().empty(),
            .unknown = std::move(unknown)};
  }
}

}  // namespace fastid::cli
