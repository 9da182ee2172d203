// Genotypes to the alleles seen, against tables written by hand and rules that hold for all letters.
#include "panel/allele_code.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace fastid {
namespace {

const Site kAG{"rs1", "1", 100, 'A', 'G'};
const Site kAT{"rs2", "1", 200, 'A', 'T'};

struct Expected {
  const char* letters;
  Seen seen;
  bool flipped = false;
  bool unknown = false;
};

void expect_codes(const Site& site, std::initializer_list<Expected> table) {
  for (const Expected& row : table) {
    const Coded coded = code_genotype(site, row.letters);
    EXPECT_EQ(coded.seen, row.seen) << row.letters;
    EXPECT_EQ(coded.flipped, row.flipped) << row.letters;
    EXPECT_EQ(coded.unknown_allele, row.unknown) << row.letters;
  }
}

TEST(CodeGenotype, ReadsAPersonOnEitherStrand) {
  expect_codes(kAG, {{"AA", kMajorSeen},
                     {"AG", kBothSeen},
                     {"GA", kBothSeen},
                     {"GG", kMinorSeen},
                     {"ag", kBothSeen},
                     {"A", kMajorSeen},
                     {"G", kMinorSeen},
                     {"TT", kMajorSeen, true},
                     {"TC", kBothSeen, true},
                     {"CC", kMinorSeen, true},
                     {"c", kMinorSeen, true}});
}

TEST(CodeGenotype, NeverFlipsAPalindromicSite) {
  expect_codes(kAT, {{"AA", kMajorSeen},
                     {"TT", kMinorSeen},
                     {"AT", kBothSeen},
                     {"CC", kNoneSeen, false, true},
                     {"GG", kNoneSeen, false, true}});
}

TEST(CodeGenotype, CallsNothingWhereAllelesAreMissingOrUnknown) {
  expect_codes(kAG, {{"--", kNoneSeen},
                     {"-", kNoneSeen},
                     {"00", kNoneSeen},
                     {"0", kNoneSeen},
                     {".", kNoneSeen},
                     {"", kNoneSeen},
                     {"A-", kNoneSeen},
                     {"G0", kNoneSeen},
                     {"AC", kNoneSeen, false, true},
                     {"AT", kNoneSeen, false, true},
                     {"II", kNoneSeen, false, true},
                     {"DI", kNoneSeen, false, true},
                     {"N-", kNoneSeen, false, true}});
}

TEST(CodeGenotype, ReadsEveryAlleleSeenInAMixture) {
  expect_codes(kAG,
               {{"AAA", kMajorSeen},
                {"AAG", kBothSeen},
                {"AGT", kBothSeen, false, true},
                {"AAC", kMajorSeen, false, true},
                {"TTC", kBothSeen, true},
                {"TTT", kMajorSeen, true},
                {"TCA", kNoneSeen, false, true},   // T and C fit the other strand, A alone this one: a guess
                {"AGTC", kBothSeen, false, true},  // equal: as they are
                {"---", kNoneSeen},
                {"A--", kMajorSeen},
                {"NNN", kNoneSeen, false, true}});
  expect_codes(kAT, {{"AAT", kBothSeen}, {"ACC", kMajorSeen, false, true}, {"CCG", kNoneSeen, false, true}});
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
  RC_ASSERT(code_genotype(site, letters).seen == code_genotype(site, flipped).seen);
  RC_ASSERT(!code_genotype(site, letters).unknown_allele);
}

RC_GTEST_PROP(CodeGenotypeProperty, OrderAndCaseOfLettersDoNotMatter, ()) {
  const Site site = any_site();
  const std::string letters = any_letters();
  std::string other = letters;
  std::ranges::reverse(other);
  for (char& c : other) c = static_cast<char>(std::tolower(c));
  const Coded one = code_genotype(site, letters), two = code_genotype(site, other);
  RC_ASSERT(one.seen == two.seen && one.flipped == two.flipped && one.unknown_allele == two.unknown_allele);
}

RC_GTEST_PROP(CodeGenotypeProperty, SwappedPanelAllelesSwapTheHomozygotes, ()) {
  const Site site = any_site();
  const Site swapped{"rs", "1", 1, site.minor, site.major};
  RC_ASSERT(code_genotype(site, std::string(2, site.major)).seen == kMajorSeen);
  RC_ASSERT(code_genotype(swapped, std::string(2, site.major)).seen == kMinorSeen);
  RC_ASSERT(code_genotype(swapped, std::string{site.major, site.minor}).seen == kBothSeen);
}

}  // namespace
}  // namespace fastid
