/// \file
/// A proof, on a small problem, that a device's matrix kernel computes what fastid defines.
#pragma once

#include "engine/engine.hpp"
#include "opencl/kernel/matrix_comparer.hpp"
#include "opencl/kernel/worker_proof.hpp"

namespace fastid::opencl {

/// A small problem of the same kind as a given one, with random profiles.
class MatrixProof : public WorkerProof {
 public:
  /// Has the same comparison, sites and masks as `like`, and more queries and profiles than a work-group of
  /// `shape` takes.
  MatrixProof(const engine::Problem& like, const MatrixShape& shape);
};

}  // namespace fastid::opencl
