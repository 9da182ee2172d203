/// \file
/// A problem in the terms of the model (model/kernel_time.hpp): what is read and sent, and what a kernel does
/// for each stored profile.
#pragma once

#include "engine/engine.hpp"
#include "model/kernel_time.hpp"

namespace fastid::engine {
class WeightedCount;
}  // namespace fastid::engine

namespace fastid::opencl {

struct MatrixShape;

model::Workload workload_of(const engine::Problem& problem);

/// \param matrix  the shape of compare_matrix.cl; null: compare.cl is used
model::KernelWork kernel_work_of(const engine::Problem& problem, const model::KernelConfig& config,
                                 const MatrixShape* matrix);

/// What a work-item's step of compare.cl reads and counts.
engine::KernelStep blocked_step(const engine::Problem& problem, const model::KernelConfig& config);

/// What weigh.cl does, which reads the profiles again for each query.
model::KernelWork weigh_work_of(const engine::Problem& problem, const engine::WeightedCount& count);

}  // namespace fastid::opencl
