/// \file
/// The layout of --help: two columns, wrapped to a width of 80, so that it fits any terminal.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace fastid::cli {

/// The full name of a command, with those above it: "fastid db build".
std::string full_name(const CLI::App& app);

/// The name of an option's value, without what CLI11 adds after a colon: ranges, words.
std::string value_name(const CLI::Option& option);

/// "fastid search [OPTIONS] QUERY... DB".
std::string usage_of(const CLI::App& app);

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  /// "Usage: fastid search [OPTIONS] QUERY... DB", all commands above this one included.
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_positionals(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace fastid::cli
