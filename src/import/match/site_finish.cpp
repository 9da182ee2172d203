// What a file's last record leaves to be done: sites without a record of their own, checks and warnings.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bits/called_sites.hpp"
#include "import/formats/open.hpp"
#include "import/match/sex_check.hpp"
#include "import/match/site_matcher.hpp"

namespace fastid::imports {

/// Makes carriers of a third allele of a site not called there.
void SiteMatcher::drop_third_alleles() {
  for (const auto& [site, carriers] : third_)
    for (std::size_t sample = 0; sample < counts_.samples; ++sample) {
      if (!carriers.get(sample)) continue;
      if (likelihoods_) likelihoods_->forbid(sample, site);
      if (!blocks_.called(sample, site)) continue;
      blocks_.clear(sample, site);
      ++counts_.third_alleles;
    }
}

void SiteMatcher::finish() {
  writer_.flush();
  call_spans();
  drop_third_alleles();
  count_sites();
  check_overlap();
  check_positions();
  std::vector<std::string> odd_ploidy;
  if (ploidy_) odd_ploidy = ploidy_->finish(blocks_, classes_.mask(SiteClass::kAutosomal), file_);
  // A sample with few calls shows little but rare alleles, while its likelihoods cover all sites.
  const bool all_by_likelihoods = counts_.samples > 0 && by_likelihoods().size() == counts_.samples;
  if (!tallies_.empty() && !all_by_likelihoods)
    refuse_variants_only(panel_, tallies_, people_of(options_), file_);
  std::ranges::copy(reader_.warnings(), std::back_inserter(warnings_));
  warn_of_blocks();
  warn_of_mixtures();
  std::ranges::move(odd_ploidy, std::back_inserter(warnings_));
  if (options_.absent_as_reference) call_absent_sites();
  if (options_.individuals) check_sexes();
}

void SiteMatcher::check_sexes() {
  const PeopleOnPanel people{blocks_, classes_, reader_.samples()};
  counts_.one_copy_hets = one_copy_hets(people);
  if (std::string warning = warn_of_sexes(people, reader_.stated_sexes(), file_); !warning.empty())
    warnings_.push_back(std::move(warning));
}

void SiteMatcher::count_sites() {
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    const SiteState& state = states_[s];
    counts_.palindromic_dropped += state.origin == Origin::kDropped;
    if (state.origin < Origin::kSpan) continue;
    counts_.in_blocks += state.origin == Origin::kBlock;
    counts_.swapped += state.swapped;
    ++counts_.matched;
    counts_.matched_by_position += state.origin != Origin::kId;
    counts_.flipped += state.flipped;
    counts_.palindromic += panel_.sites()[s].palindromic();
  }
  counts_.no_calls = counts_.samples * counts_.matched;
  const BlocksView view = blocks_.view();
  for (std::uint64_t block = 0; block < view.shape.n_blocks(); ++block)
    for (const std::uint32_t called : called_in_block(view, block)) counts_.no_calls -= called;
  for (const auto& [site, samples] : conflicts_)
    counts_.conflicts += static_cast<std::uint64_t>(std::ranges::count(samples, true));
}

void SiteMatcher::check_overlap() const {
  if (counts_.matched > 0) return;
  if (counts_.palindromic_dropped > 0)
    throw InputError(file_, "",
                     fmt::format("all of its {} sites of the panel are palindromic and left out",
                                 with_commas(counts_.palindromic_dropped)),
                     "give --palindromic keep, or a panel with other sites");
  if (counts_.file_sites == 0) throw InputError(file_, "", "holds no sites", "give a file of genotypes");
  const Site& site = panel_.sites().front();
  std::string problem = fmt::format("no overlap with the panel: the file has {}, the panel '{}' at {}",
                                    record_example_, site.id, position_text(site.chrom, site.pos));
  if (counts_.unknown_alleles > 0)
    problem +=
        fmt::format(" ({} sites are named, but with other alleles)", with_commas(counts_.unknown_alleles));
  if (!panel_.only_chromosome().empty())
    throw InputError(file_, "",
                     fmt::format("{}; the panel has chromosome {} alone", problem, panel_.only_chromosome()),
                     kJoinChromosomes);
  throw InputError(file_, "", problem,
                   "ids or positions must be the panel's: use a panel that was typed in the file");
}

void SiteMatcher::warn_of_blocks() {
  if (assumed_ > 0)
    warnings_.push_back(
        fmt::format("{}: at {} sites within blocks of reference calls the reference is taken to be the "
                    "panel's major allele; "
                    "--reference FASTA says which it is",
                    file_, with_commas(assumed_)));
}

void SiteMatcher::warn_of_mixtures() {
  if (options_.individuals && reader_.of_mixture())
    warnings_.push_back(
        fmt::format("{}: says that its sample is a mixture, where a person is asked for: `fastid mixture` "
                    "searches with one, `db build --kind mixtures` keeps them",
                    file_));
}

/// Sites of Y wait until X is filled, which says who has a Y. Sites of PAR are never filled as sites of Y.
void SiteMatcher::call_absent_sites() {
  SampleBits everybody(counts_.samples);
  for (std::size_t sample = 0; sample < counts_.samples; ++sample) everybody.set(sample);
  std::uint64_t absent = 0;
  for (const SiteClass of : {SiteClass::kAutosomal, SiteClass::kX, SiteClass::kM})
    absent += fill_absent(of, everybody);
  writer_.flush();
  if (classes_.has(SiteClass::kY)) absent += fill_absent(SiteClass::kY, who_has_y());
  writer_.flush();
  if (absent > 0)
    warnings_.push_back(fmt::format(
        "{}: {} absent sites are read as the panel's major allele (--absent-as-reference), which is "
        "wrong where the reference genome has the minor one",
        file_, with_commas(absent)));
}

/// Calls the absent sites of a class for `who`. Returns the number of sites.
std::uint64_t SiteMatcher::fill_absent(SiteClass of, const SampleBits& who) {
  if (!who.any()) return 0;
  std::uint64_t absent = 0;
  calls_.clear();
  calls_.major = who;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    if (classes_.of(s) != of || states_[s].origin != Origin::kNothing) continue;
    writer_.put(s, calls_);
    states_[s].filled = true;
    ++absent;
  }
  return absent;
}

/// Who has a Y: people whose X shows one copy. Where there is no X, and in mixtures: samples with a called
/// site of Y.
SampleBits SiteMatcher::who_has_y() const {
  SampleBits who(counts_.samples);
  const BlocksView view = blocks_.view();
  const bool by_x =
      options_.individuals && classes_.has(SiteClass::kX) && blocks_.shape().encoding == Encoding::kAlleles;
  for (std::size_t sample = 0; sample < counts_.samples; ++sample) {
    const SexCounts counts = count_sex(view, sample, blocks_.called_sites(sample), classes_);
    if (by_x ? sex_of(counts, classes_, true).x_copies == 1u : counts.y_called > 0) who.set(sample);
  }
  return who;
}

}  // namespace fastid::imports
