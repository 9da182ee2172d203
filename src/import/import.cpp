#include "import/import.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <unordered_set>
#include <utility>

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

namespace fastid::imports {
namespace {

constexpr std::size_t kLongestId = 255;
constexpr unsigned kMostPeople = 10;  ///< in a stain

}  // namespace

ReaderOptions reader_options(const ImportOptions& options) {
  return {.depths = options.depths,
          .min_quality = options.min_genotype_quality,
          .threads = options.threads,
          .likelihoods = rule_of_likelihoods(options),
          .signals = options.signals,
          .haplotypes = options.haplotypes};
}

LikelihoodRule rule_of_likelihoods(const ImportOptions& options) {
  const bool of_calls = options.min_genotype_quality && options.likelihoods == LikelihoodRule::kAuto;
  return of_calls ? LikelihoodRule::kOff : options.likelihoods;
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

std::string_view name_of(LikelihoodRule rule) {
  static constexpr std::array<std::string_view, 5> kNames{"off", "auto", "PL", "GL", "GP"};
  return kNames[static_cast<std::size_t>(rule)];
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
  if (called.likelihoods && !options.reads.contamination)
    profiles.about += fmt::format(", {:.1f} % of them weighed as another person's",
                                  called.contamination ? 100 * called.contamination->share : 0.0);
  if (options.signals) {
    profiles.few_reads.push_back(std::move(called.few_reads));
    SampleSignal& signal = profiles.signals.emplace_back(std::in_place, panel.n_sites()).value();
    for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
      signal[s] = {.major = static_cast<double>(called.sites[s].depths[0]),
                   .minor = static_cast<double>(called.sites[s].depths[1])};
  }
  if (called.likelihoods) profiles.likelihoods.push_back(std::move(called.likelihoods));
  if (options.report) profiles.site_report = site_report_of(called, panel, source.name());
  profiles.warnings = std::move(called.warnings);
  return profiles;
}

/// Refuses a file without likelihoods where a field was asked for by name.
void refuse_without_likelihoods(const Source& source, LikelihoodRule rule) {
  if (rule == LikelihoodRule::kOff || rule == LikelihoodRule::kAuto) return;
  throw InputError(source.name(), "",
                   fmt::format("holds no likelihoods ({}) of the panel's autosomal sites", name_of(rule)),
                   "give a VCF that has them, or --likelihoods off to read its calls");
}

/// Reads a file of genotypes. Where samples go by their likelihoods, the file is read once more to keep
/// these.
/// \param by_likelihoods  the samples, as a first reading has found them
ImportedProfiles from_genotypes(const Source& source, FileFormat format, const Panel& panel,
                                const ImportOptions& options, std::span<const std::uint64_t> by_likelihoods) {
  const auto reader = open_genotypes(source, format, reader_options(options));
  check_ids(reader->samples(), source.name());
  if (reader->deconvolved() && !options.individuals)
    throw InputError(source.name(), "",
                     "holds how probable contributors' genotypes are, not what a mixture shows",
                     "take it to fastid search, kin or pairs");
  SiteMatcher matcher(panel, options, source.name(), *reader);
  if (!by_likelihoods.empty()) matcher.keep_likelihoods(by_likelihoods);
  while (const SiteRecord* record = reader->next()) matcher.take(*record);
  matcher.finish();
  if (by_likelihoods.empty()) {
    const std::vector<std::uint64_t> found = matcher.by_likelihoods();
    if (!found.empty()) return from_genotypes(source, format, panel, options, found);
    refuse_without_likelihoods(source, options.likelihoods);
  }
  ImportedProfiles profiles{.ids = reader->samples(), .blocks = BitBlocks({0, 0})};
  profiles.counts = matcher.counts();
  profiles.about = reader->about();
  profiles.warnings = matcher.warnings();
  if (options.report) profiles.site_report = matcher.report();
  const std::span<const std::optional<Sex>> stated = reader->stated_sexes();
  profiles.stated_sexes.assign(stated.begin(), stated.end());
  if (!by_likelihoods.empty()) profiles.likelihoods = matcher.take_likelihoods();
  if (!by_likelihoods.empty() && options.likelihoods == LikelihoodRule::kGp)
    profiles.warnings.push_back(fmt::format(
        "{}: its probabilities (GP) are taken for likelihoods, as if all genotypes had been equally "
        "probable before; a program that took frequencies or relatives into account has "
        "counted them twice: give PL or GL where the file has them",
        source.name()));
  if (options.signals) profiles.signals = matcher.take_signals();
  profiles.blocks = std::move(matcher).take_blocks();
  return profiles;
}

}  // namespace

ImportedProfiles import_profiles(const std::string& path, const Panel& panel, const ImportOptions& options) {
  const Source source(path);
  const FileFormat format = detect_format(source);
  ThreadPool alone(1);
  const auto sha256 =
      hash_content(files_of(source, format), source.name(), options.pool ? *options.pool : alone);
  ImportedProfiles profiles = format == FileFormat::kReads
                                  ? from_reads(source, panel, options)
                                  : from_genotypes(source, format, panel, options, {});
  profiles.file = path;
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

}  // namespace fastid::imports
