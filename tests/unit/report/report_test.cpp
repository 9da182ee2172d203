// The output contract: columns, order, NA, ties, and what json may and may not hold.
#include "report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fastid {
namespace {

using testing::HasSubstr;
using testing::Not;

MatchTable sample(Comparison comparison) {
  MatchTable table{.comparison = comparison};
  QueryMatches query{"scene", "scene.snp", "ab12", 1004, 300, {}, 0};
  query.rows.push_back({1, 41, "P42", {3, 290, 1000}, {}, {}, {}});
  query.rows.push_back({2, 7, "P8", {250, 280, 999}, -12.5, 0.25, 17.0});
  query.ties_cut = 2;
  table.queries.push_back(query);
  table.queries.push_back({"empty", "e.snp", "cd34", 5, 0, {}, 0});
  table.provenance.n_sites = 1024;
  table.run.command_line = "fastid search scene.snp db.h5";
  return table;
}

TEST(Tsv, HasTheIdentityColumnsInOrder) {
  EXPECT_EQ(report::tsv(sample(Comparison::kIdentity)),
            "query\trank\tprofile\tmismatches\tcompared\tmismatch_rate\tlog10_lr\texpected_false\trow\n"
            "scene\t1\tP42\t3\t1000\t0.003000\tNA\tNA\t41\n"
            "scene\t2\tP8\t250\t999\t0.250250\t-12.500000\t17.000000\t7\n");
}

TEST(Tsv, HasTheMixtureColumnsInOrder) {
  EXPECT_EQ(
      report::tsv(sample(Comparison::kMixture)),
      "mixture\trank\tprofile\texcluded\tminor_alleles\tcompared\tlog10_lr\tp_rmne\texpected_false\trow\n"
      "scene\t1\tP42\t3\t290\t1000\tNA\tNA\tNA\t41\n"
      "scene\t2\tP8\t250\t280\t999\t-12.500000\t0.250000\t17.000000\t7\n");
}

TEST(Tsv, ReverseNamesTheStoredMixtureAndThePersonAskedFor) {
  EXPECT_THAT(report::tsv(sample(Comparison::kReverseMixture)), HasSubstr("\nP42\t1\tscene\t3\t290\t1000\t"));
}

TEST(Table, FitsEightyColumnsAndSaysTies) {
  for (const Comparison comparison :
       {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture}) {
    const std::string text = report::table(sample(comparison));
    for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_THAT(text, HasSubstr("scene: 1,004 of 1,024 sites called"));
    EXPECT_THAT(text, HasSubstr("2 more tie"));
    EXPECT_THAT(text, HasSubstr("no profile passes"));
  }
}

TEST(Json, CarriesNullForWhatIsNotComputedAndTheRunOnlyOnRequest) {
  const std::string plain = report::json(sample(Comparison::kIdentity), false);
  EXPECT_THAT(plain, HasSubstr("\"log10_lr\": null"));
  EXPECT_THAT(plain, HasSubstr("\"ties_cut\": 2"));
  EXPECT_THAT(plain, HasSubstr("\"max_count\": null"));
  EXPECT_THAT(plain, Not(HasSubstr("command_line")));
  EXPECT_THAT(report::json(sample(Comparison::kIdentity), true),
              HasSubstr("\"command_line\": \"fastid search scene.snp db.h5\""));
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
  MatchTable table = sample(Comparison::kIdentity);
  table.queries[0].name = "\xff\xfe";
  EXPECT_NO_THROW(report::json(table, false));
}

}  // namespace
}  // namespace fastid
