/// \file
/// The explanations of a mixture, as reports say them.
#pragma once

#include <vector>

#include "match/match_table.hpp"

namespace fastid::report {

/// What the unknown contributors left, or lost: who left most first.
std::vector<double> unknown_parts(const match::MixtureSupport& support);

/// The likeliest explanation with the likeliest number of contributors. An explanation has a support for each
/// unknown contributor who may be the one in question: their weights are added. \param mixture  has supports
const match::MixtureSupport& likeliest_explanation(const match::MixtureEvidence& mixture);

/// Whether an error of its reads was fitted. A site that goes read by read has the errors of these.
bool fits_error(const match::QueryMatches& query);

}  // namespace fastid::report
