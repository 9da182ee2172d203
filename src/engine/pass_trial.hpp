/// \file
/// When to search a piece of a tile by a pass (tile_pass.hpp) in place of counting its bits: a matter of
/// measurement.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/cpu_engine.hpp"

namespace fastid {

/// Which of the two ways took less time for a block lately. No rule known beforehand would do: what a pass
/// saves depends on how many pairs pass, on how soon counting bits can leave the rest out, and on how fast
/// the CPU is at the moment, which is told to slow down its widest units where a machine gets hot. The other
/// way is tried again after some pieces. Whichever is taken, the answer is the same.
class PassTrial {
 public:
  explicit PassTrial(UsePass use) : always_(use == UsePass::kAlways) {}

  /// Whether the next piece is the pass's.
  bool now() const { return always_ || next_ == kPass; }

  /// What the piece took.
  void note(std::size_t n_blocks, double seconds) {
    const Way way = next_, other = way == kBits ? kPass : kBits;
    const double cost = seconds / static_cast<double>(std::max<std::size_t>(1, n_blocks));
    cost_[way] = cost_[way] == 0 ? cost : std::min(cost, cost_[way] * kMostRise);
    if (cost_[other] == 0) {
      next_ = other;
      return;
    }
    const Way faster = cost_[kPass] < cost_[kBits] ? kPass : kBits;
    const Way slower = faster == kBits ? kPass : kBits;
    const double loss = std::min(kMostLoss, cost_[slower] / cost_[faster] - 1);
    const bool trial_is_due = way == faster && ++since_trial_ > kShortest + kLossShare * loss;
    next_ = trial_is_due ? slower : faster;
    if (trial_is_due) since_trial_ = 0;
  }

 private:
  enum Way : std::size_t { kBits, kPass };
  /// Pieces between trials: that many, and more the more a trial loses, so that it loses some 2 % in all.
  static constexpr double kShortest = 8, kLossShare = 50;
  static constexpr double kMostLoss = 3;  ///< believed
  /// A piece that took long was held up by something else, more often than not.
  static constexpr double kMostRise = 1.25;

  bool always_;
  std::array<double, 2> cost_{};  ///< seconds a block; 0: not known
  Way next_ = kBits;
  double since_trial_ = 0;  ///< pieces
};

}  // namespace fastid
