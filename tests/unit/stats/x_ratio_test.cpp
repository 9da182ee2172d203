// X of two people: the kinds of a relation, one site by hand, and linkage at its limits.
#include "stats/x_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using enum Sex;

const XKind& kind_of(std::string_view name, Sex first, Sex second) {
  for (const XKind& kind : x_kinds())
    if (kind.name == name && kind.first == first && kind.second == second) return kind;
  throw std::runtime_error("no such kind");
}

TEST(XKinds, OfARelationFollowTheSexes) {
  const auto n = [](Relation relation, Sex a, Sex b) { return x_kinds_of(relation, a, b).size(); };
  using enum Relation;
  EXPECT_EQ(n(kSame, kMale, kMale), 1u);
  EXPECT_EQ(n(kSame, kMale, kFemale), 0u);
  EXPECT_EQ(n(kParentChild, kMale, kMale), 1u);
  EXPECT_EQ(n(kParentChild, kFemale, kMale), 2u);
  EXPECT_EQ(n(kSibling, kFemale, kMale), 1u);
  EXPECT_EQ(n(kHalfSibling, kMale, kMale), 6u);
  EXPECT_EQ(n(kHalfSibling, kMale, kFemale), 10u);
  EXPECT_EQ(n(kHalfSibling, kFemale, kFemale), 6u);
  EXPECT_EQ(n(kCousin, kMale, kMale), 3u);
  EXPECT_EQ(n(kCousin, kMale, kFemale), 4u);
  EXPECT_EQ(n(kCousin, kFemale, kFemale), 3u);
  EXPECT_EQ(n(kUnrelated, kMale, kMale), 0u);
}

TEST(XKinds, ShareAsDescentHasIt) {
  const auto share = [](const char* name, Sex a, Sex b) { return x_sharing(kind_of(name, a, b)); };
  EXPECT_EQ(share("father", kMale, kMale), (std::array<double, 3>{1, 0, 0}));
  EXPECT_EQ(share("father", kMale, kFemale), (std::array<double, 3>{0, 1, 0}));
  EXPECT_EQ(share("full-sibling", kFemale, kFemale), (std::array<double, 3>{0, .5, .5}));
  EXPECT_EQ(share("maternal-aunt", kFemale, kMale), (std::array<double, 3>{.25, .75, 0}));
  EXPECT_EQ(share("maternal-uncle", kMale, kFemale), (std::array<double, 3>{.75, .25, 0}));
  EXPECT_EQ(share("paternal-grandmother", kFemale, kFemale), (std::array<double, 3>{0, 1, 0}));
  EXPECT_EQ(share("cousin-mothers-sisters", kFemale, kMale), (std::array<double, 3>{.625, .375, 0}));
  EXPECT_EQ(share("cousin-mother-sister-of-father", kMale, kFemale), (std::array<double, 3>{.75, .25, 0}));
}

TEST(XKinds, SayWhichCopiesArePassedOn) {
  const auto descent = [](const char* name, Sex a, Sex b) { return kind_of(name, a, b).descent; };
  EXPECT_EQ(descent("father", kMale, kMale), std::vector<XDescent>({{kNotShared, kNotShared}}));
  EXPECT_EQ(descent("father", kMale, kFemale), std::vector<XDescent>({{0, kNotShared}}));
  EXPECT_EQ(descent("mother", kFemale, kMale), std::vector<XDescent>({{0, kNotShared}, {1, kNotShared}}));
  EXPECT_EQ(descent("mother", kFemale, kFemale), std::vector<XDescent>({{kNotShared, 0}, {kNotShared, 1}}));
  EXPECT_EQ(descent("same", kFemale, kFemale), std::vector<XDescent>({{0, 1}}));
  for (const XDescent& of : descent("full-sibling", kFemale, kFemale))
    EXPECT_EQ(of[0], 0) << "their father's";
}

TEST(XKinds, KnowThePaternalAndTheMaternalLine) {
  const auto lines = [](const char* name, Sex a, Sex b) {
    const XKind& kind = kind_of(name, a, b);
    return std::pair(kind.paternal_line, kind.maternal_line);
  };
  EXPECT_EQ(lines("same", kMale, kMale), std::pair(true, true));
  EXPECT_EQ(lines("same", kFemale, kFemale), std::pair(false, true));
  EXPECT_EQ(lines("father", kMale, kMale), std::pair(true, false));
  EXPECT_EQ(lines("father", kMale, kFemale), std::pair(false, false));
  EXPECT_EQ(lines("mother", kFemale, kMale), std::pair(false, true));
  EXPECT_EQ(lines("full-sibling", kMale, kMale), std::pair(true, true));
  EXPECT_EQ(lines("full-sibling", kMale, kFemale), std::pair(false, true));
  EXPECT_EQ(lines("maternal-half-sibling", kMale, kMale), std::pair(false, true));
  EXPECT_EQ(lines("paternal-half-sibling", kMale, kMale), std::pair(true, false));
  EXPECT_EQ(lines("paternal-grandfather", kMale, kMale), std::pair(true, false));
  EXPECT_EQ(lines("maternal-grandmother", kFemale, kMale), std::pair(false, true));
  EXPECT_EQ(lines("paternal-uncle", kMale, kMale), std::pair(true, false));
  EXPECT_EQ(lines("maternal-uncle", kMale, kMale), std::pair(false, true));
  EXPECT_EQ(lines("cousin-mothers-sisters", kMale, kFemale), std::pair(false, true));
  EXPECT_EQ(lines("cousin-fathers-brothers", kMale, kMale), std::pair(true, false));
  EXPECT_EQ(lines("cousin-mother-sister-of-father", kMale, kMale), std::pair(false, false));
}

/// log10 ratio of one site, q .3, theta .03, w .005.
double one_site(const char* name, Sex a, Sex b, std::size_t x, std::size_t y) {
  const auto seen =
      x_emissions(.3, {.03, .005}, copies_of(SiteClass::kX, a), copies_of(SiteClass::kX, b))[x][y];
  const auto share = x_sharing(kind_of(name, a, b));
  return std::log10(share[0] * seen[0] + share[1] * seen[1] + share[2] * seen[2]);
}

TEST(XRatio, OfOneSiteIsWhatTheFormulasSay) {
  EXPECT_NEAR(one_site("full-sibling", kMale, kMale, 0, 0), .080022, 1e-6);
  EXPECT_NEAR(one_site("full-sibling", kMale, kMale, 0, 1), -.290597, 1e-6);
  EXPECT_NEAR(one_site("full-sibling", kMale, kMale, 1, 1), .306447, 1e-6);
  EXPECT_NEAR(one_site("mother", kFemale, kMale, 1, 1), .198872, 1e-6);
  EXPECT_NEAR(one_site("mother", kFemale, kMale, 0, 1), -1.607099, 1e-6);
  EXPECT_NEAR(one_site("full-sibling", kFemale, kFemale, 1, 1), .245863, 1e-6);
  EXPECT_NEAR(one_site("full-sibling", kFemale, kFemale, 0, 2), -1.914296, 1e-6);
}

/// Three sites of X with q .2, .3, .4 at these positions.
XRatio three_sites(const std::array<std::uint32_t, 3>& positions, Relation relation, const char* first,
                   unsigned first_copies, const char* second, unsigned second_copies) {
  const Panel panel({{"a", "X", positions[0], 'A', 'C'},
                     {"b", "X", positions[1], 'A', 'C'},
                     {"c", "X", positions[2], 'A', 'C'}},
                    {}, GenomeBuild::kUnknown, "test");
  const SiteClasses classes(panel);
  const PopulationModel model("pop", std::vector{.2, .3, .4}, {.03, .005});
  const AllelesSeen one(first), other(second);
  return XModel(model, panel, classes).ratio(relation, one.row(), first_copies, other.row(), second_copies);
}

constexpr std::array<std::uint32_t, 3> kTogether{50'000'000, 50'000'000, 50'000'000};
constexpr std::array<std::uint32_t, 3> kApart{10'000'000, 30'000'000, 140'000'000};

/// Two brothers, who share their mother's allele or not: what the sites say if they do, from site to site.
double brothers(const std::array<double, 3>& if_shared) {
  double share = .5, apart = .5;
  for (std::size_t s = 0; s < 3; ++s) {
    const double morgans = s == 0 ? 0 : 1.2e-8 * (kApart[s] - kApart[s - 1]);
    const double r = (1 - std::exp(-2 * morgans)) / 2, turns = 2 * r * (1 - r);
    const double now = ((1 - turns) * share + turns * apart) * if_shared[s];
    apart = turns * share + (1 - turns) * apart;
    share = now;
  }
  return share + apart;
}

TEST(XRatio, FollowsTheMapBetweenOneInheritanceAndAProduct) {
  const auto at = [](double q, std::size_t x, std::size_t y) {
    return x_emissions(q, {.03, .005}, 1, 1)[x][y][1];
  };
  const double a = at(.2, 1, 1), b = at(.3, 0, 0), c = at(.4, 1, 0);
  const XRatio apart = three_sites(kApart, Relation::kSibling, "202", 1, "200", 1);
  EXPECT_EQ(apart.compared, 3u);
  EXPECT_NEAR(*apart.log10_lr, std::log10(brothers({a, b, c})), 1e-9);
  const XRatio together = three_sites(kTogether, Relation::kSibling, "202", 1, "200", 1);
  EXPECT_NEAR(*together.log10_lr, std::log10((1 + a * b * c) / 2), 1e-9);
}

TEST(XRatio, OfFatherAndSonIsNone) {
  EXPECT_NEAR(*three_sites(kTogether, Relation::kParentChild, "202", 1, "020", 1).log10_lr, 0, 1e-12);
}

TEST(XRatio, LeavesOutHeterozygotesOfOneCopyAndNoCalls) {
  EXPECT_EQ(three_sites(kTogether, Relation::kSibling, "212", 1, "2-0", 2).compared, 2u);
  EXPECT_EQ(three_sites(kTogether, Relation::kSibling, "212", 2, "200", 1).compared, 3u);
}

TEST(XRatio, ComparesTheSameSitesWithoutFrequencies) {
  const Word sites = 0b111;
  for (const auto& [first, second] :
       {std::pair("212", "2-0"), {"212", "200"}, {"102", "121"}, {"---", "202"}})
    for (unsigned a = 1; a <= 2; ++a)
      for (unsigned b = 1; b <= 2; ++b) {
        const AllelesSeen one(first), other(second);
        EXPECT_EQ(compared_x(one.row(), a, other.row(), b, {&sites, 1}),
                  three_sites(kTogether, Relation::kSibling, first, a, second, b).compared);
      }
}

TEST(XRatio, HasNoValueWhereSexesContradictOrNothingIsCompared) {
  EXPECT_EQ(three_sites(kTogether, Relation::kSame, "202", 1, "202", 2).log10_lr, std::nullopt);
  EXPECT_EQ(three_sites(kTogether, Relation::kUnrelated, "202", 1, "202", 1).log10_lr, std::nullopt);
  EXPECT_EQ(three_sites(kTogether, Relation::kSibling, "---", 1, "202", 1).log10_lr, std::nullopt);
}

TEST(XRatio, LeavesOutSitesOfUnknownPosition) {
  EXPECT_EQ(three_sites({0, 50'000'000, 60'000'000}, Relation::kSibling, "202", 1, "202", 1).compared, 2u);
}

}  // namespace
}  // namespace fastid::stats
