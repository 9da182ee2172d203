/// \file
/// The chain of two states (engine/screen_count.hpp): its table for a population's model.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "engine/screen_count.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

/// P(a change of state) between neighbouring sites. \param recombination  LinkedModel's
double screen_change(double recombination);

/// \param places  where profiles have the model's sites
engine::ScreenTable screen_table(const LinkedModel& model, std::span<const std::uint32_t> places);

/// Of a sample at each site, by Seen of the profile. They are means of what its genotypes have, and so no
/// larger than the largest of the table.
std::vector<std::array<float, 4>> own_emissions(const LinkedModel& model, const SampleLikelihoods& sample);

}  // namespace fastid::linked
