// The bounds of epistasis.hpp, by which most combinations are kept out without a table of logarithms.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/epistasis.hpp"

namespace fastid::engine {
namespace {

// The share of cases, in so few bits that no excess has more than a float's: it is at most the smaller class,
// and what the rounded share and the cells' further people add.
double share_of_cases(const EpistasisProblem& problem) {
  const std::uint64_t smaller = std::min(problem.n_people(0), problem.n_people(1));
  const int bits = std::numeric_limits<float>::digits - static_cast<int>(std::bit_width(2 * smaller + 32));
  const double unit = std::ldexp(1, -std::max(1, bits));
  const double share = problem.n_people(1) / static_cast<double>(problem.n_people());
  return std::clamp(std::round(share / unit) * unit, unit, 1 - unit);
}

// Of mutual information: so few that they change little, and so many that their sums with people are exact.
double few_people(const EpistasisProblem& problem) {
  return std::max(1.0 / 64, std::ldexp(static_cast<double>(std::bit_ceil(problem.n_people())), -23));
}

// The most that K2 of people in one cell is above n H(f) + H'(f) (k - f n).
double most_of_one_cell(const EpistasisProblem& problem, double f) {
  const std::array<double, kClasses> shares = {1 - f, f};
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t all = 0; all < kClasses; ++all) {  // the class that is there as a whole
    const double n = problem.n_people(all), share = shares[1 - all];
    const double turns = (share * (n + 2) - 1) / (1 - share);
    for (const double near : {-1.0, 0.0, 1.0, 2.0}) {
      std::array<double, kClasses> people{};
      people[all] = n;
      people[1 - all] =
          std::clamp(std::floor(turns) + near, 0.0, static_cast<double>(problem.n_people(1 - all)));
      const double tangent = -people[0] * std::log1p(-f) - people[1] * std::log(f);
      most = std::max(
          most, k2_of_one_cell(static_cast<std::uint64_t>(people[0]), static_cast<std::uint64_t>(people[1])) -
                    tangent);
    }
  }
  return most;
}

/// What a test's own rounding may take off: relative to its squares; for each person; and of the excess of
/// cases for each person.
struct Rounding {
  double of_squares, of_people, of_excess;
};

// \param f  about the share of cases \param of_mi  few_people()
WideCostBound bound_by(const EpistasisProblem& problem, double worst, double f, double of_mi,
                       const Rounding& rounding) {
  const bool k2 = problem.score == EpistasisScore::kK2;
  const double n = static_cast<double>(problem.n_people()), cells = static_cast<double>(problem.n_cells());
  const double least = std::min(f, 1 - f), few = k2 ? 1 : of_mi;
  // The divergence of the share 0 from f, or of 1, in squares of the difference.
  const double most = -std::log1p(-least) / (least * least) * (k2 ? 1 : 1 + few);
  const double slack = 1e-3 + n * (rounding.of_people + rounding.of_excess * most);
  WideCostBound bound{.share = f,
                      .prior_people = few,
                      .prior_cases = k2 ? 0.5 : few * f,
                      .squares = most * (1 + rounding.of_squares),
                      .least = static_cast<double>(problem.min_people) - 0.5 + cells * few};
  if (std::isinf(worst)) {
    bound.offset = -std::numeric_limits<double>::infinity();
  } else if (k2) {
    bound.logs = std::numbers::ln2 / 2;
    // Of a cell's further person, of half a case.
    const double of_cell = -(std::log(f) + std::log1p(-f) + std::log(2 * std::numbers::pi)) / 2;
    bound.offset = cells * of_cell - most_of_one_cell(problem, f) - worst - slack;
  } else {
    bound.people = -worst;
    bound.offset = worst * few * cells - slack;
  }
  return bound;
}

}  // namespace

float CostBound::excess_of(std::uint32_t n, std::uint32_t cases, std::size_t n_cells) const {
  const double cells = static_cast<double>(n_cells);
  return static_cast<float>(cases + cells * prior_cases - double{share} * (n + cells * prior_people));
}

Cell CostBound::cell_of(float m, float d) const {
  const auto nearest = [](double n_people) { return static_cast<std::uint32_t>(std::lround(n_people)); };
  const std::uint32_t n = nearest(double{m} - prior_people);
  const std::uint32_t cases = nearest(double{d} + double{share} * m - prior_cases);
  return {n - cases, cases};
}

CostBound CostBound::of_everybody(const EpistasisProblem& problem) const {
  const auto n = static_cast<std::uint32_t>(problem.n_people());
  const double m = people_of(n, problem.n_cells());
  CostBound made = *this;
  made.offset = static_cast<float>(people * m + offset);
  made.people = made.least = 0;
  return made;
}

CostBound cost_bound(const EpistasisProblem& problem, double worst) {
  // Of approximate reciprocals, relative to the squares, and of a few products in float.
  const double f = share_of_cases(problem);
  const Rounding rounding{.of_squares = 1.0 / 2048, .of_people = 4e-6, .of_excess = 4e-6};
  const WideCostBound wide = bound_by(problem, worst, f, few_people(problem), rounding);
  const auto in_float = [](double value) { return static_cast<float>(value); };
  return {.share = in_float(wide.share),
          .prior_people = in_float(wide.prior_people),
          .prior_cases = in_float(wide.prior_cases),
          .squares = in_float(wide.squares),
          .logs = in_float(wide.logs),
          .people = in_float(wide.people),
          .offset = in_float(wide.offset),
          .least = in_float(wide.least)};
}

WideCostBound wide_cost_bound(const EpistasisProblem& problem, double worst) {
  const double f = problem.n_people(1) / static_cast<double>(problem.n_people());
  return bound_by(problem, worst, f, 1.0 / 64, {.of_squares = 1e-12, .of_people = 1e-11, .of_excess = 0});
}

}  // namespace fastid::engine
