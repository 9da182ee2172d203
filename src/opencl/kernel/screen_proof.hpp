/// \file
/// A proof, on a small problem, that a device's screen.cl computes what fastid defines.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "engine/screen_count.hpp"
#include "opencl/kernel/worker_proof.hpp"

namespace fastid::opencl {

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
