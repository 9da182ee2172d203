/// \file
/// A problem in the terms of the model (model/kernel_time.hpp): what is read and sent, and what a kernel does
/// for each stored profile.
#pragma once

#include "engine/engine.hpp"
#include "model/kernel_time.hpp"

namespace fastid {

struct MatrixShape;

model::Workload workload_of(const Problem& problem);

/// \param matrix  the shape of compare_matrix.cl; null: compare.cl is used
model::KernelWork kernel_work_of(const Problem& problem, const KernelConfig& config,
                                 const MatrixShape* matrix);

}  // namespace fastid
