// Missing members of families: every allele's way through the family enumerated, the ratios of pairs, and
// worked examples of published programs.
#include "stats/pedigree.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "stats/kinship.hpp"
#include "stats_testing.hpp"
#include "support/refusal.hpp"

namespace fastid::stats {
namespace {
using fastid::testing::refusal;
using testing::AllelesSeen;
using testing::model_of;

constexpr std::optional<std::size_t> kUnlisted;

/// Who is whose child: {} for founders.
struct Family {
  std::vector<Member> members;

  Family(std::initializer_list<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>> parents) {
    for (const auto& [father, mother] : parents) members.push_back({father, mother, {}});
  }
  /// The same with these members typed at one site: member -> what is seen.
  std::vector<Member> typed(const std::map<std::size_t, RowView>& seen) const {
    std::vector<Member> all = members;
    for (const auto& [member, alleles] : seen) all[member].typed = alleles;
    return all;
  }
};

const Family kTrio{{}, {}, {0, 1}};
const Family kSiblings{{}, {}, {0, 1}, {0, 1}, {0, 1}};
const Family kHalfSiblings{{}, {}, {}, {0, 1}, {0, 2}};       // 3 and 4
const Family kGrandparents{{}, {}, {0, 1}, {}, {2, 3}};       // 0 and 4
const Family kAvuncular{{}, {}, {0, 1}, {0, 1}, {}, {3, 4}};  // 2 and 5
// With loops: a child of siblings, and one of a man and his granddaughter.
const Family kChildOfSiblings{{}, {}, {0, 1}, {0, 1}, {2, 3}, {2, 3}};
const Family kChildOfGrandfather{{}, {}, {0, 1}, {}, {2, 3}, {0, 4}};
const Family kCousins{{}, {}, {0, 1}, {0, 1}, {}, {}, {2, 4}, {3, 5}};  // 6 and 7

/// P(what is seen of the members and of the query), every founder allele and every inheritance enumerated.
class Enumerated {
 public:
  Enumerated(const std::vector<Member>& members, double q, double theta, double w)
      : members_(members), q_(q), theta_(theta), read_(readings(w)) {
    for (std::size_t i = 0; i < members.size(); ++i) (members[i].father ? children_ : founders_).push_back(i);
  }

  double log10_lr(std::size_t missing, Shown query) const {
    double member = 0, stranger = 0;
    for (std::size_t drawn = 0; drawn < std::size_t{1} << 2 * founders_.size(); ++drawn)
      for (std::size_t ways = 0; ways < std::size_t{1} << 2 * children_.size(); ++ways) {
        const auto genotypes = inherited(drawn, ways);
        const auto minor = static_cast<unsigned>(std::popcount(drawn));
        const Seen seen{minor, static_cast<unsigned>(2 * founders_.size()) - minor};
        double probability = sequence_probability(q_, theta_, {}, seen) *
                             std::exp2(-2. * static_cast<double>(children_.size()));
        for (std::size_t i = 0; i < members_.size(); ++i)
          if (members_[i].typed && shown_at(*members_[i].typed, 0) != kNeither)
            probability *= read_[genotypes[i]][shown_at(*members_[i].typed, 0)];
        member += probability * read_[genotypes[missing]][query];
        for (unsigned alleles = 0; alleles < 4; ++alleles) {  // the stranger's
          const unsigned g = (alleles & 1) + (alleles >> 1);
          stranger += probability * sequence_probability(q_, theta_, seen, {g, 2 - g}) * read_[g][query];
        }
      }
    return std::log10(member / stranger);
  }

 private:
  /// The minor copies of each member. \param drawn  two bits for each founder \param ways  two for each
  /// child: which of its father's and of its mother's alleles it has
  std::vector<std::size_t> inherited(std::size_t drawn, std::size_t ways) const {
    std::vector<std::array<std::size_t, 2>> alleles(members_.size());
    for (std::size_t f = 0; f < founders_.size(); ++f)
      alleles[founders_[f]] = {drawn >> 2 * f & 1, drawn >> (2 * f + 1) & 1};
    for (std::size_t c = 0; c < children_.size(); ++c) {
      const Member& child = members_[children_[c]];
      alleles[children_[c]] = {alleles[*child.father][ways >> 2 * c & 1],
                               alleles[*child.mother][ways >> (2 * c + 1) & 1]};
    }
    std::vector<std::size_t> genotypes;
    for (const auto& [one, other] : alleles) genotypes.push_back(one + other);
    return genotypes;
  }

  const std::vector<Member>& members_;
  double q_, theta_;
  Readings read_;
  std::vector<std::size_t> founders_, children_;
};

double ratio_at(const std::vector<Member>& members, std::size_t missing, Shown query, double q, double theta,
                double w) {
  return MissingMember(model_of({q}, theta, w), members, missing, "family").at(0)[query];
}

TEST(MissingMember, IsAsEveryInheritanceEnumeratedSays) {
  const struct {
    const char* name;
    const Family& family;
    std::size_t missing;
    std::vector<std::size_t> typed;
  } cases[] = {{"father of a child, with the mother", kTrio, 0, {1, 2}},
               {"child", kTrio, 2, {0, 1}},
               {"sibling of two", kSiblings, 4, {2, 3}},
               {"parent of two", kSiblings, 0, {2, 3}},
               {"half sibling, with a parent of the other", kHalfSiblings, 4, {1, 3}},
               {"grandchild", kGrandparents, 4, {0, 1}},
               {"grandfather, with the other parent", kGrandparents, 0, {3, 4}},
               {"uncle, with a grandparent", kAvuncular, 2, {0, 5}},
               {"cousin, with an aunt", kCousins, 7, {2, 6}},
               {"grandmother of two cousins", kCousins, 1, {6, 7}},
               {"child of siblings, with a sibling", kChildOfSiblings, 4, {0, 5}},
               {"grandmother of children of siblings", kChildOfSiblings, 1, {4, 5}},
               {"child of a man and his granddaughter", kChildOfGrandfather, 5, {0, 3}},
               {"grandfather and father", kChildOfGrandfather, 0, {4, 5}}};
  for (const auto& [name, family, missing, typed] : cases)
    for (const double theta : {0., .05})
      for (const unsigned seen : {0u, 1u, 3u, 5u, 7u, 8u}) {
        const std::string first = std::to_string(seen / 3), second = std::to_string(seen % 3);
        const AllelesSeen one(first), other(second);
        const auto members = family.typed({{typed[0], one}, {typed[1], other}});
        const Enumerated expected(members, .2, theta, .01);
        for (const Shown query : {kMajorOnly, kBothAlleles, kMinorOnly})
          EXPECT_NEAR(ratio_at(members, missing, query, .2, theta, .01), expected.log10_lr(missing, query),
                      1e-11)
              << name << ' ' << seen << ' ' << query << ' ' << theta;
      }
}

TEST(MissingMember, IsTheRatioOfAPairWhereOneRelativeIsTyped) {
  const struct {
    const Family& family;
    std::size_t missing, typed;
    Relation relation;
  } cases[] = {{kTrio, 0, 2, Relation::kParentChild},         {kTrio, 2, 1, Relation::kParentChild},
               {kTrio, 0, 1, Relation::kUnrelated},           {kSiblings, 2, 4, Relation::kSibling},
               {kHalfSiblings, 3, 4, Relation::kHalfSibling}, {kGrandparents, 4, 0, Relation::kHalfSibling},
               {kAvuncular, 2, 5, Relation::kHalfSibling},    {kCousins, 6, 7, Relation::kCousin}};
  for (const double theta : {0., .03, .3})
    for (const double q : {.01, .3}) {
      const GenotypeRatios pairs = genotype_ratios(q, theta, .005);
      for (const auto& [family, missing, typed, relation] : cases)
        for (std::size_t x = 0; x < 3; ++x) {
          const AllelesSeen seen(std::to_string(x));
          const auto members = family.typed({{typed, seen}});
          for (const Shown y : {kMajorOnly, kBothAlleles, kMinorOnly})
            EXPECT_NEAR(ratio_at(members, missing, y, q, theta, .005), pairs[x][y][relation], 1e-12)
                << name_of(relation) << ' ' << theta << ' ' << x << y;
        }
    }
}

TEST(MissingMember, TakesAnUnlistedParentForAnotherPersonEachTime) {
  const Family listed{{}, {}, {}, {0, 1}, {0, 2}}, unlisted{{}, {0, kUnlisted}, {kUnlisted, 0}};
  const AllelesSeen one("1"), two("2");
  for (const Shown query : {kMajorOnly, kBothAlleles, kMinorOnly})
    EXPECT_NEAR(ratio_at(unlisted.typed({{0, one}, {1, two}}), 2, query, .3, .02, .01),
                ratio_at(listed.typed({{0, one}, {3, two}}), 4, query, .3, .02, .01), 1e-13);
}

TEST(MissingMember, LearnsThePopulationFromMembersWhoAreNotJoinedToIt) {
  const AllelesSeen child("1"), spouse("2");
  const Family apart{{}, {}, {0, 1}, {}};
  const auto members = apart.typed({{2, child}, {3, spouse}});
  EXPECT_NEAR(ratio_at(members, 0, kMinorOnly, .1, 0, .01),
              ratio_at(kTrio.typed({{2, child}}), 0, kMinorOnly, .1, 0, .01), 1e-13);
  EXPECT_NEAR(ratio_at(members, 0, kMinorOnly, .1, .05, .01),
              Enumerated(members, .1, .05, .01).log10_lr(0, kMinorOnly), 1e-13);
}

/// The likelihood ratio, not its logarithm, without errors.
double lr(const Family& family, const std::map<std::size_t, RowView>& typed, std::size_t missing, Shown query,
          double q, double theta = 0) {
  return std::pow(10, ratio_at(family.typed(typed), missing, query, q, theta, 0));
}

// The probabilities of genotypes are pedprobr's (M. D. Vigeland, https://github.com/magnusdv/pedprobr):
// README and tests/testthat/test-likelihood.R. Each is divided here by that of the two people or groups
// apart.
TEST(MissingMember, AgreesWithPedprobr) {
  const AllelesSeen minor("2"), het("1"), major("0");
  constexpr double q = .2, p = .8;
  const double is_het = 2 * p * q;
  EXPECT_NEAR(lr(kSiblings, {{2, het}}, 3, kBothAlleles, q), .1856 / (is_het * is_het), 1e-12);
  EXPECT_NEAR(lr(kSiblings, {{2, major}}, 3, kMajorOnly, q), p * p * (1 + p) * (1 + p) / 4 / (p * p * p * p),
              1e-12);
  // Parents and child all heterozygous; the same without the mother.
  EXPECT_NEAR(lr(kTrio, {{1, het}, {2, het}}, 0, kBothAlleles, q), 2 * p * p * q * q / (p * q * is_het),
              1e-12);
  EXPECT_NEAR(lr(kTrio, {{2, het}}, 0, kBothAlleles, q), p * q / (is_het * is_het), 1e-12);
  // Two grandparents, on different sides, and the grandchild, all heterozygous.
  const Family generations{{2, 3}, {4, 5}, {}, {}, {}, {}, {0, 1}};
  EXPECT_NEAR(lr(generations, {{2, het}, {5, het}}, 6, kBothAlleles, q), (3. / 8 + p * q / 2) / is_het,
              1e-12);
  // Parents' genotypes given two heterozygous children: .01724138 for one of them 2 and the other 1 minor
  // copies.
  const double given_child = lr(kSiblings, {{2, het}, {3, het}, {1, het}}, 0, kMinorOnly, q) * q * q;
  const double het_given_child = lr(kSiblings, {{2, het}, {3, het}, {1, het}}, 0, kBothAlleles, q) * is_het;
  EXPECT_NEAR(given_child / het_given_child, .01724138 / .13793103, 1e-6);
}

// forrel (M. D. Vigeland, https://github.com/magnusdv/forrel), tests/testthat/test-kinshipLR.R: father and
// child both homozygous for an allele of frequency .05.
TEST(MissingMember, AgreesWithForrel) {
  EXPECT_NEAR(lr(kTrio, {{2, AllelesSeen("2")}}, 0, kMinorOnly, .05), 20, 1e-10);
}

// Paternity indices, with theta: I. W. Evett, B. S. Weir, Interpreting DNA Evidence (1998), chapter 6; those
// of theta 0 are the formulas that Familias' manual works through.
TEST(MissingMember, GivesTheTextbooksPaternityIndices) {
  const AllelesSeen minor("2"), het("1"), major("0");
  constexpr double q = .1, p = .9, theta = .03;
  EXPECT_NEAR(lr(kTrio, {{1, major}, {2, het}}, 0, kMinorOnly, q), 1 / q, 1e-10);
  EXPECT_NEAR(lr(kTrio, {{1, major}, {2, het}}, 0, kBothAlleles, q), 1 / (2 * q), 1e-10);
  EXPECT_NEAR(lr(kTrio, {{1, het}, {2, het}}, 0, kMinorOnly, q), 1 / (p + q), 1e-10);
  EXPECT_NEAR(lr(kTrio, {{2, het}}, 0, kBothAlleles, q), 1 / (4 * p * q), 1e-10);
  EXPECT_EQ(lr(kTrio, {{1, major}, {2, het}}, 0, kMajorOnly, q), 0);
  EXPECT_NEAR(lr(kTrio, {{1, minor}, {2, minor}}, 0, kMinorOnly, q, theta),
              (1 + 3 * theta) / (4 * theta + (1 - theta) * q), 1e-10);
  EXPECT_NEAR(lr(kTrio, {{1, major}, {2, het}}, 0, kMinorOnly, q, theta),
              (1 + 3 * theta) / (2 * theta + (1 - theta) * q), 1e-10);
  EXPECT_NEAR(lr(kTrio, {{2, minor}}, 0, kMinorOnly, q, theta),
              (1 + 2 * theta) / (3 * theta + (1 - theta) * q), 1e-10);
}

TEST(MissingMember, SaysNothingWhereTheRelativesAreImpossibleOrNotCalled) {
  const AllelesSeen minor("2"), major("0"), not_called("-");
  EXPECT_NEAR(ratio_at(kTrio.typed({{2, not_called}}), 0, kMinorOnly, .3, .02, .01), 0, 1e-14);
  EXPECT_EQ(ratio_at(kTrio.typed({{0, minor}, {2, major}}), 1, kMajorOnly, .3, 0, 0), 0);
}

TEST(MissingMember, IsFoundByItsFamilyOverManySites) {
  constexpr std::size_t n_sites = 15'000;
  std::mt19937_64 rng(41);
  const std::vector<double> freq = testing::random_frequencies(n_sites, rng);
  std::vector<AllelesSeen> seen(8, AllelesSeen(n_sites));
  AllelesSeen stranger(n_sites);
  for (std::size_t s = 0; s < n_sites; ++s) {
    std::vector<testing::Alleles> people;
    for (const Member& member : kCousins.members)
      people.push_back(
          member.father ? testing::Alleles{people[*member.father].one(rng), people[*member.mother].one(rng)}
                        : testing::person(freq[s], rng));
    for (std::size_t i = 0; i < people.size(); ++i)
      if (!testing::chance(.1, rng)) seen[i].set(s, testing::read_genotype(people[i], .002, rng));
    stranger.set(s, testing::read_genotype(testing::person(freq[s], rng), .002, rng));
  }
  const auto members = kCousins.typed({{0, seen[0]}, {2, seen[2]}, {4, seen[4]}, {7, seen[7]}});
  const MissingMember missing(model_of(freq, .01), members, 6, "family");
  const double found = missing.log10_lr(seen[6].row()), other = missing.log10_lr(stranger.row());
  EXPECT_TRUE(found > 300 && std::isfinite(found)) << found;
  EXPECT_TRUE(other < -300 && std::isfinite(other)) << other;
  const std::vector<RowView> both{seen[6].row(), stranger.row()};
  EXPECT_EQ(missing.log10_lr(both), (std::vector<double>{found, other}));
  double sum = 0;
  for (std::size_t s = 0; s < n_sites; ++s)
    if (const Shown x = shown_at(seen[6].row(), s); x != kNeither) sum += missing.at(s)[x];
  EXPECT_NEAR(found, sum, 1e-9);
}

TEST(MissingMember, StaysExactInTheLargestFamily) {
  // A chain of 31 generations from the typed one to the missing one: what they share by descent has all but
  // gone.
  std::vector<Member> members(kMostMembers);
  for (std::size_t i = 2; i < kMostMembers; i += 2) members[i] = {i - 2, i - 1, {}};
  const AllelesSeen rare("2");
  members[0].typed = rare.row();
  EXPECT_NEAR(ratio_at(members, kMostMembers - 2, kMinorOnly, .01, 0, 0),
              std::log10(1 + std::exp2(-30) * (1 / .01 - 1)), 1e-13);
  for (std::size_t i = 1; i + 2 < kMostMembers; ++i) members[i].typed = rare.row();
  EXPECT_NEAR(ratio_at(members, kMostMembers - 2, kMinorOnly, .01, 0, 0), 4, 1e-10);
}

std::string refused(
    std::initializer_list<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>> parents) {
  return refusal([&] { MissingMember(model_of({.1}), Family(parents).members, 0, "family.ped"); });
}

TEST(MissingMember, RefusesFamiliesThatCannotBe) {
  const auto own_ancestor = [](int member) {
    return "family.ped, member " + std::to_string(member) +
           ": is an own ancestor, or a descendant of one; correct the parents";
  };
  EXPECT_EQ(refused({{}, {0, 0}}),
            "family.ped, member 2: has one person as father and mother; name two parents");
  EXPECT_EQ(refused({{0, kUnlisted}}), own_ancestor(1));
  EXPECT_EQ(refused({{1, kUnlisted}, {0, kUnlisted}}), own_ancestor(1));
  EXPECT_EQ(refused({{}, {}, {0, 1}, {0, 1}, {}, {}, {4, 5}, {4, 5}, {2, 6}, {3, 7}}), "accepted");
}

TEST(MissingMember, RefusesMembersWhoAreNotThere) {
  EXPECT_EQ(refused({{}, {0, 4}}),
            "family.ped, member 2: its parent, member 5, is not listed; list all members");
  EXPECT_EQ(refused({}), "family.ped, member 1: the missing member is not listed; list all members");
  const AllelesSeen seen("1");
  const auto members = kTrio.typed({{2, seen}});
  EXPECT_EQ(refusal([&] { MissingMember(model_of({.1}), members, 2, "family.ped"); }),
            "family.ped, member 3: the missing member is typed; leave the genotypes out, or ask for another "
            "member");
  EXPECT_EQ(refusal([&] { MissingMember(model_of({.1}), std::vector<Member>(65), 2, "family.ped"); }),
            "family.ped: the family has 65 members; list at most 64, the nearest relatives");
}

}  // namespace
}  // namespace fastid::stats
