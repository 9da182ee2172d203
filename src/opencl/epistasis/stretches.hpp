/// \file
/// People of epistasis on a device a stretch after the other: any number of them, whatever its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/epistasis.hpp"
#include "opencl/epistasis/cohort.hpp"
#include "opencl/worker/transfers.hpp"

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

/// People in the host's memory, as the stretches that a device takes: pinned where several are sent again and
/// again. Queues share them.
struct StretchedPeople {
  StretchedPeople(const EpistasisTask& task, const std::array<BlocksView, engine::kClasses>& classes,
                  std::size_t steps);

  /// Where the system lacks memory that can be pinned, the rest stays as it is. \throws cl::Error
  void pin(const EpistasisTask& task);

  std::uint64_t id = 0;  ///< no other people of this process have it
  std::vector<PackedPlanes> stretches;
  std::array<std::uint32_t, engine::kClasses> n_people{};
  std::vector<engine::SitePeople> own;  ///< of each site, as the kernels have them
};

/// Of four sites: those who have each genotype of the first one.
std::vector<StretchedPeople> people_of_first(const EpistasisTask& task, std::uint32_t first,
                                             std::size_t steps);

/// A queue of a device. Used by one thread at a time, for any people of classes as large as the task's.
/// \throws cl::Error
class StretchQueue {
 public:
  /// \param most_found  combinations that its buffer holds, at least as many as there are sites
  StretchQueue(EpistasisTask task, StretchLimits limits, std::uint32_t most_found);

  /// As EpistasisEngine::find(), of two and three sites.
  void find(const StretchedPeople& cohort, const engine::Rectangle& tile, engine::BestCombinations& best);
  /// The combinations of four that begin with this site. \param slabs  people_of_first()
  void find(std::uint32_t first, std::span<const StretchedPeople> slabs, engine::BestCombinations& best);

 private:
  using Slabs = std::span<const StretchedPeople>;
  bool multiplies() const { return task_.shape.multiplies; }
  bool is_of_pairs() const { return task_.problem.way == 2; }
  std::size_t table_vectors() const { return 1 + (2 * task_.problem.n_cells() + 3) / 4; }
  EpistasisKernels::Sites sites() const {
    return {planes_.buffer(), own_.buffer(), rows_.buffer(), pairs_.buffer()};
  }

  void reserve_for_tiles();
  void put_own(Slabs slabs);
  void find_tile(Slabs slabs, const engine::Rectangle& tile, engine::BestCombinations& best);
  std::uint32_t most_pairs() const;
  template <class Use>
  void each_stretch(Slabs slabs, const Use& use);
  void count_rows(Slabs slabs);
  std::size_t find(Slabs slabs, const engine::Rectangle& pairs, engine::BestCombinations& best);
  void set_slab(std::size_t slab, const StretchedPeople& people);
  void add_stretch();
  std::size_t test(const engine::Rectangle& pairs, double worst);
  void offer_found(std::size_t n, engine::BestCombinations& best);

  EpistasisTask task_;
  StretchLimits limits_;
  engine::TableScorer scorer_;
  DeviceQueue queue_;
  EpistasisKernels kernels_;
  cl::Kernel test_;
  EpistasisArguments arguments_{};
  std::uint32_t outer_ = 0;  ///< of four sites the first one
  GrowingBuffer planes_, packed_, rows_, pairs_, own_, counts_, found_;
  std::array<std::uint64_t, 2> loaded_{};  ///< id and stretch of the people whose planes are on the device
  std::uint64_t own_of_ = 0;               ///< id of those whose people of each site are
};

}  // namespace fastid::opencl
