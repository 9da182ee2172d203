/// \file
/// Pooling: which remains are of one person.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "questions/dvi/event/findings.hpp"
#include "stats/family_likelihood.hpp"

namespace fastid::dvi {

/// Groups of remains, each ascending, ordered by the first. Two remains are of one person where this is
/// 10^bar times as probable as that they are of full siblings (and so, too, as that they are of strangers),
/// or where other remains connect them.
std::vector<std::vector<std::size_t>> pooled(const stats::AlleleModel& model,
                                             const std::vector<Remains>& remains, double bar,
                                             std::size_t threads);

}  // namespace fastid::dvi
