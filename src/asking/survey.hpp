/// \file
/// For `fastid db info`: calls counted over a whole database, and what its panel can prove.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "asking/degree_rates.hpp"
#include "base/progress.hpp"
#include "db/database.hpp"
#include "stats/kin_power.hpp"
#include "stats/panel_power.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

/// What the panel can prove in one population.
struct PopulationPower {
  std::string population;
  stats::PanelPower power;
  /// Where the database says which alleles were seen, and its sites are not linked, which it does not allow
  /// for.
  std::optional<stats::KinPower> kin;
  std::vector<DegreeRates> degrees;  ///< with kin: along the map; empty where no site has a position
};

/// The expected number of chance matches that the printed mismatch limits allow.
inline constexpr double kPowerMaxExpected = 0.01;

/// The parameters that all powers are computed with: the defaults of a search.
inline constexpr stats::Parameters kPowerParameters{};

/// For each population of the panel, by its autosomal sites, among as many people as the database has
/// profiles; none where the panel has no such site or no allele frequencies, or the database holds mixtures.
/// Reads no profile.
std::vector<PopulationPower> panel_powers(const db::Reader& reader);

/// The same of a panel by itself, among `n_profiles` people whose alleles are all seen.
/// \param populations  names separated by commas, "all", or "" for all that there are \param source  for
/// messages: the panel \throws InputError where the panel has no such population
std::vector<PopulationPower> panel_powers(const Panel& panel, std::string_view populations,
                                          std::uint64_t n_profiles, std::string_view source);

/// Calls counted over all profiles.
struct CallSurvey {
  std::vector<std::uint64_t> called;              ///< [site] profiles that have it called
  std::vector<std::uint64_t> carriers;            ///< [site] of these, profiles with the minor allele
  std::vector<std::uint64_t> profiles_by_called;  ///< [sites called] profiles with so many of them
};

/// Reads the whole database, on `threads` threads (0: as many as the process may use).
/// \throws InputError (a damaged block), Interrupted.
CallSurvey survey_calls(const db::Reader& reader, std::size_t threads, ProgressMode progress);

}  // namespace fastid::asking
