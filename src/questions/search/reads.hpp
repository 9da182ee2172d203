/// \file
/// Mixtures whose reads are weighed: which of the queries are, and what their reads show.
#pragma once

#include <optional>
#include <vector>

#include "asking/counted_sites.hpp"
#include "asking/options.hpp"
#include "match/queries.hpp"
#include "stats/measured_stain.hpp"

namespace fastid::search {

/// Of each query, its reads or the heights of its peaks; no value where it goes by the alleles that it shows.
/// Empty where none is weighed by reads.
using MeasuredQueries = std::vector<std::optional<stats::MeasuredStain>>;

/// Whether options of alleles that are shown, or more contributors than reads are explained by, rule out that
/// reads are weighed. \param known  how many contributors are
bool goes_by_alleles(const stats::StainParameters& parameters, std::size_t known);

/// Takes the reads of the counted sites by --model. What such a mixture shows there is from now on what its
/// reads show: an allele that has the threshold's reads, and the share of --min-share. \throws InputError
/// where reads are asked for and a query has none
MeasuredQueries take_reads(const asking::SearchOptions& options, const asking::CountedSites& sites,
                           match::Queries& queries);

}  // namespace fastid::search
