/// \file
/// A problem of epistasis on a device.
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

/// Arguments of epistasis_test.h, which says what they are.
struct EpistasisArguments {
  cl_uint n_sites, n_blocks;
  cl_uint steps, control_steps;
  cl_uint tile_first, tile_second;
  cl_uint n_firsts, n_seconds;
  cl_uint run_first, run_first_end, run_second, run_second_end;
  cl_uint block_begin;
  cl_uint capacity;
  cl_uint slab;
  engine::CostBound bound;
  cl_float all_people, all_excess;
  cl_float worst;
  cl_uint all_controls, all_cases, n_slabs;
  cl_uint counted_class;

  /// Asks for the combinations of a tile. Of two sites a tile's pairs are its first sites.
  void put_tile(const engine::Rectangle& pairs, std::size_t way);
  /// All pairs of the tile.
  engine::Rectangle tile() const {
    return {tile_first, tile_first + n_firsts, tile_second, tile_second + n_seconds};
  }
  /// Asks for those that begin with some of a tile's pairs: a run.
  void put_run(const engine::Rectangle& pairs);
  engine::Rectangle run() const { return {run_first, run_first_end, run_second, run_second_end}; }
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

/// Planes of some people as the kernels have them, and how many steps they are.
struct PackedPlanes {
  PackedPlanes(const EpistasisTask& task, const std::array<BlocksView, engine::kClasses>& classes,
               const ClassWords& words);

  /// Moves them where a device reads them faster. \throws cl::Error
  void pin(const cl::Context& context, const cl::CommandQueue& queue);
  const void* data() const { return pinned ? static_cast<const void*>(pinned->data()) : planes.data(); }

  std::array<std::size_t, engine::kClasses> steps{};
  std::size_t bytes = 0;
  std::vector<cl_uint> planes;  ///< empty once they are pinned
  std::unique_ptr<PinnedMemory> pinned;
};

/// Of people who are not counted by stretches: more than there are.
inline constexpr std::size_t kAllSteps = std::size_t{1} << 32;

/// What arguments say of people: everybody, or a slab, of a stretch.
struct PeopleArguments {
  cl_uint steps, control_steps;
  cl_float all_people, all_excess;
  cl_uint all_controls, all_cases;

  /// \param slab  of four sites
  void put(std::size_t slab, EpistasisArguments& to) const;
};

/// People in the host's memory as a device takes them, a stretch after the other: everybody, or of four sites
/// those with one genotype of the first one.
struct PackedPeople {
  /// \param steps  of a stretch, of both classes, at least 2
  PackedPeople(const EpistasisTask& task, const std::array<BlocksView, engine::kClasses>& classes,
               std::size_t steps);

  /// Where several stretches are sent again and again. Where the system lacks memory that can be pinned, the
  /// rest stays as it is. \throws cl::Error
  void pin(const EpistasisTask& task);
  PeopleArguments arguments(std::size_t stretch) const;

  std::uint64_t id = 0;  ///< no other people of this process have it
  std::vector<PackedPlanes> stretches;
  PeopleArguments all{};      ///< but for a stretch's steps
  std::vector<cl_uint4> own;  ///< of each site, as the kernels have them
};

/// Of four sites: those who have each genotype of the first one. Threads make them beside each other.
std::vector<PackedPeople> people_of_first(const EpistasisTask& task, std::uint32_t first, std::size_t steps);

/// People on a device that holds them all. Queues share it. \throws cl::Error
struct EpistasisCohort {
  EpistasisCohort() = default;
  EpistasisCohort(const EpistasisTask& task, const PackedPeople& people);

  PeopleArguments arguments{};
  cl::Buffer planes, own;
};

/// score_term() in float, of all numbers of people. \throws cl::Error
cl::Buffer cost_terms(const EpistasisTask& task);

}  // namespace fastid::opencl
