#include "opencl/epistasis/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "engine/engine.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kPairsOfAGroup = 8;  // of the kernel by popcounts
constexpr double kMostOfARun = 0x1p45;     // combinations times people: some tenths of a second
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
      queue_(task_.context, task_.on.device),
      steps_(steps),
      tile_sites_(tile_sites),
      scorer_(task_.problem),
      count_(task_.program, task_.shape.kernel()) {
  const EpistasisShape& shape = task_.shape;
  if (shape.packs()) pack_ = cl::Kernel(task_.program, shape.multiplies ? "pack_firsts" : "pack_pairs");
  if (shape.has_margins()) {
    count_margins_ = cl::Kernel(task_.program, "count_margins");
    count_pairs_ = cl::Kernel(task_.program, "count_pairs");
  }
  arguments_.n_sites = task_.problem.n_sites();
  arguments_.n_blocks = narrow<cl_uint>(task_.n_blocks());
  arguments_.capacity = std::max(capacity, task_.problem.n_sites());
}

void EpistasisQueue::find(const engine::Rectangle& tile, engine::BestCombinations& best) {
  if (begin(tile)) find_pairs(arguments_.tile(), best);
}

// Without a limit all combinations that have enough people pass: so it begins with a pair, takes a few more
// until there is a limit, and then so many more that few of them pass.
void EpistasisQueue::find_pairs(const engine::Rectangle& all, engine::BestCombinations& best) {
  constexpr std::uint32_t kGrowth = 8, kGrowthWithoutLimit = 2;
  const std::uint32_t most = most_pairs();
  std::uint32_t n = std::isinf(best.worst()) ? 1 : most;
  const auto seconds = static_cast<std::uint32_t>(all.columns());
  std::uint32_t first = all.row_begin, done = 0;  // second sites of a first one
  while (first < all.row_end) {
    const std::uint32_t firsts = done > 0 ? 1 : std::clamp(n / seconds, 1U, all.row_end - first);
    const std::uint32_t to = std::min(firsts > 1 ? seconds : done + n, seconds);
    const std::size_t passed =
        find_run({first, first + firsts, all.column_begin + done, all.column_begin + to}, best);
    done = to % seconds;
    if (done == 0) first += firsts;
    if (std::isfinite(best.worst()))
      n = std::min(n, most / kGrowth + 1) * kGrowth;
    else if (passed < kGrowth)
      n = n * kGrowthWithoutLimit;
    n = std::min(n, most);
  }
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
  arguments_.put_tile(tile, task_.problem.way);
  if (arguments_.block_begin >= task_.n_blocks()) return false;
  begin_tile();
  return true;
}

// Pairs of a run, whatever passes: so few that it does not take long, nor their memory much.
std::uint32_t EpistasisQueue::most_pairs() const {
  const std::uint64_t people =
      std::min(task_.problem.n_people(), std::uint64_t{steps_} * kMatrixStep * kWordBits);
  const double in_time =
      kMostOfARun / (static_cast<double>(arguments_.n_laters()) * static_cast<double>(people));
  const double all = arguments_.n_firsts * arguments_.n_seconds;
  return static_cast<std::uint32_t>(std::max(1.0, std::min({in_time, pairs_in_memory(), all})));
}

// Returns how many pass.
std::size_t EpistasisQueue::find_run(const engine::Rectangle& pairs, engine::BestCombinations& best) {
  std::size_t passed = 0;
  find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
    arguments_.put_run(part);
    const std::size_t n = run(best.worst());
    if (n > arguments_.capacity) return 2;
    offer_found(n, best);
    passed += n;
    return 1;
  });
  return passed;
}

EpistasisArguments EpistasisQueue::arguments_of(std::size_t slab) const {
  EpistasisArguments made = arguments_;
  people(slab).arguments.put(slab, made);
  return made;
}

std::size_t EpistasisQueue::reserve_known(People& of, std::size_t slabs) {
  const std::size_t firsts = arguments_.n_firsts, seconds = arguments_.n_seconds;
  const std::size_t bytes = checked_mul(slabs * (firsts + seconds), n_lines()) * 2 * sizeof(cl_uint4);
  of.margins.reserve(task_.context, bytes);
  of.pairs.reserve(task_.context, checked_mul(slabs * firsts * seconds, kPairVectors * sizeof(cl_uint4)));
  return bytes;
}

void EpistasisQueue::count_margins(std::size_t slab, std::size_t line) {
  const engine::Rectangle tile = arguments_.tile();
  const auto add = [&](std::uint32_t begin, std::uint32_t end, std::size_t to) {
    set_arguments(count_margins_, 0, people(slab).planes, arguments_of(slab), begin, end, narrow<cl_uint>(to),
                  people(slab).margins.buffer());
    const cl::NDRange items =
        multiplies() ? cl::NDRange(n_lines() / kMatrixTile * kWarp, tiles_over(begin, end, kMatrixTile))
                     : cl::NDRange(n_lines(), end - begin);
    queue_.run(count_margins_, {items, cl::NDRange(kWarp, 1)});
  };
  add(tile.row_begin, tile.row_end, line);
  add(tile.column_begin, tile.column_end, line + tile.rows());
}

void EpistasisQueue::count_pairs(std::size_t slab) {
  const People& of = people(slab);
  set_arguments(count_pairs_, 0, of.margins.buffer(), arguments_of(slab), of.own, of.pairs.buffer());
  queue_.run(count_pairs_, launch_for_each(arguments_.tile().pairs()));
}

void EpistasisQueue::pack(std::size_t slab) {
  People& of = people(slab);
  const EpistasisArguments arguments = arguments_of(slab);
  set_arguments(pack_, 0, of.planes, arguments);
  if (task_.shape.multiplies) {
    constexpr std::size_t kItems = 4;  // of a site and step
    const std::size_t bytes = task_.shape.first_vectors() * sizeof(cl_uint4);
    set_arguments(pack_, 2, arguments.tile_first,
                  of.packed.reserve(task_.context,
                                    checked_mul(std::size_t{arguments.steps} * arguments.n_firsts, bytes)));
    queue_.run(pack_, launch_for_each(arguments.steps * kItems, arguments.n_firsts));
  } else {
    const std::size_t tiles = ceil_div(arguments.run().pairs(), kMatrixTile);
    const std::size_t items = arguments.steps * kWarp;  // of a tile
    const std::size_t bytes = task_.shape.genotypes_of_pair() * sizeof(cl_uint4);
    pack_.setArg(2, of.packed.reserve(task_.context, checked_mul(checked_mul(tiles, items), bytes)));
    queue_.run(pack_, {cl::NDRange(items, tiles), cl::NDRange(kWarp, 1)});
  }
}

KernelLaunch EpistasisQueue::multiply_launch(const engine::Rectangle& pairs) const {
  const EpistasisShape& shape = task_.shape;
  const std::size_t group = shape.warps() * kWarp;
  const std::size_t firsts =
      shape.way == 2 ? tiles_over(pairs.row_begin, pairs.row_end, kMatrixTile) : pairs.rows();
  return {cl::NDRange(ceil_div(firsts, shape.group_firsts()) * group,
                      ceil_div<std::size_t>(tiles_over(pairs.column_begin, pairs.column_end, kMatrixTile),
                                            shape.second_warps) *
                          ceil_div(arguments_.n_laters(), shape.group_laters())),
          cl::NDRange(group, 1)};
}

KernelLaunch EpistasisQueue::count_launch() const {
  const engine::Rectangle pairs = arguments_.run();
  if (multiplies()) return multiply_launch(pairs);
  return {cl::NDRange(arguments_.n_laters(), ceil_div(pairs.pairs(), kPairsOfAGroup) * kPairsOfAGroup),
          cl::NDRange(kLanes, kPairsOfAGroup)};
}

engine::SiteCombination EpistasisQueue::found_sites(std::uint32_t first, std::uint32_t second,
                                                    std::uint32_t later) const {
  const engine::Rectangle run = arguments_.run();
  const std::size_t way = task_.problem.way;
  const bool of_run = first >= run.row_begin && first < run.row_end &&
                      (way == 2 || (second >= run.column_begin && second < run.column_end));
  const bool ascends = way == 2 ? first < later : first < second && second < later;
  if (!of_run || !ascends || later >= task_.problem.n_sites())
    throw DeviceError(
        fmt::format("the device found a combination that it was not asked for; {}", engine::kDistrust));
  if (way == 2) return {first, later};
  return way == 4 ? engine::SiteCombination{outer_, first, second, later}
                  : engine::SiteCombination{first, second, later};
}

double EpistasisQueue::cost(const engine::GenotypeTable& table) const {
  if (engine::n_people(table) > task_.problem.n_people())
    throw DeviceError(fmt::format("the device counted more people than there are; {}", engine::kDistrust));
  return scorer_.cost(table);
}

HeldQueue::HeldQueue(const EpistasisTask& task, const std::optional<EpistasisCohort>& cohort,
                     cl::Buffer terms, std::uint32_t most_found)
    : EpistasisQueue(task, task.shape.has_slabs() ? most_found * kMoreSites : most_found, kAllSteps,
                     kTripleSites),
      terms_(std::move(terms)) {
  if (task_.shape.shares) count_both_classes_ = cl::Kernel(task_.program, "count_both_classes");
  people_.resize(task_.shape.has_slabs() ? engine::kSiteGenotypes : 1);
  if (cohort) static_cast<EpistasisCohort&>(people_[0]) = *cohort;
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
    static_cast<EpistasisCohort&>(people_[slab]) = EpistasisCohort(task_, slabs[slab]);
}

void HeldQueue::begin_tile() {
  for (std::size_t slab = 0; slab < people_.size(); ++slab) {
    if (task_.shape.has_margins()) {
      reserve_known(people_[slab], 1);
      count_margins(slab, 0);
      count_pairs(slab);
    }
    if (multiplies() && task_.shape.packs()) pack(slab);
  }
}

std::vector<engine::Rectangle> HeldQueue::shared_runs(std::size_t bytes) const {
  const EpistasisShape& shape = task_.shape;
  const engine::Rectangle all = arguments_.tile();
  const auto totals = [&](std::uint32_t firsts) {
    engine::Rectangle some = all;
    some.row_end = all.row_begin + firsts;
    return totals_of(shape, multiply_launch(some));
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
  arguments_.put_run(pairs);
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
  constexpr cl_uint kControls = 1, kCases = 2;  // COUNTED_ of epistasis_test.h
  arguments_.put_run(pairs);
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
  for (const People& people : people_) steps += people.arguments.steps;
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
    sums_.reserve(task_.context, arguments_.run().pairs() * arguments_.n_laters() * sizeof(cl_float2));
  if (scores) queue_.clear(candidates_.buffer(), sizeof(cl_uint4));
  for (std::size_t slab = 0; slab < people_.size(); ++slab) run_find(slab);
  for (std::size_t slab = 0; scores && slab < people_.size(); ++slab) run_score(slab);
  FoundHead head{};
  queue_.read(found_.buffer(), 0, &head, 1);
  return head.candidates > arguments_.capacity ? head.candidates : head.found;
}

void HeldQueue::run_find(std::size_t slab) {
  if (!multiplies()) pack(slab);
  if (task_.shape.has_slabs())
    count(slab, sums_.buffer(), candidates_.buffer());
  else if (!multiplies())
    count(slab, terms_, found_.buffer());
  else if (task_.shape.shares)
    count(slab, candidates_.buffer(),
          both_classes_() != nullptr ? both_classes_ : people_[slab].planes);  // else it is not read
  else
    count(slab, candidates_.buffer());
}

// Of the candidates of a run; of four sites of their cells that a slab has.
void HeldQueue::run_score(std::size_t slab) {
  const People& of = people_[slab];
  const auto score = [&](const cl::Buffer& first, const auto&... results) {
    set_arguments(score_, 0, first, arguments_of(slab), of.margins.buffer(), of.pairs.buffer(), of.own,
                  terms_, results...);
  };
  if (task_.shape.has_slabs())
    score(of.planes, candidates_.buffer(), parts_.buffer(), found_.buffer());
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
