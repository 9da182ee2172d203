#include "ingest/internal/gather.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "import/site_report.hpp"
#include "ingest/internal/inputs.hpp"

namespace fastid::ingest {
namespace {

/// A text of everything that must be equal for a build to use what an earlier build has read.
std::string meaning_of(const Panel& panel, const BuildOptions& options) {
  const imports::ImportOptions& import = options.import;
  std::string text =
      fmt::format("panel {} ignore-build {} absent-as-reference {} palindromic {} reference {}",
                  panel.sha256(), import.ignore_build, import.absent_as_reference,
                  static_cast<int>(import.palindromic), import.reference);
  if (!import.individuals) text += " mixtures";
  if (import.encoding == Encoding::kAlleles) text += " encoding alleles";
  if (import.depths)
    text += fmt::format(" depths {} {}", import.depths->min_depth, import.depths->min_fraction);
  const imports::ReadOptions& reads = import.reads;
  for (const auto& [name, value] :
       {std::pair("min-gq", import.min_genotype_quality), {"min-mapping-quality", reads.min_mapping_quality}})
    if (value) text += fmt::format(" {} {}", name, *value);
  if (reads.damage > 0) text += fmt::format(" damage {}", reads.damage);
  if (reads.single_stranded) text += " single-stranded";
  if (!reads.known.empty()) text += " known-variants " + reads.known;
  return text;
}

std::string stamp_of(const std::string& input) {
  return input == "-" ? std::string() : imports::input_stamp(input);
}

/// Reads the inputs that the spool lacks.
void fill_spool(ProfileSpool& spool, const Panel& panel, const BuildOptions& options, ThreadPool& pool,
                std::optional<imports::ImportedProfiles> first) {
  std::vector<std::string> missing, stamps;
  for (const std::string& input : options.inputs) {
    std::string stamp = stamp_of(input);
    if (spool.find(input, stamp) != nullptr) continue;
    missing.push_back(input);
    stamps.push_back(std::move(stamp));
  }
  Progress progress(options.progress, "reading", "files", missing.size());
  const auto keep = [&](std::size_t i, imports::ImportedProfiles profiles) {
    spool.add({missing[i], stamps[i], profiles.sha256.get(), std::move(profiles.ids)},
              profiles.blocks.view());
  };
  std::size_t read = 0;
  if (first && !missing.empty() && missing.front() == options.inputs.front()) {
    check_encoding(*first, panel, options.import);
    announce(*first, panel, options.import);
    keep(0, std::move(*first));
    read = 1;
    progress.add(1);
  }
  first.reset();
  read_inputs(
      std::span(missing).subspan(read), panel, options.import, pool,
      [&](std::size_t i, imports::ImportedProfiles profiles) { keep(read + i, std::move(profiles)); },
      [&progress](std::uint64_t n) { progress.add(n); });
}

}  // namespace

ProfileSpool gather(const BuildOptions& options, const Panel& panel, ThreadPool& pool,
                    std::optional<imports::ImportedProfiles> first) {
  ProfileSpool spool(options.output, panel.n_sites(), meaning_of(panel, options), options.resume);
  fill_spool(spool, panel, options, pool, std::move(first));
  if (options.import.report) options.import.report->commit();
  return spool;
}

Roster roster_of(const ProfileSpool& spool, const BuildOptions& options, db::LogRecord& record) {
  Roster roster(options.duplicates);
  for (const std::string& name : options.inputs) {
    const ProfileSpool::Input& input = spool.latest(name);
    record.inputs.push_back({name, input.sha256, input.ids.size()});
    for (std::size_t i = 0; i < input.ids.size(); ++i) roster.add(input.ids[i], input.first_row + i, name);
  }
  say_duplicates(roster);
  return roster;
}

}  // namespace fastid::ingest
