#include "panel/named_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "panel/internal/panel_tsv.hpp"

namespace fastid {
namespace {

constexpr std::string_view kFolder = "data/panels/", kSuffix = ".tsv";

std::string names_of(const std::vector<NamedPanel>& panels) {
  std::string names;
  for (const NamedPanel& panel : panels) names += (names.empty() ? "" : ", ") + panel.name;
  return names;
}

}  // namespace

std::vector<NamedPanel> named_panels() {
  std::vector<NamedPanel> panels;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with(kFolder) || !file.path.ends_with(kSuffix)) continue;
    std::string_view name = file.path.substr(kFolder.size());
    name.remove_suffix(kSuffix.size());
    const std::string_view first_line = file.text.substr(0, file.text.find('\n'));
    panels.push_back(
        {std::string(name), trim(first_line.substr(first_line.find_first_not_of("# "))), file.text});
  }
  std::ranges::sort(panels, {}, &NamedPanel::name);
  return panels;
}

PanelSource::PanelSource(const std::string& given) : what(given), path(given) {
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(given, ignored);
  for (const GenomeBuild each : {GenomeBuild::kGRCh37, GenomeBuild::kGRCh38}) {
    const std::string suffix = fmt::format(":{}", name_of(each));
    if (is_file || !given.ends_with(suffix)) continue;
    path.resize(path.size() - suffix.size());
    build = each;
  }
  const std::vector<NamedPanel> panels = named_panels();
  const std::string lower = ascii_lower(path);  // the names have no capitals
  const auto found = std::ranges::find(panels, lower, &NamedPanel::name);
  if (found != panels.end() && (path == lower || !is_file)) {
    text = found->text;
    path.clear();
  } else if (!is_file && !std::filesystem::exists(path, ignored)) {
    throw InputError(given, "", "is neither a file nor a panel that comes with fastid",
                     "name a file, or one of " + names_of(panels));
  }
}

Panel PanelSource::read() const {
  return path.empty() ? parse_panel_tsv(text, what, build) : read_panel_tsv(path, build);
}

std::string PanelSource::sha256() const {
  return path.empty() ? sha256_of(text) : sha256_of_file(path);
}

}  // namespace fastid
