// Which record a site's calls come from: ids, positions, duplicates, conflicts, builds, absent sites, pipes.
#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Matching : public ::testing::Test {
 protected:
  ImportedProfiles read(const std::vector<std::string>& lines, const Panel& panel,
                        ImportOptions options = {}) {
    return read_profiles(write(lines), panel, options);
  }
  std::string refused(const std::vector<std::string>& lines, const Panel& panel, ImportOptions options = {}) {
    return refusal_to_read(write(lines), panel, options);
  }
  std::string write(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return folder_.write("case.snp", text);
  }
  TempFolder folder_;
};

TEST_F(Matching, IdFirstThenPosition) {
  const auto person = read({"rs1 1 101 GG", "i77 chr1 102 AA", ". 1 103 GG", "rs9 1 999 GG"}, plain_panel(4));
  EXPECT_EQ(calls_of(person), "101-");
  EXPECT_EQ(person.counts.matched, 3u);
  EXPECT_EQ(person.counts.matched_by_position, 2u);
  EXPECT_EQ(person.counts.file_sites, 4u);
}

TEST_F(Matching, TheIdWinsOverThePositionInEitherOrder) {
  EXPECT_EQ(calls_of(read({"i5 1 101 AA", "rs1 1 101 GG"}, plain_panel(2))), "1-");
  EXPECT_EQ(calls_of(read({"rs1 1 101 GG", "i5 1 101 AA"}, plain_panel(2))), "1-");
  const auto after_conflict = read({"i5 1 101 AA", "i6 1 101 GG", "rs1 1 101 GG"}, plain_panel(2));
  EXPECT_EQ(calls_of(after_conflict), "1-");
  EXPECT_EQ(after_conflict.counts.conflicts, 0u);
  EXPECT_EQ(after_conflict.counts.matched_by_position, 0u);
}

TEST_F(Matching, APanelsIdMayHoldWhatPartsIds) {
  const Panel panel = make_panel({{"1:101:A,G", "1", 101, 'A', 'G'}, {"a;b", "1", 102, 'A', 'G'}});
  const auto person = read({"1:101:A,G 1 101 AG", "a;b 1 102 AA"}, panel, {.ignore_build = true});
  EXPECT_EQ(calls_of(person), "10");
  EXPECT_EQ(person.counts.matched_by_position, 0u);
}

TEST_F(Matching, TheSameIdTwiceIsRefused) {
  EXPECT_THAT(refused({"rs1 1 101 GG", "rs2 1 102 AA", "rs1 1 101 GG"}, plain_panel(2)),
              HasSubstr("line 3: 'rs1' is given a second time, after line 1; remove one"));
  EXPECT_EQ(refused({"x 1 901 GG", "rs2 1 102 AA", "x 1 901 GG"}, plain_panel(2)), "accepted")
      << "ids that the panel does not have are nobody's business";
}

TEST_F(Matching, TwoByPositionMustAgree) {
  const auto agreeing = read({"i5 1 101 AA", "i6 1 101 TT", "i7 1 102 --", "i8 1 102 GG"}, plain_panel(2));
  EXPECT_EQ(calls_of(agreeing), "01");
  EXPECT_EQ(agreeing.counts.conflicts, 0u);
  const auto disagreeing = read({"i5 1 101 AA", "i6 1 101 GG", "i7 1 101 GG", "i8 1 102 GG"}, plain_panel(2));
  EXPECT_EQ(calls_of(disagreeing), "-1");
  EXPECT_EQ(disagreeing.counts.conflicts, 1u);
  EXPECT_EQ(disagreeing.counts.no_calls, 1u);
}

TEST_F(Matching, ConflictsAreOfOneProfileOnly) {
  const std::string path = folder_.write("c.vcf", vcf_text("P Q", {"1 101 . A G . . . GT 0/0 0/1",  //
                                                                   "1 101 . A G . . . GT 0/1 0/1"}));
  const auto people = read_profiles(path, plain_panel(1), {});
  EXPECT_EQ(calls_of(people, 0), "-");
  EXPECT_EQ(calls_of(people, 1), "1");
  EXPECT_EQ(people.counts.conflicts, 1u);
}

TEST_F(Matching, TwoPanelSitesAtOnePositionAreBothRead) {
  const Panel panel = make_panel({{"a", "1", 101, 'A', 'G'}, {"b", "1", 101, 'A', 'C'}});
  EXPECT_EQ(calls_of(read({". 1 101 AA"}, panel)), "00");
  EXPECT_EQ(calls_of(read({". 1 101 AC"}, panel)), "-1");
}

TEST_F(Matching, NoOverlapIsAnErrorWithAnExampleOfEachSide) {
  EXPECT_THAT(refused({"rs77 2 5 AA"}, plain_panel(2)),
              HasSubstr("no overlap with the panel: the file has 'rs77' at 2:5, the panel 'rs1' at 1:101"));
  EXPECT_THAT(refused({"rs1 1 101 CA"}, plain_panel(2)),
              HasSubstr("1 sites are named, but with other alleles"));
}

/// `moved` of ten shared ids lie elsewhere.
std::vector<std::string> ten_sites(int moved) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 10; ++i)
    lines.push_back("rs" + std::to_string(i) + " 1 " + std::to_string(i <= moved ? 5000 + i : 100 + i) +
                    " AG");
  return lines;
}

TEST_F(Matching, MoreThanOneInTenIdsElsewhereIsAnotherBuild) {
  EXPECT_EQ(refused(ten_sites(0), plain_panel(10)), "accepted");
  EXPECT_EQ(refused(ten_sites(1), plain_panel(10)), "accepted");
  EXPECT_THAT(
      refused(ten_sites(2), plain_panel(10)),
      HasSubstr("2 of 10 shared ids lie at other positions (for example rs1 1:5001 against 1:101): another "
                "genome build; use a file of the panel's build, or --ignore-build"));
}

TEST_F(Matching, IgnoreBuildMatchesByIdAloneAndWarns) {
  auto lines = ten_sites(2);
  lines.push_back(". 1 111 AG");  // would match rs11 by position
  ::testing::internal::CaptureStderr();
  const auto person = read(lines, plain_panel(11), {.ignore_build = true});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("2 of 10 shared ids lie at other positions"));
  EXPECT_EQ(calls_of(person), "1111111111-");
  ::testing::internal::CaptureStderr();
  read(ten_sites(0), plain_panel(11), {.ignore_build = true});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST_F(Matching, StatedBuildsMustAgree) {
  const Panel panel =
      make_panel({{"rs1", "1", 101, 'A', 'G'}, {"rs2", "1", 102, 'A', 'G'}}, GenomeBuild::kGRCh37);
  EXPECT_EQ(refused({"# human assembly build 37", "rs1 1 101 AA"}, panel), "accepted");
  EXPECT_EQ(refused({"rs1 1 101 AA"}, panel), "accepted");
  EXPECT_THAT(refused({"# human assembly build 36", "rs1 1 101 AA"}, panel),
              HasSubstr("is of build NCBI36, the panel of GRCh37"));
  ::testing::internal::CaptureStderr();
  const auto person = read({"#build GRCh38", "rs1 1 101 AG", ". 1 102 AG"}, panel, {.ignore_build = true});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("matched by id alone"));
  EXPECT_EQ(calls_of(person), "1-");
}

TEST_F(Matching, WarnsWherePositionsAreAllThereIs) {
  ::testing::internal::CaptureStderr();
  read({". 1 101 AG"}, plain_panel(1));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("matched by position alone"));
}

/// A VCF of `fit` records without ids whose alleles are the panel's, and so many others.
std::string positions(const TempFolder& folder, int fit, int other) {
  std::vector<std::string> records;
  for (int i = 1; i <= fit + other; ++i)
    records.push_back("1 " + std::to_string(100 + i) + " . A " + (i <= fit ? "G" : "C") + " . . . GT 0/0");
  return folder.write("c.vcf", vcf_text("P", records));
}

TEST_F(Matching, AllelesThatDoNotFitTellAnotherBuild) {
  const Panel panel = plain_panel(200);
  const auto refused = [&](int fit, int other, ImportOptions options = {}) {
    return refusal_to_read(positions(folder_, fit, other), panel, options);
  };
  EXPECT_THAT(refused(32, 42),
              HasSubstr("only 32 of 74 shared positions have the panel's alleles, as by chance: "
                        "another genome build; use a file of the panel's build"));
  EXPECT_THAT(refused(6, 7), HasSubstr("6 of 13"));
  EXPECT_EQ(refused(95, 5), "accepted") << "third alleles are in any file";
  EXPECT_EQ(refused(190, 10), "accepted");
  EXPECT_EQ(refused(2, 1), "accepted") << "too few to tell";
  EXPECT_THAT(refused(32, 42, {.ignore_build = true}), HasSubstr("no overlap"));
}

TEST_F(Matching, WhatFitsAnywayTellsNoBuild) {
  // Homozygotes fit nearly any site, and of records that were split only one does.
  std::vector<std::string> lines, split;
  for (int i = 1; i <= 40; ++i) {
    lines.push_back(". 1 " + std::to_string(100 + i) + (i % 2 == 0 ? " AA" : " CA"));
    for (const char* alternative : {"C", "T", "G"})
      split.push_back("1 " + std::to_string(100 + i) + " . A " + alternative + " . . . GT 0/0");
  }
  EXPECT_THAT(refused(lines, plain_panel(40)), HasSubstr("only 0 of 20 shared positions"));
  EXPECT_EQ(refusal_to_read(folder_.write("c.vcf", vcf_text("P", split)), plain_panel(40), {}), "accepted");
  lines.push_back("rs41 1 141 AA");
  EXPECT_EQ(refused(lines, plain_panel(41)), "accepted") << "an id tells the build";
}

TEST_F(Matching, AbsentSitesAreNotCalledUnlessAsked) {
  const std::vector<std::string> lines = {"rs1 1 101 AG", "rs2 1 102 --", "rs3 1 103 AC"};
  EXPECT_EQ(calls_of(read(lines, plain_panel(5))), "1----");
  ::testing::internal::CaptureStderr();
  const auto filled = read(lines, plain_panel(5), {.absent_as_reference = true});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("2 absent sites are read as the panel's major allele"));
  EXPECT_EQ(calls_of(filled), "1--00") << "a site with a no call or other alleles is not absent";
  EXPECT_EQ(filled.counts.matched, 2u);
  EXPECT_EQ(filled.counts.no_calls, 1u);
}

TEST_F(Matching, PipesAreReadAndMayBeReadAgain) {
  const std::string path = write({"rs1 1 101 AG"});
  const std::string fifo = folder_ / "pipe";
  ASSERT_EQ(std::system(("mkfifo " + fifo + " && (cat " + path + " > " + fifo + " &)").c_str()), 0);
  const auto first = read_profiles(fifo, plain_panel(1), {});
  EXPECT_EQ(calls_of(first), "1");
  EXPECT_EQ(first.ids, (std::vector<std::string>{"pipe"}));
  EXPECT_EQ(read_profiles(fifo, plain_panel(1), {}).sha256.get(),
            read_profiles(path, plain_panel(1), {}).sha256.get());
}

TEST_F(Matching, CountsAreDescribedInOneLine) {
  ImportCounts counts;
  counts.matched = 1020;
  counts.flipped = 4;
  counts.palindromic = 75;
  counts.unknown_alleles = 2;
  counts.no_calls = 31;
  EXPECT_EQ(describe(counts, 1024),
            "sites matched 1,020 of 1,024, strand-flipped 4, palindromic 75, unknown alleles 2, no calls 31");
  counts.matched_by_position = 3;
  counts.conflicts = 1;
  EXPECT_EQ(
      describe(counts, 1024),
      "sites matched 1,020 of 1,024 (3 by position), strand-flipped 4, palindromic 75, unknown alleles 2, no "
      "calls 31, conflicts 1");
}

}  // namespace
}  // namespace fastid::imports
