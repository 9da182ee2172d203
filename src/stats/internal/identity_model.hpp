/// \file
/// What each site says about two profiles being of one person, in one population: by bits or by the alleles
/// that were seen. x and y are kinds of stats/shown.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/poisson_binomial.hpp"
#include "stats/internal/site_sums.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

class IdentityModel {
 public:
  /// 552 bytes for each site. \param population  must outlive this object \param threads  0: one for each CPU
  IdentityModel(const PopulationModel& population, Encoding by, std::size_t threads = 1);

  const PopulationModel& population() const { return *population_; }
  Encoding by() const { return by_; }
  std::size_t kinds() const { return kinds_; }
  std::uint32_t n_sites() const { return population_->n_sites(); }

  /// log10 P(x and y are seen of people with a relation) / P(x and y are seen of unrelated people).
  RelationRatios ratios(std::size_t site, std::size_t x, std::size_t y) const {
    RelationRatios at;
    for (std::size_t r = 0; r < kTables; ++r)
      at.log10[r] = ratios_[kTables * place_of(site, seen_of(x)) + r][seen_of(y)];
    return at;
  }
  /// The ratios of one relation for add_figures(). \param relation  not kUnrelated, whose ratios are 0
  std::span<const SeenFigures> table(Relation relation) const {
    return std::span(ratios_).subspan(static_cast<std::size_t>(relation));
  }
  /// The places of a query's sites in each table().
  std::vector<std::uint32_t> places_of(const RowView& query) const;

  /// By how much an unrelated person differs from one who shows x: by bits 0 or 1, by alleles the difference
  /// in minor copies. Without errors.
  const Event& differs(std::size_t site, std::size_t x) const { return differs_[place_of(site, seen_of(x))]; }
  /// differs() of a query that shows `seen`, above 0, as TwoPlanes number it.
  const Event& differs_from(std::size_t site, std::size_t seen) const { return differs_[3 * site + seen]; }

 private:
  static constexpr std::size_t kTables = kRelations - 1;
  /// What TwoPlanes show of a kind.
  static std::size_t seen_of(std::size_t kind) {
    constexpr std::array<std::size_t, kGenotypes> kSeenOf{1, 3, 2};
    return kSeenOf[kind];
  }
  /// Index into a table: entry 0 stands for every site where nothing is seen; then each site has three
  /// entries.
  static std::size_t place_of(std::size_t site, std::size_t seen) { return seen == 0 ? 0 : 3 * site + seen; }
  void put(std::size_t site, std::size_t x, std::size_t y, const RelationRatios& ratios);
  void put_site(std::size_t site);
  void put_bits(std::size_t site, double q);
  void put_genotypes(std::size_t site, double q);

  const PopulationModel* population_ = nullptr;
  Encoding by_ = Encoding::kMinor;
  std::size_t kinds_ = 0;
  /// [place_of() the query's site][relation][seen of the other]; 0 where nothing is seen
  std::vector<SeenFigures> ratios_;
  std::vector<Event> differs_;  ///< [place_of() the query's site]
};

/// [x][y]: P(one of two people with this relation shows x and the other y), without errors, but for the same
/// person as they are read. By bits only kinds 0 and 1 are used.
JointGenotypes joint_shown(double q, const Parameters& parameters, Relation relation, Encoding by);

/// [g][h]: P(a stranger has h minor copies | a person has g). A heterozygote gives odds too where theta is 1
/// and there is none.
JointGenotypes genotypes_after(double q, double theta);

/// By how much the second person differs from the first, who shows x; by nothing where nobody shows x.
Event differs_given(const JointGenotypes& shown, std::size_t x);

}  // namespace fastid::stats
