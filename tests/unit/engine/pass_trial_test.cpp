// Which way of several is taken, by what pieces of tiles took.
#include "engine/cpu/pass_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace fastid {
namespace {

constexpr std::size_t kBlocks = 64;

using Seconds = std::vector<double>;  // that each way takes for a piece
using Pieces = std::vector<int>;      // that each way gets

// How many of the next pieces each way gets.
Pieces pieces_of(PassTrial& trial, int n, const Seconds& seconds) {
  Pieces pieces(seconds.size());
  for (int piece = 0; piece < n; ++piece) {
    const std::size_t way = trial.way();
    ++pieces[way];
    trial.note(kBlocks, seconds[way]);
  }
  return pieces;
}

// What trials lose of the time that the fastest way alone would take.
double loss_of(const Pieces& pieces, const Seconds& seconds) {
  const double best = *std::ranges::min_element(seconds) * std::accumulate(pieces.begin(), pieces.end(), 0);
  return std::inner_product(pieces.begin(), pieces.end(), seconds.begin(), 0.0) / best - 1;
}

TEST(PassTrial, TriesAllAndKeepsToTheFastest) {
  for (const Seconds& seconds : {Seconds{2, 1}, Seconds{1, 2}, Seconds{2, 3, 1}, Seconds{3, 1, 2},
                                 Seconds{1, 2, 2}, Seconds{1, 1.1, 4}}) {
    PassTrial trial(seconds.size(), UsePass::kWhereItPays);
    EXPECT_EQ(trial.way(), 0u) << "bits come first: their time is what a pass is held against";
    const Pieces pieces = pieces_of(trial, 1000, seconds);
    EXPECT_GT(*std::ranges::min_element(pieces), 1) << "each is tried again";
    EXPECT_LT(loss_of(pieces, seconds), 0.03);
  }
}

TEST(PassTrial, TriesTheOthersAgainSoThatAChangeShows) {
  for (const std::size_t n_ways : {2u, 3u}) {
    PassTrial trial(n_ways, UsePass::kWhereItPays);
    Seconds seconds(n_ways, 2);
    seconds.back() = 1;
    pieces_of(trial, 1000, seconds);
    seconds.back() = 8;
    EXPECT_LT(pieces_of(trial, 2000, seconds).back(), 300) << "the last has become slow";
    seconds.back() = 1;
    EXPECT_GT(pieces_of(trial, 2000, seconds).back(), 1000) << "and fast again";
  }
}

TEST(PassTrial, PiecesOfAnySizeAreHeldAgainstEachOther) {
  PassTrial trial(2, UsePass::kWhereItPays);
  while (trial.way() == 0) trial.note(10 * kBlocks, 10);
  while (trial.way() == 1) trial.note(kBlocks, 2);
  EXPECT_GT(pieces_of(trial, 10, {1, 2})[0], 5);
}

TEST(PassTrial, AWaysFirstPieceMayTakeLong) {
  PassTrial trial(2, UsePass::kWhereItPays);
  std::size_t last = 0;
  Pieces pieces(2);
  for (int piece = 0; piece < 1000; ++piece) {
    const std::size_t way = trial.way();
    ++pieces[way];
    trial.note(kBlocks, way == 0 ? 1 : last == 0 ? 2 : 0.9);
    last = way;
  }
  EXPECT_GT(pieces[1], 900) << "its tables are in no cache then";
}

TEST(PassTrial, APieceThatWasHeldUpCountsForNothing) {
  PassTrial trial(2, UsePass::kWhereItPays);
  const Seconds seconds = {1.2, 1};
  pieces_of(trial, 100, seconds);
  while (trial.way() == 0) trial.note(kBlocks, seconds[0]);
  trial.note(kBlocks, seconds[1]);
  trial.note(kBlocks, 5);
  EXPECT_EQ(trial.way(), 1u);
}

TEST(PassTrial, TwoPiecesThatWereHeldUpCountForLittle) {
  PassTrial trial(2, UsePass::kWhereItPays);
  const Seconds seconds = {1.5, 1};
  pieces_of(trial, 100, seconds);
  while (trial.way() == 0) trial.note(kBlocks, seconds[0]);
  for (const double piece : {1.0, 5.0, 5.0}) trial.note(kBlocks, piece);
  EXPECT_EQ(trial.way(), 1u);
}

TEST(PassTrial, AloneIsTakenAlways) {
  PassTrial bits(1, UsePass::kWhereItPays);
  EXPECT_EQ(pieces_of(bits, 100, {1}), Pieces{100});
  PassTrial no_pass(1, UsePass::kAlways);
  EXPECT_EQ(pieces_of(no_pass, 100, {1}), Pieces{100});
}

TEST(PassTrial, AlwaysTakesTurnsOfThePasses) {
  PassTrial one(2, UsePass::kAlways);
  EXPECT_EQ(pieces_of(one, 100, {1, 100}), (Pieces{0, 100}));
  PassTrial two(3, UsePass::kAlways);
  EXPECT_EQ(pieces_of(two, 100, {1, 100, 3}), (Pieces{0, 50, 50}));
}

}  // namespace
}  // namespace fastid
