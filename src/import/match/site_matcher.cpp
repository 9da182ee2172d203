#include "import/match/site_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/open.hpp"
#include "panel/allele_code.hpp"

namespace fastid::imports {
namespace {

constexpr double kLeastFrequency = 1e-3;  ///< a panel's 0 does not mean never
constexpr double kCertain = 3;            ///< log10 of how much likelier a strand must be

/// Stands for reads of records that disagree.
constexpr AlleleSignal kContradicted{-1, -1};

/// A palindromic site as its other strand spells it.
Site turned(const Site& site) {
  Site other_strand = site;
  std::swap(other_strand.major, other_strand.minor);
  return other_strand;
}

}  // namespace

std::string position_text(std::string_view chrom, std::uint32_t pos) {
  return fmt::format("{}:{}", printable(chrom), pos);
}

SiteMatcher::SiteMatcher(const Panel& panel, const ImportOptions& options, std::string file,
                         GenotypeReader& reader)
    : panel_(panel),
      classes_(panel),
      options_(options),
      file_(std::move(file)),
      reader_(reader),
      blocks_({reader.samples().size(), panel.n_sites(), encoding_of(options, reader)}),
      writer_(blocks_),
      states_(panel.n_sites()),
      calls_(reader.samples().size()),
      carriers_(reader.samples().size()),
      rule_(rule_of_likelihoods(options)),
      spans_(reader.samples().size()),
      span_calls_(reader.samples().size()) {
  counts_.samples = reader.samples().size();
  if (options.individuals) ploidy_.emplace(reader);
  if (options.signals) signals_.assign(counts_.samples, SampleSignal(panel.n_sites()));
  if (rule_ != LikelihoodRule::kOff) likelihoods_.emplace(counts_.samples, classes_);
  if (!options.reference.empty()) reference_ = std::make_unique<ReferenceGenome>(options.reference);
  if (options.palindromic == PalindromicRule::kFrequency && panel.populations().empty())
    throw InputError(file_, "", "the panel has no frequencies to tell strands by",
                     "give a panel that has, or --palindromic keep or drop");
  if (reader.may_hold_variants_only() && !options.absent_as_reference) tallies_.resize(panel.n_sites());
  check_builds();
}

void SiteMatcher::keep_likelihoods(std::span<const std::uint64_t> samples) {
  likelihoods_.emplace(counts_.samples, classes_, samples);
}

std::vector<std::uint64_t> SiteMatcher::by_likelihoods() const {
  if (!likelihoods_) return {};
  // A deconvolved contributor is called only at certain sites, which are mostly sites where all contributors
  // are alike.
  const bool all = rule_ == LikelihoodRule::kAuto && reader_.deconvolved();
  return likelihoods_->chosen(all ? LikelihoodRule::kPl : rule_, blocks_);
}

std::vector<std::optional<SampleLikelihoods>> SiteMatcher::take_likelihoods() const {
  return likelihoods_->take(blocks_);
}

void SiteMatcher::add_candidate(std::uint32_t site, Origin origin) {
  const auto same = [&](const Candidate& other) { return other.site == site; };
  if (std::ranges::none_of(candidates_, same)) candidates_.push_back({site, origin});
}

/// Most files have the sites in the panel's order: the site after the last one found is tried first.
std::optional<std::uint32_t> SiteMatcher::find_id(std::string_view id) {
  const std::vector<Site>& sites = panel_.sites();
  const auto found =
      next_ < sites.size() && sites[next_].id == id ? std::optional(next_) : panel_.find_id(id);
  if (found) next_ = *found + 1;
  return found;
}

void SiteMatcher::find_candidates(const SiteRecord& record) {
  candidates_.clear();
  const auto whole = find_id(record.ids);  // an id of the panel may hold ',' or ';'
  if (whole) add_candidate(*whole, Origin::kId);
  for (std::string_view rest = whole ? std::string_view() : record.ids; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(";,"), rest.size());
    if (const auto site = find_id(rest.substr(0, end))) add_candidate(*site, Origin::kId);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!candidates_.empty() || options_.ignore_build) return;
  for (const std::uint32_t site : panel_.find_position(record.chrom, record.pos))
    add_candidate(site, Origin::kPosition);
}

void SiteMatcher::take(const SiteRecord& record) {
  if (++counts_.file_sites == 1)
    record_example_ =
        fmt::format("'{}' at {}", printable(record.ids), position_text(record.chrom, record.pos));
  detector_.see(record.ids, record.pos);
  if (record.block_end >= record.pos && record.block_end > 0) return take_block(record);
  find_candidates(record);
  bool fits = false;
  if (record.span_end > 0 && !options_.ignore_build) take_span(record);
  for (const Candidate& candidate : candidates_) fits |= try_site(candidate, record);
  if (!candidates_.empty() && !fits) ++counts_.unknown_alleles;
}

bool SiteMatcher::try_site(const Candidate& candidate, const SiteRecord& record) {
  const Site& site = panel_.sites()[candidate.site];
  SiteState& state = states_[candidate.site];
  Fit fit;
  const Fate fate = read_site(site, candidate.site, fit);
  note_fit(candidate, fate);
  // A VCF may split a site into several records, one of which fits; a text has only one line for it, whether
  // it fits or not.
  const bool only_one = fate != Fate::kOtherAlleles || record.alleles.empty();
  if (candidate.origin == Origin::kId && only_one) refuse_second(candidate.site, record);
  if (fate != Fate::kRead) {
    state.origin = std::max(state.origin, fate == Fate::kDropped ? Origin::kDropped : Origin::kOtherAlleles);
    if (fate == Fate::kOtherAlleles) note_third_allele(candidate.site);
    return fate == Fate::kDropped;
  }
  if (candidate.origin == Origin::kId) tally_position(site, record);
  counts_.unknown_alleles += fit.unknown_allele;
  if (ploidy_) ploidy_->apply(classes_.of(candidate.site), record, calls_);
  store(candidate, fit, record);
  return true;
}

/// Reads the current record's genotypes into calls_.
SiteMatcher::Fate SiteMatcher::read_site(const Site& site, std::uint32_t place, Fit& fit) {
  turned_ = false;
  if (site.palindromic() && options_.palindromic != PalindromicRule::kKeep)
    return read_palindromic(site, place, fit);
  const std::optional<Fit> read = reader_.read_onto(site, calls_);
  if (!read) return Fate::kOtherAlleles;
  fit = *read;
  return Fate::kRead;
}

/// With q the minor allele's frequency, counts of (major, minor) letters are (q / (1 - q))^(minor - major)
/// times as likely where the file is on the panel's strand as on the other strand, where the letters are
/// swapped. How many copies there are of X, Y and M is not known yet: these sites are dropped.
SiteMatcher::Fate SiteMatcher::read_palindromic(const Site& site, std::uint32_t place, Fit& fit) {
  const bool fits = reader_.read_onto(site, calls_).has_value();
  if (!fits) return Fate::kOtherAlleles;
  if (options_.palindromic == PalindromicRule::kDrop || classes_.of(place) != SiteClass::kAutosomal)
    return Fate::kDropped;
  const auto letters = reader_.count_letters(site);
  const double q =
      std::clamp(panel_.populations().front().minor_freq[place], kLeastFrequency, 1 - kLeastFrequency);
  const double more_minor = static_cast<double>(letters.second) - static_cast<double>(letters.first);
  const double log10_odds = more_minor * std::log10(q / (1 - q));
  if (log10_odds >= kCertain) return Fate::kRead;
  if (log10_odds > -kCertain) return Fate::kDropped;
  reader_.read_onto(turned(site), calls_);
  fit.flipped = turned_ = true;
  return Fate::kRead;
}

/// Notes who carries a third allele: where a program has split one record into several, each shows the
/// carriers of another record's allele as carriers of neither.
void SiteMatcher::note_third_allele(std::uint32_t site) {
  if (!reader_.carriers_of_third(panel_.sites()[site], carriers_)) return;
  if (!carriers_.any()) return;
  const auto [known, fresh] = third_.try_emplace(site, carriers_);
  if (!fresh) known->second.add(carriers_);
}

void SiteMatcher::refuse_second(std::uint32_t site, const SiteRecord& record) {
  std::uint64_t& named_in = states_[site].named_in;
  if (named_in != 0)
    throw InputError(file_, reader_.place(record.number),
                     fmt::format("'{}' is given a second time, after {}", panel_.sites()[site].id,
                                 reader_.place(named_in)),
                     "remove one of the two");
  named_in = record.number;
}

/// Notes what the record says of the sites among its positions. Where its reference has one base, its own
/// position is left to the rules of other records.
void SiteMatcher::take_span(const SiteRecord& record) {
  const std::uint32_t first = record.spelled.front().size() > 1 ? record.pos : record.pos + 1;
  for (const std::uint32_t place : panel_.find_range(record.chrom, first, record.span_end)) {
    const Site& site = panel_.sites()[place];
    std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.site == place; });
    if (site.palindromic() && options_.palindromic != PalindromicRule::kKeep) {
      states_[place].origin = std::max(states_[place].origin, Origin::kDropped);
      continue;
    }
    const bool read = reader_.read_span(site, span_calls_);
    if (site.pos == record.pos && !(read && span_calls_.says_base)) ++counts_.unknown_alleles;
    if (!read) {
      states_[place].origin = std::max(states_[place].origin, Origin::kOtherAlleles);
      continue;
    }
    const bool with_calls = span_calls_.says_base || options_.absent_as_reference;
    if (with_calls && ploidy_) ploidy_->apply(classes_.of(place), record, span_calls_.calls);
    spans_.add(place, record.number, span_calls_, with_calls);
  }
}

/// Calls the sites that have no record of their own, and checks the other sites against the records that
/// cover them.
void SiteMatcher::call_spans() {
  for (const auto& [place, spanned] : spans_.sites()) {
    SiteState& state = states_[place];
    if (state.origin >= Origin::kBlock) {
      hold_to_span(place, spanned);
      continue;
    }
    if (state.origin != Origin::kNothing || !spanned.called) continue;
    calls_ = spanned.calls;
    for (SampleBits* const bits : {&calls_.major, &calls_.minor}) {
      bits->clear(spanned.gone);
      bits->clear(spanned.disagree);
    }
    state.origin = Origin::kSpan;
    state.record = spanned.record;
    state.flipped = spanned.flipped;
    state.swapped = spanned.swapped;
    tally_reference(place);
    writer_.put(place, calls_);
  }
  writer_.flush();
}

void SiteMatcher::hold_to_span(std::uint32_t site, const Spanned& spanned) {
  const bool only_minor = blocks_.shape().encoding == Encoding::kMinor;
  for (std::size_t sample = 0; sample < counts_.samples; ++sample) {
    if (likelihoods_ && spanned.gone.get(sample)) likelihoods_->forbid(sample, site);
    const Seen seen = seen_before(sample, site);
    if (seen == kNoneSeen) continue;
    const Seen shown = only_minor ? spanned.shown.get(sample) & kMinorSeen : spanned.shown.get(sample);
    const bool lacks = (shown & ~seen) != 0;
    if (!spanned.gone.get(sample) && !lacks) continue;
    blocks_.clear(sample, site);
    if (spanned.gone.get(sample))
      ++counts_.third_alleles;
    else
      conflicts_.try_emplace(site, counts_.samples).first->second[sample] = true;
  }
}

/// Every site of the panel within the block is called reference, unless a record of its own says otherwise.
void SiteMatcher::take_block(const SiteRecord& record) {
  if (options_.ignore_build) return;  // positions cannot be trusted
  for (const std::uint32_t place : panel_.find_range(record.chrom, record.pos, record.block_end)) {
    const Site& site = panel_.sites()[place];
    SiteState& state = states_[place];
    if (state.origin >= Origin::kBlock) continue;
    if (site.palindromic() && options_.palindromic == PalindromicRule::kDrop) {
      state.origin = Origin::kDropped;
      continue;
    }
    const char base = block_base(site, record);
    if (!reader_.read_block(site, base, calls_)) {
      state.origin = std::max(state.origin, Origin::kOtherAlleles);
      ++counts_.unknown_alleles;
      continue;
    }
    if (ploidy_) ploidy_->apply(classes_.of(place), record, calls_);
    if (!signals_.empty() && reader_.read_block_signals(site, base, measured_))
      for (std::size_t sample = 0; sample < counts_.samples; ++sample)
        signals_[sample][place] = measured_[sample];
    state.origin = Origin::kBlock;
    state.record = record.number;
    state.swapped = base == site.minor;
    tally_reference(place);
    writer_.put(place, calls_);
  }
}

/// The reference base at a site within a block; the record itself gives only its first one.
char SiteMatcher::block_base(const Site& site, const SiteRecord& record) {
  char base = 0;
  if (site.pos == record.pos && complement(record.alleles.front()) != 0) base = record.alleles.front();
  if (base == 0 && reference_) base = reference_->base(site.chrom, site.pos);
  if (base == 0 && !reference_) {
    ++assumed_;
    return site.major;
  }
  const bool other_strand = base != site.major && base != site.minor && !site.palindromic();
  return other_strand ? complement(base) : base;
}

bool SiteMatcher::is_swapped(const Site& site, const SiteRecord& record, bool flipped) const {
  if (record.alleles.size() <= reader_.reference_allele()) return false;
  const char reference = record.alleles[reader_.reference_allele()];
  return (flipped ? complement(reference) : reference) == site.minor;
}

void SiteMatcher::store(const Candidate& candidate, const Fit& fit, const SiteRecord& record) {
  SiteState& state = states_[candidate.site];
  if (candidate.origin < state.origin) return;  // an id beats a position, whichever comes first
  store_likelihoods(candidate, candidate.origin == state.origin);
  store_signals(candidate, candidate.origin == state.origin);
  if (candidate.origin == state.origin) {
    merge(candidate.site);
  } else {
    conflicts_.erase(candidate.site);
    state.origin = candidate.origin;
    state.record = record.number;
    state.flipped = fit.flipped;
    state.swapped = is_swapped(panel_.sites()[candidate.site], record, fit.flipped);
  }
  tally_reference(candidate.site);
  writer_.put(candidate.site, calls_);
}

/// \param second  the site has another record of the same origin
void SiteMatcher::store_likelihoods(const Candidate& candidate, bool second) {
  if (!likelihoods_) return;
  const Site& site = panel_.sites()[candidate.site];
  const bool stated = reader_.read_likelihoods(turned_ ? turned(site) : site, stated_);
  if (!stated && !likelihoods_->any_stated()) return;
  if (!stated) stated_.assign(counts_.samples, {});
  if (second)
    likelihoods_->merge(candidate.site, stated_);
  else
    likelihoods_->put(candidate.site, stated_);
}

/// \param second  the site has another record of the same origin: where both have reads, these must agree
void SiteMatcher::store_signals(const Candidate& candidate, bool second) {
  if (signals_.empty()) return;
  const Site& site = panel_.sites()[candidate.site];
  if (!reader_.read_signals(turned_ ? turned(site) : site, measured_)) measured_.assign(counts_.samples, {});
  for (std::size_t sample = 0; sample < counts_.samples; ++sample) {
    AlleleSignal& known = signals_[sample][candidate.site];
    const AlleleSignal& now = measured_[sample];
    if (!second || known.total() == 0)
      known = now;
    else if (now.total() != 0 && now != known)
      known = kContradicted;
  }
}

std::vector<std::optional<SampleSignal>> SiteMatcher::take_signals() {
  std::vector<std::optional<SampleSignal>> taken(signals_.size());
  for (std::size_t sample = 0; sample < signals_.size(); ++sample) {
    std::ranges::replace(signals_[sample], kContradicted, AlleleSignal{});
    const auto is_there = [](const AlleleSignal& at) { return at.total() > 0; };
    if (std::ranges::any_of(signals_[sample], is_there)) taken[sample] = std::move(signals_[sample]);
  }
  return taken;
}

/// Tallies calls_, which are now the site's calls.
void SiteMatcher::tally_reference(std::uint32_t site) {
  if (tallies_.empty() || classes_.of(site) != SiteClass::kAutosomal) return;
  const auto called = static_cast<std::uint32_t>(calls_.count_called());
  tallies_[site] = states_[site].swapped
                       ? ReferenceTally{}
                       : ReferenceTally{called, called - static_cast<std::uint32_t>(calls_.minor.count())};
}

/// Merges calls_ with the calls of another record of the same position: a call overrides no call, and a
/// disagreement makes the site not called for good.
void SiteMatcher::merge(std::uint32_t site) {
  writer_.flush();
  const bool only_minor = blocks_.shape().encoding == Encoding::kMinor;
  CallRow joined(counts_.samples);
  for (std::size_t sample = 0; sample < counts_.samples; ++sample) {
    const auto conflict = conflicts_.find(site);
    if (conflict != conflicts_.end() && conflict->second[sample]) continue;
    const Seen now = calls_.get(sample), before = seen_before(sample, site);
    if (before == kNoneSeen)
      joined.set(sample, now);
    else if (now == kNoneSeen || now == before || (only_minor && (now & before & kMinorSeen) != 0))
      joined.set(sample, before);
    else
      conflicts_.try_emplace(site, counts_.samples).first->second[sample] = true;
  }
  calls_ = std::move(joined);
}

/// What the blocks say of a site; of Encoding::kMinor, no major allele where a minor one was seen.
Seen SiteMatcher::seen_before(std::size_t sample, std::uint32_t site) const {
  if (!blocks_.called(sample, site)) return kNoneSeen;
  if (!blocks_.bit(sample, site)) return kMajorSeen;
  if (blocks_.shape().encoding == Encoding::kMinor) return kMinorSeen;
  const Word major = blocks_.view().major_word(sample, site / kWordBits);
  return (major >> site % kWordBits & 1) != 0 ? kBothSeen : kMinorSeen;
}

}  // namespace fastid::imports
