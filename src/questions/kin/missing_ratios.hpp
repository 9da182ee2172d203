/// \file
/// The likelihood ratio of a family's missing member in each population: along the genetic map where the
/// family is small enough, else site by site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "asking/linked_evidence.hpp"
#include "bits/rows.hpp"
#include "linked/linked_family.hpp"
#include "stats/pedigree.hpp"
#include "stats/population_model.hpp"

namespace fastid::kin {

/// The lowest ratio of all populations, and its population.
struct LowestRatio {
  double log10_lr = 0;
  std::size_t population = 0;
};

class MissingRatios {
 public:
  /// Site by site. \throws InputError as stats::MissingMember does
  MissingRatios(std::span<const stats::PopulationModel> models, std::span<const stats::Member> members,
                std::size_t missing, std::string_view source);
  /// Along the map. \param map  available() \param members  of few enough bits, and no one's own ancestor
  MissingRatios(std::span<const stats::PopulationModel> models, const asking::LinkedEvidence& map,
                std::span<const stats::Member> members, std::size_t missing);

  /// The ratio of each row. \param rows  with the counted sites
  std::vector<LowestRatio> of(std::span<const RowView> rows, std::size_t threads) const;

 private:
  std::vector<stats::MissingMember> unlinked_;  ///< one for each population; empty along the map
  std::vector<linked::LinkedFamily> linked_;
};

/// The number of candidates that are followed along the map, for a family of so many bits: the likeliest by
/// the product over sites. At least two for each listed row.
std::size_t followed_along_map(unsigned bits, std::uint64_t top);

/// Of a family that is too large to be followed: the names of typed members any one of whom, left out alone,
/// makes it small enough to be followed with `most` bits, separated by commas; "" where no single one does.
std::string members_to_leave_out(std::span<const stats::Member> members, std::size_t missing, unsigned most);

}  // namespace fastid::kin
