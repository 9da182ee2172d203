#include "import/site_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "panel/allele_code.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kMovedShare =
    10;  ///< more than one in so many ids at another position: another build
constexpr std::string_view kBuildCure =
    "use a file of the panel's build, or --ignore-build to match by id alone";

std::string position_text(std::string_view chrom, std::uint32_t pos) {
  return fmt::format("{}:{}", printable(chrom), pos);
}

}  // namespace

SiteMatcher::SiteMatcher(const Panel& panel, const ImportOptions& options, std::string file,
                         GenotypeReader& reader)
    : panel_(panel),
      options_(options),
      file_(std::move(file)),
      reader_(reader),
      blocks_({reader.samples().size(), panel.n_sites()}),
      states_(panel.n_sites()),
      calls_(reader.samples().size()) {
  counts_.samples = reader.samples().size();
  check_builds();
}

void SiteMatcher::check_builds() const {
  const GenomeBuild file = reader_.build(), panel = panel_.build();
  if (file == GenomeBuild::kUnknown || panel == GenomeBuild::kUnknown || file == panel) return;
  if (!options_.ignore_build)
    throw InputError(file_, "header",
                     fmt::format("is of build {}, the panel of {}", name_of(file), name_of(panel)),
                     kBuildCure);
}

void SiteMatcher::add_candidate(std::uint32_t site, Origin origin) {
  const auto same = [&](const Candidate& other) { return other.site == site; };
  if (std::ranges::none_of(candidates_, same)) candidates_.push_back({site, origin});
}

void SiteMatcher::find_candidates(const SiteRecord& record) {
  candidates_.clear();
  const auto whole = panel_.find_id(record.ids);  // an id of the panel may hold ',' or ';'
  if (whole) add_candidate(*whole, Origin::kId);
  for (std::string_view rest = whole ? std::string_view() : record.ids; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(";,"), rest.size());
    if (const auto site = panel_.find_id(rest.substr(0, end))) add_candidate(*site, Origin::kId);
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
  find_candidates(record);
  bool fits = false;
  for (const Candidate& candidate : candidates_) fits |= try_site(candidate, record);
  if (!candidates_.empty() && !fits) ++counts_.unknown_alleles;
}

bool SiteMatcher::try_site(const Candidate& candidate, const SiteRecord& record) {
  const Site& site = panel_.sites()[candidate.site];
  SiteState& state = states_[candidate.site];
  const std::optional<Fit> fit = reader_.read_onto(site, calls_);
  // A VCF may split a site over several records, of which one fits; a text has one line for it, whatever it
  // says.
  const bool only_one = fit || record.alleles.empty();
  if (candidate.origin == Origin::kId && only_one) refuse_second(candidate.site, record);
  if (!fit) {
    state.origin = std::max(state.origin, Origin::kOtherAlleles);
    return false;
  }
  if (candidate.origin == Origin::kId) tally_position(site, record);
  counts_.unknown_alleles += fit->unknown_allele;
  store(candidate, *fit);
  return true;
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

void SiteMatcher::store(const Candidate& candidate, const Fit& fit) {
  SiteState& state = states_[candidate.site];
  if (candidate.origin < state.origin) return;  // an id beats a position, whichever comes first
  if (candidate.origin == state.origin) {
    merge(candidate.site);
  } else {
    conflicts_.erase(candidate.site);
    state.origin = candidate.origin;
    state.flipped = fit.flipped;
  }
  blocks_.set_site(candidate.site, calls_);
}

/// Joins calls_ with what another record of the same position said: a call beats none, a disagreement is none
/// for good.
void SiteMatcher::merge(std::uint32_t site) {
  for (std::size_t sample = 0; sample < calls_.size(); ++sample) {
    const auto conflict = conflicts_.find(site);
    if (conflict != conflicts_.end() && conflict->second[sample]) {
      calls_[sample] = static_cast<std::uint8_t>(Call::kNoCall);
      continue;
    }
    if (!blocks_.called(sample, site)) continue;
    const Call before = blocks_.bit(sample, site) ? Call::kHasMinor : Call::kMajorOnly;
    const auto now = static_cast<Call>(calls_[sample]);
    calls_[sample] = static_cast<std::uint8_t>(before);
    if (now == Call::kNoCall || now == before) continue;
    calls_[sample] = static_cast<std::uint8_t>(Call::kNoCall);
    conflicts_.try_emplace(site, calls_.size()).first->second[sample] = true;
  }
}

void SiteMatcher::tally_position(const Site& site, const SiteRecord& record) {
  if (site.pos == 0 || site.chrom == "0" || record.pos == 0 || record.chrom == "0") return;
  ++shared_ids_;
  if (site.pos == record.pos && site.chrom == record.chrom) return;
  if (++moved_ids_ == 1)
    moved_example_ = fmt::format("{} {} against {}", site.id, position_text(record.chrom, record.pos),
                                 position_text(site.chrom, site.pos));
}

void SiteMatcher::finish() {
  count_sites();
  check_overlap();
  check_positions();
  if (options_.absent_as_reference) call_absent_sites();
}

void SiteMatcher::count_sites() {
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    const SiteState& state = states_[s];
    if (state.origin < Origin::kPosition) continue;
    ++counts_.matched;
    counts_.matched_by_position += state.origin == Origin::kPosition;
    counts_.flipped += state.flipped;
    counts_.palindromic += panel_.sites()[s].palindromic();
  }
  counts_.no_calls = counts_.samples * counts_.matched;
  for (std::uint64_t sample = 0; sample < counts_.samples; ++sample)
    counts_.no_calls -= blocks_.called_sites(sample);
  for (const auto& [site, samples] : conflicts_)
    counts_.conflicts += static_cast<std::uint64_t>(std::ranges::count(samples, true));
}

void SiteMatcher::check_overlap() const {
  if (counts_.matched > 0) return;
  if (counts_.file_sites == 0) throw InputError(file_, "", "holds no sites", "give a file of genotypes");
  const Site& site = panel_.sites().front();
  std::string problem = fmt::format("no overlap with the panel: the file has {}, the panel '{}' at {}",
                                    record_example_, site.id, position_text(site.chrom, site.pos));
  if (counts_.unknown_alleles > 0)
    problem +=
        fmt::format(" ({} sites are named, but with other alleles)", with_commas(counts_.unknown_alleles));
  throw InputError(file_, "", problem,
                   "ids or positions must be the panel's: use a panel that was typed in the file");
}

void SiteMatcher::check_positions() const {
  const GenomeBuild file = reader_.build(), panel = panel_.build();
  const bool other_build = file != GenomeBuild::kUnknown && panel != GenomeBuild::kUnknown && file != panel;
  const std::string moved = fmt::format(
      "{} of {} shared ids lie at other positions{}", with_commas(moved_ids_), with_commas(shared_ids_),
      moved_ids_ == 0 ? "" : fmt::format(" (for example {})", moved_example_));
  const bool many_moved = moved_ids_ * kMovedShare > shared_ids_;
  if (many_moved && !options_.ignore_build)
    throw InputError(file_, "", moved + ": another genome build", kBuildCure);
  if (options_.ignore_build && (other_build || moved_ids_ > 0))
    log::warn("{}: {}; matched by id alone (--ignore-build)", file_, moved);
  const bool unstated = file == GenomeBuild::kUnknown || panel == GenomeBuild::kUnknown;
  if (unstated && shared_ids_ == 0 && counts_.matched_by_position > 0)
    log::warn("{}: matched by position alone, and nothing says that its genome build is the panel's", file_);
}

void SiteMatcher::call_absent_sites() {
  std::ranges::fill(calls_, static_cast<std::uint8_t>(Call::kMajorOnly));
  std::uint64_t absent = 0;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    if (states_[s].origin != Origin::kNothing) continue;
    blocks_.set_site(s, calls_);
    ++absent;
  }
  if (absent > 0)
    log::warn(
        "{}: {} absent sites are read as the panel's major allele (--absent-as-reference), which is wrong "
        "where "
        "the reference genome has the minor one",
        file_, with_commas(absent));
}

}  // namespace fastid
