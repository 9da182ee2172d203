/// \file
/// The chain of two states of internal/screen_pass.hpp: its table for a population's model, and its
/// definition for one pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "linked/internal/screen_pass.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

/// \param places  where profiles have the model's sites
ScreenTable screen_table(const LinkedModel& model, std::span<const std::uint32_t> places);

/// Adds what a query has at these places.
void add_seen(const RowView& row, std::span<const std::uint32_t> places, std::vector<Seen>& seen);

/// The definition, in the order of operations that the passes have. \param seen  of the query
ScreenState plain_end(const ScreenTable& table, const Seen* seen, const BlocksView& view,
                      std::uint64_t profile);

/// Sites that both have called.
std::uint32_t compared_sites(const RowView& query, const BlocksView& view, std::uint64_t profile);

}  // namespace fastid::linked
