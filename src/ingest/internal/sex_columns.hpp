/// \file
/// What X and Y say of the sex of a database's people, beside the tag `sex`.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "panel/sex.hpp"

namespace fastid {

/// The key of the tag that states a person's sex (parse_sex()).
inline constexpr const char* kSexKey = "sex";

class SexColumns {
 public:
  static constexpr std::array<const char*, 5> kNames = {"sex", "x_called", "x_het", "y_called", "stated"};

  explicit SexColumns(const db::Reader& reader);

  /// A profile's cells, in the order of kNames: numbers as numbers, null for NA.
  /// \param lane  of the block \param called_sites  of the profile \param stated  its tag; "": none
  std::array<nlohmann::ordered_json, 5> of(const BlocksView& block, std::size_t lane,
                                           std::uint32_t called_sites, const std::string& id,
                                           const std::string& stated);

  /// Warns of people whose X and Y contradict what is stated. Call after the last profile.
  void warn(const std::string& database) const;

 private:
  SiteClasses classes_;
  bool of_people_, says_alleles_;
  std::uint64_t contradicted_ = 0;
  std::string examples_;
};

}  // namespace fastid
