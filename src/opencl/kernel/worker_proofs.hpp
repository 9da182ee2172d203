/// \file
/// Small problems that a worker of a device solves for the proofs of its matrix kernel and of screen.cl
/// (kernel/proof.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/engine.hpp"
#include "engine/screen_count.hpp"
#include "opencl/kernel/comparer.hpp"

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

  /// Compares the tile on a worker that was opened for the problem. Whether it finds what the definition
  /// does.
  bool is_solved_by(engine::Worker& worker) const;

 protected:
  WorkerProof() = default;
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
  std::vector<engine::Threshold> thresholds_;
  std::vector<engine::Pair> right_;
};

/// A small problem of the same kind as a given one, with random profiles.
class MatrixProof : public WorkerProof {
 public:
  /// Has the same comparison, sites and masks as `like`, and more queries and profiles than a work-group of
  /// `shape` takes.
  MatrixProof(const engine::Problem& like, const MatrixShape& shape);
};

/// A small problem with random profiles, of whom some sites are not called, and random chains.
class ScreenProof : public WorkerProof {
 public:
  explicit ScreenProof(std::size_t n_queries);

  const engine::ScreenCount& count() const { return count_; }

 private:
  class Count final : public engine::ScreenCount {
   public:
    explicit Count(const ScreenProof& of) : of_(of) {}
    std::vector<const engine::ScreenTable*> tables() const override;
    std::unique_ptr<engine::Engine> make_engine(std::size_t threads) const override;
    engine::PairCounts count_pair(std::size_t query, const BlocksView& view,
                                  std::uint64_t profile) const override;

   private:
    const ScreenProof& of_;
  };

  std::vector<engine::ScreenTable> tables_;
  Count count_;
};

}  // namespace fastid::opencl
