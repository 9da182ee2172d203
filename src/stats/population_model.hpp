/// \file
/// One population of a panel, made ready: every per-site number that evidence is summed from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panel/panel.hpp"
#include "stats/genotype.hpp"

namespace fastid::stats {

struct Parameters {
  double theta = 0.01;        ///< F_ST, in [0, 1]
  double error_rate = 0.005;  ///< probability that one allele is read as the other, in [0, 0.5]
};

/// \throws UsageError where a parameter is out of its range or no number; names the option and the range.
void check_parameters(const Parameters& parameters);

class PopulationModel {
 public:
  /// \param minor_freq      one for each site, each in [0, 1]; 0 and 1 are floored (frequency_floor())
  /// \param sampled_people  people that the frequencies were counted in, where known
  /// \throws UsageError (parameters), InputError naming the site where a frequency is not in [0, 1].
  PopulationModel(std::string name, std::span<const double> minor_freq, const Parameters& parameters,
                  std::optional<std::uint64_t> sampled_people = {});

  const std::string& name() const { return name_; }
  const Parameters& parameters() const { return parameters_; }
  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(freq_.size()); }

  /// What frequencies were floored at, and at how many sites that changed one.
  double floor() const { return floor_; }
  std::uint32_t floored_sites() const { return floored_sites_; }

  /// One for each site, all above 0 and below 1 (up to rounding).
  std::span<const double> minor_freq() const { return freq_; }            ///< q, floored
  std::span<const double> carrier() const { return carrier_; }            ///< c = P(bit 1)
  std::span<const double> non_carrier() const { return non_carrier_; }    ///< 1 - c
  std::span<const IdentityRatios> identity() const { return identity_; }  ///< log10

 private:
  std::string name_;
  Parameters parameters_;
  double floor_ = 0;
  std::uint32_t floored_sites_ = 0;
  std::vector<double> freq_, carrier_, non_carrier_;
  std::vector<IdentityRatios> identity_;
};

/// The choice of every population that the panel has.
inline constexpr std::string_view kAllPopulations = "all";

/// Models of the populations that `choice` names: "all", or one name. An empty choice is "all". No models
/// where the panel has no population and none was named: then there is no evidence to compute (NA).
///
/// \param sampled_cohort  people that the population "cohort" was counted in, where known (the first input of
///                        the database's build)
/// \param source          for messages: the database
/// \throws InputError where the panel has no such population; lists those it has.
std::vector<PopulationModel> choose_populations(const Panel& panel, std::string_view choice,
                                                const Parameters& parameters,
                                                std::optional<std::uint64_t> sampled_cohort,
                                                std::string_view source);

}  // namespace fastid::stats
