/// \file
/// Classes of sites: how many copies of a site a man and a woman have, and how it is inherited. Evidence
/// counts autosomal sites; X, Y and M are reported beside it.
///
///   class       chromosomes                                          copies of a man, of a woman
///   kAutosomal  1 to 22, others, unknown ones; PAR on X                 2, 2
///   kX          X without PAR                                           1, 2
///   kY          Y without PAR                                           1, 0
///   kM          mitochondria                                            1, 1
///   kNone       the copy of PAR on Y, which is the site on X again      left out everywhere
///
/// PAR are the two regions that X and Y share: chromosome 25, XY, PAR, PAR1, PAR2, and X up to the end of
/// PAR1 and from the start of PAR2 on.
///
/// Sources. The bounds on X: plink2 --split-par. On Y: Genome Reference Consortium and Ensembl, human_PARS.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"

namespace fastid {

enum class SiteClass : std::uint8_t { kAutosomal, kX, kY, kM, kNone };
inline constexpr std::size_t kSiteClasses = 5;

/// "autosomal", "X", "Y", "M", "none".
std::string_view name_of(SiteClass site_class);

/// The class of a place. \param chrom  normal_chromosome() \param pos  one-based, 0 where not known: then a
/// site of X or Y is in no PAR \param build  kUnknown: a site is in PAR where all builds say so
SiteClass class_of(std::string_view chrom, std::uint32_t pos, GenomeBuild build);
/// Whether a place is in PAR, on X.
bool in_par(std::string_view chrom, std::uint32_t pos, GenomeBuild build);

enum class Sex : std::uint8_t { kMale, kFemale, kUndecided };

/// "male", "female", "undecided".
std::string_view name_of(Sex sex);

/// A sex as files spell it: M, male, 1, XY; F, female, 2, XX, in upper or lower case; nothing for anything
/// else.
std::optional<Sex> parse_sex(std::string_view text);

/// The number of copies of a site that a person has. \param sex  kUndecided: the most that either sex has
unsigned copies_of(SiteClass site_class, Sex sex);

/// The classes of a panel's sites.
class SiteClasses {
 public:
  explicit SiteClasses(const Panel& panel);

  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(classes_.size()); }
  SiteClass of(std::size_t site) const { return classes_[site]; }
  std::span<const SiteClass> all() const { return classes_; }

  std::uint32_t count(SiteClass site_class) const { return counts_[static_cast<std::size_t>(site_class)]; }
  bool has(SiteClass site_class) const { return count(site_class) > 0; }
  /// Autosomal sites that are in PAR.
  std::uint32_t par_sites() const { return par_; }
  /// Whether every site is autosomal, so that nothing has to be masked.
  bool all_autosomal() const { return count(SiteClass::kAutosomal) == classes_.size(); }

  /// The sites of this class, as a row of bits with one for each site of the panel.
  std::span<const Word> mask(SiteClass site_class) const {
    return masks_[static_cast<std::size_t>(site_class)];
  }
  /// The indices of a row's words that have a site that is not autosomal, in order.
  std::span<const std::uint32_t> words_beside() const { return words_beside_; }
  /// The places in the panel of the sites of a class, in the panel's order.
  std::vector<std::uint32_t> sites(SiteClass site_class) const;

  /// "5,421 sites (4,346 autosomal, 246 X, 829 Y)", with PAR stated beside the autosomal sites; "1,024 sites"
  /// where all are autosomal and none is in PAR.
  std::string describe() const;
  /// The text in the brackets of describe(); "" where there are none.
  std::string parts() const;

 private:
  std::vector<SiteClass> classes_;
  std::array<std::uint32_t, kSiteClasses> counts_{};
  std::array<std::vector<Word>, kSiteClasses> masks_;
  std::vector<std::uint32_t> words_beside_;
  std::uint32_t par_ = 0;
};

}  // namespace fastid
