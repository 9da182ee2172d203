// fastid: parses the command line, runs one command, and maps every error to its exit code, here and nowhere
// else.
#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/near_name.hpp"
#include "cli/team.hpp"
#include "cli/user_config.hpp"

namespace fastid::cli {
namespace {

int exit_status(ExitCode code) {
  return static_cast<int>(code);
}

/// The command that the arguments name, or the innermost one that they name.
CLI::App& named_command(CLI::App& app) {
  CLI::App* named = &app;
  while (!named->get_subcommands().empty()) named = named->get_subcommands().front();
  return *named;
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The message about wrong arguments. For a misspelt command CLI11 says only that a command is missing.
std::string problem_of(const CLI::App& command, const CLI::ParseError& error) {
  const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
  if (error.get_name() != "RequiredError" || commands.empty()) {
    const std::vector<std::string> extra = command.remaining();
    const bool option = !extra.empty() && extra[0].starts_with("--");
    return reword(error) +
           (option ? meant(extra[0].substr(0, extra[0].find('=')), long_options(command)) : "");
  }
  std::string names;
  std::vector<std::string> all;
  for (const CLI::App* known : commands) {
    names += (names.empty() ? "" : ", ") + known->get_name();
    all.push_back(known->get_name());
  }
  const std::vector<std::string> unknown = command.remaining();
  if (!unknown.empty())
    if (const std::string near = meant(unknown[0], all); !near.empty())
      return "'" + printable(unknown[0]) + "' is no command" + near;
  return (unknown.empty() ? "a command is missing" : "'" + printable(unknown[0]) + "' is no command") +
         (commands.size() > 1 ? "; there are " : "; there is ") + names;
}

/// Says an error. One process ends all of a team.
int fail(const std::string& message, int status) {
  if (team() != nullptr) team()->fail(message, status);
  log::error_text(message);
  return status;
}

int fail(const std::string& message, ExitCode code) {
  return fail(message, exit_status(code));
}

/// Prints help and version to standard output and returns 0; prints errors in the arguments to standard error
/// and returns 2.
int answer_parse(CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = named_command(app);
  if (error.get_exit_code() == 0) {
    if (follows()) return exit_status(ExitCode::kDone);
    OutputFile out("-");
    out.write(error.get_name() == "CallForHelp" ? command.help() : error.what());
    out.commit();
    return exit_status(ExitCode::kDone);
  }
  return fail(problem_of(command, error) + "; see `" + full_name(command) + " --help`", ExitCode::kUsage);
}

/// Ends the parse with a text to print in place of a command, as --version does.
class CallForText : public CLI::Success {
 public:
  explicit CallForText(const std::string& text) : Success("CallForText", text, 0) {}
};

/// Adds --generate. \param app  is complete when the command line is parsed
void add_generate(CLI::App& app) {
  using Generator = std::string (*)(const CommandText&);
  const Choices<Generator> choices = {
      {"man", man_page}, {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  app.add_option_function<std::string>(
         "--generate",
         [&app, choices](const std::string& word) {
           throw CallForText(choice_of(word, choices)(described(app)));
         },
         "Print the manual page (man), or a script that completes commands for bash, zsh or fish")
      ->check(one_of(words_of(choices)))
      ->type_name("WHAT");
}

/// "fastid help db build" is "fastid db build --help".
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.push_back("--help");
  return arguments;
}

/// Of an option that is given twice the last value counts, so that a script's options can be overridden.
void let_last_value_count(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_positional() && option->get_items_expected_max() == 1 &&
        option->get_type_size_max() == 1)
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// Refuses empty values: they come from unset shell variables and are never meant.
void refuse_empty_values(CLI::App& app) {
  static const CLI::Validator kNotEmpty(
      [](const std::string& text) {
        return text.empty() ? std::string("the value is empty") : std::string();
      },
      "");
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0) option->check(kNotEmpty);
}

/// Refuses "--option=", for which CLI11 would take the next argument as the value.
void refuse_missing_values(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (const std::string_view argument(argv[i]); argument.starts_with("--") && argument.ends_with("="))
      throw UsageError(printable(argument) + " has no value");
}

void name_commands(CLI::App& app) {
  refuse_empty_values(app);
  let_last_value_count(app);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    command->group("Commands");
    name_commands(*command);
  }
}

/// \throws UsageError: the command has no work that several processes can share
void check_shared(const CLI::App& command) {
  static constexpr std::string_view kShared[] = {"search", "mixture",   "kin",       "pairs",
                                                 "ld",     "epistasis", "similarity"};
  if (team() != nullptr && std::ranges::find(kShared, command.get_name()) == std::end(kShared))
    throw UsageError(fmt::format("{} is no work for several processes, as {} are; start one",
                                 full_name(command), fmt::join(kShared, ", ")));
}

int run(int argc, char** argv) {
  set_command_line(argc, argv);
  CLI::App app{"fastid: forensic SNP search over packed profile databases", "fastid"};
  app.formatter(std::make_shared<HelpFormatter>());  // the commands added below inherit it
  app.set_help_flag("-h,--help", "This text");
  app.set_version_flag(
      "--version", [] { return version_text(); }, "Version, revision, libraries, SIMD targets");
  add_generate(app);
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default(false);
  Run chosen;
  add_search(app, chosen);
  add_mixture(app, chosen);
  add_kin(app, chosen);
  add_pairs(app, chosen);
  add_similarity(app, chosen);
  add_merge_parts(app, chosen);
  add_ld(app, chosen);
  add_epistasis(app, chosen);
  add_call(app, chosen);
  add_pairhmm(app, chosen);
  add_db(app, chosen);
  add_panel(app, chosen);
  add_tune(app, chosen);
  add_devices(app, chosen);
  add_bench(app, chosen);
  add_validate(app, chosen);
  add_audit_log(app, chosen);
  name_commands(app);
  app.footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid search scene.snp people.h5\n"
      "  fastid mixture stain.snp people.h5\n\n"
      "`fastid help COMMAND` explains a command, with more examples.");
  try {
    refuse_missing_values(argc, argv);
    std::vector<std::string> arguments = arguments_of(argc, argv);
    std::ranges::reverse(arguments);  // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return answer_parse(app, error);
  }
  check_shared(named_command(app));
  apply_user_config(app, named_command(app), reword);
  return exit_status(chosen());
}

/// The message for a system error: a thread could not be started, or fastid has a defect.
std::string words_of(const std::system_error& error) {
  if (error.code() == std::errc::resource_unavailable_try_again ||
      error.code() == std::errc::not_enough_memory)
    return "the system lets no further thread run (its memory, or a limit of processes); --threads asks for "
           "fewer";
  return std::string("a defect of fastid, please report it: ") + error.what();
}

/// Opens standard streams that the caller closed, so that no file gets the number of one of them and messages
/// never end up in a database. The replacement of standard output refuses writes, since results that nobody
/// gets are not a success.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

void prepare_process() {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // the failed write shows that the reader has stopped early
  std::signal(SIGXFSZ, SIG_IGN);  // a file above the size limit also shows as a failed write
  catch_signals();
}

int run_program(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Interrupted& interrupted) {
    return fail(interrupted.what(), 128 + interrupted.signal());
  } catch (const ReaderGone& gone) {
    return exit_status(gone.code());
  } catch (const Error& error) {
    return fail(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return fail("out of memory; --memory SIZE lowers what fastid takes", ExitCode::kFailure);
  } catch (const std::system_error& error) {
    return fail(words_of(error), ExitCode::kFailure);
  } catch (const std::exception& error) {
    return fail(std::string("a defect of fastid, please report it: ") + error.what(), ExitCode::kFailure);
  }
}

}  // namespace fastid::cli
