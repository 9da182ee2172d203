// fastid merge: the result of a sharded run, from the parts of its shards. The command that made the parts is
// run once more, with their options, and goes on from their results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/common.hpp"
#include "cli/question.hpp"
#include "cli/sharding.hpp"
#include "main/commands.hpp"
#include "main/inner_command.hpp"
#include "part/part_set.hpp"
#include "questions/dvi/files.hpp"
#include "questions/pairs/cohort_output.hpp"

namespace fastid::cli {
namespace {

/// The options are handed on to the command of the parts; here they are named for the help.
struct MergeArguments {
  std::vector<std::string> parts, databases;
  Question question;
  pairs::CohortArguments cohort;
  dvi::VictimsFiles victims;
};

/// The commands that have shards.
class ShardedCommands {
 public:
  explicit ShardedCommands(const part::PartSet& parts) {
    for (const ListedCommand& listed : listed_commands())
      if (listed.shared != nullptr) listed.shared(line_.top(), &parts);
    for (const Command command : line_.top().commands()) without_usual_values(command);
    add_merge_parts(line_.top());  // whose options no part holds
  }

  /// \throws InputError: no such command
  Command command(const part::File& part) const {
    for (const Command command : line_.top().commands())
      if (command.name() == part.head().command && command.has_option("--shard")) return command;
    part.refuse("its head", "names a command that has no shards");
  }

  ExitCode run(const std::vector<std::string>& arguments) { return run_inner(line_, arguments); }

 private:
  CommandLine line_{"fastid", ""};
};

/// Refuses a pipe that a part names, since reading it would wait. \throws InputError
void refuse_pipe(const part::File& part, const std::string& path) {
  std::error_code none;  // no such file: whoever opens it says so
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status))
    part.refuse("its head", fmt::format("names '{}', which is a pipe or a device", printable(path)));
}

/// Adds the options of the parts. \throws InputError where the command has no such option
void add_asked(const part::File& part, Command command, std::vector<std::string>& arguments) {
  const std::vector<std::string> asking = asking_options(command);
  for (const std::string& argument : part.head().arguments) {
    const std::size_t equals = argument.find('=');
    if (std::ranges::find(asking, argument.substr(0, equals)) == asking.end())
      part.refuse("its head", "has an argument that no question has");
    if (equals != std::string::npos) refuse_pipe(part, argument.substr(equals + 1));
    arguments.push_back(argument);
  }
}

/// Adds the options of the merge that the command has. Options that it lacks are added too, so that they
/// are refused, unless an environment variable can set them.
void add_own(Command merge, Command command, std::vector<std::string>& arguments) {
  for (std::string& option : given_options(merge)) {
    const std::string name = option.substr(0, option.find('='));
    const bool usual = !merge.option(name).variable().empty();
    if (name != "--db" && (command.has_option(name) || !usual)) arguments.push_back(std::move(option));
  }
}

/// Adds the databases: by --db where the command has it, else as arguments.
void add_databases(const part::Head& head, const std::vector<std::string>& moved, Command command,
                   std::vector<std::string>& arguments) {
  if (!moved.empty() && moved.size() != head.databases.size())
    throw UsageError(fmt::format("--db: the parts are of {}; name each, in their order",
                                 counted(head.databases.size(), "database")));
  const bool named = command.has_option("--db");
  if (!named) arguments.emplace_back("--");
  for (const std::string& database : moved.empty() ? head.databases : moved)
    arguments.push_back(named ? "--db=" + database : database);
}

ExitCode run_merge(Command merge, const MergeArguments& given) {
  given.question.verbosity.apply();
  if (given.parts.empty()) throw UsageError("name the parts: fastid merge PART...");
  const part::PartSet parts(given.parts);
  const part::Head& head = parts.head();
  ShardedCommands commands(parts);
  Command command = commands.command(parts.part(0));
  std::vector<std::string> arguments = {head.command};
  add_asked(parts.part(0), command, arguments);
  add_own(merge, command, arguments);
  if (given.databases.empty())
    for (const std::string& database : head.databases) refuse_pipe(parts.part(0), database);
  add_databases(head, given.databases, command, arguments);
  return commands.run(arguments);
}

}  // namespace

void add_merge_parts(Command app) {
  const Command command = app.add_command("merge", "Join the parts of a run that was shared (--shard)");
  const auto arguments = std::make_shared<MergeArguments>();
  command.add_option("parts", arguments->parts, "The parts of all shards, in any order")
      .value_name("PART...");
  command
      .add_option("--db", arguments->databases,
                  "Where the database lies now, if not where the shards found it (pairs of two: one --db "
                  "each; dvi: one "
                  "for each of its files)")
      .one_at_a_time()
      .value_name("DB")
      .brief("Where the database lies now");
  add_output(command, arguments->question, {});
  arguments->question.segments.add_option(command);
  pairs::add_cohort(command, arguments->cohort);
  command.group("Files beside the result of dvi");
  arguments->victims.add_options(command);
  add_device(command, arguments->question.device);
  add_verbosity(command, arguments->question.verbosity);
  command.runs([arguments, command] { return run_merge(command, *arguments); });
  command.footer(
      "Examples:\n"
      "  fastid search scene.snp people.h5 --shard 1/2 -o 1.part\n"
      "  fastid search scene.snp people.h5 --shard 2/2 -o 2.part\n"
      "  fastid merge 1.part 2.part --format html -o scene.html\n"
      "  fastid merge run/*.part -o cohort.kin0 --cohort cohort.html\n\n"
      "The result has the bytes of a run that was not shared: ranks, ties, evidence and chance matches are "
      "those\nof the whole database. Parts that are missing, damaged, named twice, or of another run are "
      "refused. The\ndatabase must be there, and files that options name (--ids, --blocks, "
      "--family); files "
      "of queries need not.");
}

}  // namespace fastid::cli
