/// \file
/// How --help looks: two columns, wrapped to 80, so that it reads well in any terminal.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace fastid::cli {

/// "fastid db build": a command with all those above it.
std::string full_name(const CLI::App& app);

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
