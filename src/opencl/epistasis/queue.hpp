/// \file
/// A queue of a device that finds combinations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/epistasis.hpp"
#include "opencl/epistasis/cohort.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// A queue of a device with a tile in it. Used by one thread at a time. \throws cl::Error
class EpistasisQueue {
 public:
  /// \param cohort      shared with other queues, and so is `terms`; not used of four sites
  /// \param most_found  combinations that its buffers hold, at least as many as there are sites
  EpistasisQueue(EpistasisTask task, const std::optional<EpistasisCohort>& cohort, cl::Buffer terms,
                 std::uint32_t most_found);

  /// As EpistasisEngine::find(), of two and three sites.
  void find(const engine::Rectangle& tile, engine::BestCombinations& best);
  /// The combinations of four that begin with this site.
  void find(const FirstSite& first, engine::BestCombinations& best);

  /// Makes ready for a tile of two or three sites. False where it has no combinations.
  bool begin(const engine::Rectangle& tile);
  /// All pairs of the tile, in runs whose totals take no more than `bytes`, or are of one first site.
  std::vector<engine::Rectangle> shared_runs(std::size_t bytes) const;
  /// Counts both classes together, for find_dealt() of other queues, which have the same tile.
  const cl::Buffer& count_both_classes(const engine::Rectangle& pairs);
  /// As find() of a run of the tile, whose larger class follows. \param both_classes  counted for the same
  /// run
  void find_dealt(const engine::Rectangle& pairs, const cl::Buffer& both_classes,
                  engine::BestCombinations& best);

  double kernel_seconds() { return queue_.kernel_seconds(); }

 private:
  /// A combination that may be among the best, and its cost by the device.
  struct FoundSites {
    cl_uint first, second, later;
    cl_float cost;
  };
  /// The same with its table.
  struct Found : FoundSites {
    std::array<std::array<cl_uint, engine::kClasses>, 28> cells;  ///< 27; the last one is of no use
  };
  /// How many of them a run has found; the buffers hold the first ones.
  struct FoundHead {
    cl_uint found, candidates, unused[2];
  };
  static_assert(sizeof(Found) == 15 * sizeof(FoundHead));  // FOUND of epistasis_test.h

  /// Everybody, or a slab: people with one genotype of the first of four sites. And what is known of a tile.
  struct People {
    EpistasisCohort cohort;
    GrowingBuffer rows, pairs, packed;

    EpistasisKernels::Sites sites() const {
      return {cohort.planes, cohort.own, rows.buffer(), pairs.buffer()};
    }
  };

  bool multiplies() const { return task_.shape.multiplies; }
  EpistasisArguments arguments_of(std::size_t slab) const;
  std::uint32_t most_pairs() const;
  void count_rows(std::size_t slab);
  void pack(std::size_t slab);
  void put_bound(double worst);
  std::size_t find_run(const engine::Rectangle& pairs, engine::BestCombinations& best);
  FoundHead run(double worst);
  void run_find(std::size_t slab);
  void set_score_arguments(std::size_t slab);
  void run_score();
  void run_score_slabs();
  void offer_found(std::size_t n, engine::BestCombinations& best);
  double limit_of(std::vector<float> costs, std::size_t top) const;
  template <class Item, class TableOf>
  void offer(std::size_t n, engine::BestCombinations& best, const TableOf& table_of);
  engine::GenotypeTable table_of(const Found& found) const;

  EpistasisTask task_;
  cl::Buffer terms_;
  std::uint32_t outer_ = 0;     ///< of four sites the first one
  std::vector<People> people_;  ///< of two and three sites everybody; of four the three slabs
  engine::TableScorer scorer_;
  DeviceQueue queue_;
  EpistasisKernels kernels_;
  cl::Kernel score_;
  cl::Kernel count_both_classes_;  ///< where the shape shares
  EpistasisArguments arguments_{};
  GrowingBuffer found_, candidates_, sums_, parts_, totals_;
  cl::Buffer both_classes_;  ///< of another queue, or null
};

}  // namespace fastid::opencl
