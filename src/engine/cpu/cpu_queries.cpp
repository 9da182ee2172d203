#include "engine/cpu/cpu_queries.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fastid::engine {
namespace {

// Groups of kMaxGroup queries, then one of the least width that holds the rest.
std::vector<QueryGroup> cut_groups(KernelCase which, std::size_t n_queries, std::size_t n_words) {
  std::vector<QueryGroup> groups;
  std::size_t words = 0;
  for (std::size_t first = 0; first < n_queries;) {
    const std::size_t size = std::min(n_queries - first, kMaxGroup);
    const std::size_t width = std::bit_ceil(size);
    groups.push_back({first, size, width, words});
    words = checked_add(words, checked_mul(n_words, width * counted_words(which)));
    first += size;
  }
  return groups;
}

std::size_t words_of(std::span<const QueryGroup> groups, KernelCase which, std::size_t n_words) {
  if (groups.empty()) return 0;
  return groups.back().words + n_words * groups.back().width * counted_words(which);
}

std::uint32_t countable(std::uint64_t most_count) {
  constexpr std::uint32_t kMost = std::uint32_t{1} << 30;
  if (most_count > kMost) throw Failure("the panel has more sites than the native engine can count");
  return static_cast<std::uint32_t>(most_count);
}

/// A query without sites in a word counts none there, whatever profiles have: cases that do not read queries'
/// called sites are of queries that have them all.
std::size_t last_asked_word(const ProfileRows& queries) {
  std::size_t n = 0;
  for (std::size_t q = 0; q < queries.n_rows(); ++q) {
    const std::span<const Word> called = queries.row(q).called;
    std::size_t own = called.size();
    while (own > n && called[own - 1] == 0) --own;
    n = std::max(n, own);
  }
  return n;
}

}  // namespace

PackedQueries::PackedQueries(const Problem& problem)
    : which_(kernel_case(problem)),
      asked_words_(last_asked_word(*problem.queries)),
      most_(countable(most_count(problem))),
      groups_(cut_groups(which_, problem.queries->n_rows(), problem.queries->n_words())),
      words_(words_of(groups_, which_, problem.queries->n_words())) {
  denominators_.reserve(problem.queries->n_rows());
  for (const QueryGroup& group : groups_)
    for (std::size_t i = 0; i < group.size; ++i) pack(problem, group.first + i, group);
}

void PackedQueries::pack(const Problem& problem, std::size_t query, const QueryGroup& group) {
  const RowView row = problem.queries->row(query);
  const PlaneList planes = counts_both_alleles(which_) ? planes_of(which_, true) : PlaneList{};
  Word* to = words_.data() + group.words + (query - group.first);
  for (std::size_t word = 0; word < row.bits.size(); ++word, to += group.width * counted_words(which_)) {
    const QueryWords words = query_words_of(problem, row, word);
    for (std::size_t i = 0; i < planes.n; ++i)
      to[i * group.width] = word_of(planes.planes[i], words.q, words.m, words.q | words.m);
    if (planes.n > 0) continue;
    to[0] = words.q;
    if (counted_words(which_) == 2) to[group.width] = words.m;
  }
  denominators_.push_back(most_denominator(problem, row));
}

GroupThresholds PackedQueries::group_thresholds(const QueryGroup& group,
                                                std::span<const Threshold> thresholds) const {
  // Each rounding (of the ratio, a denominator, the offset, their product and sum, `least`) has a relative
  // error of at most 2^-24.
  constexpr float kMargin = 1 + 1e-6F;
  GroupThresholds made;
  for (std::size_t i = 0; i < group.size; ++i) {
    const Threshold& threshold = thresholds[group.first + i];
    const std::uint32_t limit = limit_of(threshold, denominators_[group.first + i], most_);
    made.start[i] = -static_cast<std::int32_t>(limit);
    made.least[i] = kMargin * static_cast<float>(made.start[i]);
    const bool open = threshold.den == 0 || threshold.offset >= std::int64_t{threshold.den} * most_;
    const double ratio = open ? 0 : double{1} * threshold.num / threshold.den;
    const double offset = open ? most_ : static_cast<double>(threshold.offset) / threshold.den;
    made.ratio[i] = kMargin * static_cast<float>(ratio);
    // A ratio's product may be as large as the offset, and cancel it.
    const double margin = threshold.offset == 0 ? 0 : 1e-6 * std::abs(offset);
    made.beyond[i] = static_cast<float>(-(offset + margin + 1));
  }
  return made;
}

}  // namespace fastid::engine
