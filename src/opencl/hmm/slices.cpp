#include "opencl/hmm/slices.hpp"

#include <algorithm>
#include <optional>

namespace fastid {
namespace {

constexpr std::uint32_t kMostRowsOfItem = 16, kFewestItems = 8;
constexpr std::size_t kFewPairs = 4096;  // of a length: not worth a program and a launch of their own

/// The key of a pair by the rows that its work-items take; none where the kernel does not take it.
std::optional<hmm::LengthKey> key_of(const hmm::Pairs& pairs, std::uint32_t place) {
  const hmm::Pair pair = pairs.pairs()[place];
  const std::size_t rows = pairs.read(pair.read).size();
  if (rows > kMostHmmRows || !pairs.divisible(pair.read)) return std::nullopt;
  const HmmShape shape = shape_of(rows);
  return hmm::length_key(std::size_t{shape.rows} * shape.items, pairs.haplotype(pair.haplotype).size(),
                         place);
}

/// From the longest reads down, so that a launch has the shape of its longest. \param keys  sorted
std::vector<HmmLaunch> launches_of(const std::vector<hmm::LengthKey>& keys) {
  std::vector<HmmLaunch> launches;
  for (std::size_t end = keys.size(); end > 0;) {
    const std::size_t rows = hmm::rows_of(keys[end - 1]);
    std::size_t first = end;
    while (first > 0 && hmm::rows_of(keys[first - 1]) == rows) --first;
    if (!launches.empty() && (end - first < kFewPairs || launches.back().n < kFewPairs)) {
      launches.back().first = first;
      launches.back().n += end - first;
    } else {
      launches.push_back({shape_of(rows), first, end - first});
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
  const auto bytes_of = [&](const HmmRange& reads, const HmmRange& haplotypes) {
    return sizeof(hmm::Row) * (pairs_.read_starts()[reads.end] - pairs_.read_starts()[reads.first]) +
           pairs_.haplotype_starts()[haplotypes.end] - pairs_.haplotype_starts()[haplotypes.first];
  };
  std::vector<hmm::LengthKey> keys;
  std::uint64_t cells = 0;
  for (; at_ < all.size(); ++at_) {
    const std::optional<hmm::LengthKey> key = key_of(pairs_, at_);
    if (!key) continue;
    const HmmRange reads = slice.reads.with(all[at_].read);
    const HmmRange haplotypes = slice.haplotypes.with(all[at_].haplotype);
    cells += pairs_.cells_of(all[at_]);
    if (!keys.empty() && (cells > most_cells_ || bytes_of(reads, haplotypes) > most_bytes_)) break;
    slice.reads = reads;
    slice.haplotypes = haplotypes;
    keys.push_back(*key);
  }
  if (keys.empty()) return false;
  slice.order = hmm::sorted_places(keys);
  slice.launches = launches_of(keys);
  slice.pairs.reserve(keys.size());
  for (const std::uint32_t i : slice.order)
    slice.pairs.push_back({all[i].read - slice.reads.first, all[i].haplotype - slice.haplotypes.first});
  return true;
}

}  // namespace fastid
