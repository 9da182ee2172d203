#include "opencl/worker/passing_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid {
namespace {

// A pair has the layout of kernels/thresholds.h: PAIR_WORDS words, the first two of which are the row.
static_assert(sizeof(Pair) == 6 * sizeof(cl_uint) && offsetof(Pair, query) == 2 * sizeof(cl_uint) &&
              offsetof(Pair, counts) == 3 * sizeof(cl_uint));

constexpr std::size_t kFirstFetch = 4095;  // least number of pairs that are read together with their total

// Cuts `range` along its longer side into at least two parts, about `pieces` if that side is long enough. A
// range of a single pair must not be cut.
std::vector<PairRange> cut(const PairRange& range, std::size_t pieces) {
  const bool by_profile = range.profiles() >= range.queries();
  const std::size_t length = by_profile ? range.profiles() : range.queries();
  const std::size_t step = std::max<std::size_t>(1, length / std::max<std::size_t>(2, pieces));
  std::vector<PairRange> parts;
  for (std::size_t at = 0; at < length; at += step) {
    const std::size_t end = std::min(length, at + step);
    PairRange part = range;
    (by_profile ? part.first_profile : part.first_query) += at;
    (by_profile ? part.end_profile : part.end_query) =
        (by_profile ? range.first_profile : range.first_query) + end;
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

void PassingPairs::start() {
  clear();
  is_clear_ = true;
  n_sound_ = 0;
}

void PassingPairs::clear() {
  queue_.get().enqueueFillBuffer(found_.buffer, cl_uint{0}, 0, sizeof(Pair));
}

// No pair is lost: if there are more pairs than the buffer holds, its contents are dropped and parts of the
// range are run again. A range with more pairs than the device can count is cut before it is run.
void PassingPairs::find(PairKernel& kernel, const PairRange& range, std::vector<Pair>& out) {
  std::size_t pieces = ceil_div(range.pairs(), most_pairs_);
  if (pieces <= 1) {
    const std::size_t n = run(kernel, range);
    if (n <= found_.capacity) {
      const std::size_t here = std::min(n, head_.size() - 1), before = out.size();
      expected_ = n;
      out.resize(before + n);
      std::copy_n(head_.begin() + 1, here, out.begin() + static_cast<std::ptrdiff_t>(before));
      if (here < n) read(1 + here, n - here, out.data() + before + here);
      return;
    }
    pieces = n / found_.capacity + 1;
  }
  for (const PairRange& part : cut(range, pieces)) find(kernel, part, out);
}

// Returns how many pairs there are. The same read, as a rule the only one of a tile, brings as many pairs as
// the last run had.
std::size_t PassingPairs::run(PairKernel& kernel, const PairRange& range) {
  if (!is_clear_) clear();
  is_clear_ = false;
  kernel.compare(queue_.get(), range, queue_.compares());
  const std::size_t fast = std::max<std::size_t>(2, queue_.staged_bytes() / sizeof(Pair)) - 1;
  head_.resize(
      1 + std::min({std::max(kFirstFetch, expected_), fast, std::size_t{found_.capacity}, range.pairs()}));
  read(0, head_.size(), head_.data());
  n_sound_ = std::max<std::size_t>(n_sound_, head_.front().query);
  const std::uint64_t n = head_.front().row;  // the totals, as kernels/thresholds.h has them
  if (n > range.pairs())
    throw DeviceError(fmt::format("the device found {} pairs among {}; {}", n, range.pairs(), kDistrust));
  return static_cast<std::size_t>(n);
}

void PassingPairs::read(std::size_t first, std::size_t n, Pair* to) {
  queue_.read(found_.buffer, first * sizeof(Pair), n * sizeof(Pair), to);
}

}  // namespace fastid
