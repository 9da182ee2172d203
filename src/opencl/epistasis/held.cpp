// A queue of a device that holds all people, of four sites a slab each.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "opencl/epistasis/queue.hpp"
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

// Totals of epistasis_matrix.cl that a batch has.
std::size_t totals_of(const EpistasisShape& shape, const KernelLaunch& launch) {
  return launch.items.get()[0] * launch.items.get()[1] * shape.totals();
}

}  // namespace

HeldQueue::HeldQueue(const EpistasisTask& task, const std::optional<DevicePeople>& everybody,
                     cl::Buffer log_terms, std::uint32_t most_found)
    : EpistasisQueue(task, task.shape.has_slabs() ? engine::kSiteGenotypes : 1,
                     task.shape.has_slabs() ? most_found * kMoreSites : most_found, kAllSteps, kTripleSites),
      log_terms_(std::move(log_terms)) {
  if (task_.shape.shares) count_both_classes_ = cl::Kernel(task_.program, "count_both_classes");
  if (everybody) people_[0] = *everybody;
  // A tile's margins are counted before test_batch() puts a bound. They are m and d, which take its share and
  // prior people; these are the same whatever the limit.
  put_bound(std::numeric_limits<double>::infinity());
  if (task_.shape.has_slabs()) {
    scoring_kernel_ = cl::Kernel(task_.program, "score_slab");
    for (GrowingBuffer* of : {&found_, &candidates_, &parts_})
      of->reserve(task_.context, (std::size_t{1} + arguments_.capacity) * sizeof(cl_uint4));
  } else {
    found_.reserve(task_.context, sizeof(FoundHead) + arguments_.capacity * sizeof(Found));
    if (multiplies()) {
      scoring_kernel_ = cl::Kernel(task_.program, "score_candidates");
      candidates_.reserve(task_.context,
                          (1 + arguments_.capacity * candidate_vectors(task_.shape)) * sizeof(cl_uint4));
    }
  }
  // A driver may find only at a buffer's first use that it has too little memory.
  cl_uint word = 0;
  if (everybody) queue_.read(everybody->planes, 0, &word, 1);
  for (const GrowingBuffer* buffer : {&found_, &candidates_})
    if (buffer->buffer()() != nullptr) queue_.clear(buffer->buffer(), sizeof(word));
  queue_.finish();
}

void HeldQueue::put_people(Slabs slabs) {
  for (std::size_t slab = 0; slab < slabs.size(); ++slab) people_[slab] = DevicePeople(task_, slabs[slab]);
}

void HeldQueue::begin_tile() {
  for (std::size_t slab = 0; slab < people_.size(); ++slab) {
    if (task_.shape.has_margins()) {
      reserve_margins(people_[slab], 1);
      count_margins(slab, 0);
      count_pairs(slab);
    }
    if (multiplies() && task_.shape.packs()) pack(slab);
  }
}

std::vector<engine::Rectangle> HeldQueue::shared_batches(std::size_t bytes) const {
  const EpistasisShape& shape = task_.shape;
  const engine::Rectangle all = arguments_.tile();
  const auto totals = [&](std::uint32_t firsts) {
    engine::Rectangle some = all;
    some.row_end = all.row_begin + firsts;
    return totals_of(shape, multiply_launch(some));
  };
  std::uint32_t firsts = std::max(1U, static_cast<std::uint32_t>(most_pairs() / all.columns()));
  while (firsts > 1 && totals(firsts) * shape.total_bytes() > bytes) firsts = firsts / 2;
  std::vector<engine::Rectangle> batches;
  for (std::uint32_t first = all.row_begin; first < all.row_end; first += firsts)
    batches.push_back({first, std::min(first + firsts, all.row_end), all.column_begin, all.column_end});
  return batches;
}

const cl::Buffer& HeldQueue::count_both_classes(const engine::Rectangle& pairs) {
  const EpistasisShape& shape = task_.shape;
  const PeopleOfTile& of = people_[0];
  arguments_.put_batch(pairs);
  const KernelLaunch launch = multiply_launch(pairs);
  const std::size_t bytes = checked_mul(totals_of(shape, launch), shape.total_bytes());
  set_arguments(count_both_classes_, 0, of.planes, arguments_of(0), packed(of),
                totals_.reserve(task_.context, bytes));
  queue_.run(count_both_classes_, launch);
  queue_.finish();  // other queues read it
  return totals_.buffer();
}

// Where more pass than the buffers hold, both classes are counted of halves.
void HeldQueue::find_dealt(const engine::Rectangle& pairs, const cl::Buffer& both_classes,
                           engine::BestCombinations& best) {
  constexpr cl_uint kBothClasses = 0, kOnlyControls = 1, kOnlyCases = 2;  // as epistasis_test.h has them
  arguments_.put_batch(pairs);
  arguments_.counted_class =
      task_.problem.n_people(1) <= task_.problem.n_people(0) ? kOnlyCases : kOnlyControls;
  both_classes_ = both_classes;
  const std::size_t n = test_batch(best.worst());
  arguments_.counted_class = kBothClasses;
  both_classes_ = {};
  if (n <= arguments_.capacity)
    offer_found(n, best);
  else
    find_batch(pairs, best);
}

// What takes memory is pairs' planes, or slabs' sums.
double HeldQueue::pairs_in_memory() const {
  std::size_t steps = 0;
  for (const PeopleOfTile& people : people_) steps += people.arguments.steps;
  const std::size_t bytes = steps * kMatrixStep * sizeof(cl_uint) * task_.shape.genotypes_of_pair();
  double pairs = std::numeric_limits<double>::infinity();
  if (!multiplies()) pairs = kMostPacked / static_cast<double>(bytes);
  if (task_.shape.has_slabs())
    pairs =
        std::min(pairs, kMostSlabBytes / (static_cast<double>(arguments_.n_laters()) * sizeof(cl_float2)));
  return pairs;
}

void HeldQueue::put_bound(double worst) {
  arguments_.bound = engine::cost_bound(task_.problem, worst);
  if (task_.shape.all_called) arguments_.bound = arguments_.bound.of_everybody(task_.problem);
  if (task_.shape.all_called && task_.shape.score == engine::EpistasisScore::kK2)
    worst += engine::k2_of_one_cell(task_.problem.n_people(0), task_.problem.n_people(1));
  arguments_.worst = static_cast<cl_float>(worst + task_.rounding());
}

std::size_t HeldQueue::test_batch(double worst) {
  put_bound(worst);
  queue_.clear(found_.buffer(), sizeof(FoundHead));
  const bool scores_apart = task_.shape.has_slabs() || multiplies();
  if (task_.shape.has_slabs())
    sums_.reserve(task_.context, arguments_.batch().pairs() * arguments_.n_laters() * sizeof(cl_float2));
  if (scores_apart) queue_.clear(candidates_.buffer(), sizeof(cl_uint4));
  for (std::size_t slab = 0; slab < people_.size(); ++slab) count_and_test(slab);
  for (std::size_t slab = 0; scores_apart && slab < people_.size(); ++slab) score_candidates(slab);
  FoundHead head{};
  queue_.read(found_.buffer(), 0, &head, 1);
  return head.candidates > arguments_.capacity ? head.candidates : head.found;
}

// Chooses the kernel's last arguments, its OUTPUTS and TOTALS. Of four sites the kernel writes sums, and
// candidates after the last slab. Otherwise, by popcounts it writes what it has scored, by matrix products
// candidates, which score_candidates() scores.
void HeldQueue::count_and_test(std::size_t slab) {
  if (!multiplies()) pack(slab);
  if (task_.shape.has_slabs())
    run_counting(slab, sums_.buffer(), candidates_.buffer());
  else if (!multiplies())
    run_counting(slab, log_terms_, found_.buffer());
  else if (task_.shape.shares)
    run_counting(slab, candidates_.buffer(),
                 both_classes_() != nullptr ? both_classes_ : people_[slab].planes);  // where it is not read
  else
    run_counting(slab, candidates_.buffer());
}

// The candidates of a batch; of four sites their cells that a slab has.
void HeldQueue::score_candidates(std::size_t slab) {
  const PeopleOfTile& of = people_[slab];
  const auto score = [&](const cl::Buffer& first, const auto&... results) {
    set_arguments(scoring_kernel_, 0, first, arguments_of(slab), of.margins.buffer(), of.pairs.buffer(),
                  of.own, log_terms_, results...);
  };
  if (task_.shape.has_slabs())
    score(of.planes, candidates_.buffer(), parts_.buffer(), found_.buffer());
  else
    score(candidates_.buffer(), found_.buffer());
  queue_.run(scoring_kernel_, {cl::NDRange(kScorers), cl::NullRange});
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

/// \param table_of  table_of(what was found, its sites)
template <class Item, class TableOf>
void HeldQueue::offer(std::size_t n, engine::BestCombinations& best, const TableOf& table_of) {
  std::vector<Item> all(n);
  queue_.read(found_.buffer(), sizeof(FoundHead), all.data(), n);
  std::vector<float> costs;
  for (const Item& one : all) costs.push_back(one.cost);
  const double limit = limit_of(std::move(costs), best.top());
  for (const Item& one : all) {
    const engine::SiteCombination sites = found_sites(one.first, one.second, one.later);
    if (one.cost <= limit) best.offer({cost(table_of(one, sites)), sites});
  }
}

engine::GenotypeTable HeldQueue::table_of(const Found& found) const {
  engine::GenotypeTable table;
  for (std::size_t cell = 0; cell < task_.problem.n_cells(); ++cell) table.cells[cell] = found.cells[cell];
  return table;
}

}  // namespace fastid::opencl
