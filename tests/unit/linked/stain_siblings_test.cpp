// Siblings of a stain's contributor by stretches.
#include "linked/stain_siblings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "linked_testing.hpp"
#include "stats/evidence.hpp"

namespace fastid::linked {
namespace {
using stats::StainModel;
using stats::StainSupport;
using stats::Standing;
using testing::Genotypes;
using testing::made_sites;
using testing::MadeSites;
using testing::rows_of_people;

/// A stain, which is the first row, and people beside it.
struct StainAndPeople {
  StainAndPeople(const MadeSites& made, const Genotypes& genotypes)
      : sites(made.sites),
        model("test", made.freq, {.theta = .01, .error_rate = .005}),
        rows(rows_of_people(genotypes)),
        stains(model, {}, Encoding::kAlleles, {}) {
    for (std::size_t i = 1; i < genotypes.size(); ++i) people.push_back(rows.row(i));
  }

  std::vector<SiblingRatios> linked(std::span<const MappedSite> mapped) const {
    return siblings_of_contributor(stains, mapped, rows.row(0), supports, people);
  }
  std::vector<stats::StainEvidence> unlinked() const { return stains.weigh(rows.row(0), supports, people); }

  std::vector<MappedSite> sites;
  stats::PopulationModel model;
  ProfileRows rows;
  StainModel stains;
  std::vector<RowView> people;
  std::vector<StainSupport> supports{{.contributors = 1, .own = .2, .log_weight = -.4},
                                     {.contributors = 2, .own = .1, .unknown = {.6}, .log_weight = -1.2}};
};

int drawn_copies(double q, std::mt19937_64& rng) {
  std::bernoulli_distribution minor(q);
  return minor(rng) + minor(rng);
}

/// What is left of a person who lost a fifth of the alleles; -1 where nothing is.
std::vector<int> left_by(const std::vector<int>& person, std::mt19937_64& rng) {
  std::bernoulli_distribution stays(.8);
  std::vector<int> stain;
  for (const int copies : person) {
    bool minor = false, major = false;
    for (int copy = 0; copy < 2; ++copy) (copy < copies ? minor : major) |= stays(rng);
    stain.push_back(minor ? (major ? 1 : 2) : major ? 0 : -1);
  }
  return stain;
}

TEST(SiblingsOfContributor, ShareStretchesAndDoNotStandApart) {
  constexpr std::size_t kOnEach = 150;
  constexpr std::uint64_t kProfiles = 1000;
  std::mt19937_64 rng(6402);
  const MadeSites made = made_sites(6, kOnEach, .5, rng);
  std::vector<int> contributor, sibling;
  for (std::size_t s = 0; s < made.size(); ++s) {
    contributor.push_back(drawn_copies(made.freq[s], rng));
    // Both alleles along five chromosomes, none along one: more than most siblings have in common.
    sibling.push_back(s < 5 * kOnEach ? contributor[s] : drawn_copies(made.freq[s], rng));
  }
  const StainAndPeople all(made, {left_by(contributor, rng), contributor, sibling});
  const std::vector<stats::StainEvidence> unlinked = all.unlinked();
  const std::vector<SiblingRatios> linked = all.linked(all.sites);
  const auto standing = [&](std::size_t person, bool along_map) {
    stats::HitReport report;
    report.worst.relations = unlinked[person].relations;
    if (along_map) {
      auto& log10 = report.worst.relations.log10;
      log10[static_cast<std::size_t>(stats::Relation::kSibling)] = linked[person].sibling;
      log10[static_cast<std::size_t>(stats::Relation::kHalfSibling)] = linked[person].half_sibling;
    }
    judge_contributor(report, kProfiles);
    return report.standing;
  };
  EXPECT_EQ(standing(0, false), Standing::kApart);
  EXPECT_EQ(standing(0, true), Standing::kApart);
  EXPECT_EQ(standing(1, false), Standing::kApart) << "no such sibling: the test shows nothing";
  EXPECT_EQ(standing(1, true), Standing::kRelative);
}

/// People by random genotypes, some not called.
StainAndPeople random_people(std::size_t n, std::mt19937_64& rng) {
  const MadeSites made = made_sites(2, 30, 3, rng);
  Genotypes genotypes;
  for (std::size_t i = 0; i <= n; ++i) genotypes.push_back(testing::random_genotypes(made.size(), .1, rng));
  return {made, genotypes};
}

TEST(SiblingsOfContributor, AreUnlinkedWhereNoSiteHasAPlace) {
  std::mt19937_64 rng(7);
  const StainAndPeople all = random_people(3, rng);
  const std::vector<stats::StainEvidence> unlinked = all.unlinked();
  const std::vector<SiblingRatios> found = all.linked({});
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].sibling, unlinked[i].relations[stats::Relation::kSibling], 1e-9);
    EXPECT_NEAR(found[i].half_sibling, unlinked[i].relations[stats::Relation::kHalfSibling], 1e-9);
  }
}

TEST(SiblingsOfContributor, AreUnlinkedWhereEachSiteIsOnAChromosomeOfItsOwn) {
  std::mt19937_64 rng(8);
  const StainAndPeople all = random_people(2, rng);
  std::vector<std::string> names;
  for (std::size_t s = 0; s < all.sites.size(); ++s) names.push_back(std::to_string(s));
  std::vector<MappedSite> far = all.sites;
  for (std::size_t s = 0; s < far.size(); ++s) far[s].chrom = names[s];
  const std::vector<stats::StainEvidence> unlinked = all.unlinked();
  const std::vector<SiblingRatios> found = all.linked(far);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].sibling, unlinked[i].relations[stats::Relation::kSibling], 1e-9);
    EXPECT_NEAR(found[i].half_sibling, unlinked[i].relations[stats::Relation::kHalfSibling], 1e-9);
  }
}

TEST(SiblingsOfContributor, HaveTheSameFiguresInAnyCompany) {
  std::mt19937_64 rng(9);
  const StainAndPeople all = random_people(11, rng);
  const std::vector<SiblingRatios> together = all.linked(all.sites);
  for (std::size_t i = 0; i < all.people.size(); ++i) {
    const std::vector<SiblingRatios> alone =
        siblings_of_contributor(all.stains, all.sites, all.rows.row(0), all.supports, {&all.people[i], 1});
    EXPECT_EQ(alone[0].sibling, together[i].sibling);
    EXPECT_EQ(alone[0].half_sibling, together[i].half_sibling);
  }
}

TEST(SiblingsOfContributor, WeighABlockAsOneSite) {
  std::mt19937_64 rng(10);
  const MadeSites made = made_sites(1, 4, 5, rng);
  MadeSites four = made;  // at one place, with one frequency, in one block
  for (std::size_t s = 0; s < four.size(); ++s) four.freq[s] = four.freq[0], four.sites[s].cm = 1;
  MadeSites one{{four.sites[0]}, {four.freq[0]}};
  StainAndPeople of_four(four, {{1, 1, 1, 1}, {1, 1, 1, 1}});
  of_four.model.weigh_by(std::make_shared<stats::LinkageBlocks>(std::vector<std::uint32_t>(4, 0), 1));
  const StainAndPeople of_one(one, {{1}, {1}});
  EXPECT_NEAR(of_four.linked(of_four.sites)[0].sibling, of_one.linked(of_one.sites)[0].sibling, 1e-12);
}

}  // namespace
}  // namespace fastid::linked
