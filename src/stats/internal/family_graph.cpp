#include "stats/internal/family_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace fastid::stats {
namespace {

/// More dependent members need tables of more than 3^12 joint genotypes.
constexpr std::size_t kMostTogether = 12;

std::size_t genotypes_of(std::size_t n_people) {
  std::size_t n = 1;
  while (n_people-- > 0) n *= kGenotypes;
  return n;
}

/// The coefficients of each entry of a factor: [entry][m].
struct Factor {
  std::size_t n_coefficients = 1;
  std::vector<double> values;

  std::span<const double> of(std::size_t entry) const {
    return std::span(values).subspan(entry * n_coefficients, n_coefficients);
  }
};

constexpr std::array<std::array<double, kGenotypes>, kGenotypes> kFounder{{{1, 0, 0}, {0, 2, 0}, {0, 0, 1}}};

Factor founder(const Probabilities& evidence) {
  Factor factor{kGenotypes, {}};
  for (std::size_t g = 0; g < kGenotypes; ++g)
    for (const double coefficient : kFounder[g]) factor.values.push_back(coefficient * evidence[g]);
  return factor;
}

/// Entries [father + 3 mother + 9 child].
Factor child(const Probabilities& evidence) {
  Factor factor{1, {}};
  for (std::size_t g = 0; g < kGenotypes; ++g)
    for (std::size_t m = 0; m < kGenotypes; ++m)
      for (std::size_t f = 0; f < kGenotypes; ++f) {
        const double from_f = static_cast<double>(f) / 2, from_m = static_cast<double>(m) / 2;
        const Probabilities born{(1 - from_f) * (1 - from_m), from_f * (1 - from_m) + (1 - from_f) * from_m,
                                 from_f * from_m};
        factor.values.push_back(born[g] * evidence[g]);
      }
  return factor;
}

/// product = a * b; the spans do not overlap.
void multiply_into(std::span<const double> a, std::span<const double> b, std::vector<double>& product) {
  product.assign(a.size() + b.size() - 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0)
      for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
}

/// Scales by a power of two, so that large families do not underflow. \return the exponent of the power
int scale(std::vector<double>& values) {
  const double largest = values.empty() ? 0 : std::ranges::max(values);
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  for (double& value : values) value = std::scalbn(value, -exponent);
  return exponent;
}

std::string place_of(std::span<const std::string> names, std::size_t member) {
  return names[member].empty() ? fmt::format("member {}", member + 1) : "person " + names[member];
}

/// Checks that nobody has one parent twice, and that nobody is an own ancestor.
void check_parents(std::span<const Parents> members, std::span<const std::string> names,
                   std::string_view source) {
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const auto& parent : {members[i].father, members[i].mother})
      if (parent && *parent >= members.size())
        throw InputError(source, place_of(names, i),
                         fmt::format("its parent, member {}, is not listed", *parent + 1),
                         "list all members");
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].father && members[i].father == members[i].mother)
      throw InputError(source, place_of(names, i), "has one person as father and mother", "name two parents");
  // A member whose parents are all born is born next. Whoever is left over in the end is an own
  // ancestor, or a descendant of one.
  std::vector<bool> born(members.size());
  const auto is_born = [&](const std::optional<std::size_t>& parent) { return !parent || born[*parent]; };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (!born[i] && is_born(members[i].father) && is_born(members[i].mother)) more = born[i] = true;
  }
  const auto first = std::ranges::find(born, false);
  if (first != born.end())
    throw InputError(source, place_of(names, static_cast<std::size_t>(first - born.begin())),
                     "is an own ancestor, or a descendant of one", "correct the parents");
}

/// The factors that are left while people are summed out, and the people that each depends on.
class Scopes {
 public:
  explicit Scopes(std::vector<std::vector<std::size_t>> scopes) : scopes_(std::move(scopes)) {
    for (std::size_t f = 0; f < scopes_.size(); ++f) left_.push_back(f);
  }

  const std::vector<std::size_t>& left() const { return left_; }
  const std::vector<std::size_t>& of(std::size_t factor) const { return scopes_[factor]; }
  std::vector<std::size_t> with(std::size_t person) const {
    std::vector<std::size_t> factors;
    for (const std::size_t f : left_)
      if (std::ranges::find(scopes_[f], person) != scopes_[f].end()) factors.push_back(f);
    return factors;
  }
  /// All people that some factors depend on, ascending, without `but`.
  std::vector<std::size_t> people_of(std::span<const std::size_t> factors, std::size_t but) const {
    std::vector<std::size_t> people;
    for (const std::size_t f : factors) people.insert(people.end(), scopes_[f].begin(), scopes_[f].end());
    std::ranges::sort(people);
    people.erase(std::unique(people.begin(), people.end()), people.end());
    std::erase(people, but);
    return people;
  }
  void replace(std::span<const std::size_t> factors, std::vector<std::size_t> people) {
    std::erase_if(left_, [&](std::size_t f) { return std::ranges::find(factors, f) != factors.end(); });
    left_.push_back(scopes_.size());
    scopes_.push_back(std::move(people));
  }

 private:
  std::vector<std::vector<std::size_t>> scopes_;
  std::vector<std::size_t> left_;
};

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

/// Which entry of each factor goes with each joint genotype of `people` and of the one who is summed out.
std::vector<std::uint32_t> entries_of(const Scopes& scopes, std::span<const std::size_t> factors,
                                      std::span<const std::size_t> people, std::size_t summed) {
  std::vector<std::size_t> all(people.begin(), people.end());
  if (summed != kNobody) all.insert(all.begin(), summed);
  std::vector<std::uint32_t> entries;
  for (std::size_t joint = 0; joint < genotypes_of(all.size()); ++joint)
    for (const std::size_t factor : factors) {
      std::size_t entry = 0, weight = 1;
      for (const std::size_t person : scopes.of(factor)) {
        const auto at = static_cast<std::size_t>(std::ranges::find(all, person) - all.begin());
        entry += weight * (joint / genotypes_of(at) % kGenotypes);
        weight *= kGenotypes;
      }
      entries.push_back(static_cast<std::uint32_t>(entry));
    }
  return entries;
}

}  // namespace

Coefficients multiply(std::span<const double> a, std::span<const double> b) {
  Coefficients product;
  multiply_into(a, b, product);
  return product;
}

Coefficients FamilyTable::total() const {
  Coefficients sum(n_coefficients);
  for (std::size_t i = 0; i < values.size(); ++i) sum[i % n_coefficients] += values[i];
  return sum;
}

FamilyGraph::FamilyGraph(std::span<const Parents> members, std::span<const std::string> names,
                         std::string_view source)
    : source_(source), n_members_(members.size()), factors_(members.size()) {
  check_parents(members, names, source);
  const auto person = [&](const std::optional<std::size_t>& listed) {
    if (listed) return *listed;
    factors_.push_back({factors_.size()});
    return factors_.size() - 1;
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [father, mother] = members[i];
    if (!father && !mother)
      factors_[i] = {i};
    else {
      const std::size_t f = person(father), m = person(mother);
      factors_[i] = {f, m, i};
    }
  }
  n_founders_ = static_cast<std::size_t>(
      std::ranges::count_if(factors_, [](const auto& people) { return people.size() == 1; }));
}

FamilyGraph::Plan FamilyGraph::plan(std::span<const std::size_t> asked) const {
  Scopes scopes(factors_);
  Plan plan;
  const auto add = [&](std::vector<std::size_t> factors, std::vector<std::size_t> people,
                       std::size_t summed) {
    if (people.size() > kMostTogether)
      throw InputError(
          source_, "",
          fmt::format("more than {} of a family's people depend on each other at once", kMostTogether),
          "leave out distant relatives, or ask for fewer missing persons at a time");
    Plan::Step step{.factors = factors,
                    .n_rows = genotypes_of(people.size()),
                    .n_summed = summed == kNobody ? 1 : kGenotypes,
                    .entries = entries_of(scopes, factors, people, summed)};
    plan.largest_ = std::max(plan.largest_, step.n_rows);
    plan.steps_.push_back(std::move(step));
    scopes.replace(factors, std::move(people));
  };
  std::vector<std::size_t> people(factors_.size());
  for (std::size_t i = 0; i < people.size(); ++i) people[i] = i;
  std::erase_if(people, [&](std::size_t i) { return std::ranges::find(asked, i) != asked.end(); });
  while (!people.empty()) {
    const auto cost = [&](std::size_t i) { return scopes.people_of(scopes.with(i), i).size(); };
    const std::size_t next = *std::ranges::min_element(people, {}, cost);
    const std::vector<std::size_t> factors = scopes.with(next);
    add(factors, scopes.people_of(factors, next), next);
    std::erase(people, next);
  }
  add(scopes.left(), std::vector<std::size_t>(asked.begin(), asked.end()), kNobody);
  return plan;
}

FamilyTable FamilyGraph::table(const Plan& plan, std::span<const Probabilities> evidence) const {
  constexpr Probabilities kNothing{1, 1, 1};
  std::vector<Factor> factors;
  factors.reserve(factors_.size() + plan.steps_.size());
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const Probabilities& of = i < n_members_ ? evidence[i] : kNothing;
    factors.push_back(factors_[i].size() == 1 ? founder(of) : child(of));
  }
  int exponent = 0;
  std::vector<double> product, next;
  for (const Plan::Step& step : plan.steps_) {
    Factor made;
    for (const std::size_t f : step.factors) made.n_coefficients += factors[f].n_coefficients - 1;
    made.values.assign(step.n_rows * made.n_coefficients, 0);
    const std::uint32_t* entry = step.entries.data();
    for (std::size_t row = 0; row < step.n_rows; ++row)
      for (std::size_t g = 0; g < step.n_summed; ++g) {
        product.assign(1, 1);
        for (const std::size_t f : step.factors) {
          const std::span<const double> by = factors[f].of(*entry++);
          if (by.size() == 1) {
            for (double& coefficient : product) coefficient *= by[0];
          } else {
            multiply_into(product, by, next);
            std::swap(product, next);
          }
        }
        double* const sum = made.values.data() + row * made.n_coefficients;
        for (std::size_t m = 0; m < product.size(); ++m) sum[m] += product[m];
      }
    exponent += scale(made.values);
    factors.push_back(std::move(made));
  }
  Factor& last = factors.back();
  return {last.n_coefficients, exponent, std::move(last.values)};
}

}  // namespace fastid::stats
