/// \file
/// The allele frequencies of a database, and what is said of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "db/database.hpp"
#include "match/match_table.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

/// What to do about a panel without frequencies.
inline constexpr std::string_view kFrequencyCure =
    "build it with a --panel that has a column of minor-allele frequencies";

/// Models of the populations that --population names, in the panel's order; of all of them by default. None
/// if the panel has no frequencies. \param blocks  by which they weigh sites; may be null \throws InputError
/// (no such population)
std::vector<stats::PopulationModel> models_of(const db::Reader& reader, std::string_view population,
                                              const stats::Parameters& parameters,
                                              const std::shared_ptr<const stats::LinkageBlocks>& blocks = {});

/// How many people the frequencies of the population "cohort" were counted in: those of the first input, if
/// the panel was derived from it. Not known for a panel from a file.
std::optional<std::uint64_t> sampled_cohort(const db::Reader& reader);

/// Prints a note if there are no frequencies, since figures are then NA, or if they were counted in few
/// people, or only in the database's own.
void say_frequencies(const db::Reader& reader, std::span<const stats::PopulationModel> models);

/// For the table's provenance.
std::vector<match::PopulationFacts> facts_of(std::span<const stats::PopulationModel> models);

}  // namespace fastid::asking
