#include "import/import.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "import/formats/format.hpp"
#include "import/formats/open.hpp"
#include "import/io/content_hash.hpp"
#include "import/io/source.hpp"
#include "import/match/sex_check.hpp"
#include "import/match/site_matcher.hpp"
#include "import/reads.hpp"
#include "import/site_report.hpp"

namespace fastid {
namespace {

constexpr std::size_t kLongestId = 255;
constexpr unsigned kMostPeople = 10;  ///< in a stain

}  // namespace

ReaderOptions reader_options(const ImportOptions& options) {
  return {.depths = options.depths,
          .min_quality = options.min_genotype_quality,
          .threads = options.threads,
          .haplotypes = options.haplotypes};
}

Encoding encoding_of(const ImportOptions& options, const GenotypeReader& reader) {
  return reader.says_alleles() ? options.encoding : Encoding::kMinor;
}

unsigned people_of(const ImportOptions& options) {
  return options.individuals ? 1 : kMostPeople;
}

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

std::string_view name_of(PalindromicRule rule) {
  return rule == PalindromicRule::kKeep ? "keep" : rule == PalindromicRule::kDrop ? "drop" : "frequency";
}

std::string describe(const ImportCounts& counts, std::uint32_t n_panel_sites) {
  std::string text =
      fmt::format("sites matched {} of {}", with_commas(counts.matched), with_commas(n_panel_sites));
  if (counts.matched_by_position > 0)
    text += fmt::format(" ({} by position)", with_commas(counts.matched_by_position));
  text += fmt::format(", strand-flipped {}, palindromic {}, unknown alleles {}, no calls {}",
                      with_commas(counts.flipped), with_commas(counts.palindromic),
                      with_commas(counts.unknown_alleles), with_commas(counts.no_calls));
  if (counts.in_blocks > 0) text += fmt::format(", in reference blocks {}", with_commas(counts.in_blocks));
  if (counts.palindromic_dropped > 0)
    text += fmt::format(", palindromic left out {}", with_commas(counts.palindromic_dropped));
  if (counts.one_copy_hets > 0)
    text += fmt::format(", heterozygous where there is one copy {}", with_commas(counts.one_copy_hets));
  if (counts.third_alleles > 0) text += fmt::format(", third alleles {}", with_commas(counts.third_alleles));
  if (counts.conflicts > 0) text += fmt::format(", conflicts {}", with_commas(counts.conflicts));
  return text;
}

bool holds_reads(const std::string& path) {
  try {
    return detect_format(Source(path)) == FileFormat::kReads;
  } catch (const InputError&) {
    return false;  // whoever reads it says so
  }
}

std::string input_stamp(const std::string& path) {
  const Source source(path);
  if (source.from_pipe()) return {};
  std::string stamp = file_stamp(source.path());
  const std::filesystem::path file(source.path());
  for (const char* suffix : {".bim", ".fam", ".snp", ".ind"}) {
    std::filesystem::path sibling = file;
    stamp += ' ' + file_stamp(sibling.replace_extension(suffix));
  }
  return stamp;
}

namespace {

/// The lines of a SiteReport.
std::string site_report_of(const CalledReads& called, const Panel& panel, const std::string& file) {
  std::string text;
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    const SiteCall& call = called.sites[s];
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t-\n", file, site.id, site.chrom, site.pos,
                        !call.found       ? "other_alleles"
                        : call.depth == 0 ? "absent"
                                          : "matched",
                        !call.found ? "-" : "position",
                        !call.found          ? "-"
                        : call.flipped       ? "flipped"
                        : site.palindromic() ? "ambiguous"
                                             : "same",
                        !call.found               ? "-"
                        : call.minor_is_reference ? "swapped"
                                                  : "same",
                        call.seen == kNoneSeen ? 0 : 1);
  }
  return text;
}

/// The profile that a file of reads shows.
ImportedProfiles from_reads(const Source& source, const Panel& panel, const ImportOptions& options) {
  CalledReads called = call_reads(source, panel, options);
  ImportedProfiles profiles{.ids = {called.sample},
                            .blocks = BitBlocks({1, panel.n_sites(), options.encoding})};
  check_ids(profiles.ids, source.name());
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
    if (called.sites[s].seen != kNoneSeen) profiles.blocks.set_seen(0, s, called.sites[s].seen);
  profiles.counts = counts_of(called, panel);
  if (options.individuals)
    profiles.counts.one_copy_hets = one_copy_hets({profiles.blocks, SiteClasses(panel), profiles.ids});
  profiles.about = describe(called.counts);
  if (options.report) profiles.site_report = site_report_of(called, panel, source.name());
  profiles.warnings = std::move(called.warnings);
  return profiles;
}

}  // namespace

ImportedProfiles import_profiles(const std::string& path, const Panel& panel, const ImportOptions& options) {
  const Source source(path);
  const FileFormat format = detect_format(source);
  ThreadPool alone(1);
  const auto sha256 =
      hash_content(files_of(source, format), source.name(), options.pool ? *options.pool : alone);
  if (format == FileFormat::kReads) {
    ImportedProfiles profiles = from_reads(source, panel, options);
    profiles.file = path;
    profiles.sha256 = sha256;
    return profiles;
  }
  const auto reader = open_genotypes(source, format, reader_options(options));
  check_ids(reader->samples(), source.name());
  SiteMatcher matcher(panel, options, source.name(), *reader);
  while (const SiteRecord* record = reader->next()) matcher.take(*record);
  matcher.finish();
  ImportedProfiles profiles{.file = path, .ids = reader->samples(), .blocks = BitBlocks({0, 0})};
  profiles.counts = matcher.counts();
  profiles.about = reader->about();
  profiles.warnings = matcher.warnings();
  if (options.report) profiles.site_report = matcher.report();
  profiles.blocks = std::move(matcher).take_blocks();
  const std::span<const std::optional<Sex>> stated = reader->stated_sexes();
  profiles.stated_sexes.assign(stated.begin(), stated.end());
  profiles.sha256 = sha256;
  return profiles;
}

void publish(ImportedProfiles& profiles, const ImportOptions& options) {
  if (!profiles.about.empty()) log::note("{}: {}", display_name(profiles.file), profiles.about);
  for (const std::string& warning : profiles.warnings) log::warn_text(warning);
  if (options.report) options.report->add(profiles.site_report);
  profiles.warnings.clear();
  profiles.site_report.clear();
}

ImportedProfiles read_profiles(const std::string& path, const Panel& panel, const ImportOptions& options) {
  ImportedProfiles profiles = import_profiles(path, panel, options);
  publish(profiles, options);
  return profiles;
}

}  // namespace fastid
