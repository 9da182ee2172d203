/// \file
/// What the commands share: options with the same meaning everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asking/device_options.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/file_roles.hpp"
#include "cli/options.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "import/import.hpp"

namespace fastid::cli {

/// The program's whole command line, quoted for a shell, for logs and provenance.
const std::string& command_line();
void set_command_line(int argc, char** argv);

/// Adds --threads, 0 where it is not given. \param what  what there are so many of
void add_threads(Command app, std::size_t& threads, const std::string& what = "CPU threads");

/// -q, -v, --progress, --color.
struct Verbosity {
  bool quiet = false;
  bool verbose = false;
  ProgressMode progress = ProgressMode::kAuto;
  ColorMode color = ColorMode::kAuto;

  void apply() const;
};
void add_verbosity(Command app, Verbosity& verbosity);

/// What a command does on a device, and so which options it heeds.
enum class DeviceUse : std::uint8_t {
  kStreams,      ///< a database in tiles: --device, --config, --threads, --memory, --buffers, --tile-blocks
  kCountsSites,  ///< sites that are held at once: --device, --config, --threads, --memory
  kCounts,       ///< other tables that are, by kernels that take no config: --device, --threads, --memory
  kLikelihoods   ///< pieces of reads: --device, --threads
};
/// Adds the options on the device, in a group of their own.
void add_device(Command app, asking::DeviceOptions& options, DeviceUse use = DeviceUse::kStreams);

/// Options on how genotypes are read, and --report.
struct ReadingOptions {
  imports::ImportOptions import;
  std::string report;  ///< "": none

  /// Opens the report early, after checking that neither it nor another file of `written` would replace a
  /// file that is read: `genotypes`, the files that are read with them, and `others`.
  /// \throws UsageError, Failure
  void open_report(std::vector<WrittenFile> written, const std::vector<std::string>& genotypes,
                   const std::vector<std::string>& others);
  /// Refuses options that none of these files of genotypes heeds. \throws UsageError
  void refuse_idle(const std::vector<std::string>& files) const;
};
/// Adds --likelihoods (auto) and --contamination to a command that weighs people.
void add_likelihoods(Command app, imports::ImportOptions& options);
/// \throws UsageError where --contamination is given for reads that are called
void check_contamination(const imports::ImportOptions& import);
void add_reading(Command app, ReadingOptions& options);

/// Adds the options on how genotypes are called from aligned reads. \param known  the option's name for known
/// variants: mixture has another --known \param among_others  the command reads other genotypes too
void add_read_options(Command app, imports::ImportOptions& options, const std::string& known,
                      bool among_others);
/// Adds --min-reads and --min-share. \param of  what they are for, at the beginning of a help text
/// \param always  they hold whether or not one of them is given; else only then
void add_depth_rule(Command app, imports::ImportOptions& options, const std::string& of, bool always);

/// Adds --encoding, for commands that make databases, and sets its default.
void add_encoding(Command app, Encoding& encoding);

/// Adds --force and --shared, for commands that create files.
void add_writing(Command app);

/// Adds --reason, for commands whose why belongs into the database's log.
Option add_reason(Command app, std::string& reason);

/// Says whether the old file's bytes were overwritten. \param why_not  "": they were
void say_overwritten(const std::string& database, const std::string& why_not);

/// Adds --only, --exclude and, unless a command has its own lists, --ids, in a group of the current name.
enum class RowLists { kBoth, kExcluded };
void add_row_rule(Command app, db::RowRule& rule, RowLists lists = RowLists::kBoth);

/// "512M", "2G", "1048576": bytes, K M G T by powers of 1,024.
std::optional<std::uint64_t> parse_size(const std::string& text);

}  // namespace fastid::cli
