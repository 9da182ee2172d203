/// \file
/// The explanations of a mixture, as reports say them.
#pragma once

#include <vector>

#include "match/match_table.hpp"

namespace fastid::report {

/// The unknown contributors' shares or drop-outs; who left most comes first.
std::vector<double> unknown_parts(const match::MixtureSupport& support);

/// The likeliest explanation with the likeliest number of contributors. An explanation has a support for each
/// unknown contributor who may be the one in question: their weights are added. \param mixture  has supports
const match::MixtureSupport& likeliest_explanation(const match::MixtureEvidence& mixture);

/// Whether an error rate was fitted to the mixture's reads. (Sites that are weighed read by read use each
/// read's own error.)
bool fits_error(const match::QueryMatches& query);

}  // namespace fastid::report
