/// \file
/// A proof, on a small problem, that a device's matrix kernel computes what fastid defines. That a driver
/// accepts a program proves nothing: one was seen to accept instructions that its device does not have.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/kernel/matrix_comparer.hpp"

namespace fastid {

/// A small problem of the same kind as a given one, with random profiles.
class ProofProblem {
 public:
  /// Has the same comparison, sites and masks as `problem`, and more queries and profiles than a work-group
  /// of `shape` takes.
  ProofProblem(const Problem& problem, const MatrixShape& shape);

  const Problem& problem() const { return problem_; }

  /// Compares the proof's problem, one tile, on a worker that was opened for it. Returns "" if the worker
  /// finds what the definition finds, otherwise a text that says what is wrong.
  std::string fault_of(Worker& worker) const;

 private:
  std::vector<Pair> expected(std::span<const Threshold> thresholds) const;

  ProfileRows queries_;
  BitBlocks stored_;
  Problem problem_;
};

}  // namespace fastid
