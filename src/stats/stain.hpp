/// \file
/// A stain of one or several people, in one population: how many there are, what each of them has lost, and
/// how much more probable the stain is if a person, or a relative of the person, is one of them than if
/// nobody related to the person is.
///
/// Each contributor i has a drop-out d_i of its own. An allele is not shown with probability (1 - e) prod
/// d_i^c_i, where contributor i has c_i copies of it and e is the drop-in. By alleles a site's probability is
/// conditional on its showing something; by bits only the minor allele is looked at, without a condition.
///
/// Where reads were counted, each contributor has a share of the stain, and what is asked of a site is how
/// many of its reads are of the minor allele (stats/internal/read_counts.hpp).
///
/// The slot. All questions are sums over P(what a site shows | the contributor in question has g minor
/// copies, the frequency is p), in which the other contributors are summed over. p is the frequency in a
/// subpopulation with F_ST theta (stats/internal/allele_moments.hpp), so that all alleles are conditional on
/// each other.
///
/// Supports. How many contributors there are, and their drop-outs or shares, are not known. A support is one
/// explanation: a number of contributors n, a drop-out of the contributor in question from a grid, and the
/// other drop-outs that make the stain most probable. Where reads were counted, it is the most probable
/// shares, concentration and error (for two contributors also as relatives), with each unknown contributor in
/// turn as the one in question. Its weight is the likelihood of the stain alone, with theta 0, times S^(-1/2)
/// for each further contributor of a stain of S sites (by shares: S sites that are fitted). A ratio is the
/// weighted mean of the supports' ratios. As no weight depends on the person, the mean ratio of unrelated
/// people is 1, whatever was fitted, and at most 1 in x of them have x or more.
///
/// Known people are always among the contributors. At sites where they are not called, they count as unknown.
/// Sites are taken to be unlinked, except that the sites of a linkage block weigh as one.
///
/// Sources. Drop-out of copies and drop-in: D. J. Balding, J. Buckleton, Interpreting low template DNA
/// profiles, Forensic Science International: Genetics 4 (2009). The penalty of a contributor: G. Schwarz,
/// Estimating the dimension of a model, Annals of Statistics 6 (1978).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/measured_stain.hpp"
#include "stats/mixture.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

class StainSlots;

/// The most contributors that are considered where no number is given.
inline constexpr unsigned kMostExpectedContributors = 8;
/// The most contributors that reads are explained by.
inline constexpr unsigned kMostByShares = 4;

/// What a stain shows, and what was measured of it. Sites that show nothing have no reads.
struct Stain {
  // NOLINTNEXTLINE(google-explicit-constructor): most stains are known by what they show alone
  Stain(const RowView& row, const MeasuredStain* reads = nullptr) : shown(row), measured(reads) {}

  RowView shown;
  const MeasuredStain* measured;  ///< null: only what it shows is known
};

/// Which data of a stain are weighed.
enum class StainModelChoice {
  kAuto,            ///< its reads where there are some, else what it shows
  kSemiContinuous,  ///< which alleles it shows
  kContinuous,      ///< its reads
  kGamma            ///< the heights of its peaks
};

/// "auto", "semi-continuous", "continuous", "gamma", as --model has them.
std::string_view name_of(StainModelChoice model);

struct StainParameters {
  StainModelChoice model = StainModelChoice::kAuto;
  /// Fewer reads of an allele than this are not counted; no value: by the stain's depth.
  std::optional<std::uint32_t> threshold = std::nullopt;
  /// Numbers of contributors, known ones included: in [1, kMostContributors], least <= most. Where
  /// `estimated`, larger numbers are not tried after one that is 10^6 times less probable than another.
  unsigned least = 1, most = kMostExpectedContributors;
  bool estimated = true;
  /// For measured stains: the shares of the known people, then of the others, which add up to 1. Empty:
  /// fitted. Else `least` and `most` both equal the number of shares.
  std::vector<double> shares;
  /// Each in [0, 1). Empty: fitted. One value: the drop-out of everybody. Several values: of the known
  /// people, then of the others; `least` and `most` then both equal their number.
  std::vector<double> drop_outs;
  double drop_in = 0.005;  ///< in [0, 0.5]
};

/// \throws UsageError where a parameter is out of its range, or `known` people leave no room for another
/// contributor; names the option and the range.
void check_parameters(const StainParameters& parameters, std::size_t known);

/// What explains a stain's measurements besides its contributors' shares.
struct StainMeasured {
  SignalParameters parameters{};        ///< concentration and error of reads; height and variation of peaks
  Relation kin = Relation::kUnrelated;  ///< of the two contributors to each other
};

/// One explanation of a stain, by drop-outs or, where it was measured, by shares.
struct StainSupport {
  unsigned contributors = 1;    ///< known ones included
  double own = 0;               ///< drop-out or share of the contributor in question
  std::vector<double> unknown;  ///< of the other unknown contributors: drop-outs ascending, shares descending
  std::vector<double> known;    ///< of each known person
  double log_weight = 0;  ///< natural log; weights add up to 1, except for supports below 1e-6, left out
  std::optional<StainMeasured> measured;  ///< by shares
  double log_stain = 0;  ///< natural log of what the weights of all of a stain's supports added up to

  /// The rank of the contributor in question among the unknown ones, from 0; who left most comes first.
  std::size_t place() const;
};

/// The called sites that supports are fitted to: at most 2,000, evenly spread.
std::vector<std::size_t> fitted_sites(const RowView& stain);

/// Whether the two contributors of some supports are relatives.
bool names_relatives(std::span<const StainSupport> supports);

/// P(n contributors), for n = 1 .. the most that a support has. \param supports  one or more
std::vector<double> probabilities_of_numbers(std::span<const StainSupport> supports);

/// What a stain says of one person.
struct StainEvidence {
  /// [relation]: log10 of the ratio of "a contributor has this relation to the person" (kSame: is the person)
  /// to "nobody related to the person contributed".
  RelationRatios relations;
  /// The support that adds most to the ratio of the person.
  std::size_t support = 0;
};

/// What two stains say of a contributor that they may have in common.
struct SharedEvidence {
  RelationRatios relations;
  std::size_t support = 0, other = 0;  ///< the two supports that add most to the ratio of one person
};

/// What a stain says of a contributor's genotypes (0, 1, 2 minor copies) at a site.
struct GenotypeChances {
  std::array<double, kGenotypes> posterior{};   ///< P(genotype | stain, population)
  std::array<double, kGenotypes> likelihood{};  ///< P(stain | genotype), up to a factor
};

/// The number of contributors that explains a stain best if all have the same drop-out.
struct StainEstimate {
  unsigned contributors = 1;
  double log10_likelihood = 0;  ///< of the sites that a fit looks at, with theta 0
};

/// All stains of a search, in one population and with the same known contributors.
class StainModel {
 public:
  /// \param model, known  must outlive this object. `known` has the model's sites; there are fewer than
  /// parameters.most \param by  kAlleles: all rows have RowView::major
  StainModel(const PopulationModel& model, std::span<const RowView> known, Encoding by,
             const StainParameters& parameters);

  /// The explanations of a stain, fewer contributors first. At least one. \param relatives  whether two
  /// contributors may be relatives; for measured stains
  std::vector<StainSupport> supports(const Stain& stain, bool relatives = true) const;

  /// What a stain says of each of some people, over the sites called in both. Together they take a fraction
  /// of the time. \param supports  one or more
  std::vector<StainEvidence> weigh(const Stain& stain, std::span<const StainSupport> supports,
                                   std::span<const RowView> people) const;

  /// The ratios of each support alone: [support][person].
  std::vector<std::vector<RelationRatios>> ratios(const Stain& stain, std::span<const StainSupport> supports,
                                                  std::span<const RowView> people) const;

  /// [called site][kind that a person shows there]: what the site adds to ratios(), before linkage blocks.
  using SiteRatios = std::vector<std::array<RelationRatios, kGenotypes>>;
  /// The SiteRatios of each support.
  std::vector<SiteRatios> site_ratios(const Stain& stain, std::span<const StainSupport> supports) const;
  /// Calls visit() with the SiteRatios of one support after the other, so that only one is in memory.
  using VisitSites = std::function<void(std::span<const SiteRatios::value_type> of_sites)>;
  void visit_site_ratios(const Stain& stain, std::span<const StainSupport> supports,
                         const VisitSites& visit) const;

  /// What two stains say of a contributor of one and a contributor of the other, over the sites called in
  /// both. Each ratio is log10 of "the two have this relation" (kSame: are one person) to "nobody in one
  /// stain is related to anybody in the other". Supports of a share below 0.001 are left out.
  /// \param supports, others  one or more
  SharedEvidence shared(const Stain& stain, std::span<const StainSupport> supports, const Stain& other,
                        std::span<const StainSupport> others) const;
  /// [support][called site][kind that another stain shows there]: what the site adds to shared().
  /// \param other  the other stain's support, which has its contributor in question
  std::vector<SiteRatios> shared_site_ratios(const Stain& stain, std::span<const StainSupport> supports,
                                             const StainSupport& other) const;

  /// At one site: [alleles of the person and of the contributor that are identical by descent][y]: P(the
  /// stain shows this kind, and the person y), up to a factor that all kinds share.
  using Joint = std::array<std::array<double, kGenotypes>, 3>;
  Joint joint_at(std::size_t site, std::size_t kind, const StainSupport& support) const;
  /// joint_at() by what the stain shows at the site, or by its reads there.
  Joint joint_at(std::size_t site, const Stain& stain, const StainSupport& support) const;

  /// For each called site, what the stain says of the genotype of the contributor in question.
  /// \param supports  one or more, whose weights need not add up to 1
  std::vector<GenotypeChances> genotypes(const Stain& stain, std::span<const StainSupport> supports) const;

  /// The most probable number of contributors within the parameters' range, with one drop-out for all: the
  /// given one, else kUsualDropOut. Much faster than supports(), and rougher.
  StainEstimate estimate(const RowView& stain) const;

  /// The share of a stain's called sites that are expected to show the minor allele (by alleles: both), with
  /// theta 0. \param supports  one or more
  double expected_saturation(const RowView& stain, std::span<const StainSupport> supports) const;

  const PopulationModel& population() const { return *model_; }
  const StainParameters& parameters() const { return parameters_; }
  Encoding by() const { return by_; }
  std::size_t n_known() const { return known_.size(); }

  static constexpr double kUsualDropOut = 0.005;

 private:
  class Tables;

  std::unique_ptr<StainSlots> slots(const RowView& shown, std::span<const std::size_t> sites,
                                    const Signals* signals, const StainSupport& support) const;
  Joint joint_at(const StainSlots& slots, std::size_t site, const StainSupport& support) const;
  double theta() const;

  const PopulationModel* model_;
  std::vector<RowView> known_;
  Encoding by_;
  StainParameters parameters_;
  Readings read_;  ///< by bits a person shows 0 or 1
};

}  // namespace fastid::stats
