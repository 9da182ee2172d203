#include "opencl/epistasis/people.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

using Classes = std::array<BlocksView, engine::kClasses>;
using ClassSteps = std::array<std::size_t, engine::kClasses>;

/// Puts each word of each genotype below `genotypes` at place(genotype, site, word), where a site's words are
/// its controls, then its cases, each in whole steps. Sites of a block lie beside each other.
template <class Place>
void put_words(const Classes& classes, const ClassWords& words, const ClassSteps& steps,
               std::size_t genotypes, const Place& place, std::vector<cl_uint>& planes) {
  const auto n_sites = static_cast<std::size_t>(classes[0].shape.n_profiles);
  for (std::size_t of = 0; of < engine::kClasses; ++of) {
    const BlocksView& people = classes[of];
    const std::size_t before = of * steps[0] * kMatrixStep;
    for (std::size_t begin = 0; begin < n_sites; begin += kLanes)
      for (std::size_t word = words[of][0]; word < words[of][1]; ++word)
        for (std::size_t site = begin; site < std::min(begin + kLanes, n_sites); ++site) {
          const Word minor = people.bits_word(site, word), major = people.major_word(site, word);
          for (std::size_t genotype = 0; genotype < genotypes; ++genotype)
            planes[place(genotype, site, before + word - words[of][0])] =
                engine::genotype_word(genotype, minor, major);
        }
  }
}

/// `own` of epistasis_test.h: controls and cases, or their m and d.
/// \param bound  of the whole problem \param of_genotype  cells of a site's genotype
std::vector<cl_uint4> own_cells(const EpistasisTask& task, const Classes& classes,
                                const engine::CostBound& bound, std::size_t of_genotype) {
  const std::vector<engine::SitePeople> people = engine::people_of_sites(classes);
  std::vector<cl_uint4> cells(task.n_blocks() * kLanes);
  for (std::size_t site = 0; site < people.size(); ++site)
    for (std::size_t genotype = 0; genotype < 2; ++genotype) {
      const std::uint32_t controls = people[site][0][genotype], cases = people[site][1][genotype];
      const bool whole = task.shape.by_stretches;
      const float m = bound.people_of(controls + cases, of_genotype),
                  d = bound.excess_of(controls + cases, cases, of_genotype);
      cells[site].s[genotype] = whole ? controls : std::bit_cast<cl_uint>(m);
      cells[site].s[2 + genotype] = whole ? cases : std::bit_cast<cl_uint>(d);
    }
  return cells;
}

// Queues outlive people, and others may lie where those of before did.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

void EpistasisArguments::put_tile(const engine::Rectangle& pairs, std::size_t way) {
  const bool firsts_alone = way == 2;
  tile_first = pairs.row_begin;
  n_firsts = pairs.row_end - pairs.row_begin;
  tile_second = firsts_alone ? 0 : pairs.column_begin;
  n_seconds = firsts_alone ? 1 : pairs.column_end - pairs.column_begin;
  block_begin =
      ((firsts_alone ? pairs.row_begin : std::max(pairs.row_begin + 1, pairs.column_begin)) + 1) / kLanes;
}

void EpistasisArguments::put_batch(const engine::Rectangle& pairs) {
  batch_first = pairs.row_begin;
  batch_first_end = pairs.row_end;
  batch_second = pairs.column_begin;
  batch_second_end = pairs.column_end;
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

// A class of a slab may have nobody; kernels have a step of each. Words lie where the kernel's place_of()
// looks for them. In epistasis_matrix.cl a site has the planes of `genotypes()`, which are 0 and 1 where
// everybody is called; in epistasis.cl it has all three.
StretchPlanes::StretchPlanes(const EpistasisTask& task, const Classes& classes, const ClassWords& words) {
  for (std::size_t of = 0; of < engine::kClasses; ++of)
    steps[of] = std::max<std::size_t>(1, ceil_div(words[of][1] - words[of][0], kMatrixStep));
  const EpistasisShape& shape = task.shape;
  const std::size_t genotypes = shape.multiplies ? shape.genotypes() : engine::kSiteGenotypes;
  const std::size_t all_steps = steps[0] + steps[1], n_blocks = classes[0].shape.n_blocks();
  planes.resize(checked_mul(checked_mul(n_blocks * kLanes, all_steps * kMatrixStep), genotypes));
  const auto put = [&](const auto& place) { put_words(classes, words, steps, genotypes, place, planes); };
  if (shape.multiplies)
    put([&](std::size_t genotype, std::size_t site, std::size_t word) {
      constexpr std::size_t kHalf = kMatrixStep / 2;
      const std::size_t step = word / kMatrixStep, half_step = word % kMatrixStep / kHalf;
      const std::size_t item = site % kMatrixTile / 2 * kHalf + word % kHalf;
      const std::size_t plane = (site / kMatrixTile * all_steps + step) * genotypes + genotype;
      return shape.all_called || shape.way == 2
                 ? (plane * kWarp + item) * 4 + half_step * 2 + site % 2
                 : (plane * 2 * kWarp + site % 2 * kWarp + item) * 2 + half_step;
    });
  else
    put([&](std::size_t genotype, std::size_t site, std::size_t word) {
      const std::size_t block = genotype * n_blocks + site / kLanes;
      return (block * all_steps * kMatrixStep + word) * kLanes + site % kLanes;
    });
  bytes = planes.size() * sizeof(cl_uint);
}

void StretchPlanes::pin(const cl::Context& context, const cl::CommandQueue& queue) {
  WordBuffer copy(planes.size());
  std::ranges::copy(planes, copy.data());
  pinned = std::make_unique<PinnedMemory>(context, queue, std::move(copy));
  planes = {};
}

// Both classes end together, so that each stretch has its share of either.
HostPeople::HostPeople(const EpistasisTask& task, const Classes& classes, std::size_t steps) : id(next_id()) {
  ClassSteps of_class{};
  for (std::size_t of = 0; of < engine::kClasses; ++of)
    of_class[of] = ceil_div(classes[of].shape.n_words(), kMatrixStep);
  // A class's share of a stretch is rounded up to a step.
  const std::size_t n = std::max<std::size_t>(1, ceil_div(of_class[0] + of_class[1], steps - 1));
  for (std::uint32_t i = 1; i <= n; ++i) {
    ClassWords words{};
    for (std::size_t of = 0; of < engine::kClasses; ++of) {
      const Range share = share_of(of_class[of], {i, static_cast<std::uint32_t>(n)});
      for (std::size_t end = 0; end < 2; ++end)
        words[of][end] = std::min(static_cast<std::size_t>(end == 0 ? share.first : share.end) * kMatrixStep,
                                  classes[of].shape.n_words());
    }
    stretches.emplace_back(task, classes, words);
  }
  const engine::CostBound bound = engine::cost_bound(task.problem, std::numeric_limits<double>::infinity());
  const std::uint32_t controls = classes[0].shape.n_sites, cases = classes[1].shape.n_sites;
  const std::size_t cells = std::min<std::size_t>(task.problem.n_cells(), engine::kTripleCells);
  all = {.all_people = bound.people_of(controls + cases, cells),
         .all_excess = bound.excess_of(controls + cases, cases, cells),
         .all_controls = controls,
         .all_cases = cases};
  own = own_cells(task, classes, bound, cells / engine::kSiteGenotypes);
}

void HostPeople::pin(const EpistasisTask& task) {
  if (stretches.size() < 2) return;
  const cl::CommandQueue queue(task.context, task.on.device);
  try {
    for (StretchPlanes& stretch : stretches) stretch.pin(task.context, queue);
  } catch (const cl::Error& error) {
    if (!is_memory_error(error.err())) throw;
    log::detail("{} failed: {}; people are sent as they lie", error.what(), cl_error_text(error.err()));
  }
}

PeopleArguments HostPeople::arguments(std::size_t stretch) const {
  const ClassSteps& steps = stretches[stretch].steps;
  PeopleArguments made = all;
  made.steps = narrow<cl_uint>(steps[0] + steps[1]);
  made.control_steps = narrow<cl_uint>(steps[0]);
  return made;
}

DevicePeople::DevicePeople(const EpistasisTask& task, const HostPeople& people)
    : arguments(people.arguments(0)),
      planes(make_copy(task.context, people.stretches[0].planes)),
      own(make_copy(task.context, people.own)) {}

std::vector<HostPeople> people_of_first(const EpistasisTask& task, std::uint32_t first, std::size_t steps) {
  std::vector<HostPeople> slabs;
  for (const engine::PickedClasses& with : engine::people_by_genotype(task.problem, first))
    slabs.emplace_back(task, Classes{with[0].view(), with[1].view()}, steps);
  return slabs;
}

cl::Buffer log_terms(const EpistasisTask& task) {
  std::vector<cl_float> terms;
  for (std::uint64_t n = 0; n <= task.problem.n_people() + 1; ++n)
    terms.push_back(static_cast<cl_float>(engine::score_term(task.problem.score, n)));
  return make_copy(task.context, terms);
}

}  // namespace fastid::opencl
