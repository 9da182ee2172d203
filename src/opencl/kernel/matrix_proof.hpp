/// \file
/// A proof that a device's matrix kernel computes what fastid defines, on a small problem. That a driver
/// takes a program proves nothing: one was seen to take instructions that its device does not have.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/kernel/matrix_comparer.hpp"

namespace fastid {

/// A problem of the same kind as `problem`, small, with random profiles, some of them near copies of queries.
class ProofProblem {
 public:
  /// The same comparison, sites and masks; more queries and profiles than a work-group of `shape` takes.
  ProofProblem(const Problem& problem, const MatrixShape& shape);

  const Problem& problem() const { return problem_; }

  /// Compares on a worker for the proof's problem, of one tile. "" where the worker finds what the definition
  /// finds, else what is wrong, for a person.
  std::string fault_of(Worker& worker) const;

 private:
  std::vector<Pair> expected(std::span<const Threshold> thresholds) const;

  ProfileRows queries_;
  BitBlocks stored_;
  Problem problem_;
};

}  // namespace fastid
