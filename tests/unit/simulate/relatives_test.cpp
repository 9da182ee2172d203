// Planted relatives and drifted populations: their truth is the same whatever the machine does, and is true.
// How alike relatives are is held against theory by tests/oracle/simulate_test.py.
#include "simulate/internal/relatives.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "simulate/internal/populations.hpp"
#include "simulate/random.hpp"
#include "simulate/simulate.hpp"
#include "unit/db/db_testing.hpp"
#include "unit/simulate/shares.hpp"

namespace fastid::simulate {
namespace {

using db::testing::Folder;
using db::testing::letters_of;
using fastid::testing::read_bytes;
using testing::expect_share;
using ::testing::HasSubstr;

SimulateOptions options_for(const std::string& output, std::uint64_t profiles) {
  SimulateOptions options;
  options.output = output;
  options.profiles = profiles;
  options.sites = 150;
  return options;
}

std::uint32_t& pairs_of(SimulateOptions& options, Relation relation) {
  return options.pairs[static_cast<std::size_t>(relation)];
}

TEST(DrawMixed, GivesEachGroupItsShare) {
  simulate::Stream stream(3, simulate::Purpose::kPanel, 1);
  const std::vector<simulate::Probability> p{simulate::Probability(0), simulate::Probability(0.3),
                                             simulate::Probability(1), simulate::Probability(1.0 / 1024)};
  const std::vector<std::uint64_t> groups{0xFF, 0x00FFFF00, 0xFF000000, 0xFFFFFFFF00000000};
  std::vector<std::size_t> ones(p.size());
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t bits = draw_mixed(p, groups, stream);
    for (std::size_t k = 0; k < p.size(); ++k)
      ones[k] += static_cast<std::size_t>(std::popcount(bits & groups[k]));
  }
  EXPECT_EQ(ones[0], 0u);
  expect_share(ones[1], 0.3, 5000 * 16);
  EXPECT_EQ(ones[2], 5000u * 8);
  expect_share(ones[3], 1.0 / 1024, 5000 * 32);
}

TEST(DrawMixed, OfOneGroupIsDraw) {
  simulate::Stream mixed(3, simulate::Purpose::kPanel, 1), plain = mixed;
  const std::vector<std::uint64_t> all{~std::uint64_t{0}};
  for (const double share : {0.0, 0.01, 0.25, 0.7, 1.0}) {
    const std::vector<simulate::Probability> p{simulate::Probability(share)};
    for (int i = 0; i < 100; ++i) EXPECT_EQ(draw_mixed(p, all, mixed), p[0].draw(plain));
  }
  EXPECT_EQ(mixed.next(), plain.next());
}

TEST(Relatives, NoRowIsInTwoPairsEvenWhereAllAreTaken) {
  const Relatives relatives({7, 5, 4, 3, 2, 4}, 50, 9);
  std::set<std::uint64_t> rows;
  std::vector<std::uint32_t> found(kRelations);
  for (const Plant& plant : relatives.all()) {
    rows.insert({plant.row, plant.of});
    ++found[static_cast<std::size_t>(plant.relation)];
  }
  EXPECT_EQ(rows.size(), 50u);
  EXPECT_EQ(*rows.rbegin(), 49u);
  found.resize(6);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{7, 5, 4, 3, 2, 4}));
}

TEST(Relatives, AreFoundByEitherName) {
  EXPECT_EQ(planted_relation("same"), Relation::kDuplicate);
  EXPECT_EQ(planted_relation("sibling"), Relation::kFullSiblings);
  EXPECT_EQ(planted_relation("half-sibling"), Relation::kHalfSiblings);
  EXPECT_EQ(planted_relation("first-cousin"), Relation::kFirstCousins);
  EXPECT_FALSE(planted_relation("third-cousin"));
  for (const Relation relation : planted_relations())
    EXPECT_EQ(planted_relation(name_of(relation)), relation);
}

TEST(Relatives, EachIsInTheBlockOfItsRow) {
  const Relatives relatives({0, 20, 0, 0, 0, 0}, 200, 4);
  std::size_t found = 0;
  for (std::uint64_t block = 0; block < 7; ++block)
    for (const Plant& plant : relatives.in_block(block)) {
      EXPECT_EQ(plant.row / kLanes, block);
      ++found;
    }
  EXPECT_EQ(found, 20u);
}

std::uint64_t rows_of_relation(const std::string& table, const std::string& relation) {
  std::uint64_t rows = 0;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) rows += line.starts_with(relation + '\t');
  return rows;
}

TEST(Truth, IsTheSameForEveryNumberOfThreads) {
  const Folder folder;
  auto options = options_for(folder / "one.h5", 700);
  std::iota(options.pairs.begin(), options.pairs.end(), 5);
  options.populations = 3;
  options.no_call_rate = 0.01;
  options.threads = 1;
  simulate_database(options);
  options.output = folder / "many.h5";
  options.threads = 5;
  simulate_database(options);
  EXPECT_EQ(letters_of(db::Reader(folder / "one.h5"), 100), letters_of(db::Reader(folder / "many.h5"), 100));
  EXPECT_EQ(read_bytes(populations_path(folder / "one.h5")),
            read_bytes(populations_path(folder / "many.h5")));
  const std::string relatives = read_bytes(relatives_path(folder / "one.h5"));
  EXPECT_EQ(relatives, read_bytes(relatives_path(folder / "many.h5")));
  for (std::size_t relation = 0; relation < kRelations; ++relation)
    EXPECT_EQ(rows_of_relation(relatives, std::string(name_of(static_cast<Relation>(relation)))),
              5 + relation);
}

TEST(Truth, TwinsAreEqualAndDuplicatesNearlySo) {
  const Folder folder;
  auto options = options_for(folder / "db.h5", 400);
  pairs_of(options, Relation::kTwin) = 60;
  pairs_of(options, Relation::kDuplicate) = 60;
  options.duplicate_error_rate = 0.02;
  simulate_database(options);
  const auto people = letters_of(db::Reader(folder / "db.h5"), 100);
  const Relatives relatives(options.pairs, options.profiles, options.seed);
  std::size_t differences = 0;
  for (const Plant& plant : relatives.all()) {
    const std::string &a = people[plant.row], &b = people[plant.of];
    std::size_t differ = 0;
    for (std::size_t s = 0; s < a.size(); ++s) differ += a[s] != b[s];
    if (plant.relation == Relation::kTwin) {
      EXPECT_EQ(differ, 0u);
    }
    differences += differ;
  }
  EXPECT_GT(differences,
            60u * 150 / 100);  // a bit changes with somewhat less than twice the rate of an allele
  EXPECT_LT(differences, 60u * 150 / 25);
}

TEST(Truth, CasesSeeThePlantedPeople) {
  const Folder folder;
  auto options = options_for(folder / "db.h5", 60);
  pairs_of(options, Relation::kTwin) = 30;  // everybody has a twin
  options.cases = 20;
  options.cases_dir = folder / "cases";
  options.case_error_rate = options.case_no_call_rate = 0;
  simulate_database(options);
  const db::Reader reader(folder / "db.h5");
  const auto people = letters_of(reader, 100);
  std::istringstream truth(read_bytes(folder / "cases/truth.tsv"));
  std::size_t checked = 0;
  for (std::string line; std::getline(truth, line);) {
    std::istringstream fields(line);
    std::string file, kind, id, row;
    fields >> file >> kind >> id >> row;
    if (kind != "identity") continue;
    std::istringstream genotypes(read_bytes(folder / ("cases/" + file)));
    std::string bits;
    for (std::string call; std::getline(genotypes, call);)
      if (!call.starts_with('#'))
        bits += call.substr(call.size() - 2).find(reader.panel().sites()[bits.size()].minor) < 2 ? '1' : '0';
    EXPECT_EQ(bits, people[std::stoul(row)]) << file;
    ++checked;
  }
  EXPECT_EQ(checked, 20u);
}

TEST(Drift, HasTheMeanAndVarianceOfTheModel) {
  constexpr std::size_t kSites = 20000;
  for (const double q : {0.02, 0.3, 0.5})
    for (const double fst : {0.01, 0.2, 0.9}) {
      const auto drawn = simulate::drifted(std::vector<double>(kSites, q), fst, 7, 0);
      const double n = kSites, mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / n;
      double variance = 0;
      for (const double x : drawn) variance += (x - mean) * (x - mean) / n;
      const double expected = fst * q * (1 - q);
      EXPECT_NEAR(mean, q, 5 * std::sqrt(expected / n)) << q << ' ' << fst;
      EXPECT_NEAR(variance, expected, 0.1 * expected) << q << ' ' << fst;
    }
}

TEST(Drift, LeavesWhatCannotDrift) {
  const std::vector<double> freq{0, 0.25, 1};
  EXPECT_EQ(simulate::drifted(freq, 0, 1, 0), freq);
  const auto drawn = simulate::drifted(freq, 0.3, 1, 0);
  EXPECT_EQ(drawn[0], 0);
  EXPECT_NE(drawn[1], 0.25);
  EXPECT_EQ(drawn[2], 1);
  EXPECT_NE(drawn, simulate::drifted(freq, 0.3, 1, 1));
}

TEST(Drift, RefusesAPanelThatHasSuchAPopulation) {
  const Folder folder;
  auto options = options_for(folder / "db.h5", 40);
  options.panel_path = folder / "panel.tsv";
  db::testing::spill(options.panel_path, "id\tchrom\tpos\tmajor\tminor\tpop2\nrs1\t1\t5\tA\tG\t0.2\n");
  options.populations = 1;
  simulate_database(options);  // pop1 and its own pop2
  options.populations = 2;
  EXPECT_THROW(simulate_database(options), InputError);
}

TEST(Options, ThatMakeNoSenseAreRefusedBeforeAnythingIsWritten) {
  const Folder folder;
  const auto refused = [&](auto change, const std::string& why) {
    auto options = options_for(folder / "db.h5", 10);
    change(options);
    try {
      simulate_database(options);
      ADD_FAILURE() << why;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  refused([](SimulateOptions& o) { o.pairs = {1, 1, 1, 1, 1, 1}; }, "take 12 profiles, two each");
  refused([](SimulateOptions& o) { o.pairs = {0, 0, 0, 0, 0, 0, 6}; }, "take 12 profiles, two each");
  refused([](SimulateOptions& o) { o.pairs.fill(UINT32_MAX); }, "at most 1,000,000 pairs");
  refused([](SimulateOptions& o) { o.fst = 1; }, "fst");
  refused([](SimulateOptions& o) { o.fst = std::nan(""); }, "fst");
  refused([](SimulateOptions& o) { o.duplicate_error_rate = -1; }, "duplicates' error rate");
  refused([](SimulateOptions& o) { o.populations = 17; }, "at most 16 populations");
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace fastid::simulate
