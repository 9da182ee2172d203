/// \file
/// A problem of epistasis on a device: what its kernels are asked, and the people that they count, whom
/// HostPeople packs in the host's memory and DevicePeople has on the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/epistasis.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/epistasis/program.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// What arguments say of people: everybody, or a slab, or a stretch of these.
struct PeopleArguments {
  cl_uint steps = 0, control_steps = 0;
  cl_float all_people = 0, all_excess = 0;
  cl_uint all_controls = 0, all_cases = 0;
};

/// Arguments of epistasis_test.h, which says what they are.
struct EpistasisArguments {
  cl_uint n_sites = 0, n_blocks = 0;
  PeopleArguments people;
  cl_uint tile_first = 0, tile_second = 0;
  cl_uint n_firsts = 0, n_seconds = 0;
  cl_uint batch_first = 0, batch_first_end = 0, batch_second = 0, batch_second_end = 0;
  cl_uint block_begin = 0;
  cl_uint capacity = 0;
  cl_uint slab = 0;
  engine::CostBound bound;
  cl_float worst = 0;
  cl_uint n_slabs = 0;
  cl_uint counted_class = 0;

  /// Asks for the combinations of a tile. Of two sites a tile's pairs are its first sites.
  void put_tile(const engine::Rectangle& pairs, std::size_t way);
  /// All pairs of the tile.
  engine::Rectangle tile() const {
    return {tile_first, tile_first + n_firsts, tile_second, tile_second + n_seconds};
  }
  /// Asks for those that begin with some of a tile's pairs: a batch.
  void put_batch(const engine::Rectangle& pairs);
  engine::Rectangle batch() const { return {batch_first, batch_first_end, batch_second, batch_second_end}; }
  /// Later sites of the tile, with those that fill up blocks.
  std::size_t n_laters() const { return std::size_t{n_blocks - block_begin} * kLanes; }
};

/// What is asked, and where.
struct EpistasisTask : ProgramOn<EpistasisShape> {
  engine::EpistasisProblem problem;

  std::size_t n_blocks() const;
  /// The most that rounding may add to, or take from, a cost that the device has scored by a table in float.
  double rounding() const;
};

/// Some words of people of each class, from and to.
using ClassWords = std::array<std::array<std::size_t, 2>, engine::kClasses>;

/// Planes of the people of a stretch as the kernels have them, and how many steps they are.
struct StretchPlanes {
  StretchPlanes(const EpistasisTask& task, const std::array<BlocksView, engine::kClasses>& classes,
                const ClassWords& words);

  /// Moves the planes to pinned memory, which a device reads faster. \throws cl::Error
  void pin(const cl::Context& context, const cl::CommandQueue& queue);
  const void* data() const { return pinned ? static_cast<const void*>(pinned->data()) : planes.data(); }

  std::array<std::size_t, engine::kClasses> steps{};
  std::size_t bytes = 0;
  std::vector<cl_uint> planes;  ///< empty once they are pinned
  std::unique_ptr<PinnedMemory> pinned;
};

/// Steps of a stretch where people are not counted by stretches: more than there are.
inline constexpr std::size_t kAllSteps = std::size_t{1} << 32;

/// People in the host's memory, packed as a device takes them, a stretch after the other: everybody, or a
/// slab. Where the device holds all (HeldQueue), they are one stretch.
struct HostPeople {
  /// \param steps  of a stretch, of both classes, at least 2
  HostPeople(const EpistasisTask& task, const std::array<BlocksView, engine::kClasses>& classes,
             std::size_t steps);

  /// Pins the stretches where there are several, which are sent again and again. Where the system lacks
  /// memory that can be pinned, the rest stays as it is. \throws cl::Error
  void pin(const EpistasisTask& task);
  PeopleArguments arguments(std::size_t stretch) const;

  std::uint64_t id = 0;  ///< no other people of this process have it
  std::vector<StretchPlanes> stretches;
  PeopleArguments all{};      ///< but for a stretch's steps
  std::vector<cl_uint4> own;  ///< of each site, as the kernels have them
};

/// The three slabs of four sites: the people with each genotype of the first one. Threads make them beside
/// each other.
std::vector<HostPeople> people_of_first(const EpistasisTask& task, std::uint32_t first, std::size_t steps);

/// People on a device: everybody, whom its queues share, or a slab; or a stretch of these. \throws cl::Error
struct DevicePeople {
  DevicePeople() = default;
  /// Uploads them. \param people  of one stretch
  DevicePeople(const EpistasisTask& task, const HostPeople& people);

  PeopleArguments arguments{};
  cl::Buffer planes;  ///< of StretchPlanes
  cl::Buffer own;     ///< of HostPeople
};

/// The table `log_terms` of epistasis_test.h: score_term() in float, of all numbers of people. \throws
/// cl::Error
cl::Buffer log_terms(const EpistasisTask& task);

}  // namespace fastid::opencl
