#include "cli/user_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/near_name.hpp"

namespace fastid::cli {
namespace {

struct Setting {
  std::string place, value;
};
using Settings = std::map<std::string, Setting>;

bool may_be_usual(const CLI::Option& option) {
  return !option.get_envname().empty() && option.get_envname() != "FASTID_CASE";
}

/// The names that a file may have: those of options, without their hyphens.
void add_names(const CLI::App& app, std::set<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    if (may_be_usual(*option)) names.insert(option->get_lnames().front());
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    add_names(*below, names);
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::set<std::string> names;
  add_names(app, names);
  return {names.begin(), names.end()};
}

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// \throws InputError
Settings read_settings(const std::string& path, const std::vector<std::string>& names) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  const std::string text = read_whole_file(path, kMostBytes);
  Settings settings;
  std::size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string place = fmt::format("line {}", ++number);
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_printable_utf8(line))
      throw InputError(path, place, "is no setting", "write it as: device = cpu");
    const std::string name(trim(line.substr(0, equals)));
    if (std::ranges::find(names, name) == names.end()) {
      const std::string near = meant(name, names);
      throw InputError(path, place, fmt::format("'{}' is not known", printable(name)),
                       near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near.substr(2));
    }
    settings[name] = {place, std::string(without_quotes(trim(line.substr(equals + 1))))};
  }
  return settings;
}

}  // namespace

void apply_user_config(const CLI::App& all, CLI::App& command,
                       const std::function<std::string(const CLI::ParseError&)>& reword) {
  const std::string folder = user_folder("XDG_CONFIG_HOME", "/.config");
  const std::string path = folder + "/fastid/config";
  std::error_code none;  // not an error: as a rule there is no such file
  if (folder.empty() || !std::filesystem::exists(path, none)) return;
  const Settings settings = read_settings(path, names_of(all));
  for (CLI::Option* option : command.get_options()) {
    if (!may_be_usual(*option) || option->count() > 0) continue;
    const auto setting = settings.find(option->get_lnames().front());
    if (setting == settings.end()) continue;
    try {
      option->run_callback_for_default()->default_val(setting->second.value);
    } catch (const CLI::ParseError& error) {
      throw InputError(path, setting->second.place, reword(error), "change it, or take the line out");
    }
  }
}

}  // namespace fastid::cli
