// A queue of a device that counts people a stretch after the other.
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "opencl/epistasis/queue.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint32_t kMostTileSites = 128;
constexpr std::uint64_t kMostCounts = std::uint64_t{1} << 32, kMostPairPlanes = std::uint64_t{1} << 30;

// Of four sites the people with each genotype of the first one; else everybody.
std::size_t n_slabs(const EpistasisTask& task) {
  return task.shape.has_slabs() ? engine::kSiteGenotypes : 1;
}

std::size_t n_lines(const EpistasisTask& task) {
  return task.n_blocks() * kLanes;
}

// Bytes of the counts of a pair with so many later sites.
std::size_t pair_bytes(const EpistasisTask& task, std::size_t laters) {
  return n_slabs(task) * engine::kClasses * task.shape.counted() * laters * sizeof(cl_uint);
}

// Bytes of a step of 16 pairs' planes, or of a tile's first sites.
std::size_t packed_bytes(const EpistasisTask& task) {
  const std::size_t vectors =
      task.shape.multiplies ? std::min(kMostTileSites, task.problem.n_sites()) * task.shape.first_vectors()
                            : kWarp * task.shape.genotypes_of_pair();
  return vectors * sizeof(cl_uint4);
}

// Bytes of a step of all sites.
std::size_t step_bytes(const EpistasisTask& task) {
  const std::size_t genotypes = task.shape.multiplies ? task.shape.genotypes() : engine::kSiteGenotypes;
  return std::max(n_lines(task) * kMatrixStep * sizeof(cl_uint) * genotypes, packed_bytes(task));
}

}  // namespace

// An eighth of the memory each for people's planes, for pairs' planes, and for a tile's margins. The more
// counts there are at once, the less often all people are sent.
StretchLimits::StretchLimits(const EpistasisTask& task, std::uint64_t memory) {
  constexpr std::uint64_t kParts = 8, kPartsOfCounts = 2;
  constexpr std::size_t kFewestSteps = 2;  // one of each class
  const std::uint64_t at_once = task.on.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  const std::uint64_t part = std::min(memory / kParts, at_once);
  counts = std::min({memory / kPartsOfCounts, at_once, kMostCounts});
  pair_planes = std::min(part, kMostPairPlanes);
  steps = part / step_bytes(task);
  const std::size_t margin_bytes = n_slabs(task) * n_lines(task) * 2 * sizeof(cl_uint4);
  tile_sites = kMostTileSites;
  if (task.shape.has_margins())  // else a tile has none
    tile_sites =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(pair_planes / (3 * margin_bytes), kMostTileSites));
  if (steps < kFewestSteps || tile_sites == 0 || pair_bytes(task, n_lines(task)) > counts)
    throw DeviceMemoryError(fmt::format(
        "{} sites take more of a device's memory than {} bytes, however few people are counted at "
        "a time; allow more by --memory, give fewer sites, or use --device cpu",
        task.problem.n_sites(), with_commas(memory)));
}

StretchQueue::StretchQueue(const EpistasisTask& task, const StretchLimits& limits, std::uint32_t most_found)
    : EpistasisQueue(task, 1, most_found, limits.steps, limits.tile_sites),
      limits_(limits),
      test_(task_.program, "test_counts") {
  arguments_.n_slabs = narrow<cl_uint>(n_slabs(task_));
  here().planes = make_buffer(task_.context, CL_MEM_READ_WRITE, limits_.steps * step_bytes(task_));
  here().own =
      make_buffer(task_.context, CL_MEM_READ_WRITE, arguments_.n_slabs * n_lines() * sizeof(cl_uint4));
  reserve_for_tiles();
  found_.reserve(task_.context, (1 + arguments_.capacity * table_vectors()) * sizeof(cl_uint4));
  // A driver may find only now that it has too little memory.
  queue_.clear(here().planes, sizeof(cl_uint));
  for (const GrowingBuffer* buffer : {&here().packed, &here().margins, &here().pairs, &counts_, &found_})
    queue_.clear(buffer->buffer(), sizeof(cl_uint));
  queue_.finish();
}

// What a tile takes, so that memory lacks now, while there is a way out, and not in a search.
void StretchQueue::reserve_for_tiles() {
  const std::uint32_t sites = std::min(limits_.tile_sites, task_.problem.n_sites());
  arguments_.put_tile({0, sites, 0, sites}, task_.problem.way);
  const std::size_t pairs = arguments_.tile().pairs();
  if (task_.shape.has_margins()) reserve_margins(here(), n_slabs(task_));
  std::size_t planes = limits_.steps * packed_bytes(task_);
  if (!multiplies())
    planes *= std::clamp<std::size_t>(limits_.pair_planes / planes, 1, ceil_div(pairs, kMatrixTile));
  here().packed.reserve(task_.context, planes);
  counts_.reserve(task_.context, std::min(limits_.counts, pairs * pair_bytes(task_, n_lines())));
}

void StretchQueue::put_people(Slabs slabs) {
  slabs_ = slabs;
  if (own_of_ == slabs[0].id) return;
  own_of_ = 0;  // unless it is put
  std::vector<cl_uint4> own;
  for (const HostPeople& slab : slabs) own.insert(own.end(), slab.own.begin(), slab.own.end());
  write_in_pieces(queue_.get(), here().own, own.size() * sizeof(cl_uint4), own.data());
  own_of_ = slabs[0].id;
}

// Calls use(slab) with each stretch of each slab on the device.
template <class Use>
void StretchQueue::each_stretch(const Use& use) {
  for (std::size_t slab = 0; slab < slabs_.size(); ++slab)
    for (std::size_t i = 0; i < slabs_[slab].stretches.size(); ++i) {
      check_interrupt();
      const StretchPlanes& stretch = slabs_[slab].stretches[i];
      const std::array<std::uint64_t, 2> id = {slabs_[slab].id, i};
      here().arguments = slabs_[slab].arguments(i);
      if (loaded_ != id) {
        loaded_ = {};  // unless it is written
        queue_.get().enqueueWriteBuffer(here().planes, CL_TRUE, 0, stretch.bytes, stretch.data());
        loaded_ = id;
      }
      use(slab);
    }
}

void StretchQueue::begin_tile() {
  if (!task_.shape.has_margins()) return;
  queue_.clear(here().margins.buffer(), reserve_margins(here(), slabs_.size()));
  each_stretch(
      [&](std::size_t slab) { count_margins(slab, slab * (arguments_.n_firsts + arguments_.n_seconds)); });
  for (std::size_t slab = 0; slab < slabs_.size(); ++slab) {
    here().arguments = slabs_[slab].all;
    count_pairs(slab);
  }
}

// Counts, and pairs' planes.
double StretchQueue::pairs_in_memory() const {
  const std::size_t pairs = limits_.counts / pair_bytes(task_, arguments_.n_laters());
  if (multiplies()) return static_cast<double>(pairs);
  const std::size_t tiles =
      std::max<std::size_t>(1, limits_.pair_planes / (limits_.steps * packed_bytes(task_)));
  return static_cast<double>(std::min(pairs, tiles * kMatrixTile));
}

// Adds each stretch to the counts of the batch, and tests these. The buffer holds the first of what passes.
std::size_t StretchQueue::test_batch(double worst) {
  const std::size_t pairs = arguments_.batch().pairs();
  const std::size_t bytes = pairs * pair_bytes(task_, arguments_.n_laters());
  queue_.clear(counts_.reserve(task_.context, bytes), bytes);
  each_stretch([&](std::size_t slab) {
    if (task_.shape.packs()) pack(slab);
    run_counting(slab, counts_.buffer());
  });
  queue_.clear(found_.buffer(), sizeof(cl_uint4));
  set_arguments(test_, 0, counts_.buffer(), arguments_of(0), engine::wide_cost_bound(task_.problem, worst),
                here().margins.buffer(), here().pairs.buffer(), here().own, found_.buffer());
  queue_.run(test_, launch_for_each(arguments_.n_laters(), pairs));
  cl_uint n = 0;
  queue_.read(found_.buffer(), 0, &n, 1);
  return n;
}

// The exact score of what was found.
void StretchQueue::offer_found(std::size_t n, engine::BestCombinations& best) {
  if (n == 0) return;
  const std::size_t vectors = table_vectors(), cells = task_.problem.n_cells();
  std::vector<cl_uint4> all(n * vectors);
  queue_.read(found_.buffer(), sizeof(cl_uint4), all.data(), all.size());
  for (std::size_t i = 0; i < n; ++i) {
    const cl_uint4* const from = all.data() + i * vectors;
    engine::GenotypeTable table;
    for (std::size_t cell = 0; cell < cells; ++cell)
      for (std::size_t of = 0; of < engine::kClasses; ++of)
        table.cells[cell][of] = from[1 + cell / 2].s[cell % 2 * 2 + of];
    best.offer({cost(table), found_sites(from->s[0], from->s[1], from->s[2])});
  }
}

}  // namespace fastid::opencl
