#include "import/import.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "import/format.hpp"
#include "import/site_matcher.hpp"
#include "import/source.hpp"

namespace fastid {
namespace {

constexpr std::size_t kLongestId = 255;

void check_ids(const std::vector<std::string>& ids, const std::string& file) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string place = fmt::format("sample {} ('{}')", i + 1, printable(ids[i]));
    if (ids[i].empty() || ids[i].size() > kLongestId || !is_printable_utf8(ids[i]))
      throw InputError(file, place, "its name is not 1 to 255 printable bytes", "rename it");
    if (!seen.insert(ids[i]).second)
      throw InputError(file, place, "another sample of the file has the same name", "rename one of the two");
  }
}

}  // namespace

std::string describe(const ImportCounts& counts, std::uint32_t n_panel_sites) {
  std::string text =
      fmt::format("sites matched {} of {}", with_commas(counts.matched), with_commas(n_panel_sites));
  if (counts.matched_by_position > 0)
    text += fmt::format(" ({} by position)", with_commas(counts.matched_by_position));
  text += fmt::format(", strand-flipped {}, palindromic {}, unknown alleles {}, no calls {}",
                      with_commas(counts.flipped), with_commas(counts.palindromic),
                      with_commas(counts.unknown_alleles), with_commas(counts.no_calls));
  if (counts.conflicts > 0) text += fmt::format(", conflicts {}", with_commas(counts.conflicts));
  return text;
}

ImportedProfiles read_profiles(const std::string& path, const Panel& panel, const ImportOptions& options) {
  const Source source(path);
  const auto reader = open_genotypes(source, detect_format(source), !options.absent_as_reference);
  check_ids(reader->samples(), source.name());
  SiteMatcher matcher(panel, options, source.name(), *reader);
  while (const SiteRecord* record = reader->next()) matcher.take(*record);
  matcher.finish();
  const ImportCounts counts = matcher.counts();
  return {path, sha256_of_file(source.path()), reader->samples(), std::move(matcher).take_blocks(), counts};
}

}  // namespace fastid
