#include "opencl/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "opencl/embedded.hpp"

namespace fastid {
namespace {

constexpr std::string_view kConfigs = "configs/", kHeader = ".h";

// Whether `pattern` is the whole of `text`; * stands for any characters.
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

std::string field_of(const DeviceFacts& facts, std::string_view field) {
  if (field == "device") return facts.device;
  if (field == "architecture") return facts.architecture;
  if (field == "gpu_vendor") return facts.type == "GPU" ? facts.vendor : "";
  if (field == "platform") return facts.platform;
  if (field == "type") return facts.type;
  throw Failure(fmt::format("configs/registry.tsv: {} is no field of a device", field));
}

std::string_view embedded_text(std::string_view path) {
  const auto files = embedded_files();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  if (found == files.end()) throw Failure(fmt::format("{} is not part of this program", path));
  return found->text;
}

}  // namespace

std::vector<ConfigLink> config_chain(const DeviceFacts& facts) {
  std::vector<ConfigLink> chain;
  for (const std::string_view line : split(embedded_text("configs/registry.tsv"), '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() != 3) throw Failure("configs/registry.tsv: a line has not three columns");
    const std::string_view field = columns[0], pattern = columns[1], name = columns[2];
    if (!matches(ascii_lower(pattern), ascii_lower(field_of(facts, field)))) continue;
    const auto same = [&](const ConfigLink& link) { return link.config == name; };
    if (std::ranges::none_of(chain, same))
      chain.push_back({std::string(name), fmt::format("{} {}", field, pattern),
                       unfit_reason(embedded_config(name), facts)});
  }
  return chain;
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
  if (config.micro_kernel == 0) return "";
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

}  // namespace fastid
