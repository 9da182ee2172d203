#include "model/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::model {
namespace {

constexpr std::string_view kConfigs = "configs/", kHeader = ".h";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
constexpr std::uint64_t kMostRegistry = 1 << 20;  // bytes

// Whether `pattern` matches the whole of `text`; * stands for any characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t star = std::string_view::npos, resume = 0, p = 0;
  for (std::size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

// The value of a device's field; no value for an unknown field.
std::optional<std::string> field_of(const DeviceFacts& facts, std::string_view field) {
  if (field == "device") return facts.device;
  if (field == "architecture") return facts.architecture;
  if (field == "gpu_vendor") return facts.type == "GPU" ? facts.vendor : "";
  if (field == "platform") return facts.platform;
  if (field == "type") return facts.type;
  return std::nullopt;
}

// The valid lines of a registry. Lines that are malformed, that have an unknown field, or whose name leads
// out of the folder are left out.
std::vector<RegistryLine> lines_of(std::string_view text) {
  std::vector<RegistryLine> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    const bool good = columns.size() == 3 && field_of({}, columns[0]) && !columns[2].empty() &&
                      columns[2].find_first_not_of(kNameLetters) == std::string::npos;
    if (good)
      lines.push_back({std::string(columns[0]), std::string(columns[1]), std::string(columns[2])});
    else
      log::detail("a registry of configs: '{}' is no line of one", printable(line));
  }
  return lines;
}

std::string user_registry_file() {
  const std::string folder = user_config_folder();
  return folder.empty() ? "" : folder + "/registry.tsv";
}

std::vector<RegistryLine> read_user_registry() {
  const std::string path = user_registry_file();
  std::error_code none;  // not an error: as a rule there is no user registry
  if (path.empty() || !std::filesystem::exists(path, none)) return {};
  check_own(path);
  return lines_of(read_regular_file(path, kMostRegistry));
}

// Why the device cannot run a link's config. A user's config that is damaged or missing is a reason too.
std::string unfit_reason_of(const ConfigLink& link, const DeviceFacts& facts) {
  try {
    return unfit_reason(config_of(link), facts);
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

std::vector<ConfigLink> config_chain(const DeviceFacts& facts) {
  std::vector<ConfigLink> chain;
  const auto add = [&](const RegistryLine& line, const std::string& folder) {
    if (!matches(ascii_lower(line.pattern), ascii_lower(field_of(facts, line.field).value()))) return;
    const std::string file = folder.empty() ? "" : fmt::format("{}/{}{}", folder, line.config, kHeader);
    const auto same = [&](const ConfigLink& link) { return link.config == line.config && link.file == file; };
    if (std::ranges::any_of(chain, same)) return;
    ConfigLink link{line.config, file, fmt::format("{} {}", line.field, line.pattern), ""};
    link.unfit = unfit_reason_of(link, facts);
    chain.push_back(std::move(link));
  };
  for (const RegistryLine& line : user_registry()) add(line, user_config_folder());
  for (const RegistryLine& line : lines_of(embedded_text("configs/registry.tsv"))) add(line, "");
  return chain;
}

std::string user_config_folder() {
  const std::string base = user_folder("XDG_CONFIG_HOME", "/.config");
  return base.empty() ? "" : base + "/fastid/configs";
}

std::vector<RegistryLine> user_registry() {
  try {
    return read_user_registry();
  } catch (const Error& error) {
    log::warn("{}; the user's configs are left out", error.what());
    return {};
  }
}

std::string registry_with(const RegistryLine& line) {
  std::string text =
      "# Which config fits which device, found before the program's own. `fastid tune` writes it.\n"
      "# field\tpattern\tconfig\n";
  std::vector<RegistryLine> lines = {line};
  for (RegistryLine& old : read_user_registry())
    if (old.field != line.field || old.pattern != line.pattern) lines.push_back(std::move(old));
  for (const auto& [field, pattern, config] : lines)
    text += fmt::format("{}\t{}\t{}\n", field, pattern, config);
  return text;
}

KernelConfig config_of(const ConfigLink& link) {
  if (link.file.empty()) return embedded_config(link.config);
  check_own(link.file);
  check_regular(link.file);
  return read_config(link.file);
}

KernelConfig embedded_config(std::string_view name) {
  const std::string path = fmt::format("{}{}{}", kConfigs, name, kHeader);
  return parse_config(embedded_text(path), path);
}

std::vector<std::string> embedded_config_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (file.path.starts_with(kConfigs) && file.path.ends_with(kHeader))
      names.emplace_back(
          file.path.substr(kConfigs.size(), file.path.size() - kConfigs.size() - kHeader.size()));
  return names;
}

std::string unfit_reason(const KernelConfig& config, const DeviceFacts& facts) {
  if (config.group_items() > facts.max_group_items)
    return fmt::format("work-groups of {}, where the device has {} at most", config.group_items(),
                       facts.max_group_items);
  if (config.group_columns > facts.max_group_columns || config.group_rows > facts.max_group_rows)
    return fmt::format("work-groups of {} x {}, where the device has {} x {} at most", config.group_columns,
                       config.group_rows, facts.max_group_columns, facts.max_group_rows);
  if (std::uint64_t{4} * config.m_c * 3 > facts.local_memory)
    return fmt::format("no room for {} queries in {} bytes of local memory", config.m_c, facts.local_memory);
  return "";
}

}  // namespace fastid::model
