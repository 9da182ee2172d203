#include "import/reads/site_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/open.hpp"
#include "panel/population_name.hpp"

namespace fastid::imports {
namespace {

constexpr std::uint64_t kCells = std::uint64_t{1} << 28;  // cells of the sites that are computed together
constexpr std::uint32_t kContaminationSites = 20'000;     // most sites that the share rests on
constexpr double kDeletion = 4.5;                         // log10: a gap is opened at 45
constexpr double kMostContamination = 0.5;
constexpr double kLeastMinor = 0.05;  // of their minor-allele frequencies

/// "; it has A, B".
std::string names_of(const std::vector<Population>& populations) {
  std::string text;
  for (const Population& population : populations)
    text += (text.empty() ? "; it has " : ", ") + population.name;
  return text;
}

/// log10 of the mean over haplotypes.
double mean_of(std::span<const double> log10) {
  const double high = std::ranges::max(log10);
  if (!std::isfinite(high)) return high;
  double sum = 0;
  for (const double one : log10) sum += std::pow(10, one - high);
  return high + std::log10(sum / static_cast<double>(log10.size()));
}

/// log10 of how much more probable a read's base is as read than as any other base; 0 where it is one of the
/// site's alleles.
double log10_of_other(const Observation& read, const SiteWindow& window) {
  for (const char allele : window.alleles)
    if ((hmm::base_set(allele) & read.base()) != 0) return 0;
  const double error = hmm::error_rates()[read.quality()];
  return std::log10((1 - error) / (error / 3));
}

/// The odds of a read, as in SiteReads::odds.
float odds_of(const ReadLikelihood& read) {
  return static_cast<float>(std::pow(10, read[1] - read[0]));
}

/// The number of fragments. A 0 stands for a read without a mate, which is a fragment by itself.
std::size_t distinct(std::vector<std::uint64_t>& fragments) {
  std::ranges::sort(fragments);
  std::size_t n = 0;
  for (std::size_t i = 0; i < fragments.size(); ++i)
    n += i == 0 || fragments[i] == 0 || fragments[i] != fragments[i - 1];
  return n;
}

}  // namespace

Frequencies::Frequencies(const Panel& panel, const std::string& prior) : panel_(panel) {
  if (!prior.empty()) prior_ = find_population(panel, prior);
  if (!prior.empty() && prior_ == nullptr)
    throw UsageError(fmt::format("--prior {}: the panel has no such population{}", printable(prior),
                                 names_of(panel.populations())));
}

std::optional<double> Frequencies::mean(std::uint32_t site) const {
  if (panel_.populations().empty()) return std::nullopt;
  double sum = 0;
  for (const Population& population : panel_.populations()) sum += population.minor_freq[site];
  return sum / static_cast<double>(panel_.populations().size());
}

SiteCalls::SiteCalls(const Panel& panel, const ImportOptions& options, CalledReads& called)
    : panel_(panel),
      classes_(panel),
      options_(options),
      called_(called),
      frequencies_(panel, options.reads.prior),
      engine_(options.reads.engine ? options.reads.engine
                                   : std::shared_ptr(hmm::make_cpu_engine(options.threads + 1))),
      by_likelihoods_(options.individuals && rule_of_likelihoods(options) != LikelihoodRule::kOff),
      by_reads_(options.signals && !options.individuals),
      stride_(1 + panel.n_sites() / kContaminationSites) {
  const double share = options.reads.contamination.value_or(0);
  if (!(share >= 0 && share <= kMostContamination))
    throw UsageError(fmt::format("--contamination {} is no share of the reads: give auto, or 0 to {}", share,
                                 kMostContamination));
  if (by_likelihoods_ && share > 0 && panel.populations().empty())
    throw UsageError(
        "--contamination takes frequencies, and the panel has none; leave it out, or give a panel that has");
}

void SiteCalls::add(OpenSite&& site) {
  called_.counts.overlapping += merge_mates(site.reads);
  if (site.reads.empty()) return;
  Waiting waiting{site.site, groups_.n_pairs(), site.reads.size()};
  for (const char allele : site.window.alleles)
    for (const auto& bases : site.window.haplotypes(allele)) {
      groups_.add_haplotype(bases);
      ++waiting.of_allele;
    }
  waiting.of_allele /= 2;
  for (const Observation& read : site.reads) {
    groups_.add_read(read.rows);
    waiting.other.push_back(log10_of_other(read, site.window));
    waiting.at_middle.push_back(read.at_middle);
  }
  groups_.end_group();
  waiting.deleted = distinct(site.deleted);
  waiting_.push_back(std::move(waiting));
  if (groups_.cells() > kCells) compute();
}

bool SiteCalls::has_one_copy(std::uint32_t site) const {
  const SiteClass of = classes_.of(site);
  return of == SiteClass::kX ? called_.sex == Sex::kMale : of != SiteClass::kAutosomal;
}

std::optional<Sex> SiteCalls::shown_sex() const {
  SexCounts counts;
  const auto add = [](std::uint32_t& called, std::uint32_t& both, Seen seen) {
    called += seen != kNoneSeen;
    both += seen == kBothSeen;
  };
  std::uint32_t autosomal_het = 0;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    const Seen seen = called_.sites[s].seen;
    if (classes_.of(s) == SiteClass::kAutosomal) add(counts.autosomal_called, autosomal_het, seen);
    if (classes_.of(s) == SiteClass::kX) add(counts.x_called, counts.x_het, seen);
    if (classes_.of(s) == SiteClass::kY) add(counts.y_called, counts.y_het, seen);
  }
  const std::optional<Sex> sex = sex_of(counts, classes_, true).sex;
  return sex == Sex::kUndecided ? std::nullopt : sex;
}

void SiteCalls::settle_sex(Sex sex) {
  called_.sex = sex;
  if (sex == Sex::kMale)
    for (const auto& [site, call] : mans_x_) called_.sites[site] = call;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s)
    if (copies_of(classes_.of(s), sex) == 0) called_.sites[s].seen = kNoneSeen;
}

std::optional<Sex> SiteCalls::finish() {
  compute();
  std::optional<Sex> shown;
  if (options_.individuals) {
    shown = shown_sex();
    if (const auto sex = options_.reads.sex ? options_.reads.sex : shown) settle_sex(*sex);
  }
  std::erase_if(shared_, [](const SiteReads& site) { return site.odds.empty(); });
  if (!shared_.empty()) called_.contamination = contamination_of(shared_);
  std::ranges::sort(odds_, {}, [](const auto& site) { return site.first; });  // a file has its own order
  if (by_likelihoods_) called_.likelihoods = likelihoods();
  for (const auto& [site, odds] : odds_)
    if (by_reads_)
      for (const float read : odds) called_.few_reads.push_back({site, read});
  return shown;
}

void SiteCalls::compute() {
  const std::vector<double> log10 = engine_->log10_likelihoods(groups_);
  for (const Waiting& site : waiting_) call(site, std::span(log10).subspan(site.first_pair));
  groups_.clear();
  waiting_.clear();
}

void SiteCalls::call(const Waiting& waiting, std::span<const double> log10) {
  std::vector<ReadLikelihood> reads;
  for (std::size_t r = 0; r < waiting.reads; ++r) {
    const auto of_read = log10.subspan(2 * r * waiting.of_allele, 2 * waiting.of_allele);
    reads.push_back(
        trusted({mean_of(of_read.first(waiting.of_allele)), mean_of(of_read.last(waiting.of_allele))}));
  }
  const bool autosomal = classes_.of(waiting.site) == SiteClass::kAutosomal;
  if (by_reads_ && autosomal && waiting.reads <= kFewReads) {
    reads = of_own_fragments(waiting, reads);
    keep_odds(waiting.site, reads);
  }
  // A deletion is an allele that the panel does not know.
  std::vector<ReadLikelihood> all = reads;
  std::vector<double> other = waiting.other;
  all.insert(all.end(), waiting.deleted, {0, 0});
  other.insert(other.end(), waiting.deleted, kDeletion);
  SiteCall& call = called_.sites[waiting.site];
  if (options_.individuals && classes_.of(waiting.site) == SiteClass::kX) {
    SiteCall& mans = mans_x_.emplace_back(waiting.site, call).second;
    mans.haploid = true;
    weigh(reads, frequencies_.prior(waiting.site), mans);
    mans.seen = of_person(mans, shows_another_allele(all, other, mans.haploid));
  }
  weigh(reads, frequencies_.prior(waiting.site), call);
  call.seen = options_.individuals ? of_person(call, shows_another_allele(all, other, call.haploid))
                                   : of_mixture(call, autosomal);
  share(waiting.site, call, reads);
  if (by_likelihoods_ && autosomal && !shows_another_allele(all, other, call.haploid))
    keep_odds(waiting.site, of_own_fragments(waiting, reads));
}

/// The reads of a site whose fragments count there.
std::vector<ReadLikelihood> SiteCalls::of_own_fragments(const Waiting& waiting,
                                                        std::span<const ReadLikelihood> reads) {
  std::vector<ReadLikelihood> own;
  for (std::size_t r = 0; r < reads.size(); ++r)
    if (waiting.at_middle[r]) own.push_back(reads[r]);
  return own;
}

/// Keeps the odds of each read of a site.
void SiteCalls::keep_odds(std::uint32_t site, std::span<const ReadLikelihood> reads) {
  std::vector<float> odds;
  for (const ReadLikelihood& read : reads) odds.push_back(odds_of(read));
  if (!odds.empty()) odds_.emplace_back(site, std::move(odds));
}

SampleLikelihoods SiteCalls::likelihoods() const {
  const double shown = called_.contamination ? called_.contamination->share : 0;
  const double share = options_.reads.contamination.value_or(shown);
  SampleLikelihoods sample(panel_.n_sites());
  for (const auto& [site, odds] : odds_)
    sample.add(site, likelihoods_of_reads(odds, share, frequencies_.mean(site).value_or(0)));
  return sample;
}

/// A person who carries an allele that the panel does not know is not called.
Seen SiteCalls::of_person(const SiteCall& call, bool another_allele) const {
  if (another_allele) return kNoneSeen;
  if (call.quality < options_.min_genotype_quality.value_or(ImportOptions::kMinQuality)) return kNoneSeen;
  constexpr std::array<Seen, 3> kSeen = {kMajorSeen, kBothSeen, kMinorSeen};
  return kSeen[call.minor_copies];
}

/// A mixture has no genotype: it shows the alleles that have a share of the reads. Where reads are weighed, a
/// single read is enough, except on Y, where a stray read would show a man.
Seen SiteCalls::of_mixture(const SiteCall& call, bool autosomal) const {
  const DepthRule rule =
      options_.depths.value_or(by_reads_ && autosomal ? DepthRule{.min_depth = 1} : DepthRule());
  const double least = rule.least_reads(call.depths[0] + call.depths[1]);
  return static_cast<Seen>((call.depths[0] >= least ? kMajorSeen : 0) |
                           (call.depths[1] >= least ? kMinorSeen : 0));
}

/// Keeps a site's reads for contamination_of().
void SiteCalls::share(std::uint32_t site, const SiteCall& call, std::span<const ReadLikelihood> reads) {
  const std::optional<double> minor = frequencies_.mean(site);
  const std::string& chrom = panel_.sites()[site].chrom;
  const bool autosome = parse_number<unsigned>(chrom).has_value();
  if (!options_.individuals || !minor || *minor < kLeastMinor || *minor > 1 - kLeastMinor || !autosome ||
      call.haploid || site % stride_ != 0)
    return;
  SiteReads& kept = shared_.emplace_back(SiteReads{{}, *minor});
  for (const auto& [major, minor_allele] : reads)
    if (std::abs(major - minor_allele) > 0) kept.odds.push_back(odds_of({major, minor_allele}));
}

}  // namespace fastid::imports
