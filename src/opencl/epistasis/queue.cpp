#include "opencl/epistasis/queue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kScorers = 16'384;   // work-items that score candidates
constexpr double kMostPacked = 0x1p28;     // bytes of pairs' planes
constexpr double kMostSlabBytes = 0x1p28;  // bytes of the slabs' sums

// CANDIDATE of epistasis_matrix.cl.
std::size_t candidate_vectors(const EpistasisShape& shape) {
  return 1 + (shape.counted() + 1) / 2;
}

// Of four sites: sites of candidates are all that is stored; second and third sites of a tile are enough work
// for a GPU.
constexpr std::uint32_t kMoreSites = 16, kTripleSites = 256;

// Of a run.
std::size_t totals_of(const EpistasisShape& shape, const KernelLaunch& launch) {
  return launch.items.get()[0] * launch.items.get()[1] * shape.totals();
}

}  // namespace

EpistasisQueue::EpistasisQueue(EpistasisTask task, std::uint32_t capacity, std::size_t steps,
                               std::uint32_t tile_sites)
    : task_(std::move(task)),
      steps_(steps),
      scorer_(task_.problem),
      queue_(task_.context, task_.on.device),
      kernels_(task_),
      tile_sites_(tile_sites) {
  arguments_.n_sites = task_.problem.n_sites();
  arguments_.n_blocks = narrow<cl_uint>(task_.n_blocks());
  arguments_.capacity = std::max(capacity, task_.problem.n_sites());
}

void EpistasisQueue::find(const engine::Rectangle& tile, engine::BestCombinations& best) {
  if (!begin(tile)) return;
  for_pairs(tile_of(arguments_), most_pairs(), best,
            [&](const engine::Rectangle& pairs) { return find_run(pairs, best); });
}

void EpistasisQueue::find(std::uint32_t first, Slabs slabs, engine::BestCombinations& best) {
  outer_ = first;
  put_people(slabs);
  engine::each_tile_after(first, task_.problem.n_sites(), tile_sites_,
                          [&](const engine::Rectangle& triples) { find(triples, best); });
}

void EpistasisQueue::find_all(engine::BestCombinations& best) {
  const std::uint32_t sites = task_.problem.n_sites();
  if (!task_.shape.has_slabs()) return find({0, sites, 0, sites}, best);
  for (std::uint32_t site = 0; site < sites; ++site) find(site, people_of_first(task_, site, steps_), best);
}

bool EpistasisQueue::begin(const engine::Rectangle& tile) {
  put_tile(tile, task_.problem.way, arguments_);
  if (arguments_.block_begin >= task_.n_blocks()) return false;
  begin_tile();
  return true;
}

// Pairs of a run, whatever passes: so few that it does not take long, nor their memory much.
std::uint32_t EpistasisQueue::most_pairs() const {
  const std::uint64_t people =
      std::min(task_.problem.n_people(), std::uint64_t{steps_} * kMatrixStep * kWordBits);
  const double in_time =
      kMostOfARun / (static_cast<double>(n_laters(arguments_)) * static_cast<double>(people));
  const double all = arguments_.n_firsts * arguments_.n_seconds;
  return static_cast<std::uint32_t>(std::max(1.0, std::min({in_time, pairs_in_memory(), all})));
}

// Returns how many pass.
std::size_t EpistasisQueue::find_run(const engine::Rectangle& pairs, engine::BestCombinations& best) {
  std::size_t passed = 0;
  find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
    put_run(part, arguments_);
    const std::size_t n = run(best.worst());
    if (n > arguments_.capacity) return 2;
    offer_found(n, best);
    passed += n;
    return 1;
  });
  return passed;
}

std::size_t EpistasisQueue::reserve(Known& known, std::size_t slabs) {
  const std::size_t firsts = arguments_.n_firsts, seconds = arguments_.n_seconds;
  const std::size_t bytes =
      checked_mul(slabs * (firsts + seconds), task_.n_blocks() * kLanes) * 2 * sizeof(cl_uint4);
  known.margins.reserve(task_.context, bytes);
  known.pairs.reserve(task_.context, checked_mul(slabs * firsts * seconds, kPairVectors * sizeof(cl_uint4)));
  return bytes;
}

HeldQueue::HeldQueue(const EpistasisTask& task, const std::optional<EpistasisCohort>& cohort,
                     cl::Buffer terms, std::uint32_t most_found)
    : EpistasisQueue(task, task.shape.has_slabs() ? most_found * kMoreSites : most_found, kAllSteps,
                     kTripleSites),
      terms_(std::move(terms)) {
  if (task_.shape.shares) count_both_classes_ = cl::Kernel(task_.program, "count_both_classes");
  people_.resize(task_.shape.has_slabs() ? engine::kSiteGenotypes : 1);
  if (cohort) people_[0].cohort = *cohort;
  put_bound(std::numeric_limits<double>::infinity());  // a tile's margins are counted before there is a limit
  if (task_.shape.has_slabs()) {
    score_ = cl::Kernel(task_.program, "score_slab");
    for (GrowingBuffer* of : {&found_, &candidates_, &parts_})
      of->reserve(task_.context, (std::size_t{1} + arguments_.capacity) * sizeof(cl_uint4));
  } else {
    found_.reserve(task_.context, sizeof(FoundHead) + arguments_.capacity * sizeof(Found));
    if (multiplies()) {
      score_ = cl::Kernel(task_.program, "score_candidates");
      candidates_.reserve(task_.context,
                          (1 + arguments_.capacity * candidate_vectors(task_.shape)) * sizeof(cl_uint4));
    }
  }
  for (People& people : people_) {
    people.margins.reserve(task_.context, sizeof(cl_float4));
    people.pairs.reserve(task_.context, sizeof(cl_float4));
  }
  // A driver may find only at a buffer's first use that it has too little memory.
  cl_uint word = 0;
  if (cohort) queue_.read(cohort->planes, 0, &word, 1);
  for (const GrowingBuffer* buffer : {&found_, &candidates_})
    if (buffer->buffer()() != nullptr) queue_.clear(buffer->buffer(), sizeof(word));
  queue_.finish();
}

void HeldQueue::put_people(Slabs slabs) {
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
    people_[slab].cohort = EpistasisCohort(task_, slabs[slab]);
}

// What a run asks, of the people of a slab.
EpistasisArguments HeldQueue::arguments_of(std::size_t slab) const {
  EpistasisArguments made = arguments_;
  opencl::put_people(people_[slab].cohort.arguments, slab, made);
  return made;
}

void HeldQueue::begin_tile() {
  for (std::size_t slab = 0; slab < people_.size(); ++slab) {
    if (task_.shape.has_margins()) {
      reserve(people_[slab], 1);
      kernels_.count_margins(queue_, arguments_of(slab), people_[slab].sites(), 0);
      kernels_.count_pairs(queue_, arguments_of(slab), people_[slab].sites());
    }
    if (multiplies() && task_.shape.packs()) pack(slab);
  }
}

void HeldQueue::pack(std::size_t slab) {
  kernels_.pack(queue_, arguments_of(slab), people_[slab].sites(), people_[slab].packed);
}

std::vector<engine::Rectangle> HeldQueue::shared_runs(std::size_t bytes) const {
  const EpistasisShape& shape = task_.shape;
  const engine::Rectangle all = tile_of(arguments_);
  const auto totals = [&](std::uint32_t firsts) {
    engine::Rectangle some = all;
    some.row_end = all.row_begin + firsts;
    return totals_of(shape, multiply_launch(shape, some, n_laters(arguments_)));
  };
  std::uint32_t firsts = std::max(1U, static_cast<std::uint32_t>(most_pairs() / all.columns()));
  while (firsts > 1 && totals(firsts) * shape.total_bytes() > bytes) firsts = firsts / 2;
  std::vector<engine::Rectangle> runs;
  for (std::uint32_t first = all.row_begin; first < all.row_end; first += firsts)
    runs.push_back({first, std::min(first + firsts, all.row_end), all.column_begin, all.column_end});
  return runs;
}

const cl::Buffer& HeldQueue::count_both_classes(const engine::Rectangle& pairs) {
  const EpistasisShape& shape = task_.shape;
  const People& of = people_[0];
  put_run(pairs, arguments_);
  const EpistasisArguments arguments = arguments_of(0);
  const KernelLaunch launch = multiply_launch(shape, pairs, n_laters(arguments_));
  const std::size_t bytes = checked_mul(totals_of(shape, launch), shape.total_bytes());
  set_arguments(count_both_classes_, 0, of.cohort.planes, arguments,
                shape.packs() ? of.packed.buffer() : of.cohort.planes, totals_.reserve(task_.context, bytes));
  queue_.run(count_both_classes_, launch);
  queue_.finish();  // other queues read it
  return totals_.buffer();
}

// Where more pass than the buffers hold, both classes are counted of halves.
void HeldQueue::find_dealt(const engine::Rectangle& pairs, const cl::Buffer& both_classes,
                           engine::BestCombinations& best) {
  constexpr cl_uint kControls = 1, kCases = 2;  // COUNTED_ of epistasis_test.h
  put_run(pairs, arguments_);
  arguments_.counted = task_.problem.n_people(1) <= task_.problem.n_people(0) ? kCases : kControls;
  both_classes_ = both_classes;
  const std::size_t n = run(best.worst());
  arguments_.counted = 0;
  both_classes_ = {};
  if (n <= arguments_.capacity)
    offer_found(n, best);
  else
    find_run(pairs, best);
}

// Pairs' planes, or slabs' sums.
double HeldQueue::pairs_in_memory() const {
  std::size_t steps = 0;
  for (const People& people : people_) steps += people.cohort.arguments.steps;
  const std::size_t bytes = steps * kMatrixStep * sizeof(cl_uint) * task_.shape.genotypes_of_pair();
  double pairs = std::numeric_limits<double>::infinity();
  if (!multiplies()) pairs = kMostPacked / static_cast<double>(bytes);
  if (task_.shape.has_slabs())
    pairs = std::min(pairs, kMostSlabBytes / (static_cast<double>(n_laters(arguments_)) * sizeof(cl_float2)));
  return pairs;
}

void HeldQueue::put_bound(double worst) {
  arguments_.bound = engine::cost_bound(task_.problem, worst);
  if (task_.shape.by_rest) arguments_.bound = arguments_.bound.of_everybody(task_.problem);
  if (task_.shape.by_rest && task_.shape.score == engine::EpistasisScore::kK2)
    worst += engine::k2_of_one_cell(task_.problem.n_people(0), task_.problem.n_people(1));
  arguments_.worst = static_cast<cl_float>(worst + task_.rounding());
}

std::size_t HeldQueue::run(double worst) {
  put_bound(worst);
  queue_.clear(found_.buffer(), sizeof(FoundHead));
  const bool scores = task_.shape.has_slabs() || multiplies();  // apart
  if (task_.shape.has_slabs())
    sums_.reserve(task_.context, run_of(arguments_).pairs() * n_laters(arguments_) * sizeof(cl_float2));
  if (scores) queue_.clear(candidates_.buffer(), sizeof(cl_uint4));
  for (std::size_t slab = 0; slab < people_.size(); ++slab) run_find(slab);
  for (std::size_t slab = 0; scores && slab < people_.size(); ++slab) run_score(slab);
  FoundHead head{};
  queue_.read(found_.buffer(), 0, &head, 1);
  return head.candidates > arguments_.capacity ? head.candidates : head.found;
}

void HeldQueue::run_find(std::size_t slab) {
  const People& of = people_[slab];
  if (!multiplies()) pack(slab);
  const EpistasisArguments arguments = arguments_of(slab);
  const cl::Buffer& packed = task_.shape.packs() ? of.packed.buffer() : of.cohort.planes;
  const auto find = [&](const auto&... results) {
    kernels_.find(queue_, arguments, of.sites(), packed, results...);
  };
  if (task_.shape.has_slabs())
    find(sums_.buffer(), candidates_.buffer());
  else if (!multiplies())
    find(terms_, found_.buffer());
  else if (task_.shape.shares)
    find(candidates_.buffer(),
         both_classes_() != nullptr ? both_classes_ : of.cohort.planes);  // else it is not read
  else
    find(candidates_.buffer());
}

// Of the candidates of a run; of four sites of their cells that a slab has.
void HeldQueue::run_score(std::size_t slab) {
  const People& of = people_[slab];
  const auto score = [&](const cl::Buffer& first, const auto&... results) {
    set_arguments(score_, 0, first, arguments_of(slab), of.margins.buffer(), of.pairs.buffer(), of.cohort.own,
                  terms_, results...);
  };
  if (task_.shape.has_slabs())
    score(of.cohort.planes, candidates_.buffer(), parts_.buffer(), found_.buffer());
  else
    score(candidates_.buffer(), found_.buffer());
  queue_.run(score_, {cl::NDRange(kScorers), cl::NullRange});
}

// The cost by the device that one of the `top` best of these may have.
double HeldQueue::limit_of(std::vector<float> costs, std::size_t top) const {
  if (top >= costs.size()) return std::numeric_limits<double>::infinity();
  const auto last = costs.begin() + static_cast<std::ptrdiff_t>(top - 1);
  std::ranges::nth_element(costs, last);
  return double{*last} + 2 * task_.rounding();
}

// The exact score of what may be among the best of all that was found. Of four sites the device says only
// which ones may be: the few whose cost is near enough are counted here.
void HeldQueue::offer_found(std::size_t n, engine::BestCombinations& best) {
  if (n == 0) return;
  if (!task_.shape.has_slabs())
    return offer<Found>(n, best, [&](const Found& one, const auto&) { return table_of(one); });
  offer<FoundSites>(n, best, [&](const FoundSites&, const engine::SiteCombination& sites) {
    return engine::count_table(task_.problem, sites);
  });
}

/// \param table_of  the table of what was found, and of its sites
template <class Item, class TableOf>
void HeldQueue::offer(std::size_t n, engine::BestCombinations& best, const TableOf& table_of) {
  std::vector<Item> all(n);
  queue_.read(found_.buffer(), sizeof(FoundHead), all.data(), n);
  std::vector<float> costs;
  for (const Item& one : all) costs.push_back(one.cost);
  const double limit = limit_of(std::move(costs), best.top());
  for (const Item& one : all) {
    const engine::SiteCombination sites = sites_of(one.first, one.second, one.later);
    if (one.cost <= limit) best.offer({scorer_.cost(table_of(one, sites)), sites});
  }
}

engine::GenotypeTable HeldQueue::table_of(const Found& found) const {
  engine::GenotypeTable table;
  for (std::size_t cell = 0; cell < task_.problem.n_cells(); ++cell) table.cells[cell] = found.cells[cell];
  return found_table(task_.problem, table);
}

}  // namespace fastid::opencl
