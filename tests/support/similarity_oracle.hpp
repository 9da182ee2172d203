/// \file
/// Products of vectors and values of their combinations, one element after the other, with no code of src/ in
/// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/rectangle.hpp"
#include "engine/similarity_metric.hpp"
#include "support/cohort.hpp"

namespace fastid::testing {

/// Vectors of numbers, or of bits as 0 and 1, and all their products.
class TrueProducts {
 public:
  /// \param values  [vector][element] \param in_float  sums are rounded as float, not as double
  TrueProducts(std::uint32_t n, std::size_t elements, std::vector<double> values, bool in_float)
      : n_(n), elements_(elements), values_(std::move(values)), in_float_(in_float) {}

  std::uint32_t n() const { return n_; }
  /// \param pivot  a third vector
  double product(std::optional<std::uint32_t> pivot, std::uint32_t u, std::uint32_t v) const {
    float narrow = 0;
    double wide = 0;
    for (std::size_t q = 0; q < elements_; ++q) {
      double least = std::min(values_[u * elements_ + q], values_[v * elements_ + q]);
      if (pivot) least = std::min(least, values_[*pivot * elements_ + q]);
      narrow += static_cast<float>(least);
      wide += least;
    }
    return in_float_ ? narrow : wide;
  }
  double sum(std::uint32_t u) const { return product(std::nullopt, u, u); }

  /// Those of a rectangle, [row][column].
  std::vector<double> of(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs) const {
    std::vector<double>& all = made_[pivot];
    if (all.empty()) {
      all.resize(std::size_t{n_} * n_);
      for (std::uint32_t u = 0; u < n_; ++u)
        for (std::uint32_t v = 0; v <= u; ++v)
          all[std::size_t{u} * n_ + v] = all[std::size_t{v} * n_ + u] = product(pivot, u, v);
    }
    std::vector<double> some;
    for (std::size_t u = pairs.row_begin; u < pairs.row_end; ++u)
      for (std::size_t v = pairs.column_begin; v < pairs.column_end; ++v) some.push_back(all[u * n_ + v]);
    return some;
  }

 private:
  std::uint32_t n_;
  std::size_t elements_;
  std::vector<double> values_;
  bool in_float_;
  mutable std::map<std::optional<std::uint32_t>, std::vector<double>> made_;
};

/// The members of a combination: two vectors or three, ascending.
using TrueMembers = std::vector<std::uint32_t>;

/// All combinations of n vectors, in the order of the last member, then of the one before it.
inline std::vector<TrueMembers> true_combinations(std::uint32_t n, std::size_t way) {
  std::vector<TrueMembers> all;
  for (std::uint32_t last = 0; last < n; ++last)
    for (std::uint32_t second = 0; second < last; ++second) {
      if (way == 2) all.push_back({second, last});
      for (std::uint32_t first = 0; way == 3 && first < second; ++first) all.push_back({first, second, last});
    }
  return all;
}

/// The proportional similarity of a combination. \param product  of some of its members, one or more
template <class Product>
double true_proportion(const TrueMembers& of, const Product& product) {
  const auto some = [&](std::initializer_list<std::size_t> places) {
    TrueMembers members;
    for (const std::size_t place : places) members.push_back(of[place]);
    return product(members);
  };
  double all = 0;
  for (std::size_t i = 0; i < of.size(); ++i) all += some({i});
  if (all == 0) return 0;
  if (of.size() == 2) return 2 * some({0, 1}) / all;
  return 1.5 * (some({0, 1}) + some({0, 2}) + some({1, 2}) - some({0, 1, 2})) / all;
}

/// The values of all combinations of a cohort's sites, of CCC one for each choice of alleles.
class TrueSimilarity {
 public:
  TrueSimilarity(const Cohort& cohort, engine::SimilarityMetric metric) : cohort_(cohort), metric_(metric) {}

  std::vector<double> values(std::size_t way) const {
    std::vector<double> values;
    for (const TrueMembers& of : true_combinations(cohort_.n_sites, way)) {
      const std::vector<std::uint32_t> units = common_units(of);
      if (metric_ != engine::SimilarityMetric::kCcc)
        values.push_back(true_proportion(of, [&](const TrueMembers& some) { return least(some, units); }));
      else
        for (std::size_t cell = 0; cell < std::size_t{1} << way; ++cell)
          values.push_back(static_cast<double>(correlation(of, cell, units)));
    }
    return values;
  }

 private:
  int copies(std::uint32_t site, std::uint32_t unit) const { return cohort_.copies[site][unit]; }

  std::vector<std::uint32_t> common_units(const TrueMembers& of) const {
    std::vector<std::uint32_t> units;
    for (std::uint32_t unit = 0; unit < cohort_.units; ++unit)
      if (std::ranges::all_of(of, [&](std::uint32_t site) { return copies(site, unit) != kMissing; }))
        units.push_back(unit);
    return units;
  }

  double least(const TrueMembers& of, const std::vector<std::uint32_t>& units) const {
    int sum = 0;
    for (const std::uint32_t unit : units) {
      int least = metric_ == engine::SimilarityMetric::kSorensen ? 1 : 2;
      for (const std::uint32_t site : of) least = std::min(least, copies(site, unit));
      sum += least;
    }
    return sum;
  }

  /// \param cell  its highest bit stands for the first member's minor allele, and so on
  long double correlation(const TrueMembers& of, std::size_t cell,
                          const std::vector<std::uint32_t>& units) const {
    const auto chosen = [&](std::size_t member, std::uint32_t unit) {
      const int minor = copies(of[member], unit);
      return (cell >> (of.size() - 1 - member) & 1) != 0 ? minor : 2 - minor;
    };
    long double share = 0;
    for (const std::uint32_t unit : units) {
      long double of_unit = 1;
      for (std::size_t member = 0; member < of.size(); ++member) of_unit *= chosen(member, unit) / 2.0L;
      share += of_unit;
    }
    long double value = units.empty() ? 0 : 4.5L * share / static_cast<long double>(units.size());
    for (std::size_t member = 0; member < of.size(); ++member) {
      const std::vector<std::uint32_t> own = common_units({of[member]});
      long double alleles = 0;
      for (const std::uint32_t unit : own) alleles += chosen(member, unit);
      value *= 1 - (own.empty() ? 0 : alleles / (2.0L * static_cast<long double>(own.size()))) * 2 / 3;
    }
    return value;
  }

  const Cohort& cohort_;
  engine::SimilarityMetric metric_;
};

}  // namespace fastid::testing
