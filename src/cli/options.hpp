/// \file
/// How a command describes its options: name, variable, check, help, group. options.cpp alone turns that into
/// CLI11, whose headers cost more than a command.
///
///   void add_greet(Command program) {
///     Command greet = program.add_command("greet", "Say hello");
///     const auto arguments = std::make_shared<Arguments>();
///     greet.group("Whom");
///     greet.add_option("--name", arguments->name, "Who is greeted").required().value_name("TEXT");
///     add_number(greet, "-n,--times", arguments->times, "How often (1)").check(within(1U,
///     9U)).value_name("N"); greet.footer("Example:\n  fastid greet --name Ada"); greet.runs([arguments] {
///     return run_greet(*arguments); });
///   }
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fastid::cli {

struct CommandText;
struct Definitions;

/// A command is parsed into plain options and then run.
using Run = std::function<ExitCode()>;

/// What a value must be like.
struct Check {
  std::function<std::string(const std::string&)> problem;  ///< what is wrong with a value; "": nothing
  std::vector<std::string> words;                          ///< that completions offer
};

/// Accepts these words alone.
Check one_of(const std::vector<std::string>& words);
/// Accepts everything, and has completions offer these words.
Check suggested(const std::vector<std::string>& words);
/// Accepts decimal numbers only. CLI11 alone would read "" as 0, "0100" as 64 and "-1" as 2^64 - 1.
const Check& decimal();
/// The same, or a negative one.
const Check& signed_decimal();
/// Accepts numbers of the variable's type in a range, both ends included. T: int, unsigned, std::uint64_t,
/// double
template <class T>
Check within(T least, T most);

/// Refuses the value of an option, from within the function that takes it.
[[noreturn]] void refuse_value(const std::string& option, const std::string& why);

/// Thrown by a function that takes an option: the program prints this text, and runs no command.
struct PrintedText {
  std::string text;
};

/// An option or argument of a command. It is a handle, valid as long as the CommandLine.
class Option {
 public:
  Option() = default;
  Option(CLI::Option* option, Definitions* definitions) : option_(option), definitions_(definitions) {}

  // What it is like; each returns the option itself.
  Option value_name(const std::string& name) const;  ///< as help has it: "N", "FILE", "INPUT..."
  Option help(const std::string& text) const;
  /// -h lists it, among the few that most users need. \param text  its help there, of one line; "": help()
  Option brief(const std::string& text = "") const;
  Option in_parts() const;  ///< a shard's part keeps it, though `fastid merge` has an option of this name
  Option variable(const std::string& name) const;  ///< of the environment, which stands for it; "": none
  Option check(const Check& check) const;          ///< of each value; all checks must pass
  Option required() const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  Option list() const;           ///< its value may be several, separated by commas
  Option one_at_a_time() const;  ///< takes one value each time that it is given
  Option takes(int least, int most) const;

  // What was given.
  std::size_t count() const;
  /// Whether its value is of the command line, not of its variable or of the user's config alone.
  bool is_named() const;
  /// Its values: given, or set_usual(); those of a flag are "true".
  std::vector<std::string> values() const;
  /// Sets the value as the user's config does. Returns what is wrong with it; "": nothing.
  std::string set_usual(const std::string& value) const;

  bool is_positional() const;
  bool is_flag() const;
  bool is_in_parts() const;
  std::string long_name() const;  ///< the first one, without hyphens: "top"; "": none
  std::string variable() const;

 private:
  CLI::Option* option_ = nullptr;
  Definitions* definitions_ = nullptr;
};

/// A command, or the program itself. It is a handle, valid as long as the CommandLine.
class Command {
 public:
  Command() = default;
  Command(CLI::App* app, Definitions* definitions) : app_(app), definitions_(definitions) {}

  Command add_command(const std::string& name, const std::string& what) const;
  void require_command() const;                ///< it does nothing by itself
  void group(const std::string& name) const;   ///< the heading of the options that follow
  void footer(const std::string& text) const;  ///< examples and remarks; indented lines are kept as they are
  void runs(Run run) const;                    ///< what CommandLine::parse() returns if it is this command

  /// Adds an option whose values go to a variable. \param names  "-k,--top"; without hyphens: an argument.
  /// T: std::string, numbers, vectors and std::optional of them: those that options.cpp instantiates
  template <class T>
  Option add_option(const std::string& names, T& value, const std::string& help) const;
  /// The same, with a function that takes the value. T: double, std::uint32_t, std::uint64_t, std::string,
  /// and std::vector<std::string> of a list()
  template <class T>
  Option take(const std::string& names, std::function<void(const T&)> take, const std::string& help) const;
  /// Adds an option without a value.
  Option add_flag(const std::string& names, bool& value, const std::string& help) const;
  Option add_flag(const std::string& names, std::function<void()> act, const std::string& help) const;

  std::string name() const;       ///< "build"
  std::string full_name() const;  ///< "fastid db build"
  std::vector<Command> commands() const;
  Command beside(const std::string& name) const;  ///< a command of the same one, which must be there
  std::vector<Option> options() const;            ///< and arguments, in the order of their definition
  Option option(const std::string& name) const;   ///< "--top", which must be there
  bool has_option(const std::string& name) const;
  Command chosen() const;  ///< the innermost command below that was named; itself where none was

  /// All that was said of it, and of the commands below.
  CommandText described() const;

 private:
  friend class CommandLine;
  CLI::App* app_ = nullptr;
  Definitions* definitions_ = nullptr;
};

/// What became of the arguments.
struct Parsed {
  enum class Result { kRun, kHelp, kBriefHelp, kText, kWrong };
  Result result = Result::kRun;
  Run run;                  ///< kRun
  std::string text;         ///< kText: to be printed; kWrong: what is wrong, in the style of our messages
  bool no_command = false;  ///< kWrong: a command is missing
  std::vector<std::string> unknown;  ///< kWrong: arguments that the chosen command does not know
};

/// The program's options and commands.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& what);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command top() const;

  /// Parses once, when all commands are there. Empty values are wrong: they come from unset shell variables
  /// and are never meant. Of an option that is given twice the last value counts, so that a script's options
  /// can be overridden.
  Parsed parse(std::vector<std::string> arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Definitions> definitions_;
};

/// Words and what each means.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// The words, in their order.
template <class T>
std::vector<std::string> words_of(const Choices<T>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : choices) words.push_back(word);
  return words;
}

/// What a word means that is one of them.
template <class T>
T choice_of(const std::string& word, const Choices<T>& choices) {
  for (const auto& [known, meaning] : choices)
    if (known == word) return meaning;
  return choices.front().second;  // check() lets no other through
}

/// Adds an option whose value is one of a few words.
template <class T>
Option add_choice(Command command, const std::string& names, T& value, const std::string& help,
                  const Choices<T>& choices) {
  const auto take = [&value, choices](const std::string& word) { value = choice_of(word, choices); };
  return command.take<std::string>(names, take, help).check(one_of(words_of(choices)));
}

/// Adds an option that takes one or several numbers.
template <class T>
Option add_number(Command command, const std::string& names, T& value, const std::string& help) {
  return command.add_option(names, value, help).check(decimal());
}

}  // namespace fastid::cli
