// The pair-HMM: the reference against the published recurrence in long double, and every instruction set
// against the reference, on both sides of every edge of its vectors and strips.
#include "hmm/pair_hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "engine/engine.hpp"

namespace fastid::hmm {
namespace {

struct Letters {
  std::string read, haplotype;
  std::vector<std::array<int, 4>> qualities;  ///< base, insertion, deletion, continuation
};

// The recurrence as it is published: whole tables, unpacked letters, no scaling.
long double plain(const Letters& of) {
  const std::size_t n = of.read.size(), m = of.haplotype.size();
  using Table = std::vector<std::vector<long double>>;
  Table match(n + 1, std::vector<long double>(m + 1)), insertion = match, deletion = match;
  for (long double& start : deletion[0]) start = 1.0L / static_cast<long double>(m);
  const auto rate = [](int q) { return std::pow(10.0L, static_cast<long double>(-q) / 10); };
  for (std::size_t i = 1; i <= n; ++i) {
    const auto& [base, to_insertion, to_deletion, go_on] = of.qualities[i - 1];
    const long double e = rate(std::max(base, 6)), mi = rate(to_insertion), md = rate(to_deletion),
                      ii = rate(go_on), mm = 1 - std::min(1.0L, mi + md);
    for (std::size_t j = 1; j <= m; ++j) {
      const char r = of.read[i - 1], h = of.haplotype[j - 1];
      const long double p = r == h || r == 'N' || h == 'N' ? 1 - e : e / 3;
      match[i][j] =
          p * (match[i - 1][j - 1] * mm + (insertion[i - 1][j - 1] + deletion[i - 1][j - 1]) * (1 - ii));
      insertion[i][j] = match[i - 1][j] * mi + insertion[i - 1][j] * ii;
      deletion[i][j] = match[i][j - 1] * md + deletion[i][j - 1] * ii;
    }
  }
  long double sum = 0;
  for (std::size_t j = 1; j <= m; ++j) sum += match[n][j] + insertion[n][j];
  return std::log10(sum);
}

std::string random_letters(std::size_t n, std::mt19937& random) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += random() % 40 == 0 ? 'N' : "ACGT"[random() % 4];
  return text;
}

// A read of the haplotype with errors, an insertion or a deletion; or one of nowhere.
Letters random_case(std::size_t n, std::size_t m, std::mt19937& random) {
  Letters made{"", random_letters(m, random), {}};
  std::size_t at = random() % m;
  const bool from_nowhere = random() % 8 == 0;
  while (made.read.size() < n) {
    const bool other = from_nowhere || random() % 30 == 0;
    made.read += other ? random_letters(1, random) : std::string(1, made.haplotype[at]);
    at = (at + (random() % 50 == 0 ? 3 : 1)) % m;
    if (made.read.size() < n && random() % 60 == 0) made.read += 'A';
    const bool odd = random() % 20 == 0;
    const auto quality = [&](int usual) { return odd ? static_cast<int>(random() % 94) : usual; };
    while (made.qualities.size() < made.read.size())
      made.qualities.push_back({static_cast<int>(random() % 45), quality(45), quality(42), quality(10)});
  }
  return made;
}

void add_read(const Letters& letters, Groups& groups) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < letters.read.size(); ++i) {
    const auto q = [&](std::size_t k) { return static_cast<std::uint8_t>(letters.qualities[i][k]); };
    rows.push_back(pack(base_set(letters.read[i]), {q(0), q(1), q(2), q(3)}));
  }
  groups.add_read(rows);
}

void add_haplotype(const std::string& letters, Groups& groups) {
  std::vector<std::uint8_t> bases;
  for (const char base : letters) bases.push_back(base_set(base));
  groups.add_haplotype(bases);
}

// A group of one pair.
void add(const Letters& letters, Groups& groups) {
  add_read(letters, groups);
  add_haplotype(letters.haplotype, groups);
  groups.end_group();
}

// A group whose reads are of its first haplotype.
void add_group(std::size_t reads, std::size_t haplotypes, std::mt19937& random, Groups& groups) {
  const std::size_t m = 1 + random() % 30;
  for (std::size_t i = 0; i < reads; ++i) add_read(random_case(1 + random() % 20, m, random), groups);
  for (std::size_t i = 0; i < haplotypes; ++i)
    add_haplotype(random_letters(1 + random() % 30, random), groups);
  groups.end_group();
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const bool equal = actual[i] == expected[i];  // as where both are minus infinity
    EXPECT_TRUE(equal || std::abs(actual[i] - expected[i]) < 1e-5)
        << what << ", pair " << i << ": " << actual[i] << ", not " << expected[i];
  }
}

TEST(PairHmm, ReferenceIsThePublishedRecurrence) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    Groups groups;
    const Letters letters = random_case(1 + random() % 90, 1 + random() % 120, random);
    add(letters, groups);
    EXPECT_NEAR(log10_likelihood(groups.read(0), groups.haplotype(0)), static_cast<double>(plain(letters)),
                1e-10);
  }
}

TEST(PairHmm, ReferenceLosesNothingBelowTheSmallestDouble) {
  const std::size_t n = 400;
  const Letters letters{std::string(n, 'A'), std::string(500, 'C'),
                        std::vector(n, std::array{40, 60, 60, 60})};
  Groups groups;
  add(letters, groups);
  const double log10 = log10_likelihood(groups.read(0), groups.haplotype(0));
  EXPECT_LT(log10, -400);
  EXPECT_NEAR(log10, static_cast<double>(plain(letters)), 1e-8);  // long double reaches to 1e-4932
}

TEST(PairHmm, EveryInstructionSetAgreesWithTheReference) {
  std::mt19937 random(11);
  Groups groups;
  for (std::size_t n = 1; n <= 40; ++n) add(random_case(n, 1 + random() % 60, random), groups);
  for (int i = 0; i < 150; ++i) add(random_case(1 + random() % 150, 1 + random() % 250, random), groups);
  const std::vector<double> expected = make_reference_engine()->log10_likelihoods(groups);
  std::size_t tried = 0;
  for (const std::string& target : engine::cpu_engine_targets())
    if (const auto engine = make_cpu_engine_for(target, 2)) {
      expect_near(engine->log10_likelihoods(groups), expected, target);
      ++tried;
    }
  EXPECT_GE(tried, 2u);
  EXPECT_EQ(make_cpu_engine_for("Z80", 1), nullptr);
}

TEST(PairHmm, AnyNumberOfPairsOfAnyLengthsFillsVectors) {
  std::mt19937 random(13);
  const auto engine = make_cpu_engine(3);
  for (const std::size_t n : {0, 1, 7, 8, 15, 16, 17, 255, 256, 257}) {
    Groups groups;
    for (std::size_t i = 0; i < n; ++i) add(random_case(1 + random() % 5, 1 + random() % 9, random), groups);
    expect_near(engine->log10_likelihoods(groups), make_reference_engine()->log10_likelihoods(groups), "");
  }
}

TEST(PairHmm, AGroupPairsEachReadWithEachHaplotype) {
  std::mt19937 random(14);
  Groups groups, apart;
  std::uint64_t cells = 0;
  for (int g = 0; g < 60; ++g) add_group(random() % 7, random() % 5, random, groups);
  for (const Pair pair : pairs_of(groups, groups.reads())) {
    apart.add_read(groups.read(pair.read));
    apart.add_haplotype(groups.haplotype(pair.haplotype));
    apart.end_group();
    cells += groups.read(pair.read).size() * groups.haplotype(pair.haplotype).size();
  }
  EXPECT_EQ(apart.n_pairs(), groups.n_pairs());
  EXPECT_GT(groups.n_pairs(), 200u);
  EXPECT_EQ(groups.cells(), cells);
  EXPECT_EQ(apart.cells(), cells);
  for (const auto& engine : {make_reference_engine(), make_cpu_engine(2)}) {
    const std::vector<double> all = engine->log10_likelihoods(groups);
    EXPECT_EQ(all, engine->log10_likelihoods(apart));
    const IndexRange part{groups.reads().end / 3, groups.reads().end / 2};
    std::vector<double> of_part(groups.n_pairs(part));
    engine->compute(groups, part, of_part);
    EXPECT_EQ(of_part, std::vector(all.begin() + groups.pair_starts()[part.first],
                                   all.begin() + groups.pair_starts()[part.end]));
  }
}

TEST(PairHmm, AGroupMayLackReadsOrHaplotypes) {
  std::mt19937 random(15);
  Groups groups;
  groups.end_group();
  add_group(0, 3, random, groups);
  add_group(3, 0, random, groups);
  EXPECT_EQ(groups.n_pairs(), 0u);
  EXPECT_EQ(groups.cells(), 0u);
  EXPECT_TRUE(make_cpu_engine(1)->log10_likelihoods(groups).empty());
  add_group(2, 3, random, groups);
  EXPECT_EQ(groups.n_pairs(), 6u);
  EXPECT_EQ(groups.haplotypes_of(4).first, 3u);
  EXPECT_EQ(groups.haplotypes_of(4).size(), 3u);
  add_read(random_case(7, 5, random), groups);
  const std::uint64_t ended = groups.cells();
  add_haplotype("ACG", groups);  // counts before the group has ended
  EXPECT_GE(groups.cells(), ended + 7 * 3);
  groups.clear();
  EXPECT_EQ(groups.reads().size() + groups.n_pairs() + groups.cells(), 0u);
}

TEST(PairHmm, MorePairsThanHavePlacesAreRefused) {
  Groups groups;
  const std::vector<Row> rows = {pack(1, {30, 45, 45, 10})};
  const std::vector<std::uint8_t> bases = {1};
  for (int i = 0; i <= 1 << 15; ++i) {
    groups.add_read(rows);
    groups.add_haplotype(bases);
  }
  EXPECT_THROW(groups.end_group(), Failure);
}

// Notes how many pairs it was asked for.
class CountingEngine final : public LikelihoodEngine {
 public:
  explicit CountingEngine(std::size_t& asked) : asked_(asked) {}
  std::string description() const override { return "counting"; }
  void compute(const Groups& groups, IndexRange reads, std::span<double> log10) override {
    asked_ += log10.size();
    reference_->compute(groups, reads, log10);
  }
  std::uint64_t rescued() const override { return 1; }

 private:
  std::size_t& asked_;
  std::unique_ptr<LikelihoodEngine> reference_ = make_reference_engine();
};

TEST(PairHmm, SeveralEnginesAreOne) {
  std::mt19937 random(17);
  for (const std::size_t n : {0, 1, 2, 40, 400}) {
    Groups groups;
    for (std::size_t i = 0; i < n; ++i) add_group(1 + random() % 5, 1 + random() % 4, random, groups);
    std::size_t first = 0, second = 0;
    std::vector<std::unique_ptr<LikelihoodEngine>> both;
    both.push_back(std::make_unique<CountingEngine>(first));
    both.push_back(std::make_unique<CountingEngine>(second));
    const auto joint = make_joint_engine(std::move(both));
    EXPECT_EQ(joint->log10_likelihoods(groups), make_reference_engine()->log10_likelihoods(groups));
    EXPECT_EQ(first + second, groups.n_pairs());
    EXPECT_LE(joint->rescued(), 2 * 8 + 1u);  // pieces of two engines
    EXPECT_EQ(joint->rescued() > 0, n > 0);
    EXPECT_EQ(joint->description(), "counting + counting");
  }
}

TEST(PairHmm, AnEngineThatFailsFailsAll) {
  class Failing final : public LikelihoodEngine {
   public:
    std::string description() const override { return "failing"; }
    void compute(const Groups&, IndexRange, std::span<double>) override { throw DeviceError("lost"); }
  };
  std::mt19937 random(18);
  Groups groups;
  for (std::size_t i = 0; i < 50; ++i) add(random_case(3, 5, random), groups);
  std::vector<std::unique_ptr<LikelihoodEngine>> both;
  both.push_back(std::make_unique<Failing>());
  both.push_back(std::make_unique<Failing>());
  EXPECT_THROW(make_joint_engine(std::move(both))->log10_likelihoods(groups), DeviceError);
}

TEST(PairHmm, RescuesInDoubleAndBelowIt) {
  Groups groups;
  for (const int mismatches : {1, 10, 14, 20, 80, 200}) {  // 4.5 in log10 each, of which float holds some 55
    Letters letters{std::string(210, 'A'), std::string(230, 'A'),
                    std::vector(210, std::array{40, 90, 90, 90})};
    for (int k = 0; k < mismatches; ++k) letters.read[static_cast<std::size_t>(k + 3)] = 'C';
    add(letters, groups);
  }
  const auto engine = make_cpu_engine(1);
  const std::vector<double> log10 = engine->log10_likelihoods(groups);
  expect_near(log10, make_reference_engine()->log10_likelihoods(groups), "");
  EXPECT_GE(engine->rescued(), 3u);
  EXPECT_LT(engine->rescued(), groups.n_pairs());
  EXPECT_LT(log10.back(), -100);
}

TEST(PairHmm, AllInDoubleHasTheReferencesDigits) {
  std::mt19937 random(19);
  Groups groups;
  for (int i = 0; i < 100; ++i) add(random_case(1 + random() % 120, 1 + random() % 160, random), groups);
  const std::vector<double> expected = make_reference_engine()->log10_likelihoods(groups);
  const auto in_double = make_cpu_engine(1, Precision::kDouble);
  const std::vector<double> computed = in_double->log10_likelihoods(groups);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(computed[i], expected[i], 1e-9) << i;
  EXPECT_GT(in_double->rescued(), 80u);  // all but those whose qualities leave nothing to stay with
}

TEST(PairHmm, QualitiesThatLeaveNothingToStayWithAreTaken) {
  Groups groups;
  for (const int quality : {0, 1, 2, 3, 4}) {
    add({"ACGT", "AACGTT", std::vector(4, std::array{30, quality, quality, 10})}, groups);
    add({"ACGT", "AACGTT", std::vector(4, std::array{30, 45, 45, quality})}, groups);
  }
  EXPECT_FALSE(groups.divisible(0));
  EXPECT_TRUE(groups.divisible(1));
  expect_near(make_cpu_engine(1)->log10_likelihoods(groups),
              make_reference_engine()->log10_likelihoods(groups), "");
}

TEST(PairHmm, PlacesAreSortedByLengthsFewOrMany) {
  std::mt19937 random(20);
  for (const std::size_t n : {0, 1, 100, 2047, 2048, 20'000})
    for (const std::size_t longest : {std::size_t{1}, std::size_t{300}, kLongest}) {
      std::vector<LengthKey> keys;
      for (std::size_t i = 0; i < n; ++i)
        keys.push_back(length_key(1 + random() % longest, 1 + random() % longest, i));
      std::vector<LengthKey> expected = keys;
      std::ranges::stable_sort(expected, {}, [](LengthKey key) { return key >> kPlaceBits; });
      const std::vector<std::uint32_t> places = sorted_places(keys);
      EXPECT_EQ(keys, expected);
      ASSERT_EQ(places.size(), n);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(places[i], expected[i] % kMostPairs);
    }
}

TEST(PairHmm, PacksWhatItUnpacks) {
  const Row row = pack(base_set('g'), {93, 127, 0, 10});
  EXPECT_EQ(row & kAnyBase, 4u);
  for (const auto& [k, quality] : {std::pair{0u, 93u}, {1u, 127u}, {2u, 0u}, {3u, 10u}})
    EXPECT_EQ(quality_of(row, k), quality);
  EXPECT_EQ(base_set('R'), 0);
  EXPECT_EQ(base_set('n'), kAnyBase);
}

}  // namespace
}  // namespace fastid::hmm
