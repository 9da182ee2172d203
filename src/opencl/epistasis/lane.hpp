/// \file
/// A queue of a device that finds combinations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/epistasis.hpp"
#include "opencl/epistasis/cohort.hpp"

namespace fastid {

/// A queue of a device with a tile in it. Used by one thread at a time. \throws cl::Error
class EpistasisLane {
 public:
  /// \param sites       shared with other lanes
  /// \param most_found  combinations that its buffers hold, at least as many as there are sites
  EpistasisLane(EpistasisCohort sites, std::uint32_t most_found);

  /// As EpistasisEngine::find().
  void find(const CombinationTile& tile, BestCombinations& best);

  double kernel_seconds() const { return seconds_; }

 private:
  /// A combination that may be among the best, and its cost by the device.
  struct Found {
    cl_uint first, second, later;
    cl_float cost;
    std::array<std::array<cl_uint, kClasses>, 28> cells;  ///< 27; the last one is of no use
  };
  /// How many of them a run has found; the buffers hold the first ones.
  struct FoundHead {
    cl_uint found, candidates, unused[2];
  };
  static_assert(sizeof(Found) == 15 * sizeof(FoundHead));  // FOUND of epistasis_test.h
  /// Some of a tile's pairs.
  struct Pairs {
    std::uint32_t first_from, first_to, second_from, second_to;
  };

  bool multiplies() const { return sites_.shape.multiplies; }
  void set_arguments();
  void begin_tile(const CombinationTile& tile);
  std::uint32_t most_pairs() const;
  void count_rows();
  void count_rows(std::uint32_t begin, std::uint32_t end, std::uint32_t line);
  void pack_firsts();
  void pack_pairs();
  void put_bound(double worst);
  std::size_t find(const Pairs& pairs, BestCombinations& best);
  FoundHead run(double worst);
  void run_find(cl::Event& ran);
  void run_multiply(cl::Event& ran);
  void take(std::size_t n, BestCombinations& best);
  SiteCombination sites_of(const Found& found) const;
  GenotypeTable table_of(const Found& found) const;

  EpistasisCohort sites_;
  TableScorer scorer_;
  cl::CommandQueue queue_;
  cl::Kernel pack_, count_rows_, count_pairs_, find_, score_;
  EpistasisQuestion question_;
  GrowingBuffer found_, candidates_, rows_, pairs_, packed_;
  double seconds_ = 0;  ///< that the kernel ran
};

}  // namespace fastid
