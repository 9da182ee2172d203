/// \file
/// People of epistasis on a device a stretch after the other: any number of them, whatever its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "opencl/epistasis/queue.hpp"

namespace fastid::opencl {

/// What a queue may hold on a device.
struct StretchLimits {
  std::size_t steps = 0;         ///< of 256 people, of both classes, of a stretch
  std::uint32_t tile_sites = 0;  ///< first, and second, sites of a tile
  std::size_t counts = 0;        ///< bytes of a run's counts
  std::size_t pair_planes = 0;   ///< bytes of a run's pairs' planes

  /// \param memory  bytes of one queue \throws DeviceMemoryError where it does not hold the least that is
  /// worked with
  StretchLimits(const EpistasisTask& task, std::uint64_t memory);
};

/// A queue of a device. For any people of classes as large as the task's.
class StretchQueue final : public EpistasisQueue {
 public:
  /// \param most_found  combinations that its buffer holds, at least as many as there are sites
  StretchQueue(const EpistasisTask& task, const StretchLimits& limits, std::uint32_t most_found);

  void put_people(Slabs slabs) override;

 private:
  void begin_tile() override;
  double pairs_in_memory() const override;
  std::size_t run(double worst) override;
  void offer_found(std::size_t n, engine::BestCombinations& best) override;

  std::size_t table_vectors() const { return 1 + (2 * task_.problem.n_cells() + 3) / 4; }
  People& here() { return people_[0]; }  ///< with the stretch that is on the device
  void reserve_for_tiles();
  template <class Use>
  void each_stretch(const Use& use);

  StretchLimits limits_;
  cl::Kernel test_;
  Slabs slabs_;
  GrowingBuffer counts_, found_;
  std::array<std::uint64_t, 2> loaded_{};  ///< id and stretch of the people whose planes are on the device
  std::uint64_t own_of_ = 0;  ///< id of those whose people of each site are, or of the first slab
};

}  // namespace fastid::opencl
