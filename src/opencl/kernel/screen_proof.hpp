/// \file
/// A proof, on a small problem, that a device's screen.cl computes what fastid defines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/engine.hpp"
#include "engine/screen_count.hpp"

namespace fastid {

/// A small problem with random profiles, of whom some sites are not called, and random chains.
class ScreenProof {
 public:
  explicit ScreenProof(std::size_t n_queries);
  ScreenProof(const ScreenProof&) = delete;  // its members point to each other
  ScreenProof& operator=(const ScreenProof&) = delete;

  const Problem& problem() const { return problem_; }
  const ScreenCount& count() const { return count_; }

  /// Compares the problem's pairs, one tile, on a worker that was opened for it. Returns "" if the worker
  /// finds what the definition finds, otherwise a text that says what is wrong.
  std::string fault_of(Worker& worker) const;

 private:
  class Count final : public ScreenCount {
   public:
    explicit Count(const ScreenProof& of) : of_(of) {}
    std::vector<const ScreenTable*> tables() const override;
    std::unique_ptr<Engine> make_engine(std::size_t threads) const override;
    PairCounts count_pair(std::size_t query, const BlocksView& view, std::uint64_t profile) const override;

   private:
    const ScreenProof& of_;
  };

  ProfileRows queries_;
  BitBlocks stored_;
  std::vector<ScreenTable> tables_;
  Count count_;
  Problem problem_;
};

}  // namespace fastid
