// A family's missing member along the map: bits of inheritance, the company of others, and what the
// enumeration of tests/oracle/linked_test.py does not reach.
#include "linked/linked_family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "linked/internal/inheritance.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked {
namespace {

using Parents = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

/// \param read  places of members
std::vector<Descent> family_of(const std::vector<Parents>& parents, std::initializer_list<std::size_t> read) {
  std::vector<Descent> members;
  for (const auto& [father, mother] : parents) members.push_back({father, mother, false});
  for (const std::size_t i : read) members[i].read = true;
  return members;
}

constexpr std::optional<std::size_t> kNobody;
const std::vector<Parents> kThreeSiblings{{}, {}, {0, 1}, {0, 1}, {0, 1}},
    kCousins{{}, {}, {0, 1}, {0, 1}, {2, kNobody}, {3, kNobody}};

TEST(FamilyBits, FoundersSaveOneEach) {
  EXPECT_EQ(Inheritance::bits_of(family_of(kThreeSiblings, {2, 3})), 2u);
  EXPECT_EQ(Inheritance::bits_of(family_of(kThreeSiblings, {2, 3, 4})), 4u);
  EXPECT_EQ(Inheritance::bits_of(family_of(kCousins, {4, 5})), 4u);
}

TEST(FamilyBits, WhoSaysNothingIsLeftOut) {
  EXPECT_EQ(Inheritance::bits_of(family_of(kCousins, {3})), 0u);
  EXPECT_EQ(Inheritance::bits_of(family_of(kCousins, {0, 2})), 0u);
  EXPECT_EQ(Inheritance::bits_of(family_of(kCousins, {0, 4})), 1u);
}

TEST(FamilyAlleles, AreNoMoreThanThoseOfRelatives) {
  EXPECT_EQ(Inheritance::most_alleles(family_of(kThreeSiblings, {2, 3})), 3u);  // else they share nothing
  EXPECT_EQ(Inheritance::most_alleles(family_of(kThreeSiblings, {2, 3, 4})), 4u);
  EXPECT_EQ(Inheritance::most_alleles(family_of(kThreeSiblings, {0, 1})), 2u);
  EXPECT_EQ(Inheritance::most_alleles(family_of(kCousins, {4, 5})), 3u);
  for (const std::vector<Parents>& parents : {kThreeSiblings, kCousins}) {
    const std::vector<Descent> family = family_of(parents, {0, 2, 3, 4});
    const Inheritance of(family);
    EXPECT_EQ(std::ranges::max(of.components(), {}, &AlleleComponent::n_alleles).n_alleles,
              Inheritance::most_alleles(family));
  }
}

/// Each ancestor's parents are listed: 31 people, and the first of them is missing.
std::vector<stats::Member> ancestors(std::size_t generations) {
  std::vector<stats::Member> members((std::size_t{2} << generations) - 1);
  for (std::size_t i = 0; 2 * i + 2 < members.size(); ++i)
    members[i].father = 2 * i + 1, members[i].mother = 2 * i + 2;
  for (std::size_t i = 1; i < members.size(); ++i) members[i].typed.emplace();
  return members;
}

TEST(FamilyAlleles, OfManyTypedFoundersAreTooMany) {
  EXPECT_TRUE(LinkedFamily::can_follow(ancestors(3), 0, kMostFamilyBits));
  EXPECT_LE(LinkedFamily::bits_of(ancestors(4), 0), kMostFamilyBits);
  EXPECT_FALSE(LinkedFamily::can_follow(ancestors(4), 0, kHardlyFollowedBits));
  std::vector<stats::Member> half_siblings(18, {0, {}, RowView{}});  // of one father, and many components
  half_siblings[0] = {{}, {}, RowView{}};
  half_siblings.back().typed.reset();
  EXPECT_EQ(LinkedFamily::bits_of(half_siblings, 17), kMostFamilyBits);
  EXPECT_FALSE(LinkedFamily::can_follow(half_siblings, 17, kMostFamilyBits));
}

TEST(FamilyBits, PatternsAreWhatSiblingsShare) {
  const Inheritance of(family_of(kThreeSiblings, {2, 3}));
  EXPECT_EQ(of.n_vectors(), 4u);
  EXPECT_EQ(of.moves().size(), 4u);  // each of four meioses crosses over
  EXPECT_EQ(of.n_patterns(), 3u);    // none, one, or both alleles are one
  EXPECT_EQ(of.pattern_of()[1], of.pattern_of()[2]);
}

/// A made family of three siblings of whom the third is missing, and people who may be that one.
class MissingSibling : public ::testing::Test {
 protected:
  static constexpr std::size_t kPeople = 13, kSites = 60;

  MissingSibling() : people_(kPeople, std::vector<int>(kSites)), rows_(fill()) {
    for (const auto& [father, mother] : kThreeSiblings) members_.push_back({father, mother, {}});
    members_[2].typed = rows_.row(0);
    members_[3].typed = rows_.row(1);
    for (std::size_t i = 2; i < kPeople; ++i) asked_.push_back(rows_.row(i));
  }

  ProfileRows fill() {
    std::mt19937 rng(7);
    for (auto& person : people_)
      for (int& genotype : person) genotype = static_cast<int>(rng() % 4) - 1;
    return testing::rows_of_people(people_);
  }

  std::vector<MappedSite> sites(double cm) const {
    std::vector<MappedSite> sites;
    for (std::uint32_t s = 0; s < kSites; ++s) sites.push_back({s, "1", s + 1, cm * s});
    return sites;
  }

  stats::PopulationModel model(double theta, double w) const {
    return {"made", std::vector<double>(kSites, .3), {theta, w}};
  }

  std::vector<double> ratios(const stats::PopulationModel& of, double cm,
                             std::span<const RowView> people) const {
    return LinkedFamily(of, sites(cm), members_, 4).log10_lr(people, 2);
  }

  testing::Genotypes people_;
  ProfileRows rows_;
  std::vector<stats::Member> members_;
  std::vector<RowView> asked_;
};

TEST_F(MissingSibling, FarApartSitesAreUnlinked) {
  const stats::PopulationModel of = model(.02, .01);
  const std::vector<double> linked = ratios(of, 10'000, asked_),
                            unlinked = stats::MissingMember(of, members_, 4, "").log10_lr(asked_);
  for (std::size_t i = 0; i < asked_.size(); ++i) EXPECT_NEAR(linked[i], unlinked[i], 1e-9);
  EXPECT_GT(std::abs(ratios(of, .5, asked_)[0] - unlinked[0]), .1);
}

TEST_F(MissingSibling, TheCompanyIsNoMatter) {
  const stats::PopulationModel of = model(.02, .01);
  const std::vector<double> together = ratios(of, .5, asked_);
  for (std::size_t i = 0; i < asked_.size(); ++i)
    EXPECT_EQ(ratios(of, .5, {&asked_[i], 1}).front(), together[i]);
}

TEST_F(MissingSibling, ABlockWeighsAsOneSite) {
  stats::PopulationModel of = model(0, .01);
  const double whole = ratios(of, 10'000, asked_)[0];
  of.weigh_by(std::make_shared<stats::LinkageBlocks>(std::vector<std::uint32_t>(kSites, 0), 1));
  EXPECT_LT(std::abs(ratios(of, 10'000, asked_)[0]), std::abs(whole) / 2);
}

TEST_F(MissingSibling, WithoutErrorsAContradictionSaysNothing) {
  constexpr std::size_t kFather = 3;  // not the children's
  members_[0].typed = rows_.row(kFather);
  const auto contradict = [&](const MappedSite& at) {
    const int father = people_[kFather][at.site], first = people_[0][at.site], second = people_[1][at.site];
    const auto are_opposite = [&](int child) { return father + child == 2 && (father == 0 || father == 2); };
    return are_opposite(first) || are_opposite(second);
  };
  std::vector<MappedSite> sound = sites(.5);
  EXPECT_GT(std::erase_if(sound, contradict), 0u);
  const RowView twin = rows_.row(0);
  const stats::PopulationModel of = model(0, 0);
  const double without = LinkedFamily(of, sound, members_, 4).log10_lr({&twin, 1}, 1).front();
  EXPECT_GT(without, 1);
  EXPECT_NEAR(ratios(of, .5, {&twin, 1}).front(), without, 1e-9);
}

/// A couple of five children and one of two, all typed but the last, who is missing.
TEST_F(MissingSibling, TheOrderOfCouplesIsNoMatter) {
  members_ = {{}, {}};
  for (std::size_t child = 0; child < 5; ++child) members_.push_back({0, 1, rows_.row(child)});
  members_.insert(members_.end(), {{}, {}, {7, 8, rows_.row(5)}, {7, 8, {}}});
  std::vector<stats::Member> other{{}, {}, {0, 1, rows_.row(5)}, {0, 1, {}}, {}, {}};
  for (std::size_t child = 0; child < 5; ++child) other.push_back({4, 5, rows_.row(child)});
  EXPECT_EQ(LinkedFamily::bits_of(members_, 10), 10u);
  const stats::PopulationModel of = model(.02, .01);
  const std::vector<double> last = LinkedFamily(of, sites(5), members_, 10).log10_lr(asked_, 1),
                            first = LinkedFamily(of, sites(5), other, 3).log10_lr(asked_, 1);
  for (std::size_t i = 0; i < asked_.size(); ++i) EXPECT_NEAR(last[i], first[i], 1e-9);
}

}  // namespace
}  // namespace fastid::linked
