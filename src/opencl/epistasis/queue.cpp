#include "opencl/epistasis/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "engine/engine.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kPairsOfAGroup = 8;  // of the kernel by popcounts
constexpr double kMostOfABatch = 0x1p45;   // combinations times people: some tenths of a second

}  // namespace

EpistasisQueue::EpistasisQueue(EpistasisTask task, std::size_t n_people, std::uint32_t capacity,
                               std::size_t steps, std::uint32_t tile_sites)
    : task_(std::move(task)),
      queue_(task_.context, task_.on.device),
      people_(n_people),
      steps_(steps),
      tile_sites_(tile_sites),
      scorer_(task_.problem),
      counting_kernel_(task_.program, task_.shape.kernel()) {
  const EpistasisShape& shape = task_.shape;
  // Nothing is packed for matrix products of two sites. Margins are for triples where everybody is called.
  if (shape.packs()) pack_ = cl::Kernel(task_.program, shape.multiplies ? "pack_firsts" : "pack_pairs");
  if (shape.has_margins()) {
    count_margins_ = cl::Kernel(task_.program, "count_margins");
    count_pairs_ = cl::Kernel(task_.program, "count_pairs");
  }
  arguments_.n_sites = task_.problem.n_sites();
  arguments_.n_blocks = narrow<cl_uint>(task_.n_blocks());
  arguments_.capacity = std::max(capacity, task_.problem.n_sites());
  for (PeopleOfTile& people : people_)
    for (GrowingBuffer* margins : {&people.margins, &people.pairs})
      margins->reserve(task_.context, sizeof(cl_uint4));
}

// Without a limit all combinations that have enough people pass: so it begins with a pair, takes a few more
// until there is a limit, and then so many more that few of them pass.
void EpistasisQueue::find_tile(const engine::Rectangle& tile, engine::BestCombinations& best) {
  constexpr std::uint32_t kGrowth = 8, kGrowthWithoutLimit = 2;
  if (!begin(tile)) return;
  const engine::Rectangle all = arguments_.tile();  // its pairs
  const std::uint32_t most = most_pairs();
  std::uint32_t n = std::isinf(best.worst()) ? 1 : most;
  const auto seconds = static_cast<std::uint32_t>(all.columns());
  std::uint32_t first = all.row_begin, done = 0;  // second sites of a first one
  while (first < all.row_end) {
    const std::uint32_t firsts = done > 0 ? 1 : std::clamp(n / seconds, 1U, all.row_end - first);
    const std::uint32_t to = std::min(firsts > 1 ? seconds : done + n, seconds);
    const std::size_t passed =
        find_batch({first, first + firsts, all.column_begin + done, all.column_begin + to}, best);
    done = to % seconds;
    if (done == 0) first += firsts;
    if (std::isfinite(best.worst()))
      n = std::min(n, most / kGrowth + 1) * kGrowth;
    else if (passed < kGrowth)
      n = n * kGrowthWithoutLimit;
    n = std::min(n, most);
  }
}

void EpistasisQueue::find_after(std::uint32_t first, Slabs slabs, engine::BestCombinations& best) {
  outer_ = first;
  put_people(slabs);
  engine::each_tile_after(first, task_.problem.n_sites(), tile_sites_,
                          [&](const engine::Rectangle& triples) { find_tile(triples, best); });
}

void EpistasisQueue::find_all(engine::BestCombinations& best) {
  const std::uint32_t sites = task_.problem.n_sites();
  if (!task_.shape.has_slabs()) return find_tile({0, sites, 0, sites}, best);
  for (std::uint32_t site = 0; site < sites; ++site)
    find_after(site, people_of_first(task_, site, steps_), best);
}

bool EpistasisQueue::begin(const engine::Rectangle& tile) {
  arguments_.put_tile(tile, task_.problem.way);
  if (arguments_.block_begin >= task_.n_blocks()) return false;
  begin_tile();
  return true;
}

// Pairs of a batch, whatever passes: so few that it does not take long, nor their memory much.
std::uint32_t EpistasisQueue::most_pairs() const {
  const std::uint64_t people =
      std::min(task_.problem.n_people(), std::uint64_t{steps_} * kMatrixStep * kWordBits);
  const double in_time =
      kMostOfABatch / (static_cast<double>(arguments_.n_laters()) * static_cast<double>(people));
  const double all = arguments_.n_firsts * arguments_.n_seconds;
  return static_cast<std::uint32_t>(std::max(1.0, std::min({in_time, pairs_in_memory(), all})));
}

std::size_t EpistasisQueue::find_batch(const engine::Rectangle& pairs, engine::BestCombinations& best) {
  std::size_t passed = 0;
  // Of each part: 1 says that it is done, 2 that its halves are to be found.
  find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
    arguments_.put_batch(part);
    const std::size_t n = test_batch(best.worst());
    if (n > arguments_.capacity) return 2;
    offer_found(n, best);
    passed += n;
    return 1;
  });
  return passed;
}

EpistasisArguments EpistasisQueue::arguments_of(std::size_t slab) const {
  EpistasisArguments made = arguments_;
  made.people = people(slab).arguments;
  made.slab = narrow<cl_uint>(slab);
  return made;
}

std::size_t EpistasisQueue::reserve_margins(PeopleOfTile& of, std::size_t slabs) {
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
  const PeopleOfTile& of = people(slab);
  set_arguments(count_pairs_, 0, of.margins.buffer(), arguments_of(slab), of.own, of.pairs.buffer());
  queue_.run(count_pairs_, launch_for_each(arguments_.tile().pairs()));
}

void EpistasisQueue::pack(std::size_t slab) {
  PeopleOfTile& of = people(slab);
  const EpistasisArguments arguments = arguments_of(slab);
  set_arguments(pack_, 0, of.planes, arguments);
  if (task_.shape.multiplies) {
    constexpr std::size_t kItems = 4;  // of a site and step
    const std::size_t bytes = task_.shape.first_vectors() * sizeof(cl_uint4);
    set_arguments(
        pack_, 2, arguments.tile_first,
        of.packed.reserve(task_.context,
                          checked_mul(std::size_t{arguments.people.steps} * arguments.n_firsts, bytes)));
    queue_.run(pack_, launch_for_each(arguments.people.steps * kItems, arguments.n_firsts));
  } else {
    const std::size_t tiles = ceil_div(arguments.batch().pairs(), kMatrixTile);
    const std::size_t items = arguments.people.steps * kWarp;  // of a tile
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

KernelLaunch EpistasisQueue::counting_launch() const {
  const engine::Rectangle pairs = arguments_.batch();
  if (multiplies()) return multiply_launch(pairs);
  return {cl::NDRange(arguments_.n_laters(), ceil_div(pairs.pairs(), kPairsOfAGroup) * kPairsOfAGroup),
          cl::NDRange(kLanes, kPairsOfAGroup)};
}

engine::SiteCombination EpistasisQueue::found_sites(std::uint32_t first, std::uint32_t second,
                                                    std::uint32_t later) const {
  const engine::Rectangle batch = arguments_.batch();
  const std::size_t way = task_.problem.way;
  const bool of_batch = first >= batch.row_begin && first < batch.row_end &&
                        (way == 2 || (second >= batch.column_begin && second < batch.column_end));
  const bool ascends = way == 2 ? first < later : first < second && second < later;
  if (!of_batch || !ascends || later >= task_.problem.n_sites())
    throw WrongAnswer("the device found a combination that it was not asked for");
  if (way == 2) return {first, later};
  return way == 4 ? engine::SiteCombination{outer_, first, second, later}
                  : engine::SiteCombination{first, second, later};
}

double EpistasisQueue::cost(const engine::GenotypeTable& table) const {
  if (engine::n_people(table) > task_.problem.n_people())
    throw WrongAnswer("the device counted more people than there are");
  return scorer_.cost(table);
}

}  // namespace fastid::opencl
