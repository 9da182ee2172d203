/// \file
/// Brings back the pairs of a tile that may pass their thresholds, however many there are.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/memory/worker_queue.hpp"

namespace fastid::opencl {

class PassingPairs {
 public:
  /// \param found  where kernels append pairs
  /// \param most_pairs  most pairs that one run of the kernel may compare, since its counter has 32 bits
  /// \param queue  must outlive this
  PassingPairs(FoundPairs found, std::size_t most_pairs, WorkerQueue& queue)
      : found_(std::move(found)), most_pairs_(most_pairs), queue_(queue) {}

  /// Begins a tile. Must be called before the tile's count_sound() is queued.
  void start();

  /// Appends those of some pairs that may pass to `out`. Rows count from the tile's first profile.
  void find(PairKernel& kernel, const engine::Rectangle& pairs, std::vector<engine::Pair>& out);

  /// How many of the tile's blocks match their checksums. Known after find().
  std::size_t n_sound() const { return n_sound_; }

 private:
  void clear();
  std::size_t run(PairKernel& kernel, const engine::Rectangle& pairs);

  FoundPairs found_;
  std::size_t most_pairs_;
  WorkerQueue& queue_;
  FoundList<engine::Pair> list_;
  std::size_t expected_ = 0;  ///< about as many pairs are expected of the next run
  std::size_t n_sound_ = 0;
  bool is_clear_ = false;  ///< the buffer's totals are 0
};

}  // namespace fastid::opencl
