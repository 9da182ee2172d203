/// \file
/// What the commands share: options with the same meaning everywhere, and the interface of a command.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/file_roles.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "import/import.hpp"

namespace fastid::part {
class PartSet;
}

namespace fastid::cli {

/// The program's whole command line, quoted for a shell, for logs and provenance.
const std::string& command_line();
void set_command_line(int argc, char** argv);

/// An argument as a shell needs it: quoted where it has characters that are not plain.
std::string shell_word(std::string_view argument);

/// A command is parsed into plain options and then run. The command's add_ function sets `run`.
using Run = std::function<ExitCode()>;

/// CLI11's message about an argument, in the style of our messages.
std::string reword(const CLI::ParseError& error);

/// Accepts these words alone, and has completions offer them.
CLI::Validator one_of(const std::vector<std::string>& words);

/// Accepts everything, and has completions offer these words.
CLI::Validator suggested(const std::vector<std::string>& words);

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
  return std::ranges::find(choices, word, &Choices<T>::value_type::first)->second;
}

/// Adds an option whose value is one of a few words.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, T& value, const std::string& what,
                        const Choices<T>& choices) {
  const auto take = [&value, choices](const std::string& word) { value = choice_of(word, choices); };
  return app.add_option_function<std::string>(flag, take, what)->check(one_of(words_of(choices)));
}

/// Accepts decimal numbers only. CLI11 alone would read "" as 0, "0100" as 64 and "-1" as 2^64 - 1.
const CLI::Validator& decimal();
/// The same, or a negative one.
const CLI::Validator& signed_decimal();

/// Adds an option that takes one or several numbers.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& flag, T& value, const std::string& what) {
  return app.add_option(flag, value, what)->check(decimal());
}

/// Adds --threads, 0 where it is not given. \param what  what there are so many of
void add_threads(CLI::App& app, std::size_t& threads, const std::string& what = "CPU threads");

/// -q, -v, --progress, --color.
struct Verbosity {
  bool quiet = false;
  bool verbose = false;
  ProgressMode progress = ProgressMode::kAuto;
  ColorMode color = ColorMode::kAuto;

  void apply() const;
};
void add_verbosity(CLI::App& app, Verbosity& verbosity);

/// --device, --threads, --memory, --tile-blocks.
struct DeviceOptions {
  std::string device = "auto";
  EngineOptions engine;
};
void add_device(CLI::App& app, DeviceOptions& options);

/// Adds --device of a command that counts sites, which does not choose a device by itself, and --threads.
void add_counting_device(CLI::App& app, std::string& device, std::size_t& threads);

/// Options on how genotypes are read, and --report.
struct ReadingOptions {
  ImportOptions import;
  std::string report;  ///< "": none

  /// Opens the report early, after checking that neither it nor another file of `written` would replace a
  /// file that is read: `genotypes`, the files that are read with them, and `others`.
  /// \throws UsageError, Failure
  void open_report(std::vector<WrittenFile> written, const std::vector<std::string>& genotypes,
                   const std::vector<std::string>& others);
};
void add_reading(CLI::App& app, ReadingOptions& options);

/// Adds the options on how genotypes are called from aligned reads. \param known  the option's name for known
/// variants: mixture has another --known \param among_others  the command reads other genotypes too
void add_read_options(CLI::App& app, ImportOptions& options, const std::string& known, bool among_others);
/// Adds --min-reads and --min-share. \param of  what they are for, at the beginning of a help text
void add_depth_rule(CLI::App& app, ImportOptions& options, const std::string& of);

/// Adds --encoding, for commands that make databases, and sets its default.
void add_encoding(CLI::App& app, Encoding& encoding);

/// Adds --force and --shared, for commands that create files.
void add_writing(CLI::App& app);

/// Adds --reason, for commands whose why belongs into the database's log.
CLI::Option* add_reason(CLI::App& app, std::string& reason);

/// Says whether the old file's bytes were overwritten. \param why_not  "": they were
void say_overwritten(const std::string& database, const std::string& why_not);

/// Adds --only, --exclude and, unless a command has its own lists, --ids, in a group of the current name.
enum class RowLists { kBoth, kExcluded };
void add_row_rule(CLI::App& app, db::RowRule& rule, RowLists lists = RowLists::kBoth);

/// "512M", "2G", "1048576": bytes, K M G T by powers of 1,024.
std::optional<std::uint64_t> parse_size(const std::string& text);

// Each adds a command to `app` and, when it is parsed, sets `run` to run it.
// \param parts  those of a run whose work was shared, which the command goes on with; null: none
void add_search(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_mixture(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_kin(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_pairs(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_similarity(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_merge_parts(CLI::App& app, Run& run);
void add_ld(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_epistasis(CLI::App& app, Run& run, const part::PartSet* parts = nullptr);
void add_call(CLI::App& app, Run& run);
void add_pairhmm(CLI::App& app, Run& run);
void add_db(CLI::App& app, Run& run);
void add_build(CLI::App& db, Run& run);  // a command of `db`, like the next ones
void add_convert(CLI::App& db, Run& run);
void add_append(CLI::App& db, Run& run);
void add_replace(CLI::App& db, Run& run);
void add_remove(CLI::App& db, Run& run);
void add_compact(CLI::App& db, Run& run);
void add_merge(CLI::App& db, Run& run);
void add_list(CLI::App& db, Run& run);
void add_tag(CLI::App& db, Run& run);
void add_policy(CLI::App& db, Run& run);
void add_info(CLI::App& db, Run& run);
void add_verify(CLI::App& db, Run& run);
void add_simulate(CLI::App& db, Run& run);
void add_panel(CLI::App& app, Run& run);
void add_devices(CLI::App& app, Run& run);
void add_tune(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_validate(CLI::App& app, Run& run);
void add_audit_log(CLI::App& app, Run& run);

/// The text for --version.
std::string version_text();

}  // namespace fastid::cli
