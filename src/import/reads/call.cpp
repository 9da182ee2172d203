// The way from a file of aligned reads to genotypes: records in order, sites as they are passed, likelihoods
// of many sites together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/formats/format.hpp"
#include "import/formats/open.hpp"
#include "import/match/reference_genome.hpp"
#include "import/reads.hpp"
#include "import/reads/alignments.hpp"
#include "import/reads/known_variants.hpp"
#include "import/reads/site_calls.hpp"
#include "panel/build_detector.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kMostReads = 8000;  // of a site
constexpr std::int64_t kApart = 500;      // sites this near are one range of the index

/// Walks along the reads and the sites.
class Walk {
 public:
  Walk(const Source& source, const Panel& panel, const ImportOptions& options)
      : source_(source),
        panel_(panel),
        options_(options),
        genome_(genome_of(source, options)),
        known_(options.reads.known.empty() ? KnownVariants() : KnownVariants(options.reads.known)),
        alignments_(source, options.reference, options.threads),
        by_fragments_(rule_of_likelihoods(options) != LikelihoodRule::kOff || options.signals),
        calls_(panel, options, called_) {
    called_.sample = alignments_.sample();
    called_.sites.resize(panel.n_sites());
    check_builds();
    find_sites();
    check_checksums();
    for (const Site& site : panel.sites())
      if (std::string name = genome_.name(site.chrom); !name.empty())
        called_.chromosomes.emplace(site.chrom, std::move(name));
  }

  CalledReads run() {
    while (const bam1_t* read = alignments_.next()) {
      if (read->core.tid != contig_) start_contig(read->core.tid);
      close_before(read->core.pos + 1);
      if (!at_sites(*read) || !usable(*read)) continue;
      open_until(bam_endpos(read));
      std::vector<OpenSite*> taken;
      for (OpenSite& site : open_)
        if (take(*read, site)) taken.push_back(&site);
      note_middle(*read, taken);
    }
    close_all();
    shown_ = calls_.finish();
    find_rest();
    check_genome();
    check_strands();
    check_depths();
    warn();
    return std::move(called_);
  }

 private:
  static ReferenceGenome genome_of(const Source& source, const ImportOptions& options) {
    if (options.reference.empty())
      throw InputError(source.name(), "", "holds reads, which are compared with the reference genome",
                       "name the one that they were aligned to: --reference GENOME.fa");
    return ReferenceGenome(options.reference);
  }

  void check_builds() {
    const GenomeBuild build = alignments_.build(), of_panel = panel_.build() != GenomeBuild::kUnknown
                                                                  ? panel_.build()
                                                                  : detect_build(panel_);
    if (build != GenomeBuild::kUnknown && of_panel != GenomeBuild::kUnknown && build != of_panel)
      throw InputError(
          source_.name(), "header",
          fmt::format("the reads are aligned to {}, and the panel has positions of {}", name_of(build),
                      name_of(of_panel)),
          fmt::format("align them to {}, or take a panel of {}", name_of(of_panel), name_of(build)));
    for (const Alignments::Contig& contig : alignments_.contigs()) {
      const std::uint64_t length = genome_.length(contig.chrom);
      if (length == 0) alignments_.note_unknown(contig.name);
      if (length != 0 && length != contig.length)
        throw InputError(source_.name(), "header",
                         fmt::format("chromosome {} has {} bases, and in {} {}", printable(contig.name),
                                     with_commas(contig.length), options_.reference, with_commas(length)),
                         "name the genome that the reads were aligned to by --reference");
    }
  }

  /// Checks the checksums of the shortest chromosomes with sites, as many as take about a second (all of a
  /// small genome). A different genome differs in every chromosome.
  void check_checksums() const {
    constexpr std::uint64_t kMostBases = std::uint64_t{1} << 28;
    std::vector<const Alignments::Contig*> stated;
    for (std::size_t c = 0; c < sites_.size(); ++c) {
      const Alignments::Contig& contig = alignments_.contigs()[c];
      if (!sites_[c].empty() && !contig.md5.empty() && genome_.length(contig.chrom) > 0)
        stated.push_back(&contig);
    }
    std::ranges::sort(stated, {}, &Alignments::Contig::length);
    std::uint64_t bases = 0;
    for (const Alignments::Contig* const contig : stated) {
      bases += contig->length;
      if (bases > kMostBases && contig != stated.front()) return;
      check_interrupt();
      if (genome_.md5(contig->chrom) != contig->md5)
        throw InputError(source_.name(), "header",
                         fmt::format("is aligned to another genome than {}: the MD5 of chromosome {} differs",
                                     options_.reference, printable(contig->name)),
                         "name the genome that the reads were aligned to by --reference");
    }
  }

  /// Finds the panel's sites on the file's contigs, and the ranges from which reads are needed.
  void find_sites() {
    sites_.resize(alignments_.contigs().size());
    std::map<std::string, bool> taken;  // the first contig of a name counts
    std::vector<GenomeRange> ranges;
    for (std::size_t c = 0; c < sites_.size(); ++c) {
      const Alignments::Contig& contig = alignments_.contigs()[c];
      if (!taken.emplace(contig.chrom, true).second) continue;
      const auto all = panel_.find_range(contig.chrom, 1, UINT32_MAX);
      sites_[c].assign(all.begin(), all.end());
      n_sites_ += all.size();
      for (const std::uint32_t site : sites_[c]) {
        const std::int64_t pos = panel_.sites()[site].pos;
        if (!ranges.empty() && ranges.back().contig == static_cast<int>(c) &&
            pos - ranges.back().end < kApart)
          ranges.back().end = pos;
        else
          ranges.push_back({static_cast<int>(c), pos - 1, pos});
      }
    }
    if (n_sites_ == 0)
      throw InputError(source_.name(), "header", "no chromosome of the panel's sites is in it",
                       "check that panel and reads are of one genome build");
    alignments_.keep_to(ranges);
  }

  void start_contig(int contig) {
    close_all();
    contig_ = contig;
    next_ = 0;
    mates_.clear();
  }

  const std::vector<std::uint32_t>& here() const { return sites_[static_cast<std::size_t>(contig_)]; }
  std::int64_t position(std::size_t i) const { return panel_.sites()[here()[i]].pos; }

  /// Closes the sites before a position, which get no further reads.
  void close_before(std::int64_t pos) {
    while (!open_.empty() && open_.front().window.pos < pos) {
      calls_.add(std::move(open_.front()));
      open_.pop_front();
    }
    while (next_ < here().size() && position(next_) < pos) ++next_;
  }
  void close_all() {
    for (OpenSite& site : open_) calls_.add(std::move(site));
    open_.clear();
  }

  bool at_sites(const bam1_t& read) const {
    return !open_.empty() || (next_ < here().size() && position(next_) <= bam_endpos(&read));
  }

  bool usable(const bam1_t& read) {
    ReadCounts& counts = called_.counts;
    ++counts.reads;
    const auto count = [](std::uint64_t& n) { return ++n, false; };
    const std::uint16_t flag = read.core.flag;
    if ((flag & BAM_FUNMAP) != 0 || read.core.n_cigar == 0 || read.core.l_qseq == 0)
      return count(counts.unmapped);
    if ((flag & (BAM_FSECONDARY | BAM_FSUPPLEMENTARY)) != 0) return count(counts.secondary);
    if ((flag & BAM_FDUP) != 0) return count(counts.duplicates);
    if ((flag & BAM_FQCFAIL) != 0) return count(counts.failed);
    if (read.core.qual < options_.reads.min_mapping_quality.value_or(ImportOptions::kMinQuality))
      return count(counts.low_quality);
    if (bam_get_qual(&read)[0] == 0xFF) return count(counts.without_qualities);
    return true;
  }

  /// Opens the sites up to and with a position.
  void open_until(std::int64_t end) {
    for (; next_ < here().size() && position(next_) <= end; ++next_)
      if (auto window = look_up(here()[next_])) open_.push_back({here()[next_], std::move(*window), {}, {}});
  }

  std::optional<SiteWindow> look_up(std::uint32_t number) {
    const Site& site = panel_.sites()[number];
    std::optional<SiteWindow> window = window_of(site, genome_, known_);
    SiteCall& call = called_.sites[number];
    call.haploid = calls_.has_one_copy(number);
    call.found = window.has_value();
    if (!window) return window;
    call.flipped = window->flipped;
    call.minor_is_reference = window->reference() == window->alleles[1];
    return window;
  }

  /// Adds a read to a site. False where the read has no base there, or the site has too many reads.
  bool take(const bam1_t& read, OpenSite& site) {
    if (site.window.pos > bam_endpos(&read)) return false;
    covered_ = true;
    if (site.reads.size() == kMostReads) {
      ++called_.counts.too_deep;
      return false;
    }
    if (auto seen = observe(read, site.window, options_.reads)) {
      site.reads.push_back(std::move(*seen));
      return true;
    }
    if (deletes(read, site.window) && site.deleted.size() < kMostReads)
      site.deleted.push_back(fragment_of(read));
    return false;
  }

  /// Notes which of the sites that a read covers its fragment counts at. Where mates cover different sites,
  /// the first mate's site counts.
  void note_middle(const bam1_t& read, std::span<OpenSite* const> taken) {
    if (taken.empty() || !by_fragments_) return;
    const std::int64_t twice = twice_the_middle(read);
    const auto apart = [&](const OpenSite* site) {
      return std::abs(2 * std::int64_t{site->window.pos} - twice);
    };
    OpenSite* own = *std::ranges::min_element(taken, {}, apart);
    if (const std::uint64_t fragment = fragment_of(read); fragment != 0) {
      const auto mate = mates_.find(fragment);
      if (mate != mates_.end()) {
        const auto same = std::ranges::find(taken, mate->second, &OpenSite::site);
        own = same == taken.end() ? nullptr : *same;
        mates_.erase(mate);
      } else if (read.core.mtid == read.core.tid && read.core.mpos >= read.core.pos) {
        mates_.emplace(fragment, own->site);
      }
    }
    if (own != nullptr) own->reads.back().at_middle = true;
  }

  /// Twice the middle position (from 1) of a read's fragment, where that is known, else of the read.
  static std::int64_t twice_the_middle(const bam1_t& read) {
    const bool whole = (read.core.flag & BAM_FPAIRED) != 0 && (read.core.flag & BAM_FMUNMAP) == 0 &&
                       read.core.mtid == read.core.tid && read.core.isize != 0;
    if (!whole) return read.core.pos + 1 + bam_endpos(&read);
    return 2 * (std::min(read.core.pos, read.core.mpos) + 1) + std::abs(read.core.isize) - 1;
  }

  /// Looks up the sites without reads, to learn which of them the genome has.
  void find_rest() {
    for (const auto& of_contig : sites_)
      for (const std::uint32_t site : of_contig)
        if (called_.sites[site].depth == 0) look_up(site);
  }

  /// Checks that sites fit the genome, by A/T and C/G sites: half of all bases are neither allele of such a
  /// site, so another genome shows.
  void check_genome() const {
    constexpr std::size_t kFew = 20;
    constexpr double kMostMissing = 0.2;
    std::size_t all = 0, missing = 0;
    for (const auto& of_contig : sites_)
      for (const std::uint32_t site : of_contig) {
        const bool palindromic = panel_.sites()[site].palindromic();
        all += palindromic;
        missing += palindromic && !called_.sites[site].found;
      }
    if (all < kFew || static_cast<double>(missing) < kMostMissing * static_cast<double>(all)) return;
    throw InputError(
        options_.reference, "",
        fmt::format("has neither allele at {} of the panel's {} A/T and C/G sites: it is of another "
                    "genome build than the panel",
                    with_commas(missing), with_commas(all)),
        "align the reads to the panel's build, or take a panel of theirs");
  }

  /// Checks that sites fit on the forward strand. Panel and genome are both on it, so sites that fit only on
  /// the other strand are at wrong positions.
  void check_strands() const {
    constexpr std::size_t kFew = 3;
    constexpr double kMostFlipped = 0.1;
    std::size_t all = 0, flipped = 0;
    for (const auto& of_contig : sites_)
      for (const std::uint32_t site : of_contig) {
        if (panel_.sites()[site].palindromic()) continue;
        all += called_.sites[site].found;
        flipped += called_.sites[site].flipped;
      }
    if (flipped <= kFew || static_cast<double>(flipped) <= kMostFlipped * static_cast<double>(all)) return;
    throw InputError(options_.reference, "",
                     fmt::format("has the alleles of {} of the panel's {} sites on the other strand alone: "
                                 "it is of another genome "
                                 "build than the panel, whose alleles are of the forward strand",
                                 with_commas(flipped), with_commas(all)),
                     "align the reads to the panel's build, or take a panel of theirs");
  }

  /// Checks that reads cover some sites. Covered sites without a call are a result, but reads that lie
  /// nowhere near the sites are not.
  void check_depths() const {
    if (covered_) return;
    throw InputError(source_.name(), "",
                     fmt::format("no read that counts covers any of the panel's {} ({})",
                                 counted(n_sites_, "site"), describe(called_.counts)),
                     "give reads of the panel's regions; --min-mapping-quality decides which ones count");
  }

  void warn() {
    constexpr double kLeastShare = 0.01, kLeastLog10 = 3;
    const auto& found = called_.contamination;
    if (found && found->share >= kLeastShare && found->log10_lr >= kLeastLog10)
      called_.warnings.push_back(
          fmt::format("{}: {:.1f} % of the reads are most probably another person's (contamination; log10 LR "
                      "{:.0f} against "
                      "none, by {}); genotypes called from it may be wrong",
                      source_.name(), 100 * found->share, found->log10_lr, counted(found->sites, "site")));
    if (const std::optional<Sex> stated = options_.reads.sex; stated && shown_ && *shown_ != *stated)
      called_.warnings.push_back(fmt::format("{}: is called as {}, and X and Y show the other sex",
                                             source_.name(), fastid::name_of(*stated)));
    if (called_.counts.too_deep > 0)
      called_.warnings.push_back(fmt::format("{}: of a site with more than {} the rest is left out",
                                             source_.name(), counted(kMostReads, "read")));
  }

  const Source& source_;
  const Panel& panel_;
  const ImportOptions& options_;
  CalledReads called_;
  ReferenceGenome genome_;
  KnownVariants known_;
  Alignments alignments_;
  bool by_fragments_;  ///< it matters which site is a fragment's
  SiteCalls calls_;
  std::vector<std::vector<std::uint32_t>> sites_;  ///< of each contig, by position
  std::size_t n_sites_ = 0;
  std::optional<Sex> shown_;  ///< by X and Y
  bool covered_ = false;      ///< some site, by a read that counts
  int contig_ = -1;
  std::size_t next_ = 0;  ///< of here(): the first site that is not open yet
  std::deque<OpenSite> open_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      mates_;  ///< fragments whose second read may come: its site
};

}  // namespace

CalledReads call_reads(const Source& source, const Panel& panel, const ImportOptions& options) {
  return Walk(source, panel, options).run();
}

CalledReads call_reads(const std::string& path, const Panel& panel, const ImportOptions& options) {
  const Source source(path);
  if (detect_format(source) != FileFormat::kReads)
    throw InputError(source.name(), "", "holds genotypes, not aligned reads",
                     "search with it as it is: nothing is to be called");
  return call_reads(source, panel, options);
}

std::string describe(const ReadCounts& counts) {
  std::string text = counted(counts.reads, "read") + " at sites";
  const auto add = [&text](std::uint64_t n, std::string_view what) {
    if (n > 0) text += fmt::format(", {} {}", what, with_commas(n));
  };
  add(counts.duplicates, "duplicates");
  add(counts.secondary, "secondary");
  add(counts.low_quality, "of low mapping quality");
  add(counts.failed, "failed");
  add(counts.unmapped, "unmapped");
  add(counts.without_qualities, "without qualities");
  add(counts.overlapping, "overlapping mates");
  return text;
}

ImportCounts counts_of(const CalledReads& called, const Panel& panel) {
  ImportCounts counts{.samples = 1};
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const SiteCall& call = called.sites[s];
    counts.matched += call.found;
    counts.file_sites += call.depth > 0;
    counts.flipped += call.flipped;
    counts.palindromic += call.found && panel.sites()[s].palindromic();
    counts.unknown_alleles += !call.found && panel.sites()[s].pos != 0;
    counts.swapped += call.minor_is_reference;
    counts.no_calls += call.found && call.seen == kNoneSeen;
  }
  return counts;
}

}  // namespace fastid::imports
