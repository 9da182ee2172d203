#include "engine/cpu/lookup_tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bits/popcount.hpp"

namespace fastid::engine {
namespace {

using Entries = std::array<std::uint8_t, kTableBytes>;

// The sites of a word that count if the stored plane's bit is clear, and those that count if it is set.
struct CountedWords {
  Word clear = 0, set = 0;
};

// kernel_case.hpp says what is counted; a bit is 0 where called is 0.
CountedWords counted_words_of(KernelCase which, bool others, const QueryWords& words) {
  switch (which) {
    case KernelCase::kDiffer:
      return {words.q, ~words.q};
    case KernelCase::kDifferQueryMask:
      return {words.q, words.m & ~words.q};
    case KernelCase::kDifferStoredMask:
      return {0, others ? words.q : ~words.q};
    case KernelCase::kDifferBothMasks:
      return {0, others ? words.q : words.m & ~words.q};
    case KernelCase::kMissing:
      return {words.q, 0};
    case KernelCase::kInside:
    case KernelCase::kInsideMasked:
    case KernelCase::kMissingMasked:
      return {0, words.q};
    default:  // the others are counted by their bits
      break;
  }
  return {};
}

std::size_t steps_of(const Problem& problem, const LookupShape& shape) {
  return shape.steps(index_planes(kernel_case(problem)).n(), problem.queries->n_words());
}

std::size_t sets_of(const Problem& problem, const LookupShape& shape) {
  return ceil_div<std::size_t>(problem.queries->n_rows(), shape.queries());
}

// The most that a table may count so that a step's sum fits its nibble. An overflow of the first query's
// nibble would be added to the second query's. An overflow of the second query's is lost, which does no harm.
std::uint8_t most_counted(bool second, std::size_t group, std::size_t step) {
  constexpr std::size_t kNibble = 15;
  const std::size_t most = ceil_div(kNibble, step);
  return static_cast<std::uint8_t>(!second && group % step == 0 ? kNibble - (step - 1) * most : most);
}

// kCounted[a][b][i]: the number of bits of b at which i differs from a.
using Eight = std::array<std::uint8_t, 8>;
constexpr std::array<std::array<Eight, 8>, 8> kCounted = [] {
  std::array<std::array<Eight, 8>, 8> made{};
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = 0; b < 8; ++b)
      for (std::size_t i = 0; i < 8; ++i) made[a][b][i] = static_cast<std::uint8_t>(bits_set((i ^ a) & b));
  return made;
}();

// One query's part of a table: the count for each value of the stored index. `clear` and `set` have no site
// in common. The eight values that differ only in their three low bits are neighbours, and their high bit
// adds the same count, so eight entries are made at once.
Entries entries_of(std::uint8_t clear, std::uint8_t set) {
  const std::uint8_t counts = clear | set;
  const auto low = std::bit_cast<std::uint64_t>(kCounted[clear % 8][counts % 8]);
  const Eight& high = kCounted[clear / 8][counts / 8];
  Entries made;
  for (std::size_t i = 0; i < kTableBytes / 8; ++i) {
    const std::uint64_t eight = low + high[i] * 0x0101010101010101;
    std::memcpy(made.data() + i * 8, &eight, sizeof eight);
  }
  return made;
}

// Puts a query's counts into its nibbles.
void add_entries(const Entries& counts, bool second, std::uint8_t* table) {
  for (std::size_t i = 0; i < kTableBytes; i += 8) {
    std::uint64_t have = 0, more = 0;
    std::memcpy(&have, table + i, sizeof have);
    std::memcpy(&more, counts.data() + i, sizeof more);
    have |= second ? more << 4 : more;
    std::memcpy(table + i, &have, sizeof have);
  }
}

}  // namespace

IndexPlanes index_planes(KernelCase which) {
  switch (which) {
    case KernelCase::kDifferStoredMask:
    case KernelCase::kDifferBothMasks:
      return {true, true};
    case KernelCase::kMissingMasked:
      return {false, true};
    default:
      return {true, false};
  }
}

std::vector<std::uint8_t> row_index(std::span<const Word> words) {
  std::vector<std::uint8_t> index;
  for (const Word word : words)
    for (std::size_t shift = 0; shift < kWordBits; shift += kGroupSites)
      index.push_back(static_cast<std::uint8_t>(word >> shift & (kTableBytes - 1)));
  return index;
}

std::uint64_t LookupTables::bytes(const Problem& problem, const LookupShape& shape) {
  const std::uint64_t step = shape.step * shape.pairs_a_set * kTableBytes;
  return checked_mul<std::uint64_t>(
      checked_mul<std::uint64_t>(sets_of(problem, shape), steps_of(problem, shape)), step);
}

LookupTables::LookupTables(const Problem& problem, const LookupShape& shape)
    : which_(kernel_case(problem)),
      n_sets_(sets_of(problem, shape)),
      n_steps_(steps_of(problem, shape)),
      step_bytes_(shape.step * shape.pairs_a_set * kTableBytes),
      words_(static_cast<std::size_t>(bytes(problem, shape) / sizeof(Word))) {
  for (std::size_t query = 0; query < problem.queries->n_rows(); ++query) fill(problem, query, shape);
}

void LookupTables::fill(const Problem& problem, std::size_t query, const LookupShape& shape) {
  const RowView row = problem.queries->row(query);
  const IndexPlanes planes = index_planes(which_);
  std::vector<Word> clear(row.bits.size()), set(row.bits.size());
  std::size_t plane = 0;
  for (const bool others : {false, true}) {
    if (!(others ? planes.others : planes.bits)) continue;
    for (std::size_t word = 0; word < row.bits.size(); ++word) {
      const QueryWords words = query_words_of(problem, row, word);
      const CountedWords counted = counted_words_of(which_, others, words);
      clear[word] = counted.clear;
      set[word] = counted.set;
    }
    fill_plane(query, {row_index(clear), row_index(set)}, {plane++, planes.n()}, shape);
  }
}

void LookupTables::fill_plane(std::size_t query, const CountedIndex& counted, const GroupSeries& groups,
                              const LookupShape& shape) {
  const std::size_t place = query % shape.queries();
  const bool second = place % 2 == 1;
  std::uint8_t* const tables = reinterpret_cast<std::uint8_t*>(words_.data()) +
                               query / shape.queries() * n_steps_ * step_bytes_ + place / 2 * kTableBytes;
  const std::size_t span = kSpanWords * kWordGroups;
  const std::size_t span_groups = shape.steps(groups.step, kSpanWords) * shape.step;
  for (std::size_t i = 0; i < counted.set.size(); ++i) {
    const std::size_t group = i / span * span_groups + groups.first + i % span * groups.step;
    const std::uint8_t clear = counted.clear[i], set = counted.set[i];
    Entries counts = entries_of(clear, set);
    // The most that a table may count is at least all of its sites but one, so only one entry can exceed it.
    std::uint8_t& largest = counts[set];
    largest = std::min(largest, most_counted(second, group, shape.step));
    add_entries(counts, second, tables + group * shape.pairs_a_set * kTableBytes);
  }
}

}  // namespace fastid::engine
