/// \file
/// What X says about the relation of two people: a likelihood ratio against unrelated, along the map.
///
/// A relation of fastid stands for several kinds of relatives, which pass X on differently (a paternal
/// grandfather and his grandson share none of it). Its ratio is the mean of the ratios of the kinds that
/// people of these sexes can be, whichever of the two is the elder, so that the mean among strangers stays 1.
///
/// Neighbouring sites are inherited together. A kind is a hidden Markov chain: a bit for each meiosis of a
/// mother of its pedigree (at most four) says which of her two copies was passed on, all states alike at
/// first; from site to site each bit turns with r = (1 - exp(-2 d)) / 2 (Haldane), d in Morgans by 1.2 cM a
/// Mb. Each state has its number of alleles identical by descent, and the other alleles follow the sampling
/// formula. A father passes on his only copy unchanged.
///
/// A man has one copy, which is read wrongly with probability w; a heterozygote of one copy is not compared.
/// Sites without a position are left out. Linkage equilibrium in the population is assumed.
///
/// Sources. Kinds and their shares of X: N. Pinto, L. Gusmao, A. Amorim, X-chromosome markers in kinship
/// testing, Forensic Science International: Genetics 5 (2011). The rate: panel/genetic_map.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bits/rows.hpp"
#include "panel/site_class.hpp"
#include "stats/internal/genotype.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// For each of a person's copies of X (from the father, then from the mother; a man has one): which of
/// another person's copies it is identical to by descent. kNotShared: none of them.
using XDescent = std::array<std::uint8_t, 2>;
inline constexpr std::uint8_t kNotShared = 2;

/// Two people who may be relatives of a kind. Symmetric kinds (siblings) have no elder.
struct XKind {
  std::string_view name;  ///< "father", "maternal-aunt", ...: what the first is to the second
  Sex first = Sex::kMale, second = Sex::kMale;
  std::vector<std::uint8_t> shared;  ///< [state of the mothers' bits]: alleles that are identical by descent
  std::vector<XDescent> descent;     ///< [state]: which copies of the first the second one's are
  bool paternal_line = false;        ///< both are men who have one man's Y
  bool maternal_line = false;        ///< both have one woman's M
};

/// Every kind, with every pair of sexes that it allows.
std::span<const XKind> x_kinds();
/// The kinds that a relation stands for between people of these sexes, whoever is the elder; symmetric kinds
/// once. Empty where the sexes contradict the relation (kSame of a man and a woman), and for kUnrelated.
/// \param among  of kHalfSibling only the kinds of "half-sibling", "grandparent" or "avuncular"; "": all
std::vector<const XKind*> x_kinds_of(Relation relation, Sex first, Sex second, std::string_view among = {});

/// P(0, 1, 2 alleles are identical by descent) of a kind, at one site.
std::array<double, 3> x_sharing(const XKind& kind);

/// [n]: how much more probable is what is seen of two people at a site if n alleles are identical by descent
/// than if none is; 0 where n is impossible. Minor copies are seen: 0 or 1 of one copy, 0, 1 or 2 of two.
using XEmission = std::array<double, 3>;

/// [seen of the first][seen of the second]. \param first_copies, second_copies  1 or 2 \param by  kMinor:
/// what is seen is whether there is a minor allele, 0 or 1
std::array<std::array<XEmission, 3>, 3> x_emissions(double q, const Parameters& parameters,
                                                    unsigned first_copies, unsigned second_copies,
                                                    Encoding by = Encoding::kAlleles);

struct XKindRatio {
  const XKind* kind = nullptr;
  double log10_lr = 0;
};

struct XRatio {
  std::uint32_t compared = 0;      ///< sites
  std::optional<double> log10_lr;  ///< no value where there is no kind, or nothing to compare
  std::vector<XKindRatio> kinds;
};

/// The number of sites at which two people are compared: called in both, without heterozygotes of one copy.
/// \param sites  the sites of X that have a position, as a row of bits
std::uint32_t compared_x(const RowView& first, unsigned first_copies, const RowView& second,
                         unsigned second_copies, std::span<const Word> sites);

class XModel {
 public:
  /// Takes the model's frequencies, theta and error rate, and the positions of the panel's sites of X.
  XModel(const PopulationModel& model, const Panel& panel, const SiteClasses& classes);

  /// \param first, second  rows of all of the panel's sites, with RowView::major \param first_copies,
  /// second_copies  1 or 2, as SexFindings::x_copies has them \param among  as of x_kinds_of()
  XRatio ratio(Relation relation, const RowView& first, unsigned first_copies, const RowView& second,
               unsigned second_copies, std::string_view among = {}) const;

 private:
  struct SiteOfX {
    std::uint32_t site;
    double morgans;
    /// [copies of the first - 1][copies of the second - 1]
    std::array<std::array<std::array<std::array<XEmission, 3>, 3>, 2>, 2> emissions;
  };
  struct Observed {
    double morgans;
    XEmission emission;
  };
  std::vector<Observed> observe(const RowView& first, unsigned first_copies, const RowView& second,
                                unsigned second_copies) const;
  static double log10_lr(const XKind& kind, std::span<const Observed> sites);

  std::vector<SiteOfX> sites_;  ///< by position
};

}  // namespace fastid::stats
