// Genotypes to bits, against tables written by hand and rules that hold for all letters.
#include "panel/allele_code.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace fastid {
namespace {

using enum Call;

const Site kAG{"rs1", "1", 100, 'A', 'G'};
const Site kAT{"rs2", "1", 200, 'A', 'T'};

struct Expected {
  const char* letters;
  Call call;
  bool flipped = false;
  bool unknown = false;
};

void expect_codes(const Site& site, std::initializer_list<Expected> table) {
  for (const Expected& row : table) {
    const Coded coded = code_genotype(site, row.letters);
    EXPECT_EQ(coded.call, row.call) << row.letters;
    EXPECT_EQ(coded.flipped, row.flipped) << row.letters;
    EXPECT_EQ(coded.unknown_allele, row.unknown) << row.letters;
  }
}

TEST(CodeGenotype, ReadsAPersonOnEitherStrand) {
  expect_codes(kAG, {{"AA", kMajorOnly},
                     {"AG", kHasMinor},
                     {"GA", kHasMinor},
                     {"GG", kHasMinor},
                     {"ag", kHasMinor},
                     {"A", kMajorOnly},
                     {"G", kHasMinor},
                     {"TT", kMajorOnly, true},
                     {"TC", kHasMinor, true},
                     {"CC", kHasMinor, true},
                     {"c", kHasMinor, true}});
}

TEST(CodeGenotype, NeverFlipsAPalindromicSite) {
  expect_codes(kAT, {{"AA", kMajorOnly},
                     {"TT", kHasMinor},
                     {"AT", kHasMinor},
                     {"CC", kNoCall, false, true},
                     {"GG", kNoCall, false, true}});
}

TEST(CodeGenotype, CallsNothingWhereAllelesAreMissingOrUnknown) {
  expect_codes(kAG, {{"--", kNoCall},
                     {"-", kNoCall},
                     {"00", kNoCall},
                     {"0", kNoCall},
                     {".", kNoCall},
                     {"", kNoCall},
                     {"A-", kNoCall},
                     {"G0", kNoCall},
                     {"AC", kNoCall, false, true},
                     {"AT", kNoCall, false, true},
                     {"II", kNoCall, false, true},
                     {"DI", kNoCall, false, true},
                     {"N-", kNoCall, false, true}});
}

TEST(CodeGenotype, ReadsEveryAlleleSeenInAMixture) {
  expect_codes(kAG,
               {{"AAA", kMajorOnly},
                {"AAG", kHasMinor},
                {"AGT", kHasMinor, false, true},
                {"AAC", kMajorOnly, false, true},
                {"TTC", kHasMinor, true},
                {"TTT", kMajorOnly, true},
                {"TCA", kNoCall, false, true},     // T and C fit the other strand, A alone this one: a guess
                {"AGTC", kHasMinor, false, true},  // equal: as they are
                {"---", kNoCall},
                {"A--", kMajorOnly},
                {"NNN", kNoCall, false, true}});
  expect_codes(kAT, {{"AAT", kHasMinor}, {"ACC", kMajorOnly, false, true}, {"CCG", kNoCall, false, true}});
}

TEST(StrandOf, AsksAllLetters) {
  EXPECT_EQ(strand_of(kAG, ""), Strand::kSame);
  EXPECT_EQ(strand_of(kAG, "A"), Strand::kSame);
  EXPECT_EQ(strand_of(kAG, "GA"), Strand::kSame);
  EXPECT_EQ(strand_of(kAG, "TC"), Strand::kFlipped);
  EXPECT_EQ(strand_of(kAG, "AC"), std::nullopt);
  EXPECT_EQ(strand_of(kAG, "N"), std::nullopt);
  EXPECT_EQ(strand_of(kAT, "TA"), Strand::kSame);
  EXPECT_EQ(strand_of(kAT, "C"), std::nullopt);
}

TEST(CodeOf, ReadsOneLetter) {
  EXPECT_EQ(code_of(kAG, 'A', Strand::kSame), AlleleCode::kMajor);
  EXPECT_EQ(code_of(kAG, 'G', Strand::kSame), AlleleCode::kMinor);
  EXPECT_EQ(code_of(kAG, 'T', Strand::kSame), AlleleCode::kUnknown);
  EXPECT_EQ(code_of(kAG, 'T', Strand::kFlipped), AlleleCode::kMajor);
  EXPECT_EQ(code_of(kAG, 'C', Strand::kFlipped), AlleleCode::kMinor);
  EXPECT_EQ(code_of(kAG, 'A', Strand::kFlipped), AlleleCode::kUnknown);
  EXPECT_EQ(code_of(kAG, '\0', Strand::kFlipped), AlleleCode::kUnknown);
}

/// Any legal site and letters of a genotype on it.
Site any_site() {
  const auto major = *rc::gen::element('A', 'C', 'G', 'T');
  const auto minor = *rc::gen::distinctFrom(rc::gen::element('A', 'C', 'G', 'T'), major);
  return {"rs", "1", 1, major, minor};
}
std::string any_letters() {
  return *rc::gen::container<std::string>(rc::gen::element('A', 'C', 'G', 'T', '-', 'I', 'N'));
}

RC_GTEST_PROP(CodeGenotypeProperty, ComplementedLettersGiveTheSameCall, ()) {
  const Site site = any_site();
  RC_PRE(!site.palindromic());
  const std::string letters = *rc::gen::container<std::string>(rc::gen::element(site.major, site.minor, '-'));
  std::string flipped = letters;
  for (char& c : flipped) c = c == '-' ? c : complement(c);
  RC_ASSERT(code_genotype(site, letters).call == code_genotype(site, flipped).call);
  RC_ASSERT(!code_genotype(site, letters).unknown_allele);
}

RC_GTEST_PROP(CodeGenotypeProperty, OrderAndCaseOfLettersDoNotMatter, ()) {
  const Site site = any_site();
  const std::string letters = any_letters();
  std::string other = letters;
  std::ranges::reverse(other);
  for (char& c : other) c = static_cast<char>(std::tolower(c));
  const Coded one = code_genotype(site, letters), two = code_genotype(site, other);
  RC_ASSERT(one.call == two.call && one.flipped == two.flipped && one.unknown_allele == two.unknown_allele);
}

RC_GTEST_PROP(CodeGenotypeProperty, SwappedPanelAllelesSwapTheHomozygotes, ()) {
  const Site site = any_site();
  const Site swapped{"rs", "1", 1, site.minor, site.major};
  RC_ASSERT(code_genotype(site, std::string(2, site.major)).call == kMajorOnly);
  RC_ASSERT(code_genotype(swapped, std::string(2, site.major)).call == kHasMinor);
  RC_ASSERT(code_genotype(swapped, std::string{site.major, site.minor}).call == kHasMinor);
}

}  // namespace
}  // namespace fastid
