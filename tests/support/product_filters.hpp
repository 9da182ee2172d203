/// \file
/// Filters of products with random limits, and what passes them by their definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include "engine/similarity.hpp"
#include "support/similarity_oracle.hpp"

namespace fastid::testing {

using Pivots = std::vector<std::optional<std::uint32_t>>;

class RandomFilters {
 public:
  /// \param share  of the pairs, that passes
  RandomFilters(const TrueProducts& truth, const engine::Rectangle& pairs, const Pivots& pivots, double share)
      : pairs_(pairs), without_(truth.of(std::nullopt, pairs)) {
    for (std::size_t i = 0; i < pairs.rows(); ++i) rows_.push_back(without_.data() + i * pairs.columns());
    for (const auto& pivot : pivots) {
      with_.push_back(truth.of(pivot, pairs));
      const Limits& row = make(truth, pairs.row_begin, pairs.row_end);
      const Limits& column = make(truth, pairs.column_begin, pairs.column_end);
      const std::span<const double* const> rows(rows_);
      filters_.push_back({pivot, row.get(), column.get(), rows.first(pivot ? rows.size() : 0)});
    }
    let_pass(share);
  }

  std::span<const engine::ProductFilter> get() const { return filters_; }

  /// In the order of filter, row and column.
  std::vector<engine::FoundProduct> passing() const {
    std::vector<engine::FoundProduct> passing;
    for_each_wanted([&](const engine::FoundProduct& one) {
      if (passes(one)) passing.push_back(one);
    });
    return passing;
  }

  /// What an engine finds, checked, less what does not pass, in the same order; empty where it says that too
  /// many pass.
  std::vector<engine::FoundProduct> found_by(const engine::SimilarityEngine& engine) const {
    std::vector<engine::FoundProduct> found =
        engine.find(pairs_, filters_).value_or(std::vector<engine::FoundProduct>());
    for (const engine::FoundProduct& one : found) {
      EXPECT_LT(one.column, one.row);
      EXPECT_LT(one.row, filters_[one.filter].pivot.value_or(pairs_.row_end));
      EXPECT_EQ(one.product, with_[one.filter][at(one.row, one.column)]);
    }
    std::erase_if(found, [&](const engine::FoundProduct& one) { return !passes(one); });
    std::ranges::sort(found, {}, [](const engine::FoundProduct& one) {
      return std::tuple(one.filter, one.row, one.column);
    });
    return found;
  }

 private:
  struct Limits {
    std::vector<double> least, sum, there;
    engine::ProductLimits get() const { return {least, sum, there}; }
  };

  const Limits& make(const TrueProducts& truth, std::uint32_t begin, std::uint32_t end) {
    Limits& made = limits_.emplace_back();
    std::uniform_real_distribution<double> some(0.9, 1.1);
    for (std::uint32_t vector = begin; vector < end; ++vector) {
      made.least.push_back(some(random_));
      made.sum.push_back(truth.sum(vector) * some(random_));
      made.there.push_back(0.1 * truth.sum(vector) * some(random_));
    }
    return made;
  }

  /// Sets the limits so that a share of the pairs passes.
  void let_pass(double share) {
    std::vector<double> reached;  // of what is needed now
    for_each_wanted([&](const engine::FoundProduct& one) {
      const auto [filter, i, j] = places(one);
      const double has = filter.pairs.empty() ? one.product : filter.pairs[i][j] - one.product;
      reached.push_back((has + filter.row.there[i] + filter.column.there[j]) /
                        (std::min(filter.row.least[i], filter.column.least[j]) *
                         (filter.row.sum[i] + filter.column.sum[j])));
    });
    std::ranges::sort(reached, std::greater<>());
    const double wanted = reached.at(static_cast<std::size_t>(share * static_cast<double>(reached.size())));
    for (Limits& limits : limits_)
      for (double& least : limits.least) least *= wanted;
  }

  template <class Take>
  void for_each_wanted(const Take& take) const {
    for (std::uint32_t f = 0; f < filters_.size(); ++f) {
      const std::uint32_t row_end = std::min(pairs_.row_end, filters_[f].pivot.value_or(pairs_.row_end));
      for (std::uint32_t row = pairs_.row_begin; row < row_end; ++row)
        for (std::uint32_t column = pairs_.column_begin; column < std::min(row, pairs_.column_end); ++column)
          take({f, row, column, with_[f][at(row, column)]});
    }
  }

  std::size_t at(std::uint32_t row, std::uint32_t column) const {
    return (row - pairs_.row_begin) * pairs_.columns() + (column - pairs_.column_begin);
  }
  std::tuple<const engine::ProductFilter&, std::size_t, std::size_t> places(
      const engine::FoundProduct& one) const {
    return {filters_[one.filter], one.row - pairs_.row_begin, one.column - pairs_.column_begin};
  }
  bool passes(const engine::FoundProduct& one) const {
    const auto [filter, i, j] = places(one);
    const double has = filter.pairs.empty() ? one.product : filter.pairs[i][j] - one.product;
    return has + filter.row.there[i] + filter.column.there[j] >=
           std::min(filter.row.least[i], filter.column.least[j]) * (filter.row.sum[i] + filter.column.sum[j]);
  }

  engine::Rectangle pairs_;
  std::vector<double> without_;
  std::vector<const double*> rows_;
  std::vector<std::vector<double>> with_;  ///< of each filter
  std::deque<Limits> limits_;
  std::vector<engine::ProductFilter> filters_;
  std::minstd_rand random_{1};
};

/// Checks that an engine finds every pair that passes, with and without pivots, of which some are among the
/// rows, and that it says where too many do.
inline void check_that_it_finds(const engine::SimilarityEngine& engine, const TrueProducts& truth) {
  const std::uint32_t n = truth.n();
  // The second and third have the products without a pivot that were made for the first.
  for (const engine::Rectangle& pairs :
       {engine::Rectangle{20, n / 2, 5, n / 3}, {20, n / 3, 5, n / 3}, {20, n, 5, n}})
    for (const Pivots& pivots : {Pivots{std::nullopt}, {n - 1}, {n - 1, n / 3, 21, n - 2, 10}}) {
      const RandomFilters few(truth, pairs, pivots, .02), many(truth, pairs, pivots, .7);
      const std::vector<engine::FoundProduct> passing = few.passing();
      EXPECT_FALSE(passing.empty());
      EXPECT_LE(passing.size(), engine::SimilarityEngine::most_found(pairs, pivots.size()));
      EXPECT_EQ(few.found_by(engine), passing);
      EXPECT_GT(many.passing().size(), engine::SimilarityEngine::most_found(pairs, pivots.size()));
      EXPECT_FALSE(engine.find(pairs, many.get()).has_value());
    }
}

}  // namespace fastid::testing
