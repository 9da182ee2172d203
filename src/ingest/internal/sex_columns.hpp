/// \file
/// Columns of what X and Y say of people's sex, beside the tag `sex`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "db/database.hpp"
#include "stats/population_model.hpp"
#include "stats/sex.hpp"

namespace fastid::ingest {

class SexColumns {
 public:
  static constexpr std::array<const char*, 5> kNames = {"sex", "x_called", "x_het", "y_called", "stated"};

  /// Uses the frequencies of the panel's first population, where it has any.
  explicit SexColumns(const db::Reader& reader);

  /// Reads the profiles of a block.
  void read(const BlocksView& block);
  /// The cells of one profile of the block, in the order of kNames; null for NA. \param stated  the profile's
  /// tag; "": none
  std::array<Json, 5> of(std::size_t lane, const std::string& id, const std::string& stated);

  /// Warns of people whose X and Y contradict what is stated. Call after the last profile.
  void warn(const std::string& database) const;

 private:
  SiteClasses classes_;
  bool of_people_, says_alleles_;
  std::vector<stats::PopulationModel> populations_;
  stats::SexModel model_;
  std::vector<stats::SexFindings> found_;  ///< of the block that was read
  std::uint64_t contradicted_ = 0;
  std::string examples_;
};

}  // namespace fastid::ingest
