// Parts: what is written is read again, and candidates of shards come to what one ranking would have kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "part/candidates.hpp"
#include "part/part_file.hpp"
#include "part/part_set.hpp"
#include "part/stored_queries.hpp"
#include "questions/epistasis/part.hpp"
#include "questions/pairs/part.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::part {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kRows = 640;

Range rows_of(const Shard& shard) {
  return share_of(kRows, shard);
}

Head head_of(const Shard& shard) {
  return {.command = "search",
          .arguments = {"--top=3"},
          .databases = {"people.h5"},
          .shard = shard,
          .basis = {{"database", "abc"}},
          .held = 3};
}

void write(const std::string& path, const Shard& shard, const std::function<void(Writer&)>& fill) {
  Writer to(path);
  fill(to);
  to.finish(head_of(shard));
  to.commit();
}

class Parts : public ::testing::Test {
 protected:
  std::string path(std::uint32_t i) const { return folder_ / (std::to_string(i) + ".part"); }

  /// The parts of `n` shards, each with what `fill` adds, in memory.
  static PartSet parts(std::uint32_t n, const std::function<void(const Shard&, Writer&)>& fill) {
    std::vector<File> all;
    for (std::uint32_t i = n; i >= 1; --i) {
      Writer to;
      fill({i, n}, to);
      to.finish(head_of({i, n}));
      all.emplace_back(std::to_string(i) + ".part", to.take());
    }
    return PartSet(std::move(all));
  }

  testing::TempFolder folder_;
};

/// A part whose head says something else, with its checksum.
std::string with_head(std::string bytes, const std::string& said, const std::string& instead) {
  constexpr std::size_t kEnd = 32;
  std::uint64_t length = 0;
  std::memcpy(&length, &bytes[bytes.size() - kEnd], sizeof length);
  const std::size_t begin = bytes.size() - kEnd - length;
  const std::size_t at = bytes.find(said, begin);
  EXPECT_NE(at, std::string::npos);
  bytes.replace(at, said.size(), instead);
  length += instead.size() - said.size();
  const std::uint64_t checksum = xxh3_64(&bytes[begin], length);
  std::memcpy(&bytes[bytes.size() - kEnd], &length, sizeof length);
  std::memcpy(&bytes[bytes.size() - kEnd + sizeof length], &checksum, sizeof checksum);
  return bytes;
}

TEST_F(Parts, SectionsFollowEachOtherAndAreAllThatIsThere) {
  const std::vector<std::uint32_t> numbers = {1, 2};
  Writer to;
  to.add<std::uint32_t>("first", numbers);
  to.add<std::uint32_t>("second", numbers);
  to.finish(head_of({1, 1}));
  const std::string bytes = to.take();
  const auto refused = [&](const std::string& said, const std::string& instead) {
    return testing::refusal([&] { File("a.part", with_head(bytes, said, instead)); });
  };
  EXPECT_EQ(refused("a", "a"), "accepted");
  EXPECT_THAT(refused("\"offset\":24", "\"offset\":16"),
              HasSubstr("second: does not begin where the section before it ends"));
  EXPECT_THAT(refused("\"offset\":24", "\"offset\":2400"),
              HasSubstr("second: lies past the end of the file"));
  EXPECT_THAT(refused("\"offset\":24,\"bytes\":8", "\"offset\":24,\"bytes\":4"),
              HasSubstr("its head: does not name all that the part holds"));
}

TEST_F(Parts, TextsAreAsManyAsThereCanBe) {
  Writer to;
  to.add_texts("texts", std::vector<std::string>(1000));
  to.finish(head_of({1, 1}));
  const File file("a.part", to.take());
  EXPECT_EQ(file.read_texts(*file.sections("texts")[0], 1000).size(), 1000u);
  EXPECT_THAT(testing::refusal([&] { file.read_texts(*file.sections("texts")[0], 999); }),
              HasSubstr("texts: has more texts than there can be"));
}

TEST_F(Parts, AreTheSameInMemory) {
  const std::vector<std::uint32_t> numbers = {1, 2, 3};
  const auto fill = [&](Writer& to) { to.add<std::uint32_t>("numbers", numbers); };
  write(path(1), {1, 1}, fill);
  Writer to;
  fill(to);
  to.finish(head_of({1, 1}));
  const std::string bytes = to.take();
  EXPECT_EQ(bytes, read_whole_file(path(1), 1 << 20));
  const File part("a part of rank 1", bytes);
  EXPECT_EQ(part.read<std::uint32_t>(*part.sections("numbers")[0]), numbers);
  for (const std::size_t n : {std::size_t{0}, std::size_t{20}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THAT([&] { File("a part of rank 1", bytes.substr(0, n)); },
                ThrowsMessage<InputError>(HasSubstr("a part of rank 1")));
}

TEST_F(Parts, AreReadAsTheyWereWritten) {
  const std::vector<std::uint32_t> numbers = {1, 2, 4'000'000'000};
  const std::vector<std::string> texts = {"one", "", "a\nb"};
  write(path(1), {1, 1}, [&](Writer& to) {
    to.add<std::uint32_t>("numbers", numbers);
    to.add_texts("texts", texts);
    to.add<std::uint32_t>("numbers", std::span(numbers).first(1));
    to.add<std::uint32_t>("none", {});
  });
  const File file(path(1));
  ASSERT_EQ(file.sections("numbers").size(), 2u);
  EXPECT_EQ(file.read<std::uint32_t>(*file.sections("numbers")[0]), numbers);
  EXPECT_EQ(file.read_texts(*file.sections("texts")[0], texts.size()), texts);
  EXPECT_TRUE(file.sections("none").empty());
  EXPECT_EQ(file.head().command, "search");
  EXPECT_THAT(file.head().arguments, ElementsAre("--top=3"));
  EXPECT_THAT([&] { file.read<std::uint64_t>(*file.sections("numbers")[0]); },
              ThrowsMessage<InputError>(HasSubstr("has a length that cannot be")));
}

TEST_F(Parts, ThatChangeWhileTheyAreReadAreRefused) {
  const std::vector<std::uint32_t> numbers = {1, 2};
  write(path(1), {1, 1}, [&](Writer& to) { to.add<std::uint32_t>("numbers", numbers); });
  const File file(path(1));
  std::ofstream(path(1), std::ios::app) << "x";
  EXPECT_THAT([&] { file.read<std::uint32_t>(*file.sections("numbers")[0]); },
              ThrowsMessage<InputError>(HasSubstr("was changed while it was read")));
}

/// Few different counts, so that many pairs tie.
std::vector<engine::Pair> some_pairs(std::uint32_t seed, std::uint32_t n_queries) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<engine::Pair> pairs;
  for (std::uint64_t row = 0; row < kRows; ++row)
    for (std::uint32_t query = 0; query < n_queries; ++query)
      if (below(4) > 0) pairs.push_back({row, query, {below(6), 5 + below(2), 9 + below(2)}});
  return pairs;
}

RC_GTEST_FIXTURE_PROP(Parts, CandidatesComeToOneRanking, ()) {
  constexpr std::uint32_t kQueries = 3;
  const auto top = *rc::gen::element<std::uint64_t>(1, 2, 7, 40, match::KeepRule::kAll);
  const auto n = *rc::gen::element<std::uint32_t>(1, 2, 3, 7, 100);
  const auto ahead = *rc::gen::element<std::uint64_t>(1, 4);
  const std::vector<engine::Pair> pairs = some_pairs(*rc::gen::arbitrary<std::uint32_t>(), kQueries);
  std::vector<match::QueryRule> own(kQueries);
  own[1].weights = {3, 1};
  const match::KeepRule rule{.top = top};
  match::Ranking whole(kQueries, rule, own);
  whole.take(pairs);
  const PartSet all = parts(n, [&](const Shard& shard, Writer& to) {
    match::Ranking of_shard(kQueries, {.top = top > match::KeepRule::kAll / ahead ? top : top * ahead}, own);
    for (const engine::Pair& pair : pairs)
      if (pair.row >= rows_of(shard).first && pair.row < rows_of(shard).end) of_shard.take({&pair, 1});
    add_candidates(of_shard.result(), to);
  });
  RC_ASSERT(merged(all, kQueries, rule, own, rows_of, 2) == whole.result());
}

TEST_F(Parts, CandidatesOfAnotherShardAreRefused) {
  const PartSet all = parts(2, [&](const Shard&, Writer& to) {
    add_candidates(std::vector<match::RankedPairs>{{{{kRows - 1, 0, {1, 2, 3}}}, 0}}, to);
  });
  EXPECT_THAT(
      [&] { merged(all, 1, {}, {}, rows_of, 1); },
      ThrowsMessage<InputError>(HasSubstr("1.part, candidates: has a pair that is not of this shard")));
}

TEST_F(Parts, CandidatesThatStandTwiceAreThePartsFault) {
  const PartSet all = parts(2, [&](const Shard& shard, Writer& to) {
    const engine::Pair pair{rows_of(shard).first, 0, {1, 2, 3}};
    std::vector<engine::Pair> pairs = {pair};
    if (shard.index == 2) pairs.push_back(pair);
    add_candidates(std::vector<match::RankedPairs>{{pairs, 0}}, to);
  });
  EXPECT_THAT([&] { merged(all, 1, {.top = 3}, {}, rows_of, 1); },
              ThrowsMessage<InputError>(
                  "2.part, candidates: row 320 was found twice for query 0; run its shard again"));
}

TEST_F(Parts, MoreTiesThanRowsAreRefused) {
  const PartSet all = parts(1, [&](const Shard&, Writer& to) {
    add_candidates(std::vector<match::RankedPairs>{{{{0, 0, {1, 2, 3}}}, kRows + 1}}, to);
  });
  EXPECT_THAT([&] { merged(all, 1, {.top = 1}, {}, rows_of, 1); },
              ThrowsMessage<InputError>(HasSubstr("1.part, ties: has more than there can be")));
}

TEST_F(Parts, HistogramsAddUp) {
  const PartSet all = parts(3, [&](const Shard& shard, Writer& to) {
    match::CountHistograms histograms(2, 4);
    histograms.add(1, 4, shard.index);
    add_histograms(histograms, 2, to);
  });
  match::CountHistograms sum(2, 4), small(2, 3);
  read_histograms(all, 2, sum);
  EXPECT_EQ(sum.of_query(1)[4], 6u);
  EXPECT_THAT([&] { read_histograms(all, 2, small); },
              ThrowsMessage<InputError>(HasSubstr("has a count that cannot be")));
}

TEST_F(Parts, QueriesAreTheSameAgain) {
  match::Queries queries{{{"a", "f.snp", "12", Encoding::kAlleles}}, ProfileRows(1, 40, Encoding::kAlleles)};
  queries.rows.set_seen(0, 3, kBothSeen);
  queries.rows.set_seen(0, 39, kMajorSeen);
  queries.signals = {SampleSignal(40)};
  queries.signals[0]->at(3) = {.major = 30, .minor = 12};
  queries.few_reads = {{{3, 20}, {3, .25F}, {7, 1000}}};
  const std::vector<match::FailedInput> failed = {{"bad.snp", "is bad"}};
  write(path(1), {1, 1}, [&](Writer& to) { add_queries("queries", queries, &failed, to); });
  std::vector<match::FailedInput> rejected;
  const match::Queries again = read_queries("queries", File(path(1)), 40, &rejected);
  EXPECT_EQ(again.rows, queries.rows);
  EXPECT_EQ(again.signals, queries.signals);
  EXPECT_EQ(again.few_reads, queries.few_reads);
  EXPECT_EQ(again.sources[0].file, "f.snp");
  EXPECT_EQ(digest_of(again), digest_of(queries));
  ASSERT_EQ(rejected.size(), 1u);
  EXPECT_EQ(rejected[0].problem, "is bad");
  EXPECT_THAT([&] { read_queries("queries", File(path(1)), 41, nullptr); },
              ThrowsMessage<InputError>(HasSubstr("another panel")));
}

TEST_F(Parts, SingleReadsThatCannotBeAreRefused) {
  match::Queries queries{{{"a", "f.bam", "12", Encoding::kAlleles}}, ProfileRows(1, 40, Encoding::kAlleles)};
  queries.rows.set_seen(0, 3, kBothSeen);
  queries.signals = {SampleSignal(40)};
  const std::vector<std::vector<SiteRead>> wrong{{{40, 1}},  {{7, 1}, {3, 1}},
                                                 {{3, 0}},   {{3, -1}},
                                                 {{3, NAN}}, std::vector(kFewReads + 1, SiteRead{3, 1})};
  for (const std::vector<SiteRead>& reads : wrong) {
    queries.few_reads = {reads};
    write(path(1), {1, 1}, [&](Writer& to) { add_queries("queries", queries, nullptr, to); });
    EXPECT_THAT([&] { read_queries("queries", File(path(1)), 40, nullptr); },
                ThrowsMessage<InputError>(HasSubstr("has reads that cannot be")));
  }
}

TEST_F(Parts, LikelihoodsAreTheSameAgain) {
  match::Queries queries{{{"a", "a.vcf", "1", Encoding::kAlleles}, {"b", "b.vcf", "2", Encoding::kAlleles}},
                         ProfileRows(2, 40, Encoding::kAlleles)};
  queries.rows.set_seen(0, 3, kBothSeen);
  const std::string without = digest_of(queries);
  queries.likelihoods.resize(2);
  queries.likelihoods[1].emplace(40);
  queries.likelihoods[1]->add(7, {1, .25, 1e-9});
  queries.likelihoods[1]->add(39, {0, .5, 1});
  write(path(1), {1, 1}, [&](Writer& to) { add_queries("queries", queries, nullptr, to); });
  const match::Queries again = read_queries("queries", File(path(1)), 40, nullptr);
  EXPECT_EQ(again.likelihoods, queries.likelihoods);
  EXPECT_EQ(digest_of(again), digest_of(queries));
  EXPECT_NE(digest_of(queries), without);
}

TEST_F(Parts, LikelihoodsThatCannotBeAreRefused) {
  struct Stored {
    std::uint32_t query = 0, site = 0;
    GenotypeLikelihoods values{};
  };
  const match::Queries queries{{{"a", "a.vcf", "1", Encoding::kAlleles}},
                               ProfileRows(1, 40, Encoding::kAlleles)};
  const GenotypeLikelihoods fine{1, .5, 0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<Stored>& wrong : {std::vector<Stored>{{1, 0, fine}},
                                           {{0, 40, fine}},
                                           {{0, 3, fine}, {0, 3, fine}},
                                           {{0, 3, {1, nan, 0}}},
                                           {{0, 3, {1, -1, 0}}},
                                           {{0, 3, {1, 1, 1}}},
                                           {{0, 3, {0, 0, 0}}}}) {
    write(path(1), {1, 1}, [&](Writer& to) {
      add_queries("queries", queries, nullptr, to);
      to.add<Stored>("queries: likelihoods", wrong);
    });
    EXPECT_THAT([&] { read_queries("queries", File(path(1)), 40, nullptr); },
                ThrowsMessage<InputError>(HasSubstr("has likelihoods that cannot be")));
  }
}

TEST_F(Parts, ClosePairsComeInOrder) {
  const auto close = [](std::uint64_t first, std::uint64_t second) {
    match::ClosePair pair{.first = first, .second = second, .compared = 10, .kinship = 0.25};
    if (second % 2 == 0) pair.log10_lr = {1, 2, 3, 4, 5};
    if (second % 2 == 0) pair.relation = "half-sibling";
    return pair;
  };
  const auto fill = [&](const Shard& shard, Writer& to) {
    pairs::PairsWriter writer(to);
    std::vector<match::ClosePair> pairs;
    for (std::uint64_t first = 0; first < 200; ++first)
      for (std::uint64_t second = shard.index - 1; second < 300; second += shard.of)
        pairs.push_back(close(first, second));
    writer.add(pairs);
    writer.finish();
  };
  std::uint64_t n = 0;
  const auto take = [&](const std::vector<match::ClosePair>& pairs) {
    for (const match::ClosePair& pair : pairs) {
      EXPECT_EQ(pair.first * 300 + pair.second, n++);
      EXPECT_EQ(pair.log10_lr.has_value(), pair.second % 2 == 0);
      EXPECT_EQ(pair.log10_lr.value_or(match::RelationFigures{}).cousin, pair.second % 2 == 0 ? 5 : 0);
      EXPECT_EQ(pair.relation, pair.second % 2 == 0 ? "half-sibling" : "");
    }
  };
  const PartSet all = parts(3, fill);
  pairs::for_all_pairs(
      all, [](std::size_t i, const match::ClosePair& pair) { return pair.second % 3 == i; }, take);
  EXPECT_EQ(n, 60'000u);
  EXPECT_THAT(
      [&] {
        pairs::for_all_pairs(
            all, [](std::size_t, const match::ClosePair&) { return false; }, take);
      },
      ThrowsMessage<InputError>(HasSubstr("has a pair that is not of this shard")));
}

/// Combinations of few different costs, dealt out to shards by their first site.
std::vector<std::vector<engine::ScoredCombination>> dealt_out(std::uint32_t shards) {
  std::vector<std::vector<engine::ScoredCombination>> of(shards);
  std::minstd_rand rng(2);
  for (std::uint32_t a = 0; a < 12; ++a)
    for (std::uint32_t b = a + 1; b < 12; ++b)
      of[a % shards].push_back({static_cast<double>(rng() % 8), {a, b, b + 1}});
  return of;
}

TEST_F(Parts, CombinationsAndTheirTiesAreThoseOfOneRun) {
  for (const std::uint32_t shards : {1U, 2U, 5U, 40U})
    for (const std::size_t top : {1U, 4U, 9U, 66U, 1000U}) {
      const auto all = dealt_out(shards);
      engine::BestCombinations right(top), merged(top);
      for (const auto& some : all)
        for (const engine::ScoredCombination& one : some) right.offer(one);
      const PartSet set = parts(shards, [&](const Shard& shard, Writer& to) {
        engine::BestCombinations best(top);
        for (const engine::ScoredCombination& one : all[shard.index - 1]) best.offer(one);
        epistasis::add_combinations(best, to);
      });
      const std::uint64_t ties = epistasis::offer_all(
          set, top, [&](std::size_t i, const auto& sites) { return sites[0] % shards == i; }, merged);
      EXPECT_EQ(merged.kept(), right.kept());
      EXPECT_EQ(merged.ties() + ties, right.ties()) << shards << " shards, the best " << top;
    }
}

TEST_F(Parts, CombinationsThatCannotBeAreRefused) {
  const auto refusal = [&](const std::function<void(Writer&)>& fill, bool own) {
    const PartSet set = parts(1, [&](const Shard&, Writer& to) { fill(to); });
    return [set, own] {
      engine::BestCombinations best(2);
      epistasis::offer_all(
          set, 2, [own](std::size_t, const engine::SiteCombination&) { return own; }, best);
    };
  };
  const auto kept = [](std::size_t top, std::uint32_t n) {
    return [=](Writer& to) {
      engine::BestCombinations best(top);
      for (std::uint32_t i = 0; i < n; ++i) best.offer({1, {0, 1, 2 + i}});
      epistasis::add_combinations(best, to);
    };
  };
  EXPECT_THAT(refusal(kept(2, 2), false), ThrowsMessage<InputError>(HasSubstr("not of this shard")));
  EXPECT_THAT(refusal(kept(3, 3), true), ThrowsMessage<InputError>(HasSubstr("another number")));
  EXPECT_THAT(refusal(kept(1, 3), true), ThrowsMessage<InputError>(HasSubstr("another number")));
  const auto twice = [&](Writer& to) { kept(1, 1)(to), kept(1, 1)(to); };
  EXPECT_THAT(refusal(twice, true), ThrowsMessage<InputError>(HasSubstr("not in their order")));
}

}  // namespace
}  // namespace fastid::part
