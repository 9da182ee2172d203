/// \file
/// A database as a page: what it holds, how complete its calls are, how frequent its minor alleles, and what
/// its panel can prove among so many profiles.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stats/panel_power.hpp"

namespace fastid::report {

struct DatabasePage {
  struct Frequencies {
    std::string population;
    std::vector<double> minor;  ///< [site]
  };
  struct Power {
    std::string population;
    stats::PanelPower power;
  };

  std::string name;
  std::uint64_t n_profiles = 0;
  std::vector<std::pair<std::string, std::string>> facts;  ///< term and plain text
  std::vector<double> call_rates;                          ///< [site] share of profiles that have it called
  std::vector<std::uint64_t> profiles_by_called;           ///< [sites called]
  std::vector<double> carrier_shares;                      ///< of the sites called anywhere
  std::vector<Frequencies> populations;
  std::vector<Power> powers;
  double max_expected = 0;  ///< that the powers' limits were chosen for
  double theta = 0;         ///< that they were reckoned with
};

std::string html(const DatabasePage& page);

}  // namespace fastid::report
