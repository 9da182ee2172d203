// Which way of two is taken, by what pieces of tiles took.
#include "engine/pass_trial.hpp"

#include <gtest/gtest.h>

namespace fastid {
namespace {

constexpr std::size_t kBlocks = 64;

// How many of the next pieces the pass gets, with the seconds that each way takes.
int passes_of(PassTrial& trial, int pieces, double bits, double pass) {
  int passes = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    passes += trial.now() ? 1 : 0;
    trial.note(kBlocks, trial.now() ? pass : bits);
  }
  return passes;
}

TEST(PassTrial, TriesBothAndKeepsToTheFaster) {
  PassTrial faster(UsePass::kWhereItPays);
  EXPECT_FALSE(faster.now()) << "bits come first: their time is what a pass is held against";
  EXPECT_GT(passes_of(faster, 1000, 2, 1), 970);
  PassTrial slower(UsePass::kWhereItPays);
  EXPECT_LT(passes_of(slower, 1000, 1, 2), 30);
}

TEST(PassTrial, TriesTheOtherAgainSoThatAChangeShows) {
  PassTrial trial(UsePass::kWhereItPays);
  passes_of(trial, 1000, 2, 1);
  EXPECT_LT(passes_of(trial, 2000, 2, 8), 300) << "the pass has become slow";
  EXPECT_GT(passes_of(trial, 2000, 2, 1), 1000) << "and fast again";
}

TEST(PassTrial, PiecesOfAnySizeAreHeldAgainstEachOther) {
  PassTrial trial(UsePass::kWhereItPays);
  trial.note(10 * kBlocks, 10);
  ASSERT_TRUE(trial.now());
  trial.note(kBlocks, 2);
  EXPECT_FALSE(trial.now());
}

TEST(PassTrial, AlwaysIsAlways) {
  PassTrial trial(UsePass::kAlways);
  EXPECT_EQ(passes_of(trial, 100, 1, 100), 100);
}

}  // namespace
}  // namespace fastid
