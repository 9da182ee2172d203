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

bool may_be_usual(Option option) {
  return !option.variable().empty() && option.variable() != "FASTID_CASE";
}

void add_names(Command command, std::set<std::string>& names) {
  for (const Option option : command.options())
    if (may_be_usual(option)) names.insert(option.long_name());
  for (const Command below : command.commands()) add_names(below, names);
}

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// \throws InputError
Settings read_settings(const std::string& path, const std::vector<std::string>& names) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  check_own(path);
  const std::string text = without_encoding_mark(read_regular_file(path, kMostBytes), path);
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

std::vector<std::string> usual_options(Command program) {
  std::set<std::string> names;
  add_names(program, names);
  return {names.begin(), names.end()};
}

void apply_user_config(Command command, const std::function<std::vector<std::string>()>& usual) {
  const std::string folder = user_folder("XDG_CONFIG_HOME", "/.config");
  const std::string path = folder + "/fastid/config";
  std::error_code none;  // not an error: as a rule there is no such file
  if (folder.empty() || !std::filesystem::exists(path, none)) return;
  const Settings settings = read_settings(path, usual());
  for (const Option option : command.options()) {
    if (!may_be_usual(option) || option.count() > 0) continue;
    const auto setting = settings.find(option.long_name());
    if (setting == settings.end()) continue;
    const std::string problem = option.set_usual(setting->second.value);
    if (!problem.empty())
      throw InputError(path, setting->second.place, problem, "change it, or take the line out");
  }
}

}  // namespace fastid::cli
