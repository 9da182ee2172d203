/// \file
/// A database as a page: its content, how complete its calls are, how frequent its minor alleles are, and
/// what its panel can prove among so many profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "asking/degree_rates.hpp"
#include "stats/kin_power.hpp"
#include "stats/panel_power.hpp"

namespace fastid::bank {

struct DatabasePage {
  struct Frequencies {
    std::string population;
    std::vector<double> minor;  ///< [site]
  };
  struct Power {
    std::string population;
    stats::PanelPower power;
    std::optional<stats::KinPower> kin;        ///< PopulationPower::kin
    std::vector<asking::DegreeRates> degrees;  ///< PopulationPower::degrees
  };

  std::string name;
  std::uint64_t n_profiles = 0;
  std::vector<std::pair<std::string, std::string>> facts;  ///< terms with plain text
  std::string linked;                                      ///< a warning that sites are linked; "": none
  std::vector<double> call_rates;                 ///< [site] share of profiles that have the site called
  std::vector<std::uint64_t> profiles_by_called;  ///< [sites called]
  std::vector<double> carrier_shares;  ///< shares of carriers at sites that are called in any profile
  std::vector<Frequencies> populations;
  std::vector<Power> powers;
  double max_expected = 0;  ///< expected chance matches that the powers' limits allow
  double theta = 0;         ///< theta that the powers were computed with
};

std::string html(const DatabasePage& page);

}  // namespace fastid::bank
