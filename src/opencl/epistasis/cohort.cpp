#include "opencl/epistasis/cohort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "engine/engine.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

using Classes = std::array<BlocksView, engine::kClasses>;
using ClassSteps = std::array<std::size_t, engine::kClasses>;

ClassWords all_words(const Classes& classes) {
  return {{{0, classes[0].shape.n_words()}, {0, classes[1].shape.n_words()}}};
}

/// Calls put(genotype, site, word, bits) for each of some words of each genotype below `genotypes`,
/// where a site's words are its controls, then its cases, each in whole steps. Sites of a block lie beside
/// each other.
template <class Put>
void each_word(const Classes& classes, const ClassWords& words, const ClassSteps& steps,
               std::size_t genotypes, const Put& put) {
  const std::uint64_t n_sites = classes[0].shape.n_profiles;
  for (std::size_t of = 0; of < engine::kClasses; ++of) {
    const BlocksView& people = classes[of];
    const std::size_t before = of * steps[0] * kMatrixStep;
    for (std::uint64_t begin = 0; begin < n_sites; begin += kLanes)
      for (std::size_t word = words[of][0]; word < words[of][1]; ++word)
        for (std::uint64_t site = begin; site < std::min(begin + kLanes, n_sites); ++site) {
          const Word minor = people.bits_word(site, word), major = people.major_word(site, word);
          for (std::size_t genotype = 0; genotype < genotypes; ++genotype)
            put(genotype, site, before + word - words[of][0], engine::genotype_word(genotype, minor, major));
        }
  }
}

/// Planes as epistasis.cl has them.
std::vector<cl_uint> planes_in_blocks(const Classes& classes, const ClassWords& words,
                                      const ClassSteps& steps) {
  const std::size_t n_blocks = classes[0].shape.n_blocks();
  const std::size_t all_words = (steps[0] + steps[1]) * kMatrixStep;
  std::vector<cl_uint> planes(checked_mul(checked_mul(n_blocks, all_words), engine::kSiteGenotypes * kLanes));
  each_word(classes, words, steps, engine::kSiteGenotypes,
            [&](std::size_t genotype, std::uint64_t site, std::size_t word, Word bits) {
              planes[((genotype * n_blocks + site / kLanes) * all_words + word) * kLanes + site % kLanes] =
                  bits;
            });
  return planes;
}

/// Planes as epistasis_matrix.cl has them.
std::vector<cl_uint> planes_in_tiles(const Classes& classes, const ClassWords& words, const ClassSteps& steps,
                                     const EpistasisShape& shape) {
  const std::size_t genotypes = shape.genotypes();
  constexpr std::size_t kHalf = kMatrixStep / 2;
  const std::size_t n_tiles = classes[0].shape.n_blocks() * (kLanes / kMatrixTile);
  const std::size_t all_steps = steps[0] + steps[1];
  std::vector<cl_uint> planes(
      checked_mul(checked_mul(n_tiles, all_steps), genotypes * kMatrixStep * kMatrixTile));
  each_word(classes, words, steps, genotypes,
            [&](std::size_t genotype, std::uint64_t site, std::size_t word, Word bits) {
              const std::size_t step = word / kMatrixStep, half = word % kMatrixStep / kHalf;
              const std::size_t item = site % kMatrixTile / 2 * kHalf + word % kHalf;
              const std::size_t plane =
                  ((site / kMatrixTile * all_steps + step) * genotypes + genotype) * 2 * kWarp;
              const std::size_t at = shape.by_rest || shape.way == 2
                                         ? (plane + item * 2 + half) * 2 + site % 2
                                         : (plane + site % 2 * kWarp + item) * 2 + half;
              planes[at] = bits;
            });
  return planes;
}

/// `own` of epistasis_test.h.
/// \param of_genotype  cells of a site's genotype
std::vector<cl_float4> own_cells(const Classes& classes, const engine::CostBound& bound,
                                 std::size_t of_genotype) {
  const std::vector<engine::SitePeople> people = engine::people_of_sites(classes);
  std::vector<cl_float4> cells(classes[0].shape.n_blocks() * kLanes);
  for (std::size_t site = 0; site < people.size(); ++site)
    for (std::size_t genotype = 0; genotype < 2; ++genotype) {
      const std::uint32_t controls = people[site][0][genotype], cases = people[site][1][genotype];
      cells[site].s[genotype] = bound.people_of(controls + cases, of_genotype);
      cells[site].s[2 + genotype] = bound.excess_of(controls + cases, cases, of_genotype);
    }
  return cells;
}

}  // namespace

void put_tile(const engine::Rectangle& tile, std::size_t way, EpistasisArguments& arguments) {
  const bool pairs = way == 2;
  arguments.tile_first = tile.row_begin;
  arguments.n_firsts = tile.row_end - tile.row_begin;
  arguments.tile_second = pairs ? 0 : tile.column_begin;
  arguments.n_seconds = pairs ? 1 : tile.column_end - tile.column_begin;
  arguments.block_begin =
      ((pairs ? tile.row_begin : std::max(tile.row_begin + 1, tile.column_begin)) + 1) / kLanes;
}

void put_run(const engine::Rectangle& pairs, EpistasisArguments& arguments) {
  arguments.run_first = pairs.row_begin;
  arguments.run_first_end = pairs.row_end;
  arguments.run_second = pairs.column_begin;
  arguments.run_second_end = pairs.column_end;
}

engine::Rectangle run_of(const EpistasisArguments& arguments) {
  return {arguments.run_first, arguments.run_first_end, arguments.run_second, arguments.run_second_end};
}

engine::Rectangle tile_of(const EpistasisArguments& arguments) {
  return {arguments.tile_first, arguments.tile_first + arguments.n_firsts, arguments.tile_second,
          arguments.tile_second + arguments.n_seconds};
}

std::size_t n_laters(const EpistasisArguments& arguments) {
  return std::size_t{arguments.n_blocks - arguments.block_begin} * kLanes;
}

engine::SiteCombination found_sites(const engine::EpistasisProblem& problem,
                                    const EpistasisArguments& arguments, std::uint32_t outer,
                                    std::uint32_t first, std::uint32_t second, std::uint32_t later) {
  const bool pairs = problem.way == 2;
  const bool of_run = first >= arguments.run_first && first < arguments.run_first_end &&
                      (pairs || (second >= arguments.run_second && second < arguments.run_second_end));
  const bool ascends = pairs ? first < later : first < second && second < later;
  if (!of_run || !ascends || later >= problem.n_sites())
    throw WrongAnswer("the device found a combination that it was not asked for");
  if (pairs) return {first, later};
  return problem.way == 4 ? engine::SiteCombination{outer, first, second, later}
                          : engine::SiteCombination{first, second, later};
}

const engine::GenotypeTable& found_table(const engine::EpistasisProblem& problem,
                                         const engine::GenotypeTable& table) {
  if (engine::n_people(table) > problem.n_people())
    throw WrongAnswer("the device counted more people than there are");
  return table;
}

KernelLaunch multiply_launch(const EpistasisShape& shape, const engine::Rectangle& pairs,
                             std::size_t laters) {
  const std::size_t group = shape.warps() * kWarp;
  const std::size_t firsts =
      shape.way == 2 ? tiles_over(pairs.row_begin, pairs.row_end, kMatrixTile) : pairs.rows();
  return {cl::NDRange(ceil_div(firsts, shape.group_firsts()) * group,
                      ceil_div<std::size_t>(tiles_over(pairs.column_begin, pairs.column_end, kMatrixTile),
                                            shape.second_warps) *
                          ceil_div(laters, shape.group_laters())),
          cl::NDRange(group, 1)};
}

EpistasisKernels::EpistasisKernels(const EpistasisTask& task)
    : context_(task.context), shape_(task.shape), find_(task.program, shape_.kernel()) {
  if (shape_.packs()) pack_ = cl::Kernel(task.program, shape_.multiplies ? "pack_firsts" : "pack_pairs");
  if (!shape_.has_rows()) return;
  count_rows_ = cl::Kernel(task.program, "count_rows");
  count_pairs_ = cl::Kernel(task.program, "count_pairs");
}

void EpistasisKernels::count_rows(DeviceQueue& queue, const EpistasisArguments& arguments, const Sites& sites,
                                  std::size_t line) {
  const engine::Rectangle tile = tile_of(arguments);
  const std::size_t laters = std::size_t{arguments.n_blocks} * kLanes;
  set_arguments(count_rows_, 0, sites.planes, arguments);
  count_rows_.setArg(5, sites.rows);
  const auto count = [&](std::uint32_t begin, std::uint32_t end, std::size_t to) {
    set_arguments(count_rows_, 2, begin, end, narrow<cl_uint>(to));
    const cl::NDRange items =
        shape_.multiplies ? cl::NDRange(laters / kMatrixTile * kWarp, tiles_over(begin, end, kMatrixTile))
                          : cl::NDRange(laters, end - begin);
    queue.run(count_rows_, {items, cl::NDRange(kWarp, 1)});
  };
  count(tile.row_begin, tile.row_end, line);
  count(tile.column_begin, tile.column_end, line + tile.rows());
}

void EpistasisKernels::count_pairs(DeviceQueue& queue, const EpistasisArguments& arguments,
                                   const Sites& sites) {
  set_arguments(count_pairs_, 0, sites.rows, arguments, sites.own, sites.pairs);
  queue.run(count_pairs_, launch_for_each(tile_of(arguments).pairs()));
}

void EpistasisKernels::pack(DeviceQueue& queue, const EpistasisArguments& arguments, const Sites& sites,
                            GrowingBuffer& packed) {
  set_arguments(pack_, 0, sites.planes, arguments);
  if (shape_.multiplies) {
    constexpr std::size_t kItems = 4;  // of a site and step
    const std::size_t bytes = shape_.first_vectors() * sizeof(cl_uint4);
    set_arguments(
        pack_, 2, arguments.tile_first,
        packed.reserve(context_, checked_mul(std::size_t{arguments.steps} * arguments.n_firsts, bytes)));
    queue.run(pack_, launch_for_each(arguments.steps * kItems, arguments.n_firsts));
  } else {
    const std::size_t tiles = ceil_div(run_of(arguments).pairs(), kMatrixTile);
    const std::size_t items = arguments.steps * kWarp;  // of a tile
    const std::size_t bytes = shape_.genotypes_of_pair() * sizeof(cl_uint4);
    pack_.setArg(2, packed.reserve(context_, checked_mul(checked_mul(tiles, items), bytes)));
    queue.run(pack_, {cl::NDRange(items, tiles), cl::NDRange(kWarp, 1)});
  }
}

KernelLaunch EpistasisKernels::find_launch(const EpistasisArguments& arguments) const {
  const engine::Rectangle pairs = run_of(arguments);
  if (shape_.multiplies) return multiply_launch(shape_, pairs, n_laters(arguments));
  return {cl::NDRange(n_laters(arguments), ceil_div(pairs.pairs(), kPairsOfAGroup) * kPairsOfAGroup),
          cl::NDRange(kLanes, kPairsOfAGroup)};
}

std::size_t EpistasisTask::n_blocks() const {
  return ceil_div<std::size_t>(problem.n_sites(), kLanes);
}

// Of three terms of each cell and three of all, which together are at most three times the largest.
double EpistasisTask::rounding() const {
  const auto terms = static_cast<double>(3 * problem.n_cells() + 3);
  const auto n = static_cast<double>(problem.n_people());
  const double most = n * std::log(n + 2);  // above ln (n + 1)!
  return (3 * terms + 8) * 6e-8 * (problem.score == engine::EpistasisScore::kK2 ? most : most / n);
}

// A class of a slab may have nobody; kernels have a step of each.
PackedPlanes::PackedPlanes(const EpistasisTask& task, const Classes& classes, const ClassWords& words) {
  for (std::size_t of = 0; of < engine::kClasses; ++of)
    steps[of] = std::max<std::size_t>(1, ceil_div(words[of][1] - words[of][0], kMatrixStep));
  planes = task.shape.multiplies ? planes_in_tiles(classes, words, steps, task.shape)
                                 : planes_in_blocks(classes, words, steps);
  bytes = planes.size() * sizeof(cl_uint);
}

void PackedPlanes::pin(const cl::Context& context, const cl::CommandQueue& queue) {
  WordBuffer copy(planes.size());
  std::ranges::copy(planes, copy.data());
  pinned = std::make_unique<PinnedMemory>(context, queue, std::move(copy));
  planes = {};
}

PackedPeople::PackedPeople(const EpistasisTask& task, const Classes& classes) {
  PackedPlanes packed(task, classes, all_words(classes));
  const ClassSteps& steps = packed.steps;
  const engine::CostBound bound = engine::cost_bound(task.problem, std::numeric_limits<double>::infinity());
  const std::uint32_t cases = classes[1].shape.n_sites, n = classes[0].shape.n_sites + cases;
  const std::size_t cells = std::min<std::size_t>(task.problem.n_cells(), engine::kTripleCells);
  arguments = {.steps = narrow<cl_uint>(steps[0] + steps[1]),
               .control_steps = narrow<cl_uint>(steps[0]),
               .all_people = bound.people_of(n, cells),
               .all_excess = bound.excess_of(n, cases, cells)};
  planes = std::move(packed.planes);
  own = own_cells(classes, bound, cells / engine::kSiteGenotypes);
}

FirstSite::FirstSite(const EpistasisTask& task, std::uint32_t of_site) : site(of_site) {
  for (const engine::PickedClasses& with : engine::people_by_genotype(task.problem, site))
    slabs.emplace_back(task, Classes{with[0].view(), with[1].view()});
}

EpistasisCohort::EpistasisCohort(const EpistasisTask& task, const PackedPeople& people)
    : arguments(people.arguments),
      planes(make_copy(task.context, people.planes)),
      own(make_copy(task.context, people.own)) {}

cl::Buffer cost_terms(const EpistasisTask& task) {
  std::vector<cl_float> terms;
  for (std::uint64_t n = 0; n <= task.problem.n_people() + 1; ++n)
    terms.push_back(static_cast<cl_float>(engine::score_term(task.problem.score, n)));
  return make_copy(task.context, terms);
}

}  // namespace fastid::opencl
