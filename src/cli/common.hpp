/// \file
/// What the commands share: options that mean the same everywhere, and the shape of a command.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "cli/file_roles.hpp"
#include "engine/engine.hpp"
#include "import/import.hpp"

namespace fastid::cli {

/// The program's whole command line, quoted for a shell, for logs and provenance.
const std::string& command_line();
void set_command_line(int argc, char** argv);

/// A command parses into plain options and, once parsed, runs. `run` is set by the command's add_ function.
using Run = std::function<ExitCode()>;

/// What one of a few words means. \throws CLI::ValidationError naming the words, in their order
/// here.
template <class T>
T choice_of(const std::string& flag, const std::string& word,
            const std::vector<std::pair<std::string, T>>& choices) {
  std::string words;
  for (const auto& [name, meaning] : choices) {
    if (name == word) return meaning;
    words += (words.empty() ? "" : ", ") + name;
  }
  throw CLI::ValidationError(flag, "'" + printable(word) + "' is none of " + words);
}

/// An option whose value is one of them.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, T& value, const std::string& what,
                        const std::vector<std::pair<std::string, T>>& choices) {
  const auto take = [&value, flag, choices](const std::string& word) {
    value = choice_of(flag, word, choices);
  };
  return app.add_option_function<std::string>(flag, take, what);
}

/// A number as people write it. CLI11 alone reads "" as 0, "0100" as 64 and "-1" as 2^64 - 1.
const CLI::Validator& decimal();

/// An option that takes a number, or several.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& flag, T& value, const std::string& what) {
  return app.add_option(flag, value, what)->check(decimal());
}

/// -q, -v, --progress.
struct Verbosity {
  bool quiet = false;
  bool verbose = false;
  ProgressMode progress = ProgressMode::kAuto;

  void apply() const;
};
void add_verbosity(CLI::App& app, Verbosity& verbosity);

/// --device, --threads, --memory, --tile-blocks.
struct DeviceOptions {
  std::string device = "auto";
  EngineOptions engine;
};
void add_device(CLI::App& app, DeviceOptions& options);

/// How genotypes are read, and --report.
struct ReadingOptions {
  ImportOptions import;
  std::string report;  ///< "": none

  /// Opens the report, before much is done, once it is known that neither it nor anything else that is
  /// `written` takes the place of what is read: `genotypes`, what is read with them, `others`.
  /// \throws UsageError, Failure
  void open_report(std::vector<WrittenFile> written, const std::vector<std::string>& genotypes,
                   const std::vector<std::string>& others);
};
void add_reading(CLI::App& app, ReadingOptions& options);

/// --shared, for commands that make files.
void add_sharing(CLI::App& app);

/// "512M", "2G", "1048576": bytes, K M G T by powers of 1,024.
std::optional<std::uint64_t> parse_size(const std::string& text);

// One line a command: adds it to `app`, and has `run` do it once it has been parsed.
void add_search(CLI::App& app, Run& run);
void add_mixture(CLI::App& app, Run& run);
void add_db(CLI::App& app, Run& run);
void add_append(CLI::App& db, Run& run);  // below `db`, as are the next ones
void add_info(CLI::App& db, Run& run);
void add_verify(CLI::App& db, Run& run);
void add_simulate(CLI::App& db, Run& run);
void add_devices(CLI::App& app, Run& run);
void add_tune(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_audit_log(CLI::App& app, Run& run);

/// What --version prints.
std::string version_text();

}  // namespace fastid::cli
