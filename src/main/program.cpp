// fastid: the list of commands; parses the command line, runs one command, and maps every error to its exit
// code, here and nowhere else.
#include "main/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bank/commands.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/command_tree.hpp"
#include "cli/common.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/near_name.hpp"
#include "cli/team.hpp"
#include "cli/user_config.hpp"
#include "main/commands.hpp"
#include "questions/call/command.hpp"
#include "questions/dvi/command.hpp"
#include "questions/epistasis/command.hpp"
#include "questions/kin/command.hpp"
#include "questions/ld/command.hpp"
#include "questions/pairhmm/command.hpp"
#include "questions/pairs/command.hpp"
#include "questions/search/command.hpp"
#include "questions/similarity/command.hpp"

namespace fastid::cli {
namespace {

constexpr ListedCommand kCommands[] = {{"search", nullptr, search::add_search},
                                       {"mixture", nullptr, search::add_mixture},
                                       {"kin", nullptr, kin::add_kin},
                                       {"dvi", nullptr, dvi::add_dvi},
                                       {"pairs", nullptr, pairs::add_pairs},
                                       {"similarity", nullptr, similarity::add_similarity},
                                       {"merge", add_merge_parts},
                                       {"ld", nullptr, ld::add_ld},
                                       {"epistasis", nullptr, epistasis::add_epistasis},
                                       {"call", call::add_call},
                                       {"pairhmm", pairhmm::add_pairhmm},
                                       {"db", bank::add_db},
                                       {"panel", bank::add_panel},
                                       {"tune", add_tune},
                                       {"devices", add_devices},
                                       {"bench", add_bench},
                                       {"validate", add_validate},
                                       {"audit-log", add_audit_log}};

int exit_status(ExitCode code) {
  return static_cast<int>(code);
}

std::vector<std::string> long_options(Command command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.described().options)
    for (const std::string& name : option.names)
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

/// "'simulate' is no command; did you mean `fastid db simulate`?" Subcommands are searched for the same name,
/// too. \param or_else  follows where no name is similar
std::string no_command(Command command, const std::string& word, const std::string& or_else) {
  const std::string text = "'" + printable(word) + "' is no command";
  std::vector<std::string> all;
  for (const Command known : command.commands()) all.push_back(known.name());
  if (const std::string near = meant(word, all); !near.empty()) return text + near;
  for (const Command known : command.commands())
    for (const Command below : known.commands())
      if (below.name() == word) return text + "; did you mean `" + below.full_name() + "`?";
  return text + or_else;
}

/// The message about wrong arguments.
std::string problem_of(Command command, const Parsed& parsed) {
  const std::vector<std::string>& unknown = parsed.unknown;
  if (!parsed.no_command) {
    const bool option = !unknown.empty() && unknown[0].starts_with("--");
    return parsed.text +
           (option ? meant(unknown[0].substr(0, unknown[0].find('=')), long_options(command)) : "");
  }
  std::string names;
  std::size_t n = 0;
  for (const Command known : command.commands()) {
    names += (names.empty() ? "" : ", ") + known.name();
    ++n;
  }
  const std::string there_are = (n > 1 ? "; there are " : "; there is ") + names;
  return unknown.empty() ? "a command is missing" + there_are : no_command(command, unknown[0], there_are);
}

/// Prints an error. In a team, a failing process ends all others.
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
int answer_without_run(Command command, const Parsed& parsed) {
  if (parsed.result == Parsed::Result::kWrong)
    return fail(problem_of(command, parsed) + "; see `" + command.full_name() + " --help`", ExitCode::kUsage);
  if (follows()) return exit_status(ExitCode::kDone);
  OutputFile out("-");
  using How = Parsed::Result;
  out.write(parsed.result == How::kHelp        ? help_of(command.described())
            : parsed.result == How::kBriefHelp ? brief_help_of(command.described())
                                               : parsed.text);
  out.commit();
  return exit_status(ExitCode::kDone);
}

/// Adds --version and --generate, which print a text in place of a command.
void add_texts(Command program) {
  program.add_flag(
      "--version", [] { throw PrintedText{version_text()}; }, "Version, revision, libraries, SIMD targets");
  using Generator = std::string (*)(const CommandText&);
  const Choices<Generator> choices = {
      {"man", man_page}, {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  program
      .take<std::string>(
          "--generate",
          [program, choices](const std::string& word) {
            throw PrintedText{choice_of(word, choices)(program.described())};
          },
          "Print the manual page (man), or a script that completes commands for bash, zsh or fish")
      .check(one_of(words_of(choices)))
      .value_name("WHAT");
}

/// "fastid help db build" is "fastid db build --help".
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.push_back("--help");
  return arguments;
}

/// \param topic  what follows `fastid help` \throws UsageError: its words name no command
void check_topic(Command program, const std::vector<std::string>& topic) {
  Command at = program;
  for (const std::string& word : topic) {
    if (word.starts_with('-')) return;
    const std::vector<Command> below = at.commands();
    const auto named = std::ranges::find(below, word, &Command::name);
    if (named == below.end())
      throw UsageError(no_command(at, word, "") + "; see `" + at.full_name() + " --help`");
    at = *named;
  }
}

/// Refuses "--option=", for which CLI11 would take the next argument as the value.
void refuse_missing_values(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (const std::string_view argument(argv[i]); argument.starts_with("--") && argument.ends_with("="))
      throw UsageError(printable(argument) + " has no value");
}

/// \throws UsageError: the command has no work that several processes can share
void check_shared(Command command) {
  if (team() == nullptr || (command.has_option("--shard"))) return;
  std::vector<std::string_view> shared;
  for (const ListedCommand& listed : listed_commands())
    if (listed.shared) shared.push_back(listed.name);
  throw UsageError(fmt::format("{} is no work for several processes, as {} are; start one",
                               command.full_name(), fmt::join(shared, ", ")));
}

/// Adds the command that the first argument names; all commands where it names none, since help and messages
/// need all. (Adding all would take a fifth of the program's start.) A command that has shards is added with
/// `merge`, which knows the options that no part holds.
void add_commands(Command program, const std::string& first) {
  const std::span<const ListedCommand> all = listed_commands();
  const auto named = std::ranges::find(all, first, &ListedCommand::name);
  if (named != all.end()) {
    named->add(program);
    if (named->shared) add_merge_parts(program);
    return;
  }
  for (const ListedCommand& command : all) command.add(program);
}

std::vector<std::string> all_usual_options() {
  const CommandLine all("fastid", "");
  add_commands(all.top(), "");
  return usual_options(all.top());
}

int run(int argc, char** argv) {
  set_command_line(argc, argv);
  CommandLine line("fastid", "fastid: forensic SNP search over packed profile databases");
  const Command program = line.top();
  add_texts(program);
  program.require_command();
  std::vector<std::string> arguments = arguments_of(argc, argv);
  add_commands(program, arguments.empty() ? "" : arguments.front());
  program.footer(
      "Examples:\n"
      "  fastid db build -o people.h5 cohort.vcf.gz\n"
      "  fastid search scene.snp people.h5\n"
      "  fastid mixture stain.snp people.h5\n\n"
      "`fastid help COMMAND` explains a command, with more examples.");
  refuse_missing_values(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "help") check_topic(program, arguments);
  const Parsed parsed = line.parse(std::move(arguments));
  const Command command = program.chosen();
  if (parsed.result != Parsed::Result::kRun) return answer_without_run(command, parsed);
  check_shared(command);
  apply_user_config(command, all_usual_options);
  return exit_status(parsed.run());
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

std::span<const ListedCommand> listed_commands() {
  return kCommands;
}

void prepare_process() {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // the failed write shows that the reader has stopped early
  std::signal(SIGXFSZ, SIG_IGN);  // a file above the size limit also shows as a failed write
  catch_signals();
#ifdef M_TRIM_THRESHOLD
  // Lists come in pieces of some MiB. Asking the system for memory anew for each piece would cost a third of
  // the time.
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
  mallopt(M_TRIM_THRESHOLD, 128 * kMiB);
#endif
}

int run_program(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Interrupted& interrupted) {
    interruption_is_told();
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
