/// \file
/// What is reported of X, Y and M beside the evidence: sexes, the ratio of X, the words of Y and M. `stats`
/// computes it; this applies it to the rows of a table, once they are listed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "asking/internal/haplotype_count.hpp"
#include "db/database.hpp"
#include "match/beside.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "panel/site_class.hpp"
#include "stats/population_model.hpp"
#include "stats/sex.hpp"
#include "stats/x_ratio.hpp"

namespace fastid::asking {

/// By which kinds of relatives X is weighed.
struct XRelation {
  stats::Relation relation = stats::Relation::kUnrelated;  ///< kUnrelated: by none
  std::string_view among = {};                             ///< as of stats::x_kinds_of()
};
/// Those of the relation that a row's column names; none where it names none, or along the map one that X has
/// no kinds of.
XRelation x_relation_named(std::string_view relation, bool along_map);

/// The numbers of a panel's sites.
match::SitesByClass sites_by_class(const SiteClasses& classes);

/// Of profiles of one panel.
class Beside {
 public:
  /// \param classes  must outlive this object \param models  of the populations; none: no frequencies
  Beside(const Panel& panel, const SiteClasses& classes, std::span<const stats::PopulationModel> models,
         const stats::Parameters& parameters);

  /// Whether there is anything to report.
  bool any() const { return !classes_.all_autosomal(); }

  /// The sex of a profile, by the population in which X says least. \param profile  a row of all sites
  stats::SexFindings sex_of(const RowView& profile) const;

  /// Of two people.
  match::BesideFigures of_people(const RowView& first, const stats::SexFindings& first_sex,
                                 const RowView& second, const stats::SexFindings& second_sex,
                                 XRelation relation) const;
  /// Of a mixture and a person.
  match::BesideFigures of_mixture(const RowView& mixture, const RowView& person) const;

  /// Fills in what queries show by themselves, and what is reported of their rows, reading their profiles
  /// again. \param tallies  of these queries
  void report(const BlockSource& database, const match::Queries& queries, engine::Comparison comparison,
              const HaplotypeTallies& tallies, std::size_t threads,
              std::vector<match::QueryMatches>& matches) const;

 private:
  match::XFigures x_of(const RowView& first, unsigned first_copies, const RowView& second,
                       unsigned second_copies, XRelation relation) const;
  match::HaplotypeFigures haplotype_of(const RowView& first, const RowView& second, SiteClass of) const;
  void count_agreeing(const match::CountHistograms& tally, std::size_t query, std::uint32_t sites,
                      engine::Comparison comparison, match::HaplotypeFigures& found) const;

  const SiteClasses& classes_;
  stats::Parameters parameters_;
  std::vector<stats::SexModel> sexes_;  ///< of each population, or one without frequencies
  std::vector<stats::XModel> x_;        ///< of each population
  std::vector<Word> x_sites_;           ///< a bit for each site: of X, and its position is known
};

}  // namespace fastid::asking
