// Every engine, thread count and tile size gives the same ranking, number for number: all that a report
// prints of a search.
//
// Problems are the cross of all that an engine may get wrong at an edge: sites around a word, profiles around
// a block, one query to hundreds, the comparisons, by fraction and by weights, and called sites missing in
// neither, either or both of queries and database. Small ones go through every run; large ones through a part
// that still has each engine, thread count and tile size (a Latin square that turns from problem to problem).
// Of all problems a third is taken, unless each case is asked for (support/every_case.hpp).
// A narrow panel makes thousands of profiles tie, so that order and counted ties are tried as hard as counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <tuple>

#include "asking/engines.hpp"
#include "conformance/world.hpp"
#include "pipeline/search.hpp"
#include "support/every_case.hpp"

namespace fastid {

/// What is counted.
struct Counted {
  engine::Comparison comparison = engine::Comparison::kIdentity;
  Encoding by = Encoding::kMinor;
};

/// For the tests' names; GoogleTest finds it here.
static void PrintTo(const Counted& counted, std::ostream* out) {
  constexpr const char* kNames[] = {"Identity", "Mixture", "ReverseMixture", "Kinship"};
  *out << kNames[static_cast<int>(counted.comparison)]
       << (counted.by == Encoding::kAlleles ? "ByAlleles" : "");
}

namespace {

constexpr std::uint64_t kProfiles[] = {1, 32, 33, 2500};
constexpr std::uint64_t kProfilesOfWide = 650;  ///< in place of the last one on a panel of thousands of sites
constexpr std::size_t kQueries[] = {1, 8, 130};
constexpr std::size_t kThreads[] = {1, 2, 7};
/// Blocks in a tile; the last is more than there are: all in one tile.
constexpr std::optional<std::size_t> kTileBlocks[] = {1, 3, std::size_t{1} << 20};
constexpr std::uint64_t kSmall = 5'000;    ///< effort(); larger problems take part of the runs
constexpr std::uint64_t kLarge = 300'000;  ///< larger ones still: no-calls on neither side or on both

/// Where called sites are missing.
enum class NoCalls { kNowhere, kInBoth, kInQueries, kInDatabase };
constexpr NoCalls kNoCalls[] = {NoCalls::kNowhere, NoCalls::kInBoth, NoCalls::kInQueries,
                                NoCalls::kInDatabase};

struct Question {
  Counted counted;
  std::uint32_t n_sites = 0;
  std::uint64_t n_profiles = 0;
  std::size_t n_queries = 0;
  NoCalls no_calls = NoCalls::kNowhere;
  match::KeepRule rule;

  /// In pairs of profiles of 100 words: ranking a pair that ties costs about as much as comparing it.
  std::uint64_t effort() const {
    const std::uint64_t words = BlockShape{n_profiles, n_sites}.n_words();
    return n_profiles * n_queries * (100 + words) / 100;
  }
};

std::ostream& operator<<(std::ostream& out, const Question& question) {
  return out << question.n_sites << " sites, " << question.n_profiles << " profiles, " << question.n_queries
             << " queries, no-calls " << static_cast<int>(question.no_calls) << ", top " << question.rule.top;
}

/// Random calls: about a third carry a minor allele; with `no_calls` one in 16 sites is not called.
BitBlocks random_calls(BlockShape shape, bool no_calls, std::mt19937_64& rng) {
  BitBlocks blocks(shape);
  std::vector<Seen> calls(shape.n_profiles);
  for (std::uint32_t site = 0; site < shape.n_sites; ++site) {
    std::uint64_t draw = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      draw = i % 8 == 0 ? rng() : draw >> 8;
      const bool called = !no_calls || (draw & 0x0F) != 0;
      const Seen seen = (draw & 0xF0) >= 0x50 ? kMajorSeen : (draw & 0x10) == 0 ? kMinorSeen : kBothSeen;
      calls[i] = called ? seen : kNoneSeen;
    }
    blocks.set_site(site, calls);
  }
  return blocks;
}

/// Database and queries of a question, reproducible.
struct Data {
  BitBlocks database;
  ProfileRows queries;
};

Data make_data(const Question& question) {
  const bool in_queries = question.no_calls == NoCalls::kInQueries || question.no_calls == NoCalls::kInBoth;
  const bool in_database = question.no_calls == NoCalls::kInDatabase || question.no_calls == NoCalls::kInBoth;
  std::mt19937_64 rng(question.n_sites * 1'000'003 + question.n_profiles * 101 + question.n_queries);
  const Encoding by = question.counted.by;
  BitBlocks database = random_calls({question.n_profiles, question.n_sites, by}, in_database, rng);
  BitBlocks asked = random_calls({question.n_queries, question.n_sites, by}, in_queries, rng);
  if (in_queries == in_database)  // every other query is someone in the database
    for (std::uint64_t i = 0; i < question.n_queries; i += 2)
      asked.copy_profile(i, database.view(), rng() % question.n_profiles);
  std::vector<std::uint64_t> all(question.n_queries);
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  return {std::move(database), ProfileRows::from_blocks(asked.view(), all)};
}

/// The ranking that an engine leads to; all that a report prints of it.
std::vector<match::RankedPairs> answer(const Question& question, const Data& data, engine::Engine& engine) {
  const MemorySource source(data.database.view());
  const engine::Problem problem{question.counted.comparison, &data.queries, source.shape(),
                                source.has_second(), question.counted.by};
  Progress silent(ProgressMode::kNever, "", "", 1);
  return pipeline::search_database(source, problem, engine,
                                   {question.rule, some_weights(data.queries.n_rows())}, 1, silent)
      .ranked;
}

/// An engine with its threads and tiles; made once, since a driver takes its time to wake.
struct EngineRun {
  std::string device;
  std::size_t threads = 0, tiles = 0;  ///< places in kThreads and kTileBlocks
  std::unique_ptr<engine::Engine> engine;
};

const std::vector<EngineRun>& runs() {
  static const std::vector<EngineRun> all = [] {
    std::vector<EngineRun> made;
    for (const char* device : {"reference", "cpu", "opencl"})
      for (std::size_t threads = 0; threads < std::size(kThreads); ++threads)
        for (std::size_t tiles = 0; tiles < std::size(kTileBlocks); ++tiles) {
          // Each engine has its driver build all kernels; each thread count and tile size once is enough
          // there.
          if (device == std::string("opencl") && tiles != threads) continue;
          const engine::EngineOptions options{.threads = kThreads[threads],
                                              .tile_blocks = kTileBlocks[tiles]};
          made.push_back({device, threads, tiles, asking::make_engine(device, options)});
        }
    return made;
  }();
  return all;
}

/// Whether a large problem takes a run: one in three, in a pattern that turns with `turn`; the slow reference
/// only with all in one tile.
bool takes(const EngineRun& run, std::size_t turn) {
  if ((run.threads + run.tiles + turn) % std::size(kThreads) != 0) return false;
  return run.device != "reference" || run.tiles == std::size(kTileBlocks) - 1;
}

void expect_one_answer(const Question& question, std::size_t turn) {
  SCOPED_TRACE(::testing::Message() << question);
  const Data data = make_data(question);
  std::optional<std::vector<match::RankedPairs>> first;  // of the first run, which is the reference's
  std::map<std::string, int> taken;
  for (const EngineRun& run : runs()) {
    if (question.effort() > kSmall && !takes(run, turn)) continue;
    ++taken[run.device];
    const std::vector<match::RankedPairs> found = answer(question, data, *run.engine);
    SCOPED_TRACE(::testing::Message() << run.engine->name() << ", threads " << kThreads[run.threads]
                                      << ", tiles " << *kTileBlocks[run.tiles]);
    if (!first) first = found;
    ASSERT_NO_FATAL_FAILURE(expect_same(found, *first));
  }
  EXPECT_EQ(taken.size(), 3u);
}

/// What to list, by turns: the usual ten, one, all where that is not too long, those under a threshold.
match::KeepRule rule_of(std::size_t turn, const Question& question) {
  constexpr std::uint64_t kLong = 2'000;
  const match::KeepRule rules[] = {
      {.top = 10},
      {.top = 1},
      {.top = question.n_profiles * question.n_queries > kLong ? 25 : match::KeepRule::kAll},
      {.top = 15, .max_count = question.n_sites / 3, .min_compared = 2}};
  return rules[turn % std::size(rules)];
}

class SameAnswer : public ::testing::TestWithParam<std::tuple<Counted, std::uint32_t>> {};

TEST_P(SameAnswer, OnEveryEngineWithAnyThreadsAndTiles) {
  const auto [counted, n_sites] = GetParam();
  std::size_t turn = 0;
  constexpr std::uint32_t kWide = 10'000;
  for (const std::uint64_t up_to : kProfiles)
    for (const std::size_t n_queries : kQueries)
      for (const NoCalls no_calls : kNoCalls) {
        const std::uint64_t n_profiles = n_sites > kWide ? std::min(up_to, kProfilesOfWide) : up_to;
        if (counted.by == Encoding::kAlleles && no_calls != NoCalls::kInBoth) continue;
        Question question{counted, n_sites, n_profiles, n_queries, no_calls, {}};
        question.rule = rule_of(turn + turn / std::size(kNoCalls), question);  // each with each
        ++turn;
        // A square, too: numbers of queries come with numbers of profiles by turns.
        if (!testing::every_case() && (turn + turn / 3 + n_sites) % 3 != 0) continue;
        if (question.effort() > kLarge && no_calls > NoCalls::kInBoth) continue;
        ASSERT_NO_FATAL_FAILURE(expect_one_answer(question, turn));
      }
}

std::string name_of_case(const ::testing::TestParamInfo<SameAnswer::ParamType>& info) {
  return ::testing::PrintToString(std::get<0>(info.param)) + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(
    Sites, SameAnswer,
    ::testing::Combine(::testing::Values(Counted{engine::Comparison::kIdentity},
                                         Counted{engine::Comparison::kMixture},
                                         Counted{engine::Comparison::kReverseMixture},
                                         Counted{engine::Comparison::kIdentity, Encoding::kAlleles},
                                         Counted{engine::Comparison::kKinship, Encoding::kAlleles}),
                       ::testing::Values(1u, 31u, 32u, 33u, 1000u, 14079u)),
    name_of_case);

/// 500 copies of one profile.
TEST(Ties, AreListedByRowAndCounted) {
  std::mt19937_64 rng(500);
  const BitBlocks one = random_calls({1, 1000}, true, rng);
  Data data{BitBlocks({500, 1000}), ProfileRows(0, 1000)};
  for (std::uint64_t i = 0; i < 500; ++i) data.database.copy_profile(i, one.view(), 0);
  data.queries.append(one.view(), std::vector<std::uint64_t>{0});
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture})
    for (const EngineRun& run : runs()) {
      const Question question{{comparison}, 1000, 500, 1, NoCalls::kInBoth, {.top = 10}};
      const match::RankedPairs ranked = answer(question, data, *run.engine)[0];
      ASSERT_EQ(ranked.pairs.size(), 10u) << run.engine->name();
      EXPECT_EQ(ranked.ties_cut, 490u) << run.engine->name();
      for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(ranked.pairs[i].row, i) << run.engine->name();
    }
}

}  // namespace
}  // namespace fastid
