// Events of few people whose answers are plain.
#include "questions/dvi/event/event.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "stats/population_model.hpp"

namespace fastid::dvi {
namespace {

constexpr std::size_t kSites = 400;
constexpr double kFrequency = 0.3;

using Alleles = std::array<std::array<unsigned, 2>, kSites>;

class Drawn {
 public:
  Alleles founder() {
    Alleles made{};
    for (auto& site : made)
      for (unsigned& allele : site) allele = std::bernoulli_distribution(kFrequency)(rng_) ? 1 : 0;
    return made;
  }
  Alleles child(const Alleles& father, const Alleles& mother) {
    Alleles made{};
    for (std::size_t site = 0; site < kSites; ++site)
      made[site] = {father[site][rng_() & 1], mother[site][rng_() & 1]};
    return made;
  }

 private:
  std::mt19937_64 rng_{11};
};

/// \param every  only each of so many sites is read
stats::PersonReadings read(const Alleles& of, std::size_t every = 1, std::size_t from = 0) {
  ProfileRows row(1, kSites, Encoding::kAlleles);
  constexpr std::array kSeen{kMajorSeen, kBothSeen, kMinorSeen};
  for (std::size_t site = from; site < kSites; site += every)
    row.set_seen(0, static_cast<std::uint32_t>(site), kSeen[of[site][0] + of[site][1]]);
  return {row.row(0), kSites};
}

/// A typed couple and their missing children.
struct Couple {
  Drawn drawn;
  Alleles father = drawn.founder(), mother = drawn.founder();
  stats::PersonReadings read_father = read(father), read_mother = read(mother);

  Family with_missing(std::size_t n) const {
    Family family{.name = "F",
                  .members = {{"fa", {}, &read_father}, {"mo", {}, &read_mother}},
                  .sexes = {Sex::kMale, Sex::kFemale},
                  .missing = {}};
    for (std::size_t i = 0; i < n; ++i) {
      family.missing.push_back(family.members.size());
      family.members.push_back({"M" + std::to_string(i), {0, 1}, nullptr});
      family.sexes.emplace_back();
    }
    return family;
  }
};

Findings found(const std::vector<Family>& families, const std::vector<Remains>& remains,
               const Rules& rules = {}) {
  const std::vector<double> freq(kSites, kFrequency);
  const std::vector<stats::PopulationModel> models = {stats::PopulationModel("test", freq, {0.01, 0.005})};
  const stats::AlleleModel alleles(models);
  const Event event(alleles, families, remains, rules, "families.ped");
  return event.findings(event.first(event.pooled(1), {0, families.size()}, 1, false, ProgressMode::kNever),
                        1);
}

TEST(Event, FragmentsOfOnePersonAreTakenTogetherAndNamed) {
  Couple couple;
  const Alleles child = couple.drawn.child(couple.father, couple.mother), stranger = couple.drawn.founder();
  const std::vector<Family> families = {couple.with_missing(1)};
  const std::vector<Remains> remains = {
      {"a", {}, read(child, 2)}, {"b", {}, read(stranger)}, {"c", {}, read(child, 3, 1)}};
  const Findings findings = found(families, remains);
  ASSERT_EQ(findings.people.size(), 2U);
  EXPECT_EQ(findings.people[0].remains, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(findings.missing[0].conclusion, Conclusion::kUndisputed);
  EXPECT_EQ(findings.missing[0].people, std::vector<std::size_t>{0});
  EXPECT_LT(findings.missing[0].log10_lr[1], -10);
  EXPECT_EQ(found(families, remains, {.pool = false}).people.size(), 3U);
}

TEST(Event, SiblingsWhoCannotBeToldApartAreOneSet) {
  Couple couple;
  std::vector<Remains> remains;
  for (int i = 0; i < 6; ++i)
    remains.push_back({std::to_string(i), {}, read(couple.drawn.child(couple.father, couple.mother))});
  const Findings six = found({couple.with_missing(6)}, remains);
  for (const Missing& of : six.missing) {
    EXPECT_EQ(of.conclusion, Conclusion::kSymmetric);
    EXPECT_EQ(of.n_best, 6U);
    EXPECT_EQ(of.alike.size(), 6U);
  }
  remains.resize(2);
  const Findings two = found({couple.with_missing(3)}, remains);
  EXPECT_EQ(two.missing[0].conclusion, Conclusion::kSymmetric);
  EXPECT_EQ(two.missing[0].n_best, 2U);
}

TEST(Event, AnUnreportedBrotherIsARival) {
  Couple couple;
  const std::vector<Remains> remains = {{"a", {}, read(couple.drawn.child(couple.father, couple.mother))},
                                        {"b", {}, read(couple.drawn.child(couple.father, couple.mother))}};
  const Findings findings = found({couple.with_missing(1)}, remains);
  EXPECT_EQ(findings.missing[0].conclusion, Conclusion::kDisputed);
  EXPECT_EQ(findings.missing[0].people.size(), 2U);
}

TEST(Event, AWrongParentIsNamedWhereNobodyIsFound) {
  Couple couple;
  const Alleles child = couple.drawn.child(couple.father, couple.mother);
  const stats::PersonReadings other = read(couple.drawn.founder());
  Family family = couple.with_missing(1);
  family.members[0].readings = &other;
  const Findings findings = found({family}, {{"a", {}, read(child)}});
  EXPECT_EQ(findings.missing[0].conclusion, Conclusion::kNone);
  ASSERT_EQ(findings.missing[0].suspects.size(), 1U);
  EXPECT_EQ(findings.missing[0].suspects[0].member, 0U);
}

TEST(Event, SexAndOtherEvidenceForbidPairs) {
  Couple couple;
  const Alleles child = couple.drawn.child(couple.father, couple.mother);
  Family family = couple.with_missing(1);
  family.sexes[2] = Sex::kFemale;
  const Findings man = found({family}, {{"a", Sex::kMale, read(child)}});
  EXPECT_EQ(man.missing[0].conclusion, Conclusion::kNone);
  EXPECT_TRUE(std::isnan(man.missing[0].log10_lr[0]));
  Rules rules;
  rules.factors[{"M0", "a"}] = 0;
  EXPECT_EQ(found({family}, {{"a", {}, read(child)}}, rules).missing[0].conclusion, Conclusion::kNone);
  rules.factors[{"M0", "a"}] = 1e-300;
  EXPECT_NE(found({family}, {{"a", {}, read(child)}}, rules).missing[0].conclusion, Conclusion::kUndisputed);
}

TEST(Event, AFamilyOfWhomNothingWasReadSaysNothing) {
  Couple couple;
  Family family = couple.with_missing(1);
  family.members[0].readings = family.members[1].readings = nullptr;
  EXPECT_EQ(found({family}, {{"a", {}, read(couple.father)}}).missing[0].conclusion,
            Conclusion::kUninformative);
  EXPECT_EQ(found({family}, {}).missing[0].conclusion, Conclusion::kNone);
}

TEST(Event, ManyMissingSiblingsAreNoObstacle) {
  Couple couple;
  const Findings findings = found({couple.with_missing(14)}, {{"a", {}, read(couple.drawn.founder())}});
  for (const Missing& of : findings.missing) EXPECT_EQ(of.conclusion, Conclusion::kNone);
}

TEST(Event, WhereThereAreTooManyAssignmentsPairsAreLeftOut) {
  Couple couple;
  std::vector<Remains> remains;
  for (int i = 0; i < 4; ++i)
    remains.push_back({std::to_string(i), {}, read(couple.drawn.child(couple.father, couple.mother))});
  const Findings findings = found({couple.with_missing(4)}, remains, {.most_assignments = 50});
  EXPECT_TRUE(
      std::ranges::any_of(findings.missing, [](const Missing& of) { return of.left_out.has_value(); }));
  for (const Component& component : findings.components) EXPECT_LE(component.assignments.size(), 50U);
}

}  // namespace
}  // namespace fastid::dvi
