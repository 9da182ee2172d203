#include "engine/cpu/matrix_queries.hpp"

#include <bit>

namespace fastid {
namespace {

// Sites of a word that count 1 and -1.
struct SignedSites {
  Word plus = 0, minus = 0;
};

SignedSites bits_factor(Comparison comparison, const QueryWords& words) {
  switch (comparison) {
    case Comparison::kIdentity:
      return {words.m & ~words.q, words.q};
    case Comparison::kMixture:
      return {words.q, 0};
    case Comparison::kReverseMixture:
      return {0, words.q};
  }
  return {};
}

// Four of a word's sites as bytes, in the order in which a row of profiles has them.
Word bytes_of(const SignedSites& sites, std::size_t row) {
  constexpr Word kLowBits = 0x01010101, kMinusOne = 0xFF;
  return (sites.plus >> row & kLowBits) | (sites.minus >> row & kLowBits) * kMinusOne;
}

constexpr std::size_t kWordRows = 8;

void write(const SignedSites& sites, Word* to) {
  for (std::size_t row = 0; row < kWordRows; ++row) to[row] = bytes_of(sites, row);
}

std::size_t groups_of(const Problem& problem) {
  return ceil_div<std::size_t>(problem.queries->n_rows(), kMatrixGroup);
}

std::size_t group_size_of(const Problem& problem) {
  const std::size_t groups = groups_of(problem);
  return groups == 0 ? 2 : 2 * ceil_div<std::size_t>(problem.queries->n_rows(), 2 * groups);
}

std::size_t products_of(const Problem& problem) {
  const std::size_t planes = reads_called(kernel_case(problem)) ? 2 : 1;
  return planes * ceil_div<std::size_t>(problem.queries->n_words(), kProductWords);
}

}  // namespace

MatrixQueries::MatrixQueries(const Problem& problem)
    : which_(kernel_case(problem)),
      n_groups_(groups_of(problem)),
      group_size_(group_size_of(problem)),
      n_products_(products_of(problem)),
      bytes_(checked_mul(checked_mul(n_groups_, n_products_), product_bytes()) / sizeof(Word)),
      constants_(n_groups_ * group_size_) {
  for (std::size_t query = 0; query < problem.queries->n_rows(); ++query) fill(problem, query);
}

std::uint64_t MatrixQueries::bytes(const Problem& problem) {
  return std::uint64_t{groups_of(problem)} * products_of(problem) * group_size_of(problem) * kProductSites;
}

void MatrixQueries::fill(const Problem& problem, std::size_t query) {
  const RowView row = problem.queries->row(query);
  const bool counts_called = problem.comparison != Comparison::kMixture;
  const std::size_t product_words = product_bytes() / sizeof(Word);
  Word* const first = bytes_.data() + query / group_size_ * n_products_ * product_words +
                      query % group_size_ * (kProductSites / sizeof(Word));
  for (std::size_t word = 0; word < row.bits.size(); ++word) {
    const QueryWords words = query_words_of(problem.comparison, row.bits[word], row.called[word]);
    Word* const to =
        first + word / kProductWords * n_planes() * product_words + word % kProductWords * kWordRows;
    write(bits_factor(problem.comparison, words), to);
    if (n_planes() == 2)
      write({words.q, 0}, to + product_words);
    else if (counts_called)
      constants_[query] += static_cast<std::uint32_t>(std::popcount(words.q));
  }
}

}  // namespace fastid
