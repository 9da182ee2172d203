// fastid: parses the command line, runs one command, and maps every error to its exit code, here and nowhere
// else.
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "base/file.hpp"
#include "base/threads.hpp"
#include "cli/common.hpp"

namespace fastid::cli {
namespace {

int exit_status(ExitCode code) {
  return static_cast<int>(code);
}

/// Help and version go to standard output with 0; what is wrong with the arguments to standard error with 2.
int answer_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    OutputFile out("-");
    // CallForVersion carries the text itself; CallForHelp belongs to the subcommand that was named last.
    const CLI::App* named = &app;
    while (!named->get_subcommands().empty()) named = named->get_subcommands().front();
    out.write(error.get_name() == "CallForVersion" ? version_text() : named->help());
    out.commit();
    return exit_status(ExitCode::kDone);
  }
  log::error_text(error.what());
  std::fputs("Run with --help for more information.\n", stderr);
  return exit_status(ExitCode::kUsage);
}

int run(int argc, char** argv) {
  set_command_line(argc, argv);
  CLI::App app{"fastid: forensic SNP search over packed profile databases", "fastid"};
  app.set_version_flag("--version", [] { return version_text(); });
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default(false);
  app.get_formatter()->column_width(34);
  Run chosen;
  add_search(app, chosen);
  add_mixture(app, chosen);
  add_db(app, chosen);
  add_devices(app, chosen);
  app.footer("`fastid COMMAND --help` explains a command, with examples.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer_parse(app, error);
  }
  return exit_status(chosen());
}

/// Runs, and turns what is thrown into a message and a status.
int run_guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Interrupted& interrupted) {
    log::error_text(interrupted.what());
    return 128 + interrupted.signal();
  } catch (const Error& error) {
    log::error_text(error.what());
    return exit_status(error.code());
  } catch (const std::bad_alloc&) {
    log::error_text("out of memory; --memory SIZE lowers what fastid takes");
  } catch (const std::exception& error) {
    log::error_text(std::string("a defect of fastid, please report it: ") + error.what());
  }
  return exit_status(ExitCode::kFailure);
}

}  // namespace
}  // namespace fastid::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write, with a message and a status
  fastid::catch_signals();
  return fastid::cli::run_guarded(argc, argv);
}
