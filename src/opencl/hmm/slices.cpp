#include "opencl/hmm/slices.hpp"

#include <algorithm>

namespace fastid::opencl {
namespace {

constexpr std::uint32_t kMostRowsOfItem = 16, kFewestItems = 8;
constexpr std::size_t kFewPairs = 4096;  // of a length: not worth a program and a launch of their own
constexpr std::uint64_t kBytesOfPair = sizeof(double) + 2 * sizeof(std::uint32_t);  // on the device

/// The haplotypes that neighbouring reads are paired with.
hmm::IndexRange haplotypes_of(const hmm::Groups& groups, hmm::IndexRange reads) {
  return {groups.haplotypes_of(reads.first).first, groups.haplotypes_of(reads.end - 1).end};
}

/// By the rows that a read's work-items take, then by its longest haplotype. \param place  of the read
class Keys {
 public:
  explicit Keys(const hmm::Groups& groups) : groups_(groups) {}

  hmm::LengthKey of(std::uint32_t read, std::size_t place) {
    const HmmShape shape = shape_of(groups_.read(read).size());
    return hmm::length_key(std::size_t{shape.rows} * shape.items, longest(groups_.haplotypes_of(read)),
                           place);
  }

 private:
  /// Reads of a group have the same haplotypes.
  std::size_t longest(hmm::IndexRange haplotypes) {
    if (haplotypes.first == last_.first && haplotypes.end == last_.end) return longest_;
    last_ = haplotypes;
    longest_ = 0;
    for (std::uint32_t i = haplotypes.first; i < haplotypes.end; ++i)
      longest_ = std::max(longest_, groups_.haplotype(i).size());
    return longest_;
  }

  const hmm::Groups& groups_;
  hmm::IndexRange last_;
  std::size_t longest_ = 0;
};

/// From the longest reads down, so that a launch has the shape of its longest. \param keys  sorted
std::vector<HmmLaunch> launches_of(const std::vector<hmm::LengthKey>& keys, const HmmSlice& slice) {
  std::vector<HmmLaunch> launches;
  std::size_t end_pair = slice.pairs;
  for (std::size_t end = keys.size(); end > 0;) {
    const std::size_t rows = hmm::rows_of(keys[end - 1]);
    std::size_t first = end;
    while (first > 0 && hmm::rows_of(keys[first - 1]) == rows) --first;
    const std::size_t first_pair = slice.order[first].first_pair, n = end_pair - first_pair;
    if (!launches.empty() && (n < kFewPairs || launches.back().n < kFewPairs)) {
      launches.back().first = first_pair;
      launches.back().n += n;
    } else {
      launches.push_back({shape_of(rows), first_pair, n});
    }
    end = first;
    end_pair = first_pair;
  }
  return launches;
}

}  // namespace

bool kernel_takes(const hmm::Groups& groups, std::uint32_t read) {
  return groups.read(read).size() <= kMostHmmRows && groups.divisible(read);
}

HmmShape shape_of(std::size_t n) {
  std::uint32_t items = kFewestItems;
  while (n > std::size_t{items} * kMostRowsOfItem) items *= 2;
  return {static_cast<std::uint32_t>((n + items - 1) / items), items};
}

/// Takes the first of the reads that are left; none at the end.
hmm::IndexRange HmmSlices::cut() {
  const std::scoped_lock lock(guard_);
  const auto read_starts = groups_.read_starts(), haplotype_starts = groups_.haplotype_starts();
  hmm::IndexRange reads{left_.first, left_.first};
  std::uint64_t cells = 0;
  for (std::uint32_t end = left_.first + 1; end <= left_.end; ++end) {
    cells += groups_.cells_of(end - 1);
    const hmm::IndexRange next{left_.first, end}, with = haplotypes_of(groups_, next);
    const std::uint64_t bytes = sizeof(hmm::Row) * (read_starts[end] - read_starts[next.first]) +
                                (haplotype_starts[with.end] - haplotype_starts[with.first]) +
                                kBytesOfPair * groups_.n_pairs(next);
    if (reads.size() > 0 && (cells > most_cells_ || bytes > most_bytes_)) break;
    reads = next;
  }
  left_.first = reads.end;
  return reads;
}

bool HmmSlices::next(HmmSlice& slice) {
  slice = {};
  slice.reads = cut();
  if (slice.reads.size() == 0) return false;
  slice.haplotypes = haplotypes_of(groups_, slice.reads);
  std::vector<hmm::LengthKey> keys;
  Keys key(groups_);
  for (std::uint32_t read = slice.reads.first; read < slice.reads.end; ++read)
    if (kernel_takes(groups_, read) && groups_.haplotypes_of(read).size() > 0)
      keys.push_back(key.of(read, read - slice.reads.first));
  for (const std::uint32_t place : hmm::sorted_places(keys)) {
    const std::uint32_t read = slice.reads.first + place;
    const hmm::IndexRange with = groups_.haplotypes_of(read);
    slice.order.push_back({groups_.read_starts()[read] - groups_.read_starts()[slice.reads.first],
                           static_cast<std::uint32_t>(groups_.read(read).size()),
                           with.first - slice.haplotypes.first, with.size(),
                           static_cast<std::uint32_t>(groups_.n_pairs({slice.reads.first, read})),
                           static_cast<std::uint32_t>(slice.pairs)});
    slice.pairs += with.size();
  }
  slice.launches = launches_of(keys, slice);
  return true;
}

}  // namespace fastid::opencl
