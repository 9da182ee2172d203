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

/// The lowest of all populations, and which that is.
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

  /// Of each row. \param rows  of the counted sites
  std::vector<LowestRatio> of(std::span<const RowView> rows, std::size_t threads) const;

 private:
  std::vector<stats::MissingMember> unlinked_;  ///< of each population, or none
  std::vector<linked::LinkedFamily> linked_;
};

/// How many candidates of a family of so many bits are followed along the map: the likeliest by the product
/// over sites. At least two for each that is listed.
std::size_t followed_along_map(unsigned bits, std::uint64_t top);

/// What to leave out of a family that is too large to be followed: the names of typed members without whom it
/// can be, with `most` bits at most, separated by commas; "" where there are none.
std::string members_to_leave_out(std::span<const stats::Member> members, std::size_t missing, unsigned most);

}  // namespace fastid::kin
