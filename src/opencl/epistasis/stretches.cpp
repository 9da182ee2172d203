#include "opencl/epistasis/stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

using Classes = std::array<BlocksView, engine::kClasses>;

constexpr std::uint32_t kMostTileSites = 128;
constexpr std::uint64_t kMostCounts = std::uint64_t{1} << 32, kMostPairPlanes = std::uint64_t{1} << 30;

// Of four sites the people with each genotype of the first one; else everybody.
std::size_t n_slabs(const EpistasisTask& task) {
  return task.shape.has_slabs() ? engine::kSiteGenotypes : 1;
}

std::size_t n_lines(const EpistasisTask& task) {
  return task.n_blocks() * kLanes;
}

// Of the counts of a pair with so many later sites.
std::size_t pair_bytes(const EpistasisTask& task, std::size_t laters) {
  return n_slabs(task) * engine::kClasses * task.shape.counted() * laters * sizeof(cl_uint);
}

// Of 16 pairs' planes, or of a tile's first sites, of a step.
std::size_t packed_bytes(const EpistasisTask& task) {
  const std::size_t vectors =
      task.shape.multiplies ? std::min(kMostTileSites, task.problem.n_sites()) * task.shape.first_vectors()
                            : kWarp * task.shape.genotypes_of_pair();
  return vectors * sizeof(cl_uint4);
}

// Of a step of all sites.
std::size_t step_bytes(const EpistasisTask& task) {
  const std::size_t genotypes = task.shape.multiplies ? task.shape.genotypes() : engine::kSiteGenotypes;
  return std::max(n_lines(task) * kMatrixStep * sizeof(cl_uint) * genotypes, packed_bytes(task));
}

// Queues outlive people, and others may lie where those of before did.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

// An eighth each for planes, for those of pairs, and for what is known of a tile. The more counts there are
// at once, the less often all people are sent.
StretchLimits::StretchLimits(const EpistasisTask& task, std::uint64_t memory) {
  constexpr std::uint64_t kParts = 8, kPartsOfCounts = 2;
  constexpr std::size_t kFewestSteps = 2;  // one of each class
  const std::uint64_t at_once = task.on.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  const std::uint64_t part = std::min(memory / kParts, at_once);
  counts = std::min({memory / kPartsOfCounts, at_once, kMostCounts});
  pair_planes = std::min(part, kMostPairPlanes);
  steps = part / step_bytes(task);
  const std::size_t row_bytes = n_slabs(task) * n_lines(task) * 2 * sizeof(cl_uint4);
  tile_sites = kMostTileSites;
  if (task.shape.has_rows())  // else nothing is known of a tile before
    tile_sites =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(pair_planes / (3 * row_bytes), kMostTileSites));
  if (steps < kFewestSteps || tile_sites == 0 || pair_bytes(task, n_lines(task)) > counts)
    throw DeviceMemoryError(fmt::format(
        "{} sites take more of a device's memory than {} bytes, however few people are counted at "
        "a time; allow more by --memory, give fewer sites, or use --device cpu",
        task.problem.n_sites(), with_commas(memory)));
}

// Both classes end together, so that each stretch has its share of either.
StretchedPeople::StretchedPeople(const EpistasisTask& task, const Classes& classes, std::size_t steps)
    : id(next_id()), own(engine::people_of_sites(classes)) {
  std::array<std::size_t, engine::kClasses> all{};
  for (std::size_t of = 0; of < engine::kClasses; ++of) {
    n_people[of] = classes[of].shape.n_sites;
    all[of] = ceil_div(classes[of].shape.n_words(), kMatrixStep);
  }
  // A class's share of a stretch is rounded up to a step.
  const std::size_t n = std::max<std::size_t>(1, ceil_div(all[0] + all[1], steps - 1));
  for (std::uint32_t i = 1; i <= n; ++i) {
    ClassWords words{};
    for (std::size_t of = 0; of < engine::kClasses; ++of) {
      const Range share = share_of(all[of], {i, static_cast<std::uint32_t>(n)});
      for (std::size_t end = 0; end < 2; ++end)
        words[of][end] = std::min(static_cast<std::size_t>(end == 0 ? share.first : share.end) * kMatrixStep,
                                  classes[of].shape.n_words());
    }
    stretches.emplace_back(task, classes, words);
  }
}

void StretchedPeople::pin(const EpistasisTask& task) {
  if (stretches.size() < 2) return;
  const cl::CommandQueue queue(task.context, task.on.device);
  try {
    for (PackedPlanes& stretch : stretches) stretch.pin(task.context, queue);
  } catch (const cl::Error& error) {
    if (!is_memory_error(error.err())) throw;
    log::detail("{} failed: {}; people are sent as they lie", error.what(), cl_error_text(error.err()));
  }
}

std::vector<StretchedPeople> people_of_first(const EpistasisTask& task, std::uint32_t first,
                                             std::size_t steps) {
  std::vector<StretchedPeople> slabs;
  for (const engine::PickedClasses& with : engine::people_by_genotype(task.problem, first))
    slabs.emplace_back(task, Classes{with[0].view(), with[1].view()}, steps);
  return slabs;
}

StretchQueue::StretchQueue(EpistasisTask task, StretchLimits limits, std::uint32_t most_found)
    : task_(std::move(task)),
      limits_(limits),
      scorer_(task_.problem),
      queue_(task_.context, task_.on.device),
      kernels_(task_),
      test_(task_.program, "test_counts") {
  arguments_.n_sites = task_.problem.n_sites();
  arguments_.n_blocks = narrow<cl_uint>(task_.n_blocks());
  arguments_.n_slabs = narrow<cl_uint>(n_slabs(task_));
  arguments_.capacity = std::max(most_found, task_.problem.n_sites());
  const std::size_t line = n_lines(task_);
  planes_.reserve(task_.context, limits_.steps * step_bytes(task_));
  own_.reserve(task_.context, arguments_.n_slabs * line * sizeof(cl_uint4));
  reserve_for_tiles();
  found_.reserve(task_.context, (1 + arguments_.capacity * table_vectors()) * sizeof(cl_uint4));
  // A driver may find only now that it has too little memory.
  for (const GrowingBuffer* buffer : {&planes_, &packed_, &rows_, &pairs_, &counts_, &found_})
    queue_.clear(buffer->buffer(), sizeof(cl_uint));
  queue_.finish();
}

// What a tile takes, so that memory lacks now, while there is a way out, and not in a search.
void StretchQueue::reserve_for_tiles() {
  const std::size_t sites = std::min(limits_.tile_sites, task_.problem.n_sites()), line = n_lines(task_);
  const std::size_t pairs = is_of_pairs() ? sites : sites * sites;
  const auto of_rows = [&](std::size_t bytes) { return task_.shape.has_rows() ? bytes : sizeof(cl_uint4); };
  rows_.reserve(task_.context, of_rows(n_slabs(task_) * 2 * sites * line * 2 * sizeof(cl_uint4)));
  pairs_.reserve(task_.context, of_rows(n_slabs(task_) * pairs * kPairVectors * sizeof(cl_uint4)));
  std::size_t planes = limits_.steps * packed_bytes(task_);
  if (!multiplies())
    planes *= std::clamp<std::size_t>(limits_.pair_planes / planes, 1, ceil_div(pairs, kMatrixTile));
  packed_.reserve(task_.context, planes);
  counts_.reserve(task_.context, std::min(limits_.counts, pairs * pair_bytes(task_, line)));
}

void StretchQueue::find(const StretchedPeople& cohort, const engine::Rectangle& tile,
                        engine::BestCombinations& best) {
  if (own_of_ != cohort.id) {
    own_of_ = 0;  // unless it is put
    put_own({&cohort, 1});
    own_of_ = cohort.id;
  }
  find_tile({&cohort, 1}, tile, best);
}

void StretchQueue::find(std::uint32_t first, Slabs slabs, engine::BestCombinations& best) {
  outer_ = first;
  put_own(slabs);
  engine::each_tile_after(first, task_.problem.n_sites(), limits_.tile_sites,
                          [&](const engine::Rectangle& triples) { find_tile(slabs, triples, best); });
}

void StretchQueue::put_own(Slabs slabs) {
  static_assert(sizeof(engine::SitePeople) == sizeof(cl_uint4));
  const std::size_t line = n_lines(task_);
  std::vector<engine::SitePeople> own(slabs.size() * line);
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
    std::ranges::copy(slabs[slab].own, own.begin() + static_cast<std::ptrdiff_t>(slab * line));
  own_.put(task_.context, queue_.get(), own);
}

void StretchQueue::find_tile(Slabs slabs, const engine::Rectangle& tile, engine::BestCombinations& best) {
  put_tile(tile, task_.problem.way, arguments_);
  if (arguments_.block_begin >= task_.n_blocks()) return;
  if (task_.shape.has_rows()) count_rows(slabs);
  for_pairs(tile_of(arguments_), most_pairs(), best,
            [&](const engine::Rectangle& pairs) { return find(slabs, pairs, best); });
}

// Pairs of a run: so few that their counts, and their planes, take as much memory as there is, and that it
// does not take long.
std::uint32_t StretchQueue::most_pairs() const {
  const double laters = static_cast<double>(n_laters(arguments_));
  const std::uint64_t of_a_stretch = std::uint64_t{limits_.steps} * kMatrixStep * kWordBits;
  const std::uint64_t people = std::min(task_.problem.n_people(), of_a_stretch);
  double pairs = kMostOfARun / (laters * static_cast<double>(people));
  pairs = std::min(pairs, static_cast<double>(limits_.counts / pair_bytes(task_, n_laters(arguments_))));
  if (!multiplies())
    pairs = std::min(
        pairs, static_cast<double>(
                   std::max<std::size_t>(1, limits_.pair_planes / (limits_.steps * packed_bytes(task_))) *
                   kMatrixTile));
  const double all = arguments_.n_firsts * arguments_.n_seconds;
  return static_cast<std::uint32_t>(std::max(1.0, std::min(pairs, all)));
}

void StretchQueue::set_slab(std::size_t slab, const StretchedPeople& people) {
  arguments_.slab = narrow<cl_uint>(slab);
  arguments_.all_controls = people.n_people[0];
  arguments_.all_cases = people.n_people[1];
}

// Calls use(slab) with each stretch of each slab on the device, and in the arguments.
template <class Use>
void StretchQueue::each_stretch(Slabs slabs, const Use& use) {
  for (std::size_t slab = 0; slab < slabs.size(); ++slab) {
    set_slab(slab, slabs[slab]);
    for (std::size_t i = 0; i < slabs[slab].stretches.size(); ++i) {
      check_interrupt();
      const PackedPlanes& stretch = slabs[slab].stretches[i];
      const std::array<std::uint64_t, 2> id = {slabs[slab].id, i};
      arguments_.steps = narrow<cl_uint>(stretch.steps[0] + stretch.steps[1]);
      arguments_.control_steps = narrow<cl_uint>(stretch.steps[0]);
      if (loaded_ != id) {
        loaded_ = {};  // unless it is written
        queue_.get().enqueueWriteBuffer(planes_.buffer(), CL_TRUE, 0, stretch.bytes, stretch.data());
        loaded_ = id;
      }
      use(slab);
    }
  }
}

// What cells that are not counted follow from, in the tile.
void StretchQueue::count_rows(Slabs slabs) {
  const std::size_t firsts = arguments_.n_firsts, seconds = arguments_.n_seconds;
  const std::size_t bytes = slabs.size() * (firsts + seconds) * n_lines(task_) * 2 * sizeof(cl_uint4);
  rows_.reserve(task_.context, bytes);
  pairs_.reserve(task_.context, slabs.size() * firsts * seconds * kPairVectors * sizeof(cl_uint4));
  queue_.clear(rows_.buffer(), bytes);
  each_stretch(slabs, [&](std::size_t slab) {
    kernels_.count_rows(queue_, arguments_, sites(), slab * (firsts + seconds));
  });
  for (std::size_t slab = 0; slab < slabs.size(); ++slab) {
    set_slab(slab, slabs[slab]);
    kernels_.count_pairs(queue_, arguments_, sites());
  }
}

// Returns how many pass.
std::size_t StretchQueue::find(Slabs slabs, const engine::Rectangle& pairs, engine::BestCombinations& best) {
  std::size_t passed = 0;
  find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
    put_run(part, arguments_);
    const std::size_t bytes = part.pairs() * pair_bytes(task_, n_laters(arguments_));
    queue_.clear(counts_.reserve(task_.context, bytes), bytes);
    each_stretch(slabs, [&](std::size_t /*slab*/) { add_stretch(); });
    const std::size_t n = test(part, best.worst());
    if (n > arguments_.capacity) return 2;
    offer_found(n, best);
    passed += n;
    return 1;
  });
  return passed;
}

// Adds the stretch that is loaded to the counts of a run.
void StretchQueue::add_stretch() {
  if (task_.shape.packs()) kernels_.pack(queue_, arguments_, sites(), packed_);
  kernels_.find(queue_, arguments_, sites(), packed_.buffer(), counts_.buffer());
}

// How many combinations of a run pass; the buffer holds the first ones.
std::size_t StretchQueue::test(const engine::Rectangle& pairs, double worst) {
  queue_.clear(found_.buffer(), sizeof(cl_uint4));
  set_arguments(test_, 0, counts_.buffer(), arguments_, engine::wide_cost_bound(task_.problem, worst),
                rows_.buffer(), pairs_.buffer(), own_.buffer(), found_.buffer());
  queue_.run(test_, launch_for_each(n_laters(arguments_), pairs.pairs()));
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
    best.offer({scorer_.cost(found_table(task_.problem, table)),
                found_sites(task_.problem, arguments_, outer_, from->s[0], from->s[1], from->s[2])});
  }
}

}  // namespace fastid::opencl
