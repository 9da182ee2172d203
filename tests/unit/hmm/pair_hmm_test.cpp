// The pair-HMM: the reference against the published recurrence in long double, and every instruction set
// against the reference, on both sides of every edge of its vectors and strips.
#include "hmm/pair_hmm.hpp"

#include <gtest/gtest.h>

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

Pair add(const Letters& letters, Pairs& pairs) {
  std::vector<Row> rows;
  std::vector<std::uint8_t> bases;
  for (std::size_t i = 0; i < letters.read.size(); ++i) {
    const auto q = [&](std::size_t k) { return static_cast<std::uint8_t>(letters.qualities[i][k]); };
    rows.push_back(pack(base_set(letters.read[i]), {q(0), q(1), q(2), q(3)}));
  }
  for (const char base : letters.haplotype) bases.push_back(base_set(base));
  const Pair pair{pairs.add_read(rows), pairs.add_haplotype(bases)};
  pairs.add_pair(pair);
  return pair;
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
    Pairs pairs;
    const Letters letters = random_case(1 + random() % 90, 1 + random() % 120, random);
    const Pair pair = add(letters, pairs);
    EXPECT_NEAR(log10_likelihood(pairs.read(pair.read), pairs.haplotype(pair.haplotype)),
                static_cast<double>(plain(letters)), 1e-10);
  }
}

TEST(PairHmm, ReferenceLosesNothingBelowTheSmallestDouble) {
  const std::size_t n = 400;
  const Letters letters{std::string(n, 'A'), std::string(500, 'C'),
                        std::vector(n, std::array{40, 60, 60, 60})};
  Pairs pairs;
  const Pair pair = add(letters, pairs);
  const double log10 = log10_likelihood(pairs.read(pair.read), pairs.haplotype(pair.haplotype));
  EXPECT_LT(log10, -400);
  EXPECT_NEAR(log10, static_cast<double>(plain(letters)), 1e-8);  // long double reaches to 1e-4932
}

TEST(PairHmm, EveryInstructionSetAgreesWithTheReference) {
  std::mt19937 random(11);
  Pairs pairs;
  for (std::size_t n = 1; n <= 40; ++n) add(random_case(n, 1 + random() % 60, random), pairs);
  for (int i = 0; i < 150; ++i) add(random_case(1 + random() % 150, 1 + random() % 250, random), pairs);
  const std::vector<double> expected = make_reference_engine()->log10_likelihoods(pairs);
  std::size_t tried = 0;
  for (const std::string& target : cpu_engine_targets())
    if (const auto engine = make_cpu_engine_for(target, 2)) {
      expect_near(engine->log10_likelihoods(pairs), expected, target);
      ++tried;
    }
  EXPECT_GE(tried, 2u);
  EXPECT_EQ(make_cpu_engine_for("Z80", 1), nullptr);
}

TEST(PairHmm, AnyNumberOfPairsOfAnyLengthsFillsVectors) {
  std::mt19937 random(13);
  const auto engine = make_cpu_engine(3);
  for (const std::size_t n : {0, 1, 7, 8, 15, 16, 17, 255, 256, 257}) {
    Pairs pairs;
    for (std::size_t i = 0; i < n; ++i) add(random_case(1 + random() % 5, 1 + random() % 9, random), pairs);
    expect_near(engine->log10_likelihoods(pairs), make_reference_engine()->log10_likelihoods(pairs), "");
  }
}

// Notes how many pairs it was asked for.
class CountingEngine final : public LikelihoodEngine {
 public:
  explicit CountingEngine(std::size_t& asked) : asked_(asked) {}
  std::string description() const override { return "counting"; }
  std::vector<double> log10_likelihoods(const Pairs& pairs) override {
    asked_ += pairs.pairs().size();
    return reference_->log10_likelihoods(pairs);
  }
  std::uint64_t rescued() const override { return 1; }

 private:
  std::size_t& asked_;
  std::unique_ptr<LikelihoodEngine> reference_ = make_reference_engine();
};

TEST(PairHmm, SeveralEnginesAreOne) {
  std::mt19937 random(17);
  for (const std::size_t n : {0, 1, 2, 40, 1000}) {
    Pairs pairs;
    for (std::size_t i = 0; i < n; ++i) add(random_case(1 + random() % 5, 1 + random() % 9, random), pairs);
    for (std::size_t i = 0; i + 1 < n; i += 2)  // sequences of several pairs, and out of their order
      pairs.add_pair({pairs.pairs()[n - 1 - i].read, pairs.pairs()[i].haplotype});
    std::size_t first = 0, second = 0;
    std::vector<std::unique_ptr<LikelihoodEngine>> both;
    both.push_back(std::make_unique<CountingEngine>(first));
    both.push_back(std::make_unique<CountingEngine>(second));
    const auto joint = make_joint_engine(std::move(both));
    EXPECT_EQ(joint->log10_likelihoods(pairs), make_reference_engine()->log10_likelihoods(pairs));
    EXPECT_EQ(first + second, pairs.pairs().size());
    EXPECT_LE(joint->rescued(), 2 * 8 + 1u);  // pieces of two engines
    EXPECT_EQ(joint->rescued() > 0, n > 0);
    EXPECT_EQ(joint->description(), "counting + counting");
  }
}

TEST(PairHmm, AnEngineThatFailsFailsAll) {
  class Failing final : public LikelihoodEngine {
   public:
    std::string description() const override { return "failing"; }
    std::vector<double> log10_likelihoods(const Pairs&) override { throw DeviceError("lost"); }
  };
  std::mt19937 random(18);
  Pairs pairs;
  for (std::size_t i = 0; i < 50; ++i) add(random_case(3, 5, random), pairs);
  std::vector<std::unique_ptr<LikelihoodEngine>> both;
  both.push_back(std::make_unique<Failing>());
  both.push_back(std::make_unique<Failing>());
  EXPECT_THROW(make_joint_engine(std::move(both))->log10_likelihoods(pairs), DeviceError);
}

TEST(PairHmm, RescuesInDoubleAndBelowIt) {
  Pairs pairs;
  for (const int mismatches : {1, 10, 14, 20, 80, 200}) {  // 4.5 in log10 each, of which float holds some 55
    Letters letters{std::string(210, 'A'), std::string(230, 'A'),
                    std::vector(210, std::array{40, 90, 90, 90})};
    for (int k = 0; k < mismatches; ++k) letters.read[static_cast<std::size_t>(k + 3)] = 'C';
    add(letters, pairs);
  }
  const auto engine = make_cpu_engine(1);
  const std::vector<double> log10 = engine->log10_likelihoods(pairs);
  expect_near(log10, make_reference_engine()->log10_likelihoods(pairs), "");
  EXPECT_GE(engine->rescued(), 3u);
  EXPECT_LT(engine->rescued(), pairs.pairs().size());
  EXPECT_LT(log10.back(), -100);
}

TEST(PairHmm, QualitiesThatLeaveNothingToStayWithAreTaken) {
  Pairs pairs;
  for (const int quality : {0, 1, 2, 3, 4}) {
    add({"ACGT", "AACGTT", std::vector(4, std::array{30, quality, quality, 10})}, pairs);
    add({"ACGT", "AACGTT", std::vector(4, std::array{30, 45, 45, quality})}, pairs);
  }
  EXPECT_FALSE(pairs.divisible(0));
  EXPECT_TRUE(pairs.divisible(1));
  expect_near(make_cpu_engine(1)->log10_likelihoods(pairs), make_reference_engine()->log10_likelihoods(pairs),
              "");
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
