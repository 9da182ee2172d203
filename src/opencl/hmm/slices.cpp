#include "opencl/hmm/slices.hpp"

#include <algorithm>
#include <tuple>

namespace fastid {
namespace {

constexpr std::uint32_t kMostRowsOfItem = 16, kFewestItems = 8;
constexpr std::size_t kFewPairs = 4096;  // of a length: not worth a program and a launch of their own

std::size_t rows_of(const hmm::Pairs& pairs, std::uint32_t pair) {
  return pairs.read(pairs.pairs()[pair].read).size();
}

std::size_t columns_of(const hmm::Pairs& pairs, std::uint32_t pair) {
  return pairs.haplotype(pairs.pairs()[pair].haplotype).size();
}

bool takes(const hmm::Pairs& pairs, std::uint32_t pair) {
  return rows_of(pairs, pair) <= kMostHmmRows && pairs.divisible(pairs.pairs()[pair].read);
}

void sort_by_length(const hmm::Pairs& pairs, std::vector<std::uint32_t>& order) {
  const auto length = [&](std::uint32_t i) {
    const HmmShape shape = shape_of(rows_of(pairs, i));
    return std::tuple(shape.items * shape.rows, columns_of(pairs, i), i);
  };
  if (!std::ranges::is_sorted(order, {}, length)) std::ranges::sort(order, {}, length);
}

/// From the longest reads down, so that a launch has the shape of its longest.
std::vector<HmmLaunch> launches_of(const hmm::Pairs& pairs, const std::vector<std::uint32_t>& order) {
  std::vector<HmmLaunch> launches;
  for (std::size_t end = order.size(); end > 0;) {
    const HmmShape shape = shape_of(rows_of(pairs, order[end - 1]));
    std::size_t first = end;
    while (first > 0 && shape_of(rows_of(pairs, order[first - 1])) == shape) --first;
    if (!launches.empty() && (end - first < kFewPairs || launches.back().n < kFewPairs)) {
      launches.back().first = first;
      launches.back().n += end - first;
    } else {
      launches.push_back({shape, first, end - first});
    }
    end = first;
  }
  return launches;
}

}  // namespace

HmmShape shape_of(std::size_t n) {
  std::uint32_t items = kFewestItems;
  while (n > std::size_t{items} * kMostRowsOfItem) items *= 2;
  return {static_cast<std::uint32_t>((n + items - 1) / items), items};
}

bool HmmSlices::next(HmmSlice& slice) {
  slice = {};
  const auto all = pairs_.pairs();
  std::uint64_t cells = 0;
  for (; at_ < all.size(); ++at_) {
    if (!takes(pairs_, at_)) continue;
    const hmm::Pair pair = all[at_];
    HmmSlice wider = {std::min(slice.first_read, pair.read), std::max(slice.end_read, pair.read + 1),
                      std::min(slice.first_haplotype, pair.haplotype),
                      std::max(slice.end_haplotype, pair.haplotype + 1)};
    if (slice.order.empty()) wider = {pair.read, pair.read + 1, pair.haplotype, pair.haplotype + 1};
    const std::uint64_t bytes =
        sizeof(hmm::Row) * (pairs_.read_starts()[wider.end_read] - pairs_.read_starts()[wider.first_read]) +
        pairs_.haplotype_starts()[wider.end_haplotype] - pairs_.haplotype_starts()[wider.first_haplotype];
    cells += std::uint64_t{rows_of(pairs_, at_)} * columns_of(pairs_, at_);
    if (!slice.order.empty() && (cells > most_cells_ || bytes > most_bytes_)) break;
    slice.first_read = wider.first_read;
    slice.end_read = wider.end_read;
    slice.first_haplotype = wider.first_haplotype;
    slice.end_haplotype = wider.end_haplotype;
    slice.order.push_back(at_);
  }
  if (slice.order.empty()) return false;
  sort_by_length(pairs_, slice.order);
  slice.launches = launches_of(pairs_, slice.order);
  slice.pairs.reserve(slice.order.size());
  for (const std::uint32_t i : slice.order)
    slice.pairs.push_back({all[i].read - slice.first_read, all[i].haplotype - slice.first_haplotype});
  return true;
}

}  // namespace fastid
