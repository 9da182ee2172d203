// Passes over tiles that lanes keep, as a device does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"
#include "planned.hpp"

namespace fastid {
namespace {

using testing::FileCase;
using testing::kNone;
using testing::Planned;
using testing::Touchy;

void keep_tiles(LanePlan& plan) {
  plan.keeps = true;
  plan.closes = 3;
}

TEST(Stream, ReadsOnlyWhatIsListedOnceTilesAreKept) {
  FileCase run;
  run.rule.max_count = 0;  // only the queries themselves, of two blocks
  const auto expected = run.expected();
  Planned engine(keep_tiles);
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(run.file.reads, 4);
  for (int again = 0; again < 2; ++again) {
    run.file.reads = 0;
    run.expect_same(run.run_once(stream), expected);
    EXPECT_EQ(run.file.reads, 2);
  }
  EXPECT_EQ(engine.opened, 2) << "lanes stay open";
}

TEST(Stream, ReadsNothingOnceTilesAreKeptThatLanesHoldAgainstTheirChecksums) {
  for (const bool held : {true, false}) {
    FileCase run;
    run.rule.max_count = 0;
    run.have_checksums();
    const auto expected = run.expected();
    Planned engine(keep_tiles);
    engine.expects = held;
    Stream stream(run.file, 0, 4, run.problem, engine, true);
    run.expect_same(run.run_once(stream), expected);
    EXPECT_FALSE(run.stats.checked);
    for (int again = 0; again < 2; ++again) {
      run.file.reads = 0;
      run.expect_same(run.run_once(stream), expected);
      EXPECT_EQ(run.stats.checked, held);
      EXPECT_EQ(run.file.reads, held ? 0 : 2);
    }
  }
}

TEST(Stream, CatchesADeviceWhoseKeptBlocksAreDamagedAlsoWhereNoneIsListed) {
  FileCase run;
  run.rule.max_count = 0;
  run.have_checksums();
  Planned engine(keep_tiles);
  engine.expects = true;
  engine.spoils = true;
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.run_once(stream);
  try {
    run.run_once(stream);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), ::testing::MatchesRegex(
                                  "planned has damaged 1 of [1-4] blocks? that a lane keeps; do not.*"));
  }
}

void change_nothing(LanePlan&) {}

TEST(Stream, LeavesChecksumsToLanesThatMakeThem) {
  for (const bool expects : {true, false})
    for (const bool sums : {true, false}) {
      FileCase run;
      if (sums) run.have_checksums();
      const auto expected = run.expected();
      Planned engine(change_nothing);
      engine.expects = expects;
      Stream stream(run.file, 0, 4, run.problem, engine);
      run.expect_same(run.run_once(stream), expected);
      EXPECT_EQ(run.file.unhashed_reads, expects && sums ? 4 : 0);
      EXPECT_EQ(run.file.reads, expects && sums ? 0 : 4);
    }
}

// Block 2 is damaged where it is read unhashed, or each tile on its way to the device.
template <class Error>
void expect_damage_is_refused(bool in_the_file, bool heals, const char* message) {
  FileCase run;
  run.have_checksums();
  Touchy file(run.blocks.view(), in_the_file ? 2 : kNone);
  file.sums = run.file.sums;
  file.heals = heals;
  Planned engine(change_nothing);
  engine.expects = true;
  engine.damages = !in_the_file;
  Stream stream(file, 0, 4, run.problem, engine);
  EXPECT_THAT([&] { run.run_once(stream); },
              ::testing::ThrowsMessage<Error>(::testing::MatchesRegex(message)));
  EXPECT_GT(file.unhashed_reads, 0);
}

TEST(Stream, TellsADamagedFileFromABadReadAndABadDevice) {
  expect_damage_is_refused<InputError>(true, false, "some.h5, block 7: damaged.*");
  expect_damage_is_refused<Failure>(true, true, "1 block of the database came otherwise than when read.*");
  expect_damage_is_refused<DeviceError>(false, false,
                                        "planned has 1 of 1 block otherwise than the database; do not.*");
}

TEST(Stream, TakesNoTileThatNobodyHasChecked) {
  FileCase run;
  run.have_checksums();
  Planned engine(change_nothing);
  engine.expects = engine.forgets = true;
  Stream stream(run.file, 0, 4, run.problem, engine);
  EXPECT_THAT([&] { run.run_once(stream); }, ::testing::ThrowsMessage<DeviceError>(
                                                 ::testing::HasSubstr("has not checked what it compared")));
}

TEST(Stream, ReadsAgainWhereNotAllTilesWereKept) {
  for (const std::size_t room : {0u, 1u, 3u}) {
    FileCase run;
    const auto expected = run.expected();
    Planned engine(keep_tiles, room);
    Stream stream(run.file, 0, 4, run.problem, engine, true);
    for (int again = 0; again < 3; ++again) run.expect_same(run.run_once(stream), expected);
    EXPECT_EQ(run.file.reads, 12);
  }
}

TEST(Stream, KeepsNoTilesWhereMorePairsAreListedThanThresholdsAreClosedFor) {
  FileCase run;
  run.rule.top = 4;
  const auto expected = run.expected();
  Planned engine(keep_tiles);
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  for (int again = 0; again < 2; ++again) run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(run.file.reads, 8);
}

TEST(Stream, ReadsAgainWhereALaterRunListsMoreThanThresholdsAreClosedFor) {
  FileCase run;
  Planned engine(keep_tiles);
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), run.expected());
  run.rule.top = 4;
  const auto expected = run.expected();
  run.expect_same(run.run_once(stream), expected);
  EXPECT_FALSE(run.stats.kept);
  EXPECT_EQ(run.file.reads, 8);
}

// How many sites were compared with a mixture the lanes' checksums do not show.
TEST(Stream, CountsWhatIsListedOfAMixtureAgainFromTheFileWhereCallsAreMissing) {
  for (const Comparison comparison : {Comparison::kIdentity, Comparison::kMixture}) {
    FileCase run;
    run.problem.comparison = comparison;
    run.have_checksums();
    const auto expected = run.expected();
    Planned engine(keep_tiles);
    engine.expects = true;
    Stream stream(run.file, 0, 4, run.problem, engine, true);
    run.expect_same(run.run_once(stream), expected);
    run.file.reads = 0;
    run.expect_same(run.run_once(stream), expected);
    EXPECT_TRUE(run.stats.checked);
    EXPECT_EQ(run.file.reads > 0, comparison == Comparison::kMixture);
  }
}

// Between two passes, another process may have taken it.
TEST(Stream, OpensLanesAnewWhereOneHasNoMemoryForOtherQueries) {
  FileCase run;
  const auto expected = run.expected();
  Planned engine([](LanePlan& plan) {
    keep_tiles(plan);
    plan.queries = 1;
  });
  engine.asks = true;
  engine.on_ask = [] { throw DeviceMemoryError("planned: no memory"); };
  Stream stream(run.file, 0, 4, run.problem, engine);
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(engine.opened, 4) << "two lanes, twice";
  EXPECT_EQ(run.file.reads, 8);
}

// A device that has kept other bits than it was sent.
TEST(Stream, CatchesADeviceThatDoesNotKeepWhatItWasSent) {
  FileCase run;
  Planned engine(keep_tiles);
  engine.flips = true;
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), run.expected());
  EXPECT_THROW(run.run_once(stream), DeviceError);
}

}  // namespace
}  // namespace fastid
