/// \file
/// A problem in the terms of the model (model/kernel_time.hpp): what is read and sent, and what a kernel does
/// for each stored profile.
#pragma once

#include "engine/engine.hpp"
#include "model/kernel_time.hpp"

namespace fastid {

struct MatrixShape;
class WeightedCount;

model::Workload workload_of(const Problem& problem);

/// \param matrix  the shape of compare_matrix.cl; null: compare.cl is used
model::KernelWork kernel_work_of(const Problem& problem, const KernelConfig& config,
                                 const MatrixShape* matrix);

/// What a work-item's step of compare.cl reads and counts.
KernelStep blocked_step(const Problem& problem, const KernelConfig& config);

/// What weigh.cl does, which reads the profiles again for each query.
model::KernelWork weigh_work_of(const Problem& problem, const WeightedCount& count);

}  // namespace fastid
