/// \file
/// A proof, on a small problem, that a worker of a device finds what fastid defines. That a driver accepts a
/// program proves nothing: one was seen to accept instructions that its device does not have.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/engine.hpp"

namespace fastid::opencl {

/// A problem of one tile with a known answer.
class WorkerProof {
 public:
  WorkerProof(const WorkerProof&) = delete;  // its members point to each other
  WorkerProof& operator=(const WorkerProof&) = delete;

  const engine::Problem& problem() const { return problem_; }
  std::size_t n_pairs() const {
    return static_cast<std::size_t>(stored_.shape().n_profiles) * queries_.n_rows();
  }

  /// Compares the tile on a worker that was opened for the problem. "" if it finds what the definition finds,
  /// otherwise a text that says what is wrong.
  std::string fault_of(engine::Worker& worker) const;

 protected:
  /// \param finder, pairs  as in "the device finds 1 of 2 pairs"
  WorkerProof(std::string_view finder, std::string_view pairs) : finder_(finder), pairs_(pairs) {}
  ~WorkerProof() = default;

  /// Sets the answer: the pairs that pass `thresholds`. \param count  count(query, row) by the definition
  template <class Count>
  void set_thresholds(std::vector<engine::Threshold> thresholds, const Count& count) {
    thresholds_ = std::move(thresholds);
    for (std::uint64_t row = 0; row < stored_.shape().n_profiles; ++row)
      for (std::uint32_t query = 0; query < queries_.n_rows(); ++query)
        if (const engine::PairCounts counts = count(query, row); thresholds_[query].passes(counts))
          right_.push_back({row, query, counts});
  }

  ProfileRows queries_{0, 1};
  BitBlocks stored_{{0, 1}};
  engine::Problem problem_;

 private:
  std::string_view finder_, pairs_;
  std::vector<engine::Threshold> thresholds_;
  std::vector<engine::Pair> right_;
};

}  // namespace fastid::opencl
