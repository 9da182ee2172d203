/// \file
/// The chain of two states of internal/screen_pass.hpp: its table for a population's model, and its
/// definition for one pair.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "linked/internal/screen_pass.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

/// P(a change of state) between neighbouring sites. \param recombination  LinkedModel's
double screen_change(double recombination);

/// \param places  where profiles have the model's sites
ScreenTable screen_table(const LinkedModel& model, std::span<const std::uint32_t> places);

/// Adds what a query has at these places.
void add_seen(const RowView& row, std::span<const std::uint32_t> places, std::vector<Seen>& seen);

/// Of a query at each site, by Seen of the profile.
using QueryEmissions = std::vector<const float*>;

/// Of a query by what it has. \param seen  of add_seen()
QueryEmissions emissions_of(const ScreenTable& table, const Seen* seen);
/// The same of what a row has at these places.
QueryEmissions emissions_of(const ScreenTable& table, const RowView& row,
                            std::span<const std::uint32_t> places);

/// Of a sample at each site, by Seen of the profile. They are means of what its genotypes have, and so no
/// larger than the largest of the table.
std::vector<std::array<float, 4>> own_emissions(const LinkedModel& model, const SampleLikelihoods& sample);

/// The definition, in the order of operations that the passes have.
ScreenState plain_end(const ScreenTable& table, std::span<const float* const> emissions,
                      const BlocksView& view, std::uint64_t profile);

/// Of some sites those that the profile has called.
std::uint32_t compared_sites(std::span<const Word> sites, const BlocksView& view, std::uint64_t profile);

}  // namespace fastid::linked
