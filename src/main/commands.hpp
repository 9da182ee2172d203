/// \file
/// The list of commands (program.cpp), and the commands that ask no question of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}  // namespace fastid::part

namespace fastid::cli {

/// A command of the program, which a function of one of two kinds adds to it.
struct ListedCommand {
  std::string_view name;
  void (*add_alone)(Command program);
  /// For a command whose work can be shared (--shard). \param parts  the parts that it goes on with; null:
  /// none
  void (*shared)(Command program, const part::PartSet* parts) = nullptr;

  void add(Command program) const { shared != nullptr ? shared(program, nullptr) : add_alone(program); }
};

/// All commands, in the order of the help.
std::span<const ListedCommand> listed_commands();

void add_merge_parts(Command app);
void add_devices(Command app);
void add_tune(Command app);
void add_bench(Command app);
void add_validate(Command app);
void add_audit_log(Command app);

/// The text for --version.
std::string version_text();

}  // namespace fastid::cli
