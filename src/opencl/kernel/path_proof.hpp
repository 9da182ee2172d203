/// \file
/// A proof, on a small problem, that a device's path_score.cl computes what fastid defines.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "engine/path_count.hpp"

namespace fastid {

/// A small problem with random profiles, of whom some sites are not called, and a random test of them.
class PathProof {
 public:
  PathProof();
  PathProof(const PathProof&) = delete;  // its members point to each other
  PathProof& operator=(const PathProof&) = delete;

  const Problem& problem() const { return problem_; }
  const PathTest& test() const { return test_; }

  /// Tests the problem's pairs, one tile, on a worker that was opened for it. Returns "" if the worker finds
  /// what the definition finds, otherwise a text that says what is wrong.
  std::string fault_of(Worker& worker) const;

 private:
  ProfileRows queries_;
  BitBlocks stored_;
  PathTest test_;
  PathCount count_;
  Problem problem_;
};

}  // namespace fastid
