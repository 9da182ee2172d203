/// \file
/// --shard, and how what a shard was asked is kept in its part: as the arguments of its command, with which
/// `fastid merge` asks the same again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "asking/work.hpp"
#include "base/error.hpp"
#include "bits/shard.hpp"
#include "cli/file_roles.hpp"
#include "cli/options.hpp"
#include "part/part_set.hpp"

namespace fastid::cli {

/// Which share of a command's work this process does: all, a shard (--shard), or what is left once parts are
/// there.
struct Sharding {
  Command command;                       ///< whose work it is
  std::optional<Shard> shard;            ///< --shard
  const part::PartSet* parts = nullptr;  ///< goes on with these (`fastid merge`); null: does the work

  /// Adds --shard. \param of  whose options it is among
  void add(Command of);
  /// Whether this process writes the result, unlike a shard and the followers of another process.
  bool prints() const;
  /// What is written by -o, for check_files(): a part, or else `result`. \throws UsageError: a part without a
  /// file
  WrittenFile written(const WrittenFile& result) const;
  /// The parts that are read, after other files.
  std::vector<std::string> with_parts(std::vector<std::string> others) const;
  /// The command, and which shard of it, for the audit log: "ld, shard 1/2".
  std::string action() const;
  /// Does what is this process's, beside the processes of an MPI job or alone, and has a shard write its
  /// part. \param databases  paths as they were given \param ask  asks the question, up to its result where
  /// Work::finish() says that this process has it
  ExitCode do_share(const std::string& output, std::vector<std::string> databases,
                    const std::function<ExitCode(asking::Work&)>& ask) const;
};

/// The options of a command that were given on the command line, by variables or the user's config, without
/// positionals: "--top=20", "--keep-going".
std::vector<std::string> given_options(Command command);

/// The names of a command's options that say what is found, not how it is printed: those that a part has.
/// "--top"
std::vector<std::string> asking_options(Command command);

}  // namespace fastid::cli
