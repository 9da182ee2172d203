#include "stats/sex.hpp"

#include <cmath>

#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

using ByShown = std::array<double, kGenotypes>;

/// log10 of how much more probable each kind is at a site with two copies than at one with a single copy.
/// \param q  the minor allele's frequency
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

}  // namespace

SexModel::SexModel(const SiteClasses& classes, const PopulationModel* frequencies)
    : classes_(classes),
      error_rate_((frequencies != nullptr ? frequencies->parameters() : Parameters{}).error_rate) {
  if (frequencies == nullptr) return;
  x_sites_ = classes.sites(SiteClass::kX);
  for (const std::uint32_t site : x_sites_)
    x_.push_back(
        log10_two_copies(frequencies->minor_freq()[site], frequencies->parameters().theta, error_rate_));
}

double SexModel::log10_woman(const RowView& profile, const SexCounts& counts) const {
  if (profile.major.empty()) return 0;
  if (x_.empty()) return log10_woman_by_x(counts, error_rate_);
  double sum = 0;
  for (std::size_t i = 0; i < x_sites_.size(); ++i)
    if (const Shown shown = shown_at(profile, x_sites_[i]); shown != kNeither) sum += x_[i][shown];
  return sum;
}

SexFindings SexModel::of(const RowView& profile) const {
  const SexCounts counts = count_sex(profile, classes_);
  SexFindings found{.x_called = counts.x_called, .x_het = counts.x_het, .y_called = counts.y_called};
  const bool has_x_or_y = classes_.has(SiteClass::kX) || classes_.has(SiteClass::kY);
  if (!has_x_or_y) return found;
  found.log10_woman = log10_woman(profile, counts);
  found.log10_man = log10_man_by_y(counts, classes_);
  const SexCall call = sex_by(found.log10_woman, found.log10_man, has_x_or_y);
  found.sex = call.sex;
  found.x_copies = call.x_copies;
  return found;
}

}  // namespace fastid::stats
