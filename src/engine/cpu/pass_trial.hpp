/// \file
/// How to search a piece of a tile, by counting its bits or by one of the passes (tile_pass.hpp): a matter of
/// measurement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/cpu_engine.hpp"

namespace fastid {

/// Which of several ways took the least time for a block lately. No rule known beforehand would do: what a
/// pass saves depends on how many pairs pass, on how soon counting bits can leave the rest out, and on how
/// fast the CPU is at the moment, which is told to slow down its widest units where a machine gets hot. The
/// others are tried again after some pieces. Whichever is taken, the answer is the same.
class PassTrial {
 public:
  /// \param n_ways  1 at least. Way 0 is to count bits; UsePass::kAlways takes turns of the others.
  PassTrial(std::size_t n_ways, UsePass use)
      : always_(use == UsePass::kAlways && n_ways > 1), ways_(n_ways), next_(always_ ? 1 : 0) {}

  /// The next piece's.
  std::size_t way() const { return next_; }

  /// What the piece took.
  void note(std::size_t n_blocks, double seconds) {
    if (always_) {
      next_ = next_ % (ways_.size() - 1) + 1;
      return;
    }
    ways_[next_].note(seconds / static_cast<double>(std::max<std::size_t>(1, n_blocks)));
    if (left_ > 0 && --left_ > 0) return;
    const std::size_t last = next_;
    next_ = place_of_fastest();
    if (next_ == last) next_ = next_trial(last);
    if (next_ != last) left_ = kTurn;
  }

 private:
  struct Way {
    double cost = 0;    ///< seconds a block; 0: not known, and to be tried first
    double last = 0;    ///< of the last piece
    double waited = 0;  ///< pieces since the last trial

    /// A piece that took long was held up by something else, more often than not: the less of the last two
    /// counts, and little more than before.
    void note(double of_piece) {
      const double less = last == 0 ? of_piece : std::min(last, of_piece);
      cost = cost == 0 ? less : std::min(less, cost * kMostRise);
      last = of_piece;
    }
  };
  std::size_t place_of_fastest() const {
    return static_cast<std::size_t>(std::ranges::min_element(ways_, {}, &Way::cost) - ways_.begin());
  }
  // A way whose trial is due, or the fastest.
  std::size_t next_trial(std::size_t fastest) {
    for (std::size_t i = 0; i < ways_.size(); ++i)
      if (i != fastest && is_due(ways_[i], ways_[fastest].cost)) {
        ways_[i].waited = 0;
        return i;
      }
    return fastest;
  }
  // All trials together are to lose some 2 %.
  bool is_due(Way& way, double fastest) const {
    const double loss = std::min(kMostLoss, way.cost / fastest - 1);
    const auto pieces = static_cast<double>(kTurn * (ways_.size() - 1));
    return ++way.waited > (kShortest + kLossShare * loss) * pieces;
  }

  /// Pieces that a way has at the least when it gets its turn: the first one finds its tables in no cache.
  static constexpr std::size_t kTurn = 2;
  /// Pieces between trials, for each one that a trial takes: that many, and more the more it loses.
  static constexpr double kShortest = 8, kLossShare = 50;
  static constexpr double kMostLoss = 3;     ///< believed
  static constexpr double kMostRise = 1.25;  ///< of a way's cost, by a piece

  bool always_;
  std::vector<Way> ways_;
  std::size_t next_;
  std::size_t left_ = kTurn;  ///< pieces of the turn
};

}  // namespace fastid
