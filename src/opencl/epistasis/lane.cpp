#include "opencl/epistasis/lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/matrix_comparer.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPairsOfAGroup = 8;     // of the kernel by popcounts
constexpr std::size_t kPairVectors = 5;       // PAIR_VECTORS of epistasis_test.h
constexpr std::size_t kCandidateVectors = 5;  // CANDIDATE of epistasis_matrix.cl
constexpr std::size_t kScorers = 16'384;      // work-items that score candidates
constexpr double kMostPacked = 0x1p28;        // bytes of pairs' planes
constexpr double kMostOfARun = 0x1p45;        // combinations times people: some tenths of a second

}  // namespace

EpistasisLane::EpistasisLane(EpistasisCohort sites, std::uint32_t most_found)
    : sites_(std::move(sites)),
      scorer_(sites_.problem),
      queue_(sites_.context, sites_.device, CL_QUEUE_PROFILING_ENABLE),
      pack_(sites_.program, multiplies() ? "pack_firsts" : "pack_pairs"),
      count_rows_(sites_.program, "count_rows"),
      count_pairs_(sites_.program, "count_pairs"),
      find_(sites_.program, sites_.shape.kernel()),
      question_(sites_.question) {
  question_.capacity = std::max(most_found, sites_.problem.n_sites());
  found_.reserve(sites_.context, sizeof(FoundHead) + question_.capacity * sizeof(Found));
  if (multiplies()) {
    score_ = cl::Kernel(sites_.program, "score_candidates");
    candidates_.reserve(sites_.context, (1 + question_.capacity * kCandidateVectors) * sizeof(cl_uint4));
  }
  rows_.reserve(sites_.context, sizeof(cl_float4));
  pairs_.reserve(sites_.context, sizeof(cl_float4));
  set_arguments();
}

void EpistasisLane::set_arguments() {
  pack_.setArg(0, sites_.planes);
  count_rows_.setArg(0, sites_.planes);
  count_rows_.setArg(5, rows_.buffer());
  count_pairs_.setArg(0, rows_.buffer());
  count_pairs_.setArg(2, sites_.own);
  count_pairs_.setArg(3, pairs_.buffer());
  find_.setArg(0, sites_.planes);
  find_.setArg(3, rows_.buffer());
  find_.setArg(4, pairs_.buffer());
  find_.setArg(5, sites_.own);
  if (!multiplies()) {
    find_.setArg(6, sites_.terms);
    find_.setArg(7, found_.buffer());
    return;
  }
  find_.setArg(6, candidates_.buffer());
  score_.setArg(0, candidates_.buffer());
  score_.setArg(2, rows_.buffer());
  score_.setArg(3, pairs_.buffer());
  score_.setArg(4, sites_.own);
  score_.setArg(5, sites_.terms);
  score_.setArg(6, found_.buffer());
}

void EpistasisLane::begin_tile(const CombinationTile& tile) {
  const bool pairs = sites_.problem.way == 2;
  question_.first_begin = tile.first_begin;
  question_.n_firsts = tile.first_end - tile.first_begin;
  question_.second_begin = pairs ? 0 : tile.second_begin;
  question_.n_seconds = pairs ? 1 : tile.second_end - tile.second_begin;
  question_.block_begin =
      ((pairs ? tile.first_begin : std::max(tile.first_begin + 1, tile.second_begin)) + 1) / kLanes;
}

void EpistasisLane::find(const CombinationTile& tile, BestCombinations& best) {
  begin_tile(tile);
  if (question_.block_begin >= sites_.n_blocks()) return;
  if (sites_.shape.by_rest) count_rows();
  if (multiplies()) pack_firsts();
  // Until there is a limit all that have enough people pass: a pair at a time, and then so many more that few
  // of them pass.
  constexpr std::uint32_t kGrowth = 32;
  const std::uint32_t end = question_.first_begin + question_.n_firsts, seconds = question_.n_seconds;
  const std::uint32_t most = most_pairs();
  std::uint32_t n = std::isinf(best.worst()) ? 1 : most;
  std::uint32_t first = question_.first_begin, in_row = 0;
  while (first < end) {
    const std::uint32_t rows = in_row > 0 ? 1 : std::clamp(n / seconds, 1U, end - first);
    const std::uint32_t to = std::min(rows > 1 ? seconds : in_row + n, seconds);
    const std::size_t passed =
        find(Pairs{first, first + rows, question_.second_begin + in_row, question_.second_begin + to}, best);
    in_row = to % seconds;
    if (in_row == 0) first += rows;
    if (std::isfinite(best.worst()) || passed < kGrowth) n = std::min(n, most / kGrowth + 1) * kGrowth;
    n = std::min(n, most);
  }
}

// Pairs of a run, whatever passes: so few that it does not take long, nor their planes much memory.
std::uint32_t EpistasisLane::most_pairs() const {
  const double laters = static_cast<double>((sites_.n_blocks() - question_.block_begin) * kLanes);
  double pairs = kMostOfARun / (laters * static_cast<double>(sites_.problem.n_people()));
  const std::size_t bytes =
      std::size_t{question_.steps} * kMatrixStep * sizeof(cl_uint) * sites_.shape.firsts();
  if (!multiplies()) pairs = std::min(pairs, kMostPacked / static_cast<double>(bytes));
  const double all = question_.n_firsts * question_.n_seconds;
  return static_cast<std::uint32_t>(std::max(1.0, std::min(pairs, all)));
}

// What cells that are not counted follow from, in the tile.
void EpistasisLane::count_rows() {
  const std::size_t firsts = question_.n_firsts, seconds = question_.n_seconds;
  rows_.reserve(sites_.context,
                checked_mul(firsts + seconds, sites_.n_blocks() * kLanes) * 2 * sizeof(cl_float4));
  pairs_.reserve(sites_.context, checked_mul(firsts * seconds, kPairVectors * sizeof(cl_float4)));
  set_arguments();
  count_rows_.setArg(1, sizeof(question_), &question_);
  count_rows(question_.first_begin, question_.first_begin + question_.n_firsts, 0);
  count_rows(question_.second_begin, question_.second_begin + question_.n_seconds, question_.n_firsts);
  count_pairs_.setArg(1, sizeof(question_), &question_);
  queue_.enqueueNDRangeKernel(count_pairs_, cl::NullRange, cl::NDRange(firsts * seconds));
}

void EpistasisLane::count_rows(std::uint32_t begin, std::uint32_t end, std::uint32_t line) {
  count_rows_.setArg(2, begin);
  count_rows_.setArg(3, end);
  count_rows_.setArg(4, line);
  const std::size_t tiles = (end - 1) / kMatrixTile - begin / kMatrixTile + 1;
  const std::size_t laters = sites_.n_blocks() * kLanes;
  const cl::NDRange items =
      multiplies() ? cl::NDRange(laters / kMatrixTile * kWarp, tiles) : cl::NDRange(laters, end - begin);
  queue_.enqueueNDRangeKernel(count_rows_, cl::NullRange, items, cl::NDRange(kWarp, 1));
}

void EpistasisLane::pack_firsts() {
  constexpr std::size_t kVectors = 4;  // of a site and step
  const std::size_t vectors = question_.steps * kVectors;
  packed_.reserve(sites_.context,
                  checked_mul(checked_mul<std::size_t>(vectors, question_.n_firsts), sizeof(cl_uint4)));
  pack_.setArg(1, sizeof(question_), &question_);
  pack_.setArg(2, question_.first_begin);
  pack_.setArg(3, packed_.buffer());
  find_.setArg(2, packed_.buffer());
  queue_.enqueueNDRangeKernel(pack_, cl::NullRange, cl::NDRange(vectors, question_.n_firsts));
}

// Those of this run.
void EpistasisLane::pack_pairs() {
  const std::size_t pairs =
      std::size_t{question_.first_to - question_.first_from} * (question_.second_to - question_.second_from);
  const std::size_t tiles = ceil_div(pairs, kMatrixTile);
  const std::size_t items = question_.steps * kWarp;  // of a tile
  packed_.reserve(sites_.context,
                  checked_mul(checked_mul(tiles, items), sites_.shape.firsts() * sizeof(cl_uint4)));
  pack_.setArg(1, sizeof(question_), &question_);
  pack_.setArg(2, packed_.buffer());
  find_.setArg(2, packed_.buffer());
  queue_.enqueueNDRangeKernel(pack_, cl::NullRange, cl::NDRange(items, tiles), cl::NDRange(kWarp, 1));
}

// In halves where more pass than the buffers hold. Returns how many pass.
std::size_t EpistasisLane::find(const Pairs& pairs, BestCombinations& best) {
  question_.first_from = pairs.first_from;
  question_.first_to = pairs.first_to;
  question_.second_from = pairs.second_from;
  question_.second_to = pairs.second_to;
  const FoundHead head = run(best.worst());
  if (std::max(head.found, head.candidates) <= question_.capacity) return take(head.found, best), head.found;
  const std::uint32_t firsts = pairs.first_to - pairs.first_from,
                      seconds = pairs.second_to - pairs.second_from;
  if (firsts == 1 && seconds == 1)
    throw DeviceError(fmt::format("the device found more combinations than there are; {}", kDistrust));
  Pairs lower = pairs, upper = pairs;
  if (firsts > 1)
    lower.first_to = upper.first_from = pairs.first_from + firsts / 2;
  else
    lower.second_to = upper.second_from = pairs.second_from + seconds / 2;
  return find(lower, best) + find(upper, best);
}

void EpistasisLane::put_bound(double worst) {
  CostBound bound = cost_bound(sites_.problem, worst);
  if (sites_.shape.by_rest) bound = bound.of_everybody(sites_.problem);
  question_.squares = bound.squares;
  question_.logs = bound.logs;
  question_.people = bound.people;
  question_.excess = bound.excess;
  question_.rest = bound.rest;
  question_.least = bound.least;
  if (sites_.shape.by_rest && sites_.shape.score == EpistasisScore::kK2)
    worst += k2_of_one_cell(sites_.problem.n_people(0), sites_.problem.n_people(1));
  question_.worst = static_cast<cl_float>(worst + sites_.rounding());
}

EpistasisLane::FoundHead EpistasisLane::run(double worst) {
  put_bound(worst);
  queue_.enqueueFillBuffer(found_.buffer(), cl_uint{0}, 0, sizeof(FoundHead));
  cl::Event ran;
  if (multiplies())
    run_multiply(ran);
  else
    run_find(ran);
  FoundHead head{};
  queue_.enqueueReadBuffer(found_.buffer(), CL_TRUE, 0, sizeof(head), &head);
  seconds_ += seconds_of(ran);
  return head;
}

void EpistasisLane::run_find(cl::Event& ran) {
  pack_pairs();
  const std::size_t pairs =
      std::size_t{question_.first_to - question_.first_from} * (question_.second_to - question_.second_from);
  const std::size_t laters = (sites_.n_blocks() - question_.block_begin) * kLanes;
  find_.setArg(1, sizeof(question_), &question_);
  queue_.enqueueNDRangeKernel(find_, cl::NullRange,
                              cl::NDRange(laters, ceil_div(pairs, kPairsOfAGroup) * kPairsOfAGroup),
                              cl::NDRange(kLanes, kPairsOfAGroup), nullptr, &ran);
}

void EpistasisLane::run_multiply(cl::Event& ran) {
  const EpistasisShape& shape = sites_.shape;
  const std::size_t group = shape.warps() * kWarp;
  const std::size_t laters = (sites_.n_blocks() - question_.block_begin) * kLanes;
  const std::size_t second_tiles =
      (question_.second_to - 1) / kMatrixTile - question_.second_from / kMatrixTile + 1;
  const std::size_t firsts = question_.first_to - question_.first_from;
  queue_.enqueueFillBuffer(candidates_.buffer(), cl_uint{0}, 0, sizeof(cl_uint4));
  find_.setArg(1, sizeof(question_), &question_);
  queue_.enqueueNDRangeKernel(find_, cl::NullRange,
                              cl::NDRange(ceil_div(firsts, shape.group_firsts()) * group,
                                          ceil_div<std::size_t>(second_tiles, shape.second_warps) *
                                              ceil_div(laters, shape.group_laters())),
                              cl::NDRange(group, 1), nullptr, &ran);
  score_.setArg(1, sizeof(question_), &question_);
  queue_.enqueueNDRangeKernel(score_, cl::NullRange, cl::NDRange(kScorers));
}

// The exact score of what may be among the best of all that was found.
void EpistasisLane::take(std::size_t n, BestCombinations& best) {
  std::vector<Found> all(n);
  if (n > 0)
    queue_.enqueueReadBuffer(found_.buffer(), CL_TRUE, sizeof(FoundHead), n * sizeof(Found), all.data());
  double limit = std::numeric_limits<double>::infinity();
  if (best.top() < n) {
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(best.top() - 1);
    std::ranges::nth_element(all, last, {}, &Found::cost);
    limit = double{last->cost} + 2 * sites_.rounding();
  }
  for (const Found& one : all) {
    const SiteCombination sites = sites_of(one);
    if (one.cost <= limit) best.offer({scorer_.cost(table_of(one)), sites});
  }
}

SiteCombination EpistasisLane::sites_of(const Found& found) const {
  const bool pairs = sites_.problem.way == 2;
  const bool of_run =
      found.first >= question_.first_from && found.first < question_.first_to &&
      (pairs || (found.second >= question_.second_from && found.second < question_.second_to));
  const bool ascends =
      pairs ? found.first < found.later : found.first < found.second && found.second < found.later;
  if (!of_run || !ascends || found.later >= sites_.problem.n_sites())
    throw DeviceError(fmt::format("the device found a combination that it was not asked for; {}", kDistrust));
  return pairs ? SiteCombination{found.first, found.later, 0}
               : SiteCombination{found.first, found.second, found.later};
}

GenotypeTable EpistasisLane::table_of(const Found& found) const {
  GenotypeTable table;
  std::uint64_t people = 0;
  for (std::size_t cell = 0; cell < sites_.problem.n_cells(); ++cell) {
    table.cells[cell] = found.cells[cell];
    people += std::uint64_t{found.cells[cell][0]} + found.cells[cell][1];
  }
  if (people > sites_.problem.n_people())
    throw DeviceError(fmt::format("the device counted more people than there are; {}", kDistrust));
  return table;
}

}  // namespace fastid
