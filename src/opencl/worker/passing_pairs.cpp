#include "opencl/worker/passing_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid::opencl {
namespace {

// A pair has the layout of kernels/found.h: PAIR_WORDS words, the first two of which are the row.
static_assert(sizeof(engine::Pair) == 6 * sizeof(cl_uint) &&
              offsetof(engine::Pair, query) == 2 * sizeof(cl_uint) &&
              offsetof(engine::Pair, counts) == 3 * sizeof(cl_uint));

constexpr std::size_t kFirstFetch = 4095;  // least number of pairs that are read together with their total

// The first item of the buffer, as kernels/found.h has it.
struct FoundTotals {
  cl_uint pairs, unused, sound_blocks, rest[3];
};
static_assert(sizeof(FoundTotals) == sizeof(engine::Pair));

}  // namespace

void PassingPairs::start() {
  clear();
  is_clear_ = true;
  n_sound_ = 0;
}

void PassingPairs::clear() {
  queue_.get().enqueueFillBuffer(found_.buffer, cl_uint{0}, 0, sizeof(engine::Pair));
}

// No pair is lost: if there are more pairs than the buffer holds, its contents are dropped and parts are run
// again. A range with more pairs than the device can count is cut before it is run.
void PassingPairs::find(PairKernel& kernel, const engine::Rectangle& pairs, std::vector<engine::Pair>& out) {
  find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
    if (part.pairs() > most_pairs_) return ceil_div(part.pairs(), most_pairs_);
    const std::size_t n = run(kernel, part);
    if (n > found_.capacity) return n / found_.capacity + 1;
    expected_ = n;
    list_.append(queue_, found_.buffer, n, out);
    return 1;
  });
}

// Returns how many pairs there are. The same read, as a rule the only one of a tile, brings as many pairs as
// the last run had.
std::size_t PassingPairs::run(PairKernel& kernel, const engine::Rectangle& pairs) {
  if (!is_clear_) clear();
  is_clear_ = false;
  kernel.compare(queue_.get(), pairs, queue_.compares());
  const std::size_t fast = std::max<std::size_t>(2, queue_.staged_bytes() / sizeof(engine::Pair)) - 1;
  const auto totals = std::bit_cast<FoundTotals>(list_.read_head(
      queue_, found_.buffer,
      std::min({std::max(kFirstFetch, expected_), fast, std::size_t{found_.capacity}, pairs.pairs()})));
  n_sound_ = std::max<std::size_t>(n_sound_, totals.sound_blocks);
  if (totals.pairs > pairs.pairs())
    throw DeviceError(fmt::format("the device found {} pairs among {}; {}", totals.pairs, pairs.pairs(),
                                  engine::kDistrust));
  return totals.pairs;
}

}  // namespace fastid::opencl
