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

/// P(a change of state) between neighbouring sites. \param recombination  an element of
/// LinkedModel::recombination()
double screen_change(double recombination);

/// \param places  where profiles have the model's sites
engine::ScreenTable screen_table(const LinkedModel& model, std::span<const std::uint32_t> places);

/// A sample's emissions at each site, by Seen of the profile. They are means over genotypes, and so no larger
/// than the table's largest emission.
std::vector<std::array<float, 4>> own_emissions(const LinkedModel& model, const SampleLikelihoods& sample);

}  // namespace fastid::linked
