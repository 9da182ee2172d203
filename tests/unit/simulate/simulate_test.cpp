// Simulated people are the same for the same seed whatever the machine does, have the frequencies that they
// were asked for, and the cases' truth is true: counted letter by letter from the files.
#include "simulate/simulate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "simulate/people.hpp"
#include "unit/db/db_testing.hpp"
#include "unit/simulate/shares.hpp"

namespace fastid::simulate {
namespace {

using db::testing::Folder;
using db::testing::letters_of;
using db::testing::spill;
using fastid::testing::read_bytes;
using testing::expect_share;
using ::testing::HasSubstr;

SimulateOptions options_for(const std::string& output, std::uint64_t profiles, std::uint32_t sites) {
  SimulateOptions options;
  options.output = output;
  options.profiles = profiles;
  options.sites = sites;
  options.command = "fastid db simulate";
  return options;
}

/// The database as letters: '0', '1', '-'.
std::vector<std::string> people_in(const std::string& path) {
  return letters_of(db::Reader(path), 100);
}

class FixedTime : public ::testing::Test {
 protected:
  FixedTime() { ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1); }
  ~FixedTime() override { ::unsetenv("SOURCE_DATE_EPOCH"); }
};

TEST_F(FixedTime, SameSeedSameBytesForAnyNumberOfThreads) {
  const Folder folder;
  auto options = options_for(folder / "a.h5", 33 * 32 + 7, 1000);
  options.no_call_rate = 0.03;
  options.error_rate = 0.01;
  options.cases = 3;
  options.threads = 1;
  options.cases_dir = folder / "a";
  simulate_database(options);
  for (const std::size_t threads : {1, 2, 7}) {
    options.output = folder / "b.h5";
    options.cases_dir = folder / "b";
    options.threads = threads;
    simulate_database(options);
    EXPECT_TRUE(read_bytes(folder / "a.h5") == read_bytes(folder / "b.h5")) << threads;
    for (const char* name : {"/identity-0003.snp", "/absent-0001.snp", "/mixture-0002.snp", "/truth.tsv"}) {
      EXPECT_FALSE(read_bytes(options.cases_dir + name).empty()) << name;
      EXPECT_EQ(read_bytes((folder / "a") + name), read_bytes(options.cases_dir + name)) << name;
    }
  }
  options.seed = 2;
  simulate_database(options);
  EXPECT_NE(people_in(folder / "a.h5"), people_in(folder / "b.h5"));
}

TEST(Simulate, ALargerDatabaseBeginsWithTheSamePeople) {
  const Folder folder;
  simulate_database(options_for(folder / "small.h5", 40, 77));
  simulate_database(options_for(folder / "large.h5", 1000, 77));
  auto large = people_in(folder / "large.h5");
  large.resize(40);
  EXPECT_EQ(people_in(folder / "small.h5"), large);
}

TEST(Simulate, EveryEdgeOfProfilesAndSites) {
  for (const std::uint64_t profiles : {1, 31, 32, 33, 64, 65})
    for (const std::uint32_t sites : {1, 31, 32, 33, 100}) {
      const Folder folder;
      auto options = options_for(folder / "db.h5", profiles, sites);
      options.no_call_rate = sites % 2 == 0 ? 0.1 : 0;
      simulate_database(options);
      const db::Reader reader(folder / "db.h5");
      EXPECT_EQ(reader.shape(), (BlockShape{profiles, sites}));
      EXPECT_TRUE(db::verify(folder / "db.h5", 1, nullptr).empty()) << profiles << " x " << sites;
      EXPECT_EQ(reader.profile_ids(0, 1)[0], "P000000001");
      EXPECT_EQ(reader.profile_ids(profiles - 1, 1)[0],
                (std::ostringstream() << 'P' << std::setw(9) << std::setfill('0') << profiles).str());
    }
}

TEST(Simulate, SitesHaveThePanelsFrequencies) {
  const Folder folder;
  constexpr std::size_t kPeople = 32 * 400;
  std::string panel = "id\tchrom\tpos\tmajor\tminor\tFIN\tCHB\n";
  panel.insert(0, "#build GRCh37\n");
  const std::vector<double> frequencies = {0, 0.001, 0.05, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.999, 1};
  for (std::size_t s = 0; s < 80; ++s)
    panel += "rs" + std::to_string(s) + "\t1\t" + std::to_string(s + 1) + "\tA\tG\t0.5\t" +
             std::to_string(frequencies[s % 10]) + "\n";
  spill(folder / "panel.tsv", panel);
  auto options = options_for(folder / "db.h5", kPeople, 0);
  options.panel_path = folder / "panel.tsv";
  options.population = "CHB";
  simulate_database(options);
  const auto people = people_in(folder / "db.h5");
  ASSERT_EQ(people[0].size(), 80u);
  const db::Reader reader(folder / "db.h5");
  for (std::size_t s = 0; s < 80; ++s) {
    std::size_t minor = 0;
    for (const std::string& person : people) minor += person[s] == '1';
    const double q = reader.panel().populations()[1].minor_freq[s];
    expect_share(minor, 1 - (1 - q) * (1 - q), kPeople);
  }
  EXPECT_EQ(reader.log().at(0).inputs.at(0).name, folder / "panel.tsv");
  options.population = "";  // the first, FIN: 0.5 everywhere
  simulate_database(options);
  std::size_t minor = 0;
  for (const std::string& person : people_in(folder / "db.h5"))
    minor += static_cast<std::size_t>(std::count(person.begin(), person.end(), '1'));
  expect_share(minor, 0.75, kPeople * 80);
  options.population = "YRI";
  EXPECT_THROW(simulate_database(options), InputError);
}

TEST(Simulate, SitesAndPeopleAreIndependent) {
  const Folder folder;
  auto options = options_for(folder / "db.h5", 32 * 100, 64);
  simulate_database(options);
  const auto people = people_in(folder / "db.h5");
  const auto q = db::Reader(folder / "db.h5").panel().populations()[0].minor_freq;
  for (std::size_t s = 1; s < 64; ++s) {  // neighbouring sites of one person, neighbouring people at one site
    std::size_t both_sites = 0, both_people = 0;
    for (std::size_t i = 1; i < people.size(); ++i) {
      both_sites += people[i][s] == '1' && people[i][s - 1] == '1';
      both_people += people[i][s] == '1' && people[i - 1][s] == '1';
    }
    const double c = 1 - (1 - q[s]) * (1 - q[s]), before = 1 - (1 - q[s - 1]) * (1 - q[s - 1]);
    expect_share(both_sites, c * before, people.size() - 1);
    EXPECT_NEAR(static_cast<double>(both_people) / static_cast<double>(people.size()), c * c, 0.06);
  }
}

TEST(Simulate, NoCallAndErrorRatesAreThoseAskedFor) {
  const Folder folder;
  auto options = options_for(folder / "sound.h5", 32 * 100, 200);
  simulate_database(options);
  options.output = folder / "noisy.h5";
  options.no_call_rate = 0.05;
  options.error_rate = 0.01;
  simulate_database(options);
  const auto sound = people_in(folder / "sound.h5"), noisy = people_in(folder / "noisy.h5");
  std::size_t no_calls = 0, zeros = 0, risen = 0;
  for (std::size_t i = 0; i < sound.size(); ++i)
    for (std::size_t s = 0; s < 200; ++s) {
      no_calls += noisy[i][s] == '-';
      if (noisy[i][s] == '-' || sound[i][s] == '1') continue;
      ++zeros;  // two major alleles: the bit becomes 1 where either is misread
      risen += noisy[i][s] == '1';
    }
  expect_share(no_calls, 0.05, sound.size() * 200);
  expect_share(risen, 1 - 0.99 * 0.99, zeros);
}

TEST(Simulate, TheSimulatedPanelIsAsDescribed) {
  const Panel panel = simulate::simulate_panel(3000, 5);
  std::map<std::string, int> pairs;
  double sum = 0;
  for (std::uint32_t s = 0; s < 3000; ++s) {
    const Site& site = panel.sites()[s];
    ++pairs[{site.major, site.minor}];
    const double q = panel.populations().at(0).minor_freq[s];
    EXPECT_GE(q, 0.05);
    EXPECT_LE(q, 0.5);
    sum += q;
    if (s == 0) continue;
    const Site& last = panel.sites()[s - 1];
    EXPECT_TRUE(std::stoi(last.chrom) + 1 == std::stoi(site.chrom) ||
                (last.chrom == site.chrom && last.pos < site.pos));
  }
  EXPECT_EQ(panel.sites().front().id, "sim000001");
  EXPECT_EQ(panel.sites().back().chrom, "22");
  EXPECT_EQ(panel.populations()[0].name, "simulated");
  EXPECT_EQ(panel.build(), GenomeBuild::kUnknown);
  EXPECT_EQ(pairs.size(), 12u);
  EXPECT_NEAR(sum / 3000, 0.275, 0.012);
}

// ---- cases
// ------------------------------------------------------------------------------------------------------

struct Genotypes {
  std::string sample;
  std::vector<std::string> letters;
};

Genotypes read_snp(const std::string& path, const Panel& panel) {
  Genotypes genotypes;
  std::istringstream file(read_bytes(path));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#sample ")) genotypes.sample = line.substr(8);
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string id, chrom, pos, letters;
    fields >> id >> chrom >> pos >> letters;
    const Site& site = panel.sites().at(genotypes.letters.size());
    if (id != site.id || chrom != site.chrom || pos != std::to_string(site.pos)) ADD_FAILURE() << line;
    genotypes.letters.push_back(letters);
  }
  EXPECT_EQ(genotypes.letters.size(), panel.n_sites());
  return genotypes;
}

/// '0', '1' or '-' at each site.
std::string bits_of(const Genotypes& genotypes, const Panel& panel) {
  std::string bits;
  for (std::size_t s = 0; s < genotypes.letters.size(); ++s) {
    const Site& site = panel.sites()[s];
    const char letters[] = {site.major, site.minor, 0};
    if (genotypes.letters[s] != "--" && genotypes.letters[s].find_first_not_of(letters) != std::string::npos)
      ADD_FAILURE() << site.id << " has genotype " << genotypes.letters[s];
    bits += genotypes.letters[s] == "--" ? '-' : (genotypes.letters[s].find(site.minor) < 2 ? '1' : '0');
  }
  return bits;
}

struct Truth {
  std::string file, kind;
  std::vector<std::string> contributors;
  std::vector<std::uint64_t> rows;
};

std::vector<Truth> read_truth(const std::string& path) {
  std::istringstream file(read_bytes(path));
  std::string line, piece;
  std::getline(file, line);
  EXPECT_EQ(line, "file\tkind\tcontributors\trows");
  std::vector<Truth> truths;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Truth truth;
    std::string ids, rows;
    fields >> truth.file >> truth.kind >> ids >> rows;
    for (std::istringstream list(ids); ids != "-" && std::getline(list, piece, ',');)
      truth.contributors.push_back(piece);
    for (std::istringstream list(rows); rows != "-" && std::getline(list, piece, ',');)
      truth.rows.push_back(std::stoull(piece));
    truths.push_back(truth);
  }
  return truths;
}

/// Mismatches of two strings of '0', '1', '-' and the sites that both have.
std::pair<std::size_t, std::size_t> compare(const std::string& a, const std::string& b) {
  std::size_t mismatches = 0, compared = 0;
  for (std::size_t s = 0; s < a.size(); ++s) {
    if (a[s] == '-' || b[s] == '-') continue;
    ++compared;
    mismatches += a[s] != b[s];
  }
  return {mismatches, compared};
}

constexpr std::uint32_t kSites = 400, kCases = 20;

class Cases : public ::testing::Test {
 protected:
  Cases() {
    auto options = options_for(folder_ / "db.h5", 200, kSites);
    options.cases = kCases;
    options.cases_dir = folder_ / "made/for/cases";
    options.case_no_call_rate = 0.04;
    options.case_error_rate = 0.01;
    simulate_database(options);
    people_ = people_in(folder_ / "db.h5");
    truths_ = read_truth(options.cases_dir + "/truth.tsv");
    const db::Reader reader(folder_ / "db.h5");
    for (const Truth& truth : truths_) {
      const Genotypes genotypes = read_snp(options.cases_dir + "/" + truth.file, reader.panel());
      EXPECT_EQ(genotypes.sample + ".snp", truth.file);
      EXPECT_EQ(reader.profile_ids(truth.rows), truth.contributors);
      bits_.push_back(bits_of(genotypes, reader.panel()));
    }
  }

  Folder folder_;
  std::vector<std::string> people_, bits_;
  std::vector<Truth> truths_;
};

TEST_F(Cases, ThereAreAsManyOfEachKindAsAskedFor) {
  std::map<std::string, std::uint32_t> kinds;
  for (const Truth& truth : truths_) ++kinds[truth.kind];
  EXPECT_EQ(kinds, (std::map<std::string, std::uint32_t>{
                       {"absent", kCases}, {"identity", kCases}, {"mixture", kCases}}));
}

TEST_F(Cases, IdentityIsTheNamedPersonWithFewErrorsAndNobodyElse) {
  std::size_t mismatches = 0, compared = 0;
  for (std::size_t c = 0; c < truths_.size(); ++c) {
    if (truths_[c].kind != "identity") continue;
    ASSERT_EQ(truths_[c].rows.size(), 1u);
    for (std::size_t row = 0; row < people_.size(); ++row) {
      const auto [differ, sites] = compare(bits_[c], people_[row]);
      if (row != truths_[c].rows[0]) {
        EXPECT_GT(differ, sites / 5) << truths_[c].file;
        continue;
      }
      EXPECT_LT(differ, 25u) << truths_[c].file;
      mismatches += differ;
      compared += sites;
    }
  }
  EXPECT_GT(mismatches, 40u);  // errors do occur: about 1 % an allele, 1.2 % a bit
  EXPECT_LT(mismatches, compared / 60);
  expect_share(kCases * kSites - compared, 0.04, kCases * kSites);
}

TEST_F(Cases, AbsentIsNobodyInTheDatabase) {
  for (std::size_t c = 0; c < truths_.size(); ++c) {
    if (truths_[c].kind != "absent") continue;
    EXPECT_TRUE(truths_[c].rows.empty());
    for (const std::string& person : people_) {
      const auto [differ, sites] = compare(bits_[c], person);
      EXPECT_GT(differ, sites / 5) << truths_[c].file;
    }
  }
}

TEST_F(Cases, MixtureIsTheUnionOfItsContributors) {
  std::map<std::size_t, int> sizes;
  for (std::size_t c = 0; c < truths_.size(); ++c) {
    if (truths_[c].kind != "mixture") continue;
    ++sizes[truths_[c].rows.size()];
    for (std::size_t s = 0; s < kSites; ++s) {
      bool minor = false;
      for (const std::uint64_t row : truths_[c].rows) minor |= people_[row][s] == '1';
      if (bits_[c][s] != '-') {
        EXPECT_EQ(bits_[c][s], minor ? '1' : '0') << truths_[c].file;
      }
    }
  }
  EXPECT_EQ(sizes.size(), 4u);  // 2, 3, 4 and 5 people all occur
  EXPECT_EQ(sizes.begin()->first, 2u);
  EXPECT_EQ(sizes.rbegin()->first, 5u);
}

TEST(Simulate, OptionsThatMakeNoSenseAreRefusedBeforeAnythingIsWritten) {
  const Folder folder;
  const auto refused = [&](auto change) {
    auto options = options_for(folder / "db.h5", 10, 10);
    change(options);
    EXPECT_THROW(simulate_database(options), UsageError);
  };
  refused([](SimulateOptions& o) { o.profiles = 0; });
  refused([](SimulateOptions& o) { o.sites = 0; });
  refused([](SimulateOptions& o) { o.no_call_rate = 1; });
  refused([](SimulateOptions& o) { o.no_call_rate = -0.1; });
  refused([](SimulateOptions& o) { o.error_rate = std::nan(""); });
  refused([](SimulateOptions& o) { o.cases = 1; });
  refused([&](SimulateOptions& o) {
    o.cases = 1;
    o.cases_dir = folder / "cases";
    o.profiles = 4;
  });
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Simulate, APanelWithoutFrequenciesIsRefused) {
  const Folder folder;
  spill(folder / "panel.tsv", "id\tchrom\tpos\tmajor\tminor\nrs1\t1\t5\tA\tG\n");
  auto options = options_for(folder / "db.h5", 10, 10);
  options.panel_path = folder / "panel.tsv";
  try {
    simulate_database(options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("has no frequencies"));
  }
}

}  // namespace
}  // namespace fastid::simulate
