/// \file
/// One population of a panel: the frequencies that evidence is computed from, and its parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panel/panel.hpp"
#include "panel/site_class.hpp"
#include "stats/internal/genotype.hpp"
#include "stats/linkage_blocks.hpp"

namespace fastid::stats {

struct Parameters {
  double theta = 0.01;        ///< F_ST, in [0, 1]
  double error_rate = 0.005;  ///< identity: probability that one allele is read as the other, in [0, 0.5]
};

/// \throws UsageError where a parameter is out of its range or not a number; names the option and the range.
void check_parameters(const Parameters& parameters);

class PopulationModel {
 public:
  /// \param minor_freq      one for each site, each in [0, 1]
  /// \param classes         of the sites, so that the floor is that of the autosomal ones; null: all are
  /// \param sampled_people  people that the frequencies were counted in, where known: frequencies are then
  ///                        counted_frequency(), else 0 and 1 are replaced (frequency_floor()). Frequencies
  ///                        of X, Y and M, counted by copies, are kept from the floor up to 1 - floor
  /// \param counted         for each site the number of alleles that its frequency was counted among, where
  ///                        known; empty: two for each of `sampled_people`
  /// \throws UsageError (parameters), InputError naming the site where a frequency is not in [0, 1].
  PopulationModel(std::string name, std::span<const double> minor_freq, const Parameters& parameters,
                  std::optional<std::uint64_t> sampled_people = {}, const SiteClasses* classes = nullptr,
                  std::span<const std::uint32_t> counted = {});

  const std::string& name() const { return name_; }
  const Parameters& parameters() const { return parameters_; }
  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(freq_.size()); }

  /// The number of people that the frequencies were counted in, where known.
  std::optional<std::uint64_t> sampled_people() const { return sampled_people_; }
  /// The lowest frequency that is used, and the number of autosomal sites with a stated frequency of 0 or 1.
  double floor() const { return floor_; }
  std::uint32_t floored_sites() const { return floored_sites_; }

  /// One for each site, each above 0 and below 1.
  std::span<const double> minor_freq() const { return freq_; }

  /// A model of some of the sites, in ascending order, which all weigh the same.
  PopulationModel of_sites(std::span<const std::uint32_t> places) const;

  /// From now on each of these blocks weighs as one site. \param blocks  of the model's sites; may be null
  void weigh_by(std::shared_ptr<const LinkageBlocks> blocks) { blocks_ = std::move(blocks); }
  /// Null where all sites weigh the same.
  const std::shared_ptr<const LinkageBlocks>& blocks() const { return blocks_; }
  SiteWeights weights(std::span<const Word> compared) const { return {blocks_.get(), compared}; }

 private:
  std::string name_;
  Parameters parameters_;
  std::optional<std::uint64_t> sampled_people_;
  double floor_ = 0;
  std::uint32_t floored_sites_ = 0;
  std::vector<double> freq_;
  std::shared_ptr<const LinkageBlocks> blocks_;
};

/// The name of the population that stands for the database's own frequencies.
inline constexpr std::string_view kCohort = "cohort";

/// The choice that means every population of the panel.
inline constexpr std::string_view kAllPopulations = "all";

/// Models of the populations that `choice` names: "all", or names separated by commas, in the panel's order.
/// An empty choice is "all". Returns no models where the panel has no population and none was named: then no
/// evidence can be computed (NA).
///
/// \param sampled_cohort  people that the frequencies of "cohort" were counted in, where known (the first
///                        input of the database's build)
/// \param source          for messages: the database
/// \throws InputError where the panel has no such population; lists those it has.
std::vector<PopulationModel> choose_populations(const Panel& panel, std::string_view choice,
                                                const Parameters& parameters,
                                                std::optional<std::uint64_t> sampled_cohort,
                                                std::string_view source);

}  // namespace fastid::stats
