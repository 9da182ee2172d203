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
CountedWords counted_words_of(KernelCase which, IndexPlane plane, const QueryWords& words) {
  const bool others = plane == IndexPlane::kOthers;
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
    default:  // by both alleles
      break;
  }
  return {};
}

std::size_t steps_of(const Problem& problem, const LookupShape& shape) {
  return shape.steps(index_planes(kernel_case(problem)), problem.queries->n_words());
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

// The same by both alleles, for each code of two sites of a query.
using EntriesOfPairs = std::array<Entries, kPairCodes>;
constexpr EntriesOfPairs entries_of_pairs(Comparison comparison) {
  constexpr auto minor = [](Word code) { return code >> 2; };
  constexpr auto major = [](Word code) { return code & 3; };
  const Terms terms = terms_of(comparison, Encoding::kAlleles);
  EntriesOfPairs made{};
  for (Word query = 0; query < kPairCodes; ++query)
    for (Word stored = 0; stored < kPairCodes; ++stored)
      for (const Term& term : terms.counted())
        made[query][stored] += static_cast<std::uint8_t>(
            term.weight *
            bits_set(counted_sites(term, minor(query), major(query), minor(query) | major(query),
                                   minor(stored), major(stored), minor(stored) | major(stored))));
  return made;
}
constexpr std::array<EntriesOfPairs, kComparisons> kEntriesOfPairs = [] {
  std::array<EntriesOfPairs, kComparisons> made{};
  for (std::size_t i = 0; i < kComparisons; ++i) made[i] = entries_of_pairs(static_cast<Comparison>(i));
  return made;
}();

// Puts a query's counts, each at most `most`, into its nibbles.
void add_entries(Entries counts, std::uint8_t most, bool second, std::uint8_t* table) {
  for (std::uint8_t& count : counts) count = std::min(count, most);
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
  using enum IndexPlane;
  if (counts_both_alleles(which)) return {.plane = {kFirstPairs, kLastPairs}, .n = 2, .span_words = 6};
  switch (which) {
    case KernelCase::kDifferStoredMask:
    case KernelCase::kDifferBothMasks:
      return {.plane = {kBits, kOthers}, .n = 2};
    case KernelCase::kMissingMasked:
      return {.plane = {kOthers}};
    default:
      return {.plane = {kBits}};
  }
}

std::vector<std::uint8_t> row_index(std::span<const Word> words) {
  std::vector<std::uint8_t> index;
  for (const Word word : words)
    for (std::size_t shift = 0; shift < kWordBits; shift += kIndexBits)
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
      planes_(index_planes(which_)),
      n_sets_(sets_of(problem, shape)),
      n_steps_(steps_of(problem, shape)),
      step_bytes_(shape.step * shape.pairs_a_set * kTableBytes),
      words_(static_cast<std::size_t>(bytes(problem, shape) / sizeof(Word))) {
  for (std::size_t query = 0; query < problem.queries->n_rows(); ++query) fill(problem, query, shape);
}

void LookupTables::fill(const Problem& problem, std::size_t query, const LookupShape& shape) {
  const RowView row = problem.queries->row(query);
  const std::size_t n_words = row.bits.size(), n_groups = n_words * kWordGroups;
  std::vector<Word> clear(n_words), set(n_words);
  for (std::size_t i = 0; i < planes_.n; ++i) {
    const IndexPlane plane = planes_.plane[i];
    for (std::size_t word = 0; word < n_words; ++word) {
      const QueryWords words = query_words_of(problem, row, word);
      const CountedWords counted = counts_both_alleles(which_)
                                       ? CountedWords{0, index_word(plane, words.q, words.m)}
                                       : counted_words_of(which_, plane, words);
      clear[word] = counted.clear;
      set[word] = counted.set;
    }
    const std::vector<std::uint8_t> clear_index = row_index(clear), set_index = row_index(set);
    if (counts_both_alleles(which_))
      fill_plane(query, i, n_groups, shape, [&](std::size_t group) {
        return kEntriesOfPairs[static_cast<std::size_t>(question_of(which_))][set_index[group]];
      });
    else
      fill_plane(query, i, n_groups, shape,
                 [&](std::size_t group) { return entries_of(clear_index[group], set_index[group]); });
  }
}

template <class CountsOf>
void LookupTables::fill_plane(std::size_t query, std::size_t plane, std::size_t n_groups,
                              const LookupShape& shape, const CountsOf& counts_of) {
  const std::size_t place = query % shape.queries();
  const bool second = place % 2 == 1;
  std::uint8_t* const tables = reinterpret_cast<std::uint8_t*>(words_.data()) +
                               query / shape.queries() * n_steps_ * step_bytes_ + place / 2 * kTableBytes;
  const std::size_t span = planes_.span_words * kWordGroups;
  const std::size_t span_groups = shape.steps(planes_, planes_.span_words) * shape.step;
  for (std::size_t i = 0; i < n_groups; ++i) {
    const std::size_t group = i / span * span_groups + plane + i % span * planes_.n;
    add_entries(counts_of(i), most_counted(second, group, shape.step), second,
                tables + group * shape.pairs_a_set * kTableBytes);
  }
}

}  // namespace fastid::engine
