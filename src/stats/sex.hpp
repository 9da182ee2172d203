/// \file
/// The sex of a profile, by its sites of X and of Y.
///
/// The rule is the one of panel/sex.hpp, except that a woman's genotypes of X follow from frequencies and
/// theta where frequencies are known.
///
/// Sources. The likelihoods by copies of X: bcftools +guess-ploidy. That X and Y must agree: plink
/// --check-sex.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "panel/sex.hpp"
#include "panel/site_class.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

struct SexFindings {
  std::optional<Sex> sex;            ///< no value: the panel has no site of X or Y
  std::optional<unsigned> x_copies;  ///< 1 or 2, by X alone; no value where X does not decide
  double log10_woman = 0;            ///< woman v man, by X
  double log10_man = 0;              ///< man v woman, by Y
  std::uint32_t x_called = 0, x_het = 0, y_called = 0;
};

class SexModel {
 public:
  /// \param classes  must outlive the model \param frequencies  of the panel's sites; null: not known
  SexModel(const SiteClasses& classes, const PopulationModel* frequencies);

  /// \param profile  a row of all of the panel's sites. Without RowView::major X says nothing.
  SexFindings of(const RowView& profile) const;

 private:
  double log10_woman(const RowView& profile, const SexCounts& counts) const;

  const SiteClasses& classes_;
  double error_rate_;
  /// [place among the sites of X][what is shown]: log10 woman v man. Empty without frequencies.
  std::vector<std::array<double, kGenotypes>> x_;
  std::vector<std::uint32_t> x_sites_;
};

}  // namespace fastid::stats
