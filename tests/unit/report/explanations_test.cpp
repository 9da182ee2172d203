// Which explanation of a mixture reports call the likeliest, and whom its figures stand for.
#include "report/page/explanations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.hpp"
#include "unit/report/sample.hpp"

namespace fastid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

match::MixtureSupport by_reads(std::vector<double> shares, std::size_t own, double weight) {
  match::MixtureSupport support{static_cast<unsigned>(shares.size()),
                                shares[own],
                                {},
                                {},
                                weight,
                                match::MixtureReads{.concentration = 60, .error = .001}};
  shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(own));
  support.unknown = shares;
  return support;
}

/// One contributor has a probability of .17; two have .83, most of it as .6 and .4.
match::MixtureEvidence of_two() {
  return {.numbers = {.17, .83},
          .supports = {by_reads({1}, 0, .17), by_reads({.9, .1}, 0, .16), by_reads({.9, .1}, 1, .16),
                       by_reads({.6, .4}, 0, .1), by_reads({.6, .4}, 1, .1)},
          .depths = match::MixtureDepths{.median = 60, .read_by_read = 3, .sites = {{30, 30}}}};
}

match::MatchTable page_of(match::MixtureEvidence mixture) {
  match::MatchTable table = sample(engine::Comparison::kMixture);
  table.queries.resize(1);
  table.queries[0].evidence.mixture = std::move(mixture);
  return table;
}

TEST(LikeliestExplanation, IsOfTheLikeliestNumber) {
  EXPECT_THAT(report::unknown_parts(report::likeliest_explanation(of_two())), ElementsAre(.9, .1));
}

TEST(LikeliestExplanation, HasTheWeightOfAllItsContributors) {
  match::MixtureEvidence mixture = of_two();
  mixture.supports.push_back(by_reads({.8, .2}, 0, .17));  // more than each single one of .9 and .1
  EXPECT_THAT(report::unknown_parts(report::likeliest_explanation(mixture)), ElementsAre(.9, .1));
}

TEST(MixturePage, NamesKnownContributorsAndNumbersTheOthers) {
  match::MixtureEvidence mixture = of_two();
  mixture.supports = {{.contributors = 2, .own = .3, .unknown = {}, .known = {.7}, .weight = 1}};
  mixture.depths.reset();
  match::MatchTable matches = page_of(mixture);
  matches.provenance.evidence.known = {{"victim", "victim.snp", "ab"}};
  const std::string page = report::html(matches);
  EXPECT_THAT(page, HasSubstr("<bdi>victim</bdi>, known"));
  EXPECT_THAT(page, HasSubstr(">1 of 1<"));
  EXPECT_THAT(page, Not(HasSubstr("of 2, known")));
}

TEST(MixturePage, SaysWhomAnEntryStandsFor) {
  match::MixtureEvidence mixture = of_two();
  mixture.supports = {{.contributors = 2, .own = .1, .unknown = {.1}, .known = {}, .weight = 1}};
  mixture.depths.reset();
  mixture.people = {{.left = .1, .sites = 9, .certain = 4}};
  EXPECT_THAT(report::html(page_of(mixture)), HasSubstr("each of 2, who are alike"));
}

TEST(MixtureReport, HasNoErrorWhereAllSitesGoReadByRead) {
  match::MatchTable matches = page_of(of_two());
  matches.queries[0].called_sites = 4;
  EXPECT_THAT(report::html(matches), HasSubstr(", error 0.001"));
  EXPECT_THAT(report::json(matches), HasSubstr("\"error\": 0.001"));
  matches.queries[0].called_sites = 3;
  EXPECT_THAT(report::html(matches), Not(HasSubstr(", error 0.001")));
  EXPECT_THAT(report::json(matches), HasSubstr("\"error\": null"));
  EXPECT_THAT(report::json(matches), Not(HasSubstr("\"error\": 0.001")));
}

}  // namespace
}  // namespace fastid
