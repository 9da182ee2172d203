#include "questions/call/run.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "asking/panel_source.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/import.hpp"
#include "import/reads.hpp"
#include "import/text_output.hpp"
#include "ingest/genotype_text.hpp"

namespace fastid::call {
namespace {

constexpr std::string_view kFormats =
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Phred of the probability of any other genotype\">\n"
    "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Fragments at the site\">\n"
    "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Fragments that speak for each allele\">\n"
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Phred of the genotypes' likelihoods, less the "
    "least\">\n";

void check_names(const std::vector<imports::CalledReads>& called, const std::vector<std::string>& files) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < called.size(); ++i) {
    imports::check_ids({called[i].sample}, display_name(files[i]));
    if (!seen.insert(called[i].sample).second)
      throw InputError(files[i], "",
                       fmt::format("is of sample '{}', as a file before it", printable(called[i].sample)),
                       "join the reads of a sample first: samtools merge");
  }
}

/// Genotype, in the order of the VCF's alleles: REF is the reference genome's.
std::string genotype_of(const imports::SiteCall& call) {
  if (call.seen == kNoneSeen) return call.haploid ? "." : "./.";
  const bool reference = (call.seen & (call.minor_is_reference ? kMinorSeen : kMajorSeen)) != 0;
  const bool other = (call.seen & (call.minor_is_reference ? kMajorSeen : kMinorSeen)) != 0;
  if (call.haploid && reference != other) return reference ? "0" : "1";
  return reference && other ? "0/1" : reference ? "0/0" : "1/1";
}

std::string sample_text(const imports::SiteCall& call) {
  std::array<std::uint32_t, 2> depths = call.depths;
  std::array<std::uint32_t, 3> likelihoods = call.likelihoods;
  if (call.minor_is_reference) {
    std::swap(depths[0], depths[1]);
    std::swap(likelihoods[0], likelihoods[2]);
  }
  const std::string pl = call.depth == 0 ? std::string(".")
                         : call.haploid  ? fmt::format("{},{}", likelihoods[0], likelihoods[2])
                                         : fmt::format("{}", fmt::join(likelihoods, ","));
  return fmt::format("\t{}:{}:{}:{},{}:{}", genotype_of(call),
                     call.depth == 0 ? std::string(".") : std::to_string(call.quality), call.depth, depths[0],
                     depths[1], pl);
}

/// A line of the VCF. A site that the reference genome does not have gets the panel's alleles, and is not
/// called.
std::string vcf_line(const Site& site, const std::vector<imports::CalledReads>& called, std::uint32_t s) {
  const imports::SiteCall& first = called.front().sites[s];
  std::array<char, 2> alleles = {site.major, site.minor};
  if (first.flipped) alleles = {complement(site.major), complement(site.minor)};
  if (first.minor_is_reference) std::swap(alleles[0], alleles[1]);
  std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT:GQ:DP:AD:PL",
                                 ingest::name_of(site.chrom, called.front().chromosomes), site.pos, site.id,
                                 alleles[0], alleles[1]);
  for (const imports::CalledReads& sample : called) line += sample_text(sample.sites[s]);
  return line + '\n';
}

void write_vcf(const Panel& panel, const std::vector<imports::CalledReads>& called,
               imports::TextOutput& out) {
  std::vector<std::string> samples;
  for (const imports::CalledReads& sample : called) samples.push_back(sample.sample);
  out.write(ingest::vcf_head(panel, samples, kFormats, "", called.front().chromosomes));
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    out.write(vcf_line(panel.sites()[s], called, s));
    check_interrupt();
  }
}

void write_snp(const Panel& panel, const imports::CalledReads& called, imports::TextOutput& out) {
  BitBlocks blocks({1, panel.n_sites(), Encoding::kAlleles});
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
    if (called.sites[s].seen != kNoneSeen) blocks.set_seen(0, s, called.sites[s].seen);
  out.write(ingest::snp_text(panel, blocks.view(), called.sample, "called", ""));
}

/// "mean depth 12.3".
std::string depth_text(const imports::CalledReads& called) {
  std::uint64_t found = 0, depth = 0;
  for (const imports::SiteCall& site : called.sites) {
    found += site.found;
    depth += site.depth;
  }
  return fmt::format("mean depth {:.1f}",
                     found == 0 ? 0.0 : static_cast<double>(depth) / static_cast<double>(found));
}

void say(const std::string& file, const imports::CalledReads& called, const Panel& panel) {
  log::note("{}: {}", display_name(file), imports::describe(called.counts));
  log::note("{}: {}, {}", display_name(file),
            imports::describe(imports::counts_of(called, panel), panel.n_sites()), depth_text(called));
  const SiteClasses classes(panel);
  if (classes.has(SiteClass::kX) || classes.has(SiteClass::kY))
    log::note("{}: X and Y are called as {}", display_name(file),
              called.sex ? fmt::format("a {}'s", name_of(*called.sex)) : "those of somebody of unknown sex");
  if (called.contamination)
    log::detail("{}: another person's share of the reads {:.1f} %, log10 LR {:.1f}, by {}",
                display_name(file), 100 * called.contamination->share, called.contamination->log10_lr,
                counted(called.contamination->sites, "site"));
  for (const std::string& warning : called.warnings) log::warn_text(warning);
}

}  // namespace

void call(const CallOptions& options) {
  if (!options.vcf && options.reads.size() > 1)
    throw UsageError(fmt::format(
        "a .snp file holds one profile, and {} files of reads were given; write a VCF: -o FILE.vcf",
        options.reads.size()));
  imports::TextOutput out(options.output);
  const Panel panel = asking::panel_of(options.panel);
  std::vector<imports::CalledReads> called;
  for (const std::string& file : options.reads) {
    called.push_back(imports::call_reads(file, panel, options.import));
    say(file, called.back(), panel);
  }
  check_names(called, options.reads);
  if (options.vcf)
    write_vcf(panel, called, out);
  else
    write_snp(panel, called.front(), out);
  out.commit();
}

}  // namespace fastid::call
