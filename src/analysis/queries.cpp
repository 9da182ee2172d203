#include "analysis/queries.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "import/site_report.hpp"

namespace fastid {
namespace {

/// The samples of a file that have a called site; warns about the others.
std::vector<std::uint64_t> usable(const ImportedProfiles& file) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t i = 0; i < file.ids.size(); ++i) {
    if (file.blocks.called_sites(i) > 0)
      samples.push_back(i);
    else
      log::warn("{}, sample {}: no site of the panel is called; it is left out", display_name(file.file),
                printable(file.ids[i]));
  }
  return samples;
}

/// Two files may hold one person under the same name; the name of the file then distinguishes them.
void qualify_shared_names(std::vector<QuerySource>& sources) {
  std::map<std::string, int> uses;
  for (const QuerySource& source : sources) ++uses[source.name];
  for (QuerySource& source : sources)
    if (uses[source.name] > 1) source.name = source.file + ":" + source.name;
}

}  // namespace

Queries read_queries(const std::vector<std::string>& files, const Panel& panel,
                     const ImportOptions& options) {
  ImportOptions with_alleles = options;
  with_alleles.encoding = Encoding::kAlleles;
  Queries queries{{}, ProfileRows(0, panel.n_sites())};
  for (const std::string& path : files) {
    const ImportedProfiles file = read_profiles(path, panel, with_alleles);
    log::note("{}: {}", display_name(path), describe(file.counts, panel.n_sites()));
    const std::vector<std::uint64_t> samples = usable(file);
    queries.rows.append(file.blocks.view(), samples);
    for (const std::uint64_t i : samples)
      queries.sources.push_back(
          {file.ids[i], file.file, file.sha256.get(), file.blocks.view().shape.encoding});
  }
  if (options.report) options.report->commit();
  if (queries.sources.empty())
    throw InputError(display_name(files.front()), "",
                     "no query has a called site of the database's panel: nothing to compare",
                     "check that the file was typed for this panel (`fastid db info` shows it)");
  qualify_shared_names(queries.sources);
  return queries;
}

}  // namespace fastid
