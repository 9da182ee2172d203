/// \file
/// Queues of a device that find combinations. Either the device holds all people (held.cpp), tests CostBound
/// and scores what passes in float; or it counts them a stretch after the other (stretches.cpp), any number
/// of them, whatever its memory, and tests WideCostBound once all are counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/epistasis.hpp"
#include "opencl/epistasis/people.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

inline constexpr std::size_t kPairVectors = 5;  ///< PAIR_VECTORS of epistasis_test.h

/// A queue of a device with a tile in it. Used by one thread at a time. \throws cl::Error
class EpistasisQueue {
 public:
  virtual ~EpistasisQueue() = default;
  EpistasisQueue(const EpistasisQueue&) = delete;
  EpistasisQueue& operator=(const EpistasisQueue&) = delete;

  using Slabs = std::span<const HostPeople>;
  /// Takes people, who must outlive their use: everybody, where the queue does not hold them, or slabs.
  virtual void put_people(Slabs slabs) = 0;
  /// As EpistasisEngine::find(), of two and three sites.
  void find_tile(const engine::Rectangle& tile, engine::BestCombinations& best);
  /// The combinations of four that begin with this site. \param slabs  people_of_first()
  void find_after(std::uint32_t first, Slabs slabs, engine::BestCombinations& best);
  /// All combinations, for a proof.
  void find_all(engine::BestCombinations& best);

  double kernel_seconds() { return queue_.kernel_seconds(); }

 protected:
  /// Everybody, a slab, or the stretch that is on the device; and what was made of them for a tile.
  struct PeopleOfTile : DevicePeople {
    using DevicePeople::operator=;
    GrowingBuffer margins;  ///< first, then second sites with later ones; by stretches of all slabs
    GrowingBuffer pairs;    ///< 9 joint genotypes of each pair; by stretches of all slabs
    GrowingBuffer packed;   ///< first sites (`multiply`), or the planes of a batch's pairs (`find`)
  };

  /// \param n_people  how many `people_` there are
  /// \param capacity  combinations that its buffers hold, at least as many as there are sites
  /// \param steps  the most that are on the device \param tile_sites  of four sites: second and third ones of
  /// a tile
  EpistasisQueue(EpistasisTask task, std::size_t n_people, std::uint32_t capacity, std::size_t steps,
                 std::uint32_t tile_sites);

  /// Counts the tile's margins and pairs, and where that is done once for a tile packs its first sites.
  virtual void begin_tile() = 0;
  /// The most pairs of a batch whose counts, planes or sums do not take too much memory.
  virtual double pairs_in_memory() const = 0;
  /// Counts and tests the batch that `arguments_` have, and stores on the device what passes. Returns how
  /// many combinations pass. If these are more than `capacity`, the buffers hold the first ones alone.
  virtual std::size_t test_batch(double worst) = 0;
  /// Offers what test_batch() has stored, n of them, with its exact score.
  virtual void offer_found(std::size_t n, engine::BestCombinations& best) = 0;

  bool multiplies() const { return task_.shape.multiplies; }
  std::size_t n_lines() const { return std::size_t{arguments_.n_blocks} * kLanes; }  ///< sites of all blocks
  /// The people of a slab; by stretches always the only ones, those on the device.
  const PeopleOfTile& people(std::size_t slab) const { return people_[people_.size() > 1 ? slab : 0]; }
  PeopleOfTile& people(std::size_t slab) { return people_[people_.size() > 1 ? slab : 0]; }
  EpistasisArguments arguments_of(std::size_t slab) const;
  /// Work-groups of `multiply`, and of count_both_classes, for some of the tile's pairs.
  KernelLaunch multiply_launch(const engine::Rectangle& pairs) const;

  /// Makes ready for a tile of two or three sites, by begin_tile(). False where it has no combinations.
  bool begin(const engine::Rectangle& tile);
  std::uint32_t most_pairs() const;  ///< of a batch
  /// Offers what passes of some of the tile's pairs, by test_batch() of all, or of parts where more pass than
  /// the buffers hold. Returns how many pass.
  std::size_t find_batch(const engine::Rectangle& pairs, engine::BestCombinations& best);
  /// Makes room for the tile's margins and pairs. Returns the bytes of the margins.
  std::size_t reserve_margins(PeopleOfTile& people, std::size_t slabs);
  /// Counts the tile's first sites with all later ones, as lines of margins from `line` on, then its second
  /// sites from line + n_firsts on. Kernels look for them from line 0 on (margins_of_pair() of
  /// epistasis_test.h), by stretches of slab s from s (n_firsts + n_seconds) on.
  void count_margins(std::size_t slab, std::size_t line);
  /// Makes `pairs`, the 9 joint genotypes of each of the tile's pairs, of margins.
  void count_pairs(std::size_t slab);
  /// Packs the tile's first sites for matrix products, or makes the planes of a batch's pairs for popcounts.
  void pack(std::size_t slab);
  /// Runs `multiply`, or by popcounts `find`: it counts the batch, tests it, and appends what passes; by
  /// stretches it only adds to counts. Both kernels take planes, Arguments, what was packed, margins, pairs
  /// and own. \param results  the arguments after these, OUTPUTS and TOTALS
  template <class... Results>
  void run_counting(std::size_t slab, const Results&... results) {
    const PeopleOfTile& of = people(slab);
    set_arguments(counting_kernel_, 0, of.planes, arguments_of(slab), packed(of), of.margins.buffer(),
                  of.pairs.buffer(), of.own, results...);
    queue_.run(counting_kernel_, counting_launch());
  }
  /// What was packed of people; where the shape packs nothing, any buffer: the kernel does not read it.
  const cl::Buffer& packed(const PeopleOfTile& of) const {
    return task_.shape.packs() ? of.packed.buffer() : of.planes;
  }
  /// What a batch has found. \throws DeviceError where it was not asked for
  engine::SiteCombination found_sites(std::uint32_t first, std::uint32_t second, std::uint32_t later) const;
  /// The exact cost of a table. \throws DeviceError where it has more people than there are
  double cost(const engine::GenotypeTable& table) const;

  EpistasisTask task_;
  DeviceQueue queue_;
  std::vector<PeopleOfTile> people_;  ///< of four sites three slabs, where the device holds all
  EpistasisArguments arguments_{};

 private:
  KernelLaunch counting_launch() const;  ///< work-groups of the counting kernel for the batch

  std::size_t steps_;
  std::uint32_t tile_sites_;
  std::uint32_t outer_ = 0;  ///< of four sites the first one
  engine::TableScorer scorer_;
  cl::Kernel counting_kernel_;  ///< of run_counting()
  cl::Kernel pack_;
  cl::Kernel count_margins_, count_pairs_;  ///< where cells follow from others
};

/// Of a device that holds all people.
class HeldQueue final : public EpistasisQueue {
 public:
  /// \param everybody   shared with other queues, and so is `log_terms`; no value of four sites, whose people
  /// find_after() puts
  /// \param most_found  combinations that its buffers hold, at least as many as there are sites
  HeldQueue(const EpistasisTask& task, const std::optional<DevicePeople>& everybody, cl::Buffer log_terms,
            std::uint32_t most_found);

  using EpistasisQueue::begin;
  void put_people(Slabs slabs) override;
  /// All pairs of the tile, in batches whose totals take no more than `bytes`, or are of one first site.
  std::vector<engine::Rectangle> shared_batches(std::size_t bytes) const;
  /// Counts both classes together, for find_dealt() of other queues, which have the same tile.
  const cl::Buffer& count_both_classes(const engine::Rectangle& pairs);
  /// As find_batch(), but only the smaller class is counted, and the larger one follows. \param both_classes
  /// counted for the same batch
  void find_dealt(const engine::Rectangle& pairs, const cl::Buffer& both_classes,
                  engine::BestCombinations& best);

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
  /// How many combinations a batch has found, and how many candidates were to be scored; the buffers hold the
  /// first ones.
  struct FoundHead {
    cl_uint found, candidates, unused[2];
  };
  static_assert(sizeof(Found) == 15 * sizeof(FoundHead));  // FOUND of epistasis_test.h

  void begin_tile() override;
  double pairs_in_memory() const override;
  std::size_t test_batch(double worst) override;
  void offer_found(std::size_t n, engine::BestCombinations& best) override;

  void put_bound(double worst);
  void count_and_test(std::size_t slab);
  void score_candidates(std::size_t slab);
  double limit_of(std::vector<float> costs, std::size_t top) const;
  template <class Item, class TableOf>
  void offer(std::size_t n, engine::BestCombinations& best, const TableOf& table_of);
  engine::GenotypeTable table_of(const Found& found) const;

  cl::Buffer log_terms_;
  cl::Kernel scoring_kernel_;
  cl::Kernel count_both_classes_;  ///< where the shape shares
  GrowingBuffer found_, candidates_, sums_, parts_, totals_;
  cl::Buffer both_classes_;  ///< of another queue, or null
};

/// What a queue may hold on a device.
struct StretchLimits {
  std::size_t steps = 0;         ///< of 256 people, of both classes, of a stretch
  std::uint32_t tile_sites = 0;  ///< first, and second, sites of a tile
  std::size_t counts = 0;        ///< bytes of a batch's counts
  std::size_t pair_planes = 0;   ///< bytes of the planes of a batch's pairs

  /// \param memory  bytes of one queue \throws DeviceMemoryError where it does not hold the least that is
  /// worked with
  StretchLimits(const EpistasisTask& task, std::uint64_t memory);
};

/// Of a device that counts people a stretch after the other: any people of classes as large as the task's.
class StretchQueue final : public EpistasisQueue {
 public:
  /// \param most_found  combinations that its buffer holds, at least as many as there are sites
  StretchQueue(const EpistasisTask& task, const StretchLimits& limits, std::uint32_t most_found);

  void put_people(Slabs slabs) override;

 private:
  void begin_tile() override;
  double pairs_in_memory() const override;
  std::size_t test_batch(double worst) override;
  void offer_found(std::size_t n, engine::BestCombinations& best) override;

  std::size_t table_vectors() const { return 1 + (2 * task_.problem.n_cells() + 3) / 4; }
  PeopleOfTile& here() { return people_[0]; }  ///< with the stretch that is on the device
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
