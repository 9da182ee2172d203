/// \file
/// A problem of epistasis on a device.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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

inline constexpr std::size_t kPairsOfAGroup = 8;  ///< of the kernel by popcounts
inline constexpr std::size_t kPairVectors = 5;    ///< PAIR_VECTORS of epistasis_test.h
inline constexpr double kMostOfARun = 0x1p45;     ///< combinations times people: some tenths of a second

/// Arguments of epistasis_test.h.
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
  cl_uint counted;
};

/// Asks for the combinations of a tile. Of two sites a tile's pairs are its first sites.
void put_tile(const engine::Rectangle& tile, std::size_t way, EpistasisArguments& arguments);
/// Asks for those that begin with some of a tile's pairs: a run. And which pairs are asked for.
void put_run(const engine::Rectangle& pairs, EpistasisArguments& arguments);
engine::Rectangle run_of(const EpistasisArguments& arguments);
/// All pairs of its tile.
engine::Rectangle tile_of(const EpistasisArguments& arguments);
/// Later sites of its tile, with those that fill up blocks.
std::size_t n_laters(const EpistasisArguments& arguments);

/// What a run has found. \param outer  of four sites the first one \throws DeviceError where it was not asked
/// for
engine::SiteCombination found_sites(const engine::EpistasisProblem& problem,
                                    const EpistasisArguments& arguments, std::uint32_t outer,
                                    std::uint32_t first, std::uint32_t second, std::uint32_t later);
/// Its table. \throws DeviceError where it has more people than there are
const engine::GenotypeTable& found_table(const engine::EpistasisProblem& problem,
                                         const engine::GenotypeTable& table);

/// Calls find(pairs), which returns how many combinations passed, until all pairs were found. Without a limit
/// all combinations that have enough people pass: so it begins with a pair, takes a few more until there is a
/// limit, and then so many more that few of them pass. \param all  first sites and second ones \param most
/// pairs at a time, at least 1
template <class Find>
void for_pairs(const engine::Rectangle& all, std::uint32_t most, const engine::BestCombinations& best,
               const Find& find) {
  constexpr std::uint32_t kGrowth = 8, kGrowthWithoutLimit = 2;
  std::uint32_t n = std::isinf(best.worst()) ? 1 : most;
  const auto seconds = static_cast<std::uint32_t>(all.columns());
  std::uint32_t first = all.row_begin, in_row = 0;
  while (first < all.row_end) {
    const std::uint32_t rows = in_row > 0 ? 1 : std::clamp(n / seconds, 1U, all.row_end - first);
    const std::uint32_t to = std::min(rows > 1 ? seconds : in_row + n, seconds);
    const std::size_t passed =
        find(engine::Rectangle{first, first + rows, all.column_begin + in_row, all.column_begin + to});
    in_row = to % seconds;
    if (in_row == 0) first += rows;
    if (std::isfinite(best.worst()))
      n = std::min(n, most / kGrowth + 1) * kGrowth;
    else if (passed < kGrowth)
      n = n * kGrowthWithoutLimit;
    n = std::min(n, most);
  }
}

/// How the kernel by matrix products is run for a run's pairs with so many later sites.
KernelLaunch multiply_launch(const EpistasisShape& shape, const engine::Rectangle& pairs, std::size_t laters);

/// What is asked, and where.
struct EpistasisTask : ProgramOn<EpistasisShape> {
  engine::EpistasisProblem problem;

  std::size_t n_blocks() const;
  /// The most that rounding may add to, or take from, a cost that the device has scored by a table in float.
  double rounding() const;
};

/// A program's kernels that count combinations, and what they need of people's planes before. Used by one
/// thread at a time. \throws cl::Error
class EpistasisKernels {
 public:
  explicit EpistasisKernels(const EpistasisTask& task);

  /// Of people's sites on a device. `margins` and `pairs` are what cells follow from that are not counted.
  struct Sites {
    const cl::Buffer &planes, &own, &margins, &pairs;
  };

  /// Counts the tile's first and second sites with all later ones, as lines of `margins` from `line` on.
  void count_margins(DeviceQueue& queue, const EpistasisArguments& arguments, const Sites& sites,
                     std::size_t line);
  /// Makes `pairs` of `margins`.
  void count_pairs(DeviceQueue& queue, const EpistasisArguments& arguments, const Sites& sites);
  /// Packs the tile's first sites for matrix products, or makes the planes of a run's pairs for popcounts.
  void pack(DeviceQueue& queue, const EpistasisArguments& arguments, const Sites& sites,
            GrowingBuffer& packed);
  /// Counts a run. \param packed  not read where the shape packs nothing \param results  the kernel's other
  /// arguments
  template <class... Results>
  void find(DeviceQueue& queue, const EpistasisArguments& arguments, const Sites& sites,
            const cl::Buffer& packed, const Results&... results) {
    set_arguments(find_, 0, sites.planes, arguments, packed, sites.margins, sites.pairs, sites.own,
                  results...);
    queue.run(find_, find_launch(arguments));
  }

 private:
  KernelLaunch find_launch(const EpistasisArguments& arguments) const;

  cl::Context context_;
  EpistasisShape shape_;
  cl::Kernel find_, pack_;
  cl::Kernel count_margins_, count_pairs_;  ///< where cells follow from others
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
};
/// A run's with those. \param slab  of four sites
void put_people(const PeopleArguments& people, std::size_t slab, EpistasisArguments& arguments);

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
