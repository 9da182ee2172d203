// People with sexes: who has how many copies, what relatives share of X, Y and M, and that autosomal sites
// are those of the panel without them. How X recombines is held against theory by
// tests/oracle/sex_simulate_test.py.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "panel/panel.hpp"
#include "simulate/internal/lineages.hpp"
#include "simulate/people.hpp"
#include "simulate/simulate.hpp"
#include "unit/db/db_testing.hpp"
#include "unit/simulate/shares.hpp"

namespace fastid::simulate {
namespace {

using db::testing::Folder;
using db::testing::letters_of;
using db::testing::spill;
using fastid::testing::read_bytes;
using testing::expect_share;

constexpr std::size_t kProfiles = 960;

/// Sites of all classes, mixed up: autosomal ones, PAR, X, Y, Y's copy of PAR, M.
Panel panel_of(bool with_others) {
  std::vector<Site> sites;
  Population population{"pop", {}};
  for (std::uint32_t i = 0; i < 240; ++i) {
    static constexpr struct {
      const char* chrom;
      std::uint32_t first;
    } kKinds[] = {{"7", 1'000'000}, {"X", 5'000'000}, {"Y", 5'000'000}, {"8", 1'000'000},
                  {"M", 100},       {"X", 100'000},   {"Y", 100'000},   {"X", 90'000'000}};
    const auto& [chrom, first] = kKinds[i % 8];
    const std::uint32_t pos = first + i * (chrom == std::string_view("M") ? 7 : 10'000);
    const bool autosomal = class_of(chrom, pos, GenomeBuild::kGRCh37) == SiteClass::kAutosomal;
    if (!autosomal && !with_others) continue;
    sites.push_back({"s" + std::to_string(i), chrom, pos, 'A', 'C'});
    population.minor_freq.push_back(.1 + .001 * (i * 37 % 400));
  }
  return Panel(std::move(sites), {std::move(population)}, GenomeBuild::kGRCh37, "test");
}

using Lines = std::vector<std::vector<std::string>>;

Lines lines_of(const std::string& path, char separator = '\t') {
  Lines lines;
  std::istringstream text(read_bytes(path));
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    auto& of = lines.emplace_back();
    for (std::string cell; std::getline(cells, cell, separator);) of.push_back(cell);
  }
  return lines;
}

class SexesTest : public ::testing::Test {
 protected:
  SexesTest() : panel_(panel_of(true)), classes_(panel_) {
    spill(folder_ / "panel.tsv", write_panel_tsv(panel_));
    spill(folder_ / "plain.tsv", write_panel_tsv(panel_of(false)));
  }

  SimulateOptions options(const std::string& panel, const std::string& name) const {
    SimulateOptions options;
    options.output = folder_ / name;
    options.profiles = kProfiles;
    options.panel_path = folder_ / panel;
    options.encoding = Encoding::kAlleles;
    options.pairs = {30, 30, 60, 60, 60, 60};
    options.threads = 2;
    return options;
  }

  /// Simulates, and reads what was written.
  void simulate(const SimulateOptions& options) {
    simulate_database(options);
    people_ = letters_of(db::Reader(options.output), 100);
    men_.clear();
    for (const auto& line : lines_of(sexes_path(options.output)))
      if (line.at(0) != "id") men_.push_back(line.at(1) == "male");
  }

  /// Letters of a person at the sites of a class: '0' major, '1' both, '2' minor, '-' none.
  std::string at(SiteClass site_class, std::size_t row) const {
    std::string letters;
    for (const std::uint32_t s : classes_.sites(site_class)) letters += people_[row][s];
    return letters;
  }

  Folder folder_;
  Panel panel_;
  SiteClasses classes_;
  std::vector<std::string> people_;
  std::vector<bool> men_;
};

TEST_F(SexesTest, PeopleHaveTheCopiesOfTheirSex) {
  auto asked = options("panel.tsv", "db.h5");
  asked.error_rate = .02;
  simulate(asked);
  ASSERT_EQ(men_.size(), kProfiles);
  expect_share(static_cast<std::size_t>(std::ranges::count(men_, true)), .5, kProfiles);
  std::size_t heterozygous = 0;
  for (std::size_t row = 0; row < kProfiles; ++row) {
    const std::string x = at(SiteClass::kX, row), y = at(SiteClass::kY, row), m = at(SiteClass::kM, row);
    EXPECT_EQ(x.find('-'), std::string::npos);
    EXPECT_EQ(m.find_first_of("-1"), std::string::npos) << "one copy of M";
    EXPECT_EQ(at(SiteClass::kNone, row).find_first_not_of('-'), std::string::npos);
    if (men_[row]) {
      EXPECT_EQ(x.find('1'), std::string::npos) << "one copy of X, which is misread whole";
      EXPECT_EQ(y.find_first_of("-1"), std::string::npos);
    } else {
      EXPECT_EQ(y.find_first_not_of('-'), std::string::npos) << "a woman has no Y";
      heterozygous += x.find('1') != std::string::npos;
    }
  }
  EXPECT_GT(heterozygous, kProfiles / 3);
}

TEST_F(SexesTest, AutosomalSitesAreThoseOfThePanelWithoutOthers) {
  auto asked = options("panel.tsv", "db.h5"), plain = options("plain.tsv", "plain.h5");
  for (SimulateOptions* one : {&asked, &plain}) {
    one->error_rate = one->no_call_rate = .02;
    one->cases = 2;
    one->cases_dir = one->output + ".cases";
    simulate_database(*one);
  }
  simulate(asked);
  const auto expected = letters_of(db::Reader(plain.output), 100);
  for (std::size_t row = 0; row < kProfiles; ++row)
    ASSERT_EQ(at(SiteClass::kAutosomal, row), expected[row]) << row;
  auto found = lines_of(relatives_path(asked.output));
  for (auto& line : found) {
    ASSERT_EQ(line.size(), 9u);
    line.pop_back();
  }
  EXPECT_EQ(found, lines_of(relatives_path(plain.output)));
  EXPECT_EQ(read_bytes(sexes_path(plain.output)), "") << "no such file";
  for (const char* name : {"/identity-0001.snp", "/absent-0002.snp", "/mixture-0001.snp"}) {
    std::map<std::string, std::string> genotypes;
    for (const auto& line : lines_of(asked.cases_dir + name))
      if (line.size() == 4) genotypes[line[0]] = line[3];
    for (const auto& line : lines_of(plain.cases_dir + name))
      if (line.size() == 4) {
        EXPECT_EQ(genotypes[line[0]], line[3]) << name;
      }
  }
}

TEST_F(SexesTest, RelativesHaveTheCopiesThatDescentGivesThem) {
  simulate(options("panel.tsv", "db.h5"));
  std::map<std::string, std::size_t> kinds;
  std::size_t other_y = 0, other_m = 0;
  for (const auto& line : lines_of(relatives_path(folder_ / "db.h5"))) {
    if (line.at(0) == "relation") continue;
    const std::string &relation = line.at(0), &kind = line.at(8);
    const std::size_t row = std::stoul(line.at(2)), of = std::stoul(line.at(4));
    ++kinds[relation + " " + kind];
    const bool men = men_[row] && men_[of], same_m = at(SiteClass::kM, row) == at(SiteClass::kM, of),
               same_y = at(SiteClass::kY, row) == at(SiteClass::kY, of);
    const std::string x = at(SiteClass::kX, row), theirs = at(SiteClass::kX, of);
    // No allele of the one is without a copy in the other where they share one.
    std::size_t opposite = 0;
    for (std::size_t i = 0; i < x.size(); ++i) opposite += x[i] + theirs[i] == '0' + '2' && x[i] != '1';
    if (kind == "same") {
      EXPECT_EQ(people_[row], relation == "twin" ? people_[of] : people_[row]);
      EXPECT_EQ(men_[row], men_[of]);
    } else if (kind == "father") {
      EXPECT_TRUE(men_[of]);
      if (men) {
        EXPECT_TRUE(same_y);
      } else {
        EXPECT_EQ(opposite, 0u) << "a daughter has her father's X";
      }
      other_m += !same_m;
    } else if (kind == "mother") {
      EXPECT_FALSE(men_[of]);
      EXPECT_TRUE(same_m);
      EXPECT_EQ(opposite, 0u);
    } else if (kind == "full-sibling") {
      EXPECT_TRUE(same_m);
      if (men) {
        EXPECT_TRUE(same_y);
      }
      if (!men_[row] && !men_[of]) {
        EXPECT_EQ(opposite, 0u) << "they have their father's X";
      }
    } else if (kind == "maternal-half-sibling" || kind == "cousin-mothers-sisters") {
      EXPECT_TRUE(same_m);
      other_y += men && !same_y;
    } else if (kind == "paternal-half-sibling" || kind == "cousin-fathers-brothers") {
      if (men) {
        EXPECT_TRUE(same_y);
      }
      other_m += !same_m;
    } else {
      EXPECT_EQ(kind, "cousin-mother-sister-of-father");
      other_y += men && !same_y;
      other_m += !same_m;
    }
  }
  EXPECT_GT(other_y, 10u);
  EXPECT_GT(other_m, 50u);
  EXPECT_EQ(kinds["twin same"], 30u);
  expect_share(kinds["parent-child father"], .5, 60);
  expect_share(kinds["half-siblings maternal-half-sibling"], .5, 60);
  expect_share(kinds["first-cousins cousin-mothers-sisters"], .25, 60);
  expect_share(kinds["first-cousins cousin-mother-sister-of-father"], .5, 60);
}

TEST_F(SexesTest, MixturesShowTheCopiesOfTheirContributors) {
  auto asked = options("panel.tsv", "db.h5");
  asked.cases = 8;
  asked.cases_dir = folder_ / "cases";
  asked.case_no_call_rate = asked.case_error_rate = 0;
  simulate(asked);
  std::size_t without_men = 0, both_sexes = 0;
  for (const auto& line : lines_of(asked.cases_dir + "/truth.tsv")) {
    if (line.at(1) != "mixture" && line.at(1) != "identity") continue;
    std::vector<std::size_t> rows;
    std::istringstream list(line.at(3));
    for (std::string row; std::getline(list, row, ',');) rows.push_back(std::stoul(row));
    const auto men = std::ranges::count_if(rows, [&](std::size_t row) { return men_[row]; });
    without_men += men == 0;
    both_sexes += men > 0 && static_cast<std::size_t>(men) < rows.size();
    std::size_t s = 0;
    for (const auto& cells : lines_of(asked.cases_dir + "/" + line.at(0))) {
      if (cells.size() != 4 || cells[0].starts_with('#')) continue;
      bool major = false, minor = false;
      for (const std::size_t row : rows) {
        major |= people_[row][s] == '0' || people_[row][s] == '1';
        minor |= people_[row][s] == '1' || people_[row][s] == '2';
      }
      EXPECT_EQ(cells[3], major ? (minor ? "AC" : "AA") : minor ? "CC" : "--") << line.at(0) << ' ' << s;
      ++s;
    }
    EXPECT_EQ(s, panel_.n_sites());
  }
  EXPECT_GT(without_men, 0u);
  EXPECT_GT(both_sexes, 0u);
}

TEST_F(SexesTest, TheSexesOfAnEarlierRunGo) {
  auto asked = options("panel.tsv", "db.h5");
  simulate_database(asked);
  EXPECT_NE(read_bytes(sexes_path(asked.output)), "");
  asked.panel_path = folder_ / "plain.tsv";
  simulate_database(asked);
  EXPECT_EQ(read_bytes(sexes_path(asked.output)), "");
}

TEST(Lineages, AreNestedAndFollowTheFrequencies) {
  std::vector<double> freq{0, 1};
  for (int i = 1; i <= 60; ++i) freq.push_back(i / 125.);
  const simulate::Lineages lineages(freq, simulate::Stream(3, simulate::Purpose::kTrees, 0));
  constexpr std::size_t kLeaves = simulate::Lineages::kLeaves;
  std::set<std::vector<bool>> haplotypes;
  for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) {
    std::vector<bool> haplotype;
    for (std::size_t s = 0; s < freq.size(); ++s) haplotype.push_back(lineages.minor(leaf, s));
    EXPECT_FALSE(haplotype[0]);
    EXPECT_TRUE(haplotype[1]);
    haplotypes.insert(haplotype);
  }
  EXPECT_GT(haplotypes.size(), 5u);
  EXPECT_LT(haplotypes.size(), kLeaves) << "some are shared";
  // No two sites have all four combinations: each has mutated once.
  for (std::size_t a = 0; a < freq.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      std::array<bool, 4> seen{};
      for (const auto& one : haplotypes) seen[2 * one[a] + one[b]] = true;
      EXPECT_LT(std::ranges::count(seen, true), 4) << a << ' ' << b;
    }
  double apart = 0;
  for (std::size_t s = 0; s < freq.size(); ++s) {
    double share = 0;
    for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) share += lineages.minor(leaf, s) / double{kLeaves};
    apart += std::abs(share - freq[s]) / static_cast<double>(freq.size());
  }
  EXPECT_LT(apart, .1);
}

}  // namespace
}  // namespace fastid::simulate
