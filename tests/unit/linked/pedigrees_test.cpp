// Every relation against its pedigree: all inheritance vectors, without symmetries, and alleles one by one.
// Nothing of src computes what is expected here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "linked/linked_model.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked {
namespace {

using testing::MadeSites;

/// People in the order of their birth; founders have no parents.
struct Pedigree {
  struct Parents {
    int father = -1, mother = -1;
  };
  std::vector<Parents> people;
  int first = 0, second = 0;  ///< the pair

  int founder() { return child(-1, -1); }
  int child(int father, int mother) {
    people.push_back({father, mother});
    return static_cast<int>(people.size()) - 1;
  }
  /// A child with somebody who is not listed otherwise.
  int child(int parent) { return child(parent, founder()); }
  int line(int parent, int generations) {
    for (; generations > 0; --generations) parent = child(parent);
    return parent;
  }
};

Pedigree line(int generations) {
  Pedigree of;
  of.first = of.founder();
  of.second = of.line(of.first, generations);
  return of;
}

/// Descendants of two siblings (or half siblings), so many generations below each.
Pedigree of_siblings(bool half, int first, int second) {
  Pedigree of;
  const int father = of.founder(), mother = of.founder();
  const int a = of.child(father, mother), b = half ? of.child(father) : of.child(father, mother);
  of.first = of.line(a, first);
  of.second = of.line(b, second);
  return of;
}

Pedigree three_quarter_siblings() {
  Pedigree of;
  const int grandfather = of.founder(), grandmother = of.founder(), mother = of.founder();
  const int father = of.child(grandfather, grandmother), uncle = of.child(grandfather, grandmother);
  of.first = of.child(father, mother);
  of.second = of.child(uncle, mother);
  return of;
}

Pedigree double_first_cousins() {
  Pedigree of;
  const int a = of.founder(), b = of.founder(), c = of.founder(), d = of.founder();
  const int father = of.child(a, b), uncle = of.child(a, b), mother = of.child(c, d), aunt = of.child(c, d);
  of.first = of.child(father, mother);
  of.second = of.child(uncle, aunt);
  return of;
}

Pedigree same_person() {
  Pedigree of;
  of.first = of.second = of.founder();
  return of;
}

/// P(x, y | which of the four copies are one allele), alleles being drawn one by one and copies read one by
/// one.
double probability_of(const std::array<int, 4>& labels, int x, int y, double q, double t, double w) {
  const int alleles = 1 + *std::ranges::max_element(labels);
  double sum = 0;
  for (int drawn = 0; drawn < 1 << alleles; ++drawn) {
    double probability = 1;
    for (int n = 0, minor = 0; n < alleles; ++n) {
      const bool is_minor = (drawn >> n & 1) != 0;
      const double next = n == 0 ? q : (minor * t + (1 - t) * q) / (1 + (n - 1) * t);
      probability *= is_minor ? next : 1 - next;
      minor += is_minor;
    }
    const auto read = [&](int seen, int first_copy, int second_copy) {
      if (seen < 0) return 1.;
      double total = 0;
      for (int wrong = 0; wrong < 4; ++wrong) {
        const int a = (drawn >> labels[static_cast<std::size_t>(first_copy)] & 1) ^ (wrong & 1),
                  b = (drawn >> labels[static_cast<std::size_t>(second_copy)] & 1) ^ (wrong >> 1);
        if (a + b == seen) total += ((wrong & 1) != 0 ? w : 1 - w) * ((wrong >> 1) != 0 ? w : 1 - w);
      }
      return total;
    };
    sum += probability * read(x, 0, 1) * read(y, 2, 3);
  }
  return sum;
}

/// Two people of a pedigree along a map.
class Enumeration {
 public:
  Enumeration(const Pedigree& pedigree, const MadeSites& made, double theta, double w)
      : made_(made), theta_(theta), w_(w) {
    std::size_t bits = 0;
    for (const auto& person : pedigree.people) bits += person.father >= 0 ? 2 : 0;
    bits_ = bits;
    for (std::size_t vector = 0; vector < std::size_t{1} << bits; ++vector)
      labels_.push_back(labels_of(pedigree, vector));
  }

  /// log10 against unrelated. \param only_site  there only vectors with so many shared alleles count
  double log10_lr(const std::vector<int>& x, const std::vector<int>& y, int only_site = -1,
                  int only_shared = 0) const {
    std::vector<double> state(labels_.size(), 1. / static_cast<double>(labels_.size()));
    double log10 = 0;
    for (std::size_t s = 0; s < made_.size(); ++s) {
      const bool starts = s == 0 || made_.sites[s].chrom != made_.sites[s - 1].chrom;
      const double d = starts ? 0 : (made_.sites[s].cm - made_.sites[s - 1].cm) / 100,
                   r = starts ? .5 : .5 * (1 - std::exp(-2 * d));
      for (std::size_t bit = 0; bit < bits_; ++bit) {
        std::vector<double> moved(state.size());
        for (std::size_t v = 0; v < state.size(); ++v)
          moved[v] = (1 - r) * state[v] + r * state[v ^ std::size_t{1} << bit];
        state = moved;
      }
      std::map<std::array<int, 4>, double> known;
      const double unrelated = at({0, 1, 2, 3}, x[s], y[s], made_.freq[s]);
      double sum = 0;
      for (std::size_t v = 0; v < state.size(); ++v) {
        const auto [found, is_new] = known.try_emplace(labels_[v], 0);
        if (is_new) found->second = at(labels_[v], x[s], y[s], made_.freq[s]) / unrelated;
        if (static_cast<int>(s) == only_site && shared_in(labels_[v]) != only_shared) state[v] = 0;
        sum += state[v] *= found->second;
      }
      if (sum == 0) return -std::numeric_limits<double>::infinity();
      log10 += std::log10(sum);
      for (double& each : state) each /= sum;
    }
    return log10;
  }

 private:
  double at(const std::array<int, 4>& labels, int x, int y, double q) const {
    return x < 0 || y < 0 ? 1 : probability_of(labels, x, y, q, theta_, w_);
  }

  /// The alleles of the pair, numbered as they come.
  static std::array<int, 4> labels_of(const Pedigree& pedigree, std::size_t vector) {
    std::vector<std::array<int, 2>> alleles;
    std::size_t bit = 0;
    int founders = 0;
    for (const auto& [father, mother] : pedigree.people) {
      std::array<int, 2>& own = alleles.emplace_back();
      if (father < 0) {
        own = {founders, founders + 1};
        founders += 2;
        continue;
      }
      const std::array parents{father, mother};
      for (std::size_t copy = 0; copy < 2; ++copy)
        own[copy] = alleles[static_cast<std::size_t>(parents[copy])][vector >> bit++ & 1];
    }
    std::array<int, 4> labels{};
    std::map<int, int> names;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto person = static_cast<std::size_t>(i < 2 ? pedigree.first : pedigree.second);
      labels[i] = names.try_emplace(alleles[person][i % 2], static_cast<int>(names.size())).first->second;
    }
    return labels;
  }

  static int shared_in(const std::array<int, 4>& labels) {
    return static_cast<int>(labels[2] < 2) + static_cast<int>(labels[3] < 2);
  }

  const MadeSites& made_;
  double theta_, w_;
  std::size_t bits_ = 0;
  std::vector<std::array<int, 4>> labels_;
};

struct Case {
  Relation relation;
  Pedigree pedigree;
};

std::vector<Case> cases() {
  using enum Relation;
  return {{kSame, same_person()},
          {kParentChild, line(1)},
          {kSibling, of_siblings(false, 0, 0)},
          {kThreeQuarterSibling, three_quarter_siblings()},
          {kHalfSibling, of_siblings(true, 0, 0)},
          {kGrandparent, line(2)},
          {kAvuncular, of_siblings(false, 0, 1)},
          {kDoubleFirstCousin, double_first_cousins()},
          {kFirstCousin, of_siblings(false, 1, 1)},
          {kGreatGrandparent, line(3)},
          {kHalfAvuncular, of_siblings(true, 0, 1)},
          {kGrandAvuncular, of_siblings(false, 0, 2)},
          {kFirstCousinOnceRemoved, of_siblings(false, 1, 2)},
          {kHalfFirstCousin, of_siblings(true, 1, 1)},
          {kHalfFirstCousin, of_siblings(true, 0, 2)},
          {kGreatGreatGrandparent, line(4)},
          {kGreatGrandAvuncular, of_siblings(false, 0, 3)},
          {kSecondCousin, of_siblings(false, 2, 2)},
          {kSecondCousin, of_siblings(false, 1, 3)},
          {kHalfFirstCousinOnceRemoved, of_siblings(true, 1, 2)},
          {kGreatGreatGrandAvuncular, of_siblings(false, 0, 4)}};
}

TEST(Chains, AreTheirPedigrees) {
  std::mt19937_64 rng(1);
  for (const auto& [relation, pedigree] : cases()) {
    SCOPED_TRACE(name_of(relation));
    for (const auto& [theta, w] : {std::pair(.02, .01), {0., .005}}) {
      const MadeSites made = testing::made_sites(2, 4, 20, rng);
      const Enumeration expected(pedigree, made, theta, w);
      const auto x = testing::random_genotypes(made.size(), .1, rng),
                 y = testing::random_genotypes(made.size(), .1, rng);
      const ProfileRows rows = testing::rows_of_people({x, y});
      const LinkedModel model = testing::model_of_sites(made, theta, w);
      const RowView other = rows.row(1);
      const Ratios ratios = model.ratios(rows.row(0), {&other, 1}).front();
      EXPECT_NEAR(*ratios[relation], expected.log10_lr(x, y), 1e-10);
    }
  }
}

TEST(Chains, KnowWhereAllelesAreShared) {
  std::mt19937_64 rng(2);
  for (const auto& [relation, pedigree] : cases()) {
    SCOPED_TRACE(name_of(relation));
    const MadeSites made = testing::made_sites(2, 3, 15, rng);
    const Enumeration expected(pedigree, made, .01, .005);
    const auto x = testing::random_genotypes(made.size(), .1, rng),
               y = testing::random_genotypes(made.size(), .1, rng);
    const ProfileRows rows = testing::rows_of_people({x, y});
    const LinkedModel model = testing::model_of_sites(made);
    const auto shared = testing::shared_of(model, rows.row(0), rows.row(1), testing::weight_on(relation));
    const double all = expected.log10_lr(x, y);
    for (int s = 0; s < static_cast<int>(made.size()); ++s) {
      const auto& [one, two] = shared[static_cast<std::size_t>(s)];
      EXPECT_NEAR(one, std::pow(10, expected.log10_lr(x, y, s, 1) - all), 1e-10);
      EXPECT_NEAR(two, std::pow(10, expected.log10_lr(x, y, s, 2) - all), 1e-10);
    }
  }
}

}  // namespace
}  // namespace fastid::linked
