#include "engine/cpu_queries.hpp"

#include <algorithm>
#include <bit>

namespace fastid {
namespace {

std::uint32_t bits_set(std::span<const Word> words) {
  std::uint32_t bits = 0;
  for (const Word word : words) bits += static_cast<std::uint32_t>(std::popcount(word));
  return bits;
}

// Groups as wide as the case allows, then one of the narrowest width that holds the rest.
std::vector<QueryGroup> cut_groups(KernelCase which, std::size_t n_queries, std::size_t n_words) {
  std::vector<QueryGroup> groups;
  std::size_t words = 0;
  for (std::size_t first = 0; first < n_queries;) {
    const std::size_t size = std::min(n_queries - first, max_group(which));
    const std::size_t width = std::bit_ceil(size);
    groups.push_back({first, size, width, words});
    words = checked_add(words, checked_mul(n_words, width * query_words(which)));
    first += size;
  }
  return groups;
}

std::size_t words_of(std::span<const QueryGroup> groups, KernelCase which, std::size_t n_words) {
  if (groups.empty()) return 0;
  return groups.back().words + n_words * groups.back().width * query_words(which);
}

// The largest count that passes `bar` with this weight, plus one.
std::uint32_t limit_of(const Bar& bar, std::uint32_t weight) {
  std::uint64_t most = bar.max_count;
  if (bar.den > 0) most = std::min(most, std::uint64_t{bar.num} * std::max(weight, 1u) / bar.den);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, UINT32_MAX - 1) + 1);
}

// count * den <= num * max(weight, 1) in single precision, never stricter than the exact rule: each of its
// five roundings (the two counts, this ratio and its margin, the product) errs by at most 2^-24 of the value.
// At weight 0 the count is 0 and passes both; an open bar's ratio is large but finite, so that 0 times it is
// 0.
float ratio_of(const Bar& bar) {
  constexpr double kMargin = 1 + 1e-6;
  return bar.den == 0 ? GroupBars::kOpenRatio : static_cast<float>(kMargin * bar.num / bar.den);
}

}  // namespace

KernelCase kernel_case(const Problem& problem) {
  const bool query_mask = !problem.queries->all_called();
  switch (problem.comparison) {
    case Comparison::kIdentity:
      if (problem.has_called)
        return query_mask ? KernelCase::kDifferBothMasks : KernelCase::kDifferStoredMask;
      return query_mask ? KernelCase::kDifferQueryMask : KernelCase::kDiffer;
    case Comparison::kMixture:
      return query_mask ? KernelCase::kInsideMasked : KernelCase::kInside;
    case Comparison::kReverseMixture:
      return problem.has_called ? KernelCase::kMissingMasked : KernelCase::kMissing;
  }
  throw Failure("an unknown comparison");
}

PackedQueries::PackedQueries(const Problem& problem)
    : which_(kernel_case(problem)),
      groups_(cut_groups(which_, problem.queries->n_rows(), problem.queries->n_words())),
      words_(words_of(groups_, which_, problem.queries->n_words())) {
  weights_.reserve(problem.queries->n_rows());
  for (const QueryGroup& group : groups_)
    for (std::size_t i = 0; i < group.size; ++i) pack(problem, group.first + i, group);
}

void PackedQueries::pack(const Problem& problem, std::size_t query, const QueryGroup& group) {
  const RowView row = problem.queries->row(query);
  const bool mixture = problem.comparison == Comparison::kMixture;
  Word* to = words_.data() + group.words + (query - group.first);
  for (std::size_t word = 0; word < row.bits.size(); ++word) {
    *to = mixture ? row.called[word] & ~row.bits[word] : row.bits[word];
    to += group.width;
    if (query_words(which_) == 1) continue;
    *to = row.called[word];
    to += group.width;
  }
  weights_.push_back(bits_set(problem.comparison == Comparison::kIdentity ? row.called : row.bits));
}

GroupBars PackedQueries::group_bars(const QueryGroup& group, std::span<const Bar> bars) const {
  const bool by_query = weight_source(which_) == WeightOf::kQuery;
  GroupBars made;
  for (std::size_t i = 0; i < group.size; ++i) {
    Bar bar = bars[group.first + i];
    made.ratio[i] = ratio_of(bar);
    if (!by_query) bar.den = 0;  // the share is tested by itself
    made.limit[i] = limit_of(bar, weights_[group.first + i]);
  }
  return made;
}

}  // namespace fastid
