/// \file
/// The sex of a profile, by its sites of X and of Y.
///
/// X: how much more probable its genotypes are of two copies than of one, log10. A woman's follow from the
/// frequencies and theta; a man's one copy is read twice, each time wrongly with probability w, so that 2 w
/// (1 - w) of his sites look heterozygous. Without frequencies a woman is taken to be heterozygous at a fifth
/// of her sites. Y: of its sites a man has .9 called of the share that he has called of the autosomes, a
/// woman .1. Where no site of Y is called Y says nothing, since not every file has Y.
///
/// Each chromosome speaks where one sex is a hundred times as probable as the other. The sex is what those
/// that speak agree on, else undecided: XXY, contamination, a mix-up, or too few sites.
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
  double log10_woman(const RowView& profile) const;
  double log10_man(const RowView& profile, std::uint32_t y_called) const;

  const SiteClasses& classes_;
  /// [place among the sites of X][what is shown]: log10 woman v man.
  std::vector<std::array<double, kGenotypes>> x_;
  std::vector<std::uint32_t> x_sites_;
};

}  // namespace fastid::stats
