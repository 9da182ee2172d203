#include "stats/sex.hpp"

#include <cmath>

#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

constexpr double kSpeaks = 2;         ///< log10: one sex is a hundred times as probable
constexpr double kHeterozygous = .2;  ///< share of a woman's sites of X, where frequencies are not known
constexpr double kMan = .9,
                 kWoman = .1;  ///< share of the sites of Y that are called, of that of the autosomes

using ByShown = std::array<double, kGenotypes>;

/// By how much more probable what is shown at a site is of two copies than of one. \param q  the minor
/// allele's frequency
ByShown log10_two_copies(double q, double theta, double w) {
  const Readings read = readings(w);
  const std::array<double, 3> woman = genotype_probabilities(q, theta), man{1 - q, 0, q};
  ByShown ratios{};
  for (std::size_t shown = 0; shown < kGenotypes; ++shown) {
    double two = 0, one = 0;
    for (std::size_t g = 0; g < kGenotypes; ++g) {
      two += woman[g] * read[g][shown];
      one += man[g] * read[g][shown];
    }
    ratios[shown] = log10_quotient(two, one);
  }
  return ratios;
}

/// The same where frequencies are not known.
ByShown log10_two_copies(double w) {
  const double misread = 2 * w * (1 - w);
  const double same = log10_quotient(1 - kHeterozygous, 1 - misread);
  return {same, log10_quotient(kHeterozygous, misread), same};
}

std::uint32_t count_common(std::span<const Word> a, std::span<const Word> b) {
  std::uint32_t n = 0;
  for (std::size_t word = 0; word < a.size(); ++word)
    n += static_cast<std::uint32_t>(std::popcount(a[word] & b[word]));
  return n;
}

std::optional<Sex> said(double log10_woman, double log10_man) {
  if (log10_woman >= kSpeaks) return Sex::kFemale;
  if (log10_man >= kSpeaks) return Sex::kMale;
  return std::nullopt;
}

}  // namespace

SexModel::SexModel(const SiteClasses& classes, const PopulationModel* frequencies)
    : classes_(classes), x_sites_(classes.sites(SiteClass::kX)) {
  const Parameters parameters = frequencies != nullptr ? frequencies->parameters() : Parameters{};
  for (const std::uint32_t site : x_sites_)
    x_.push_back(frequencies != nullptr ? log10_two_copies(frequencies->minor_freq()[site], parameters.theta,
                                                           parameters.error_rate)
                                        : log10_two_copies(parameters.error_rate));
}

double SexModel::log10_woman(const RowView& profile) const {
  double sum = 0;
  for (std::size_t i = 0; i < x_sites_.size(); ++i)
    if (const Shown shown = shown_at(profile, x_sites_[i]); shown != kNeither) sum += x_[i][shown];
  return sum;
}

double SexModel::log10_man(const RowView& profile, std::uint32_t y_called) const {
  if (y_called == 0) return 0;
  const std::uint32_t autosomal = classes_.count(SiteClass::kAutosomal),
                      y_sites = classes_.count(SiteClass::kY);
  const std::uint32_t called = count_common(profile.called, classes_.mask(SiteClass::kAutosomal));
  const double rate = called == 0 ? 1 : static_cast<double>(called) / autosomal;
  const double man = kMan * rate, woman = kWoman * rate;
  return y_called * log10_quotient(man, woman) + (y_sites - y_called) * log10_quotient(1 - man, 1 - woman);
}

SexFindings SexModel::of(const RowView& profile) const {
  SexFindings found{.x_called = count_common(profile.called, classes_.mask(SiteClass::kX)),
                    .y_called = count_common(profile.called, classes_.mask(SiteClass::kY))};
  if (!classes_.has(SiteClass::kX) && !classes_.has(SiteClass::kY)) return found;
  if (!profile.major.empty()) {
    const std::span<const Word> x = classes_.mask(SiteClass::kX);
    for (std::size_t word = 0; word < x.size(); ++word)
      found.x_het +=
          static_cast<std::uint32_t>(std::popcount(profile.bits[word] & profile.major[word] & x[word]));
    found.log10_woman = log10_woman(profile);
  }
  found.log10_man = log10_man(profile, found.y_called);
  const std::optional<Sex> by_x = said(found.log10_woman, -found.log10_woman),
                           by_y = said(-found.log10_man, found.log10_man);
  if (by_x) found.x_copies = copies_of(SiteClass::kX, *by_x);
  const bool agree = !by_x || !by_y || *by_x == *by_y;
  found.sex = agree ? by_x.value_or(by_y.value_or(Sex::kUndecided)) : Sex::kUndecided;
  return found;
}

}  // namespace fastid::stats
