// Every engine on this machine against the oracle of support/bits.hpp: counts are integers, so equality, no
// tolerance.
//
// FASTID_TEST_OPENCL names the OpenCL device to test (a selector of --device opencl:SELECTOR); by default the
// first.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/engine.hpp"
#include "model/registry.hpp"
#include "opencl/opencl_engine.hpp"
#include "opencl/worker/pass_tallies.hpp"
#include "support/bits.hpp"
#include "support/checksums.hpp"
#include "support/engine_world.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

struct Maker {
  std::string name;
  bool opencl = false;
  std::function<std::unique_ptr<Engine>()> make;
  bool some_cases = false;  // where each case is a kernel of its own to build
  bool leaves_out = true;   // what cannot be among the best

  friend void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }
};

std::unique_ptr<Engine> opencl_engine(const OpenClTuning& tuning) {
  return make_opencl_engine(opencl_selector(), {}, tuning);
}

std::vector<Maker> makers() {
  std::vector<Maker> made = {{"reference", false, [] { return make_reference_engine({}); }, false, false}};
  for (const std::string& target : cpu_engine_targets()) {
    made.push_back({"cpu_" + target, false, [target] { return make_cpu_engine_for(target, {}); }});
    if (target != "SCALAR")  // has nothing to look up with
      made.push_back({"cpu_always_" + target, false,
                      [target] { return make_cpu_engine_for(target, {}, UsePass::kAlways); }});
  }
  made.push_back({"opencl", true, [] { return opencl_engine({}); }});
  made.push_back({"opencl_own_memory", true, [] { return opencl_engine({.own_memory = true}); }});
  made.push_back({"opencl_plain", true, [] { return opencl_engine({.micro_kernel = MicroKernel::kPlain}); }});
  for (const std::string& config : embedded_config_names())
    made.push_back({"opencl_" + config, true, [config] { return opencl_engine({.config = config}); }, true});
  made.push_back(
      {"opencl_overflowing", true, [] { return opencl_engine({.candidates = 60}); }, false, false});
  made.push_back({"opencl_overflowing_later", true, [] { return opencl_engine({.candidates = 300}); }});
  made.push_back({"opencl_counting_few", true, [] { return opencl_engine({.pairs = 400}); }});
  return made;
}

constexpr std::uint32_t kNarrowSites = 65535;  // kernels for more are others

// Of the kernels' cases, one for each way in which a pair's weight comes about.
bool is_among_some(Comparison comparison, const Masks& masks) {
  if (comparison == Comparison::kIdentity) return masks.queries == masks.stored;
  return comparison == Comparison::kMixture && !masks.queries && masks.stored;
}

class EngineConformance : public ::testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    if (GetParam().opencl && list_opencl_devices().empty())
      GTEST_SKIP() << "no OpenCL driver is installed here";
    engine_ = GetParam().make();
  }

  // Runs `check` on a lane for each comparison and mask of a size.
  void for_each_case(const Size& size, const std::function<void(World&, Lane&)>& check) {
    for (const Comparison comparison : kComparisons)
      for (const Masks masks : kMasks) {
        if (GetParam().some_cases && !is_among_some(comparison, masks)) continue;
        if (GetParam().some_cases && size.sites > kNarrowSites && !masks.queries) continue;
        SCOPED_TRACE(::testing::Message()
                     << size.sites << " sites, " << size.profiles << " profiles, " << size.queries
                     << " queries, comparison " << static_cast<int>(comparison)
                     << (masks.queries ? ", query mask" : "") << (masks.stored ? ", stored mask" : ""));
        World world(size, masks, comparison);
        const auto lane = engine_->open_lane(world.problem, (size.profiles + kLanes - 1) / kLanes);
        check(world, *lane);
        if (HasFailure()) return;
      }
  }

  std::unique_ptr<Engine> engine_;
};

// What concerns engines that run on the CPU by native code.
class NativeConformance : public EngineConformance {};

TEST_P(EngineConformance, OpenBarsGiveEveryPairOnceWithItsCounts) {
  for (const Size& size : {Size{1, 33, 2}, Size{31, 1, 7}, Size{32, 31, 8}, Size{33, 32, 9}, Size{33, 65, 33},
                           Size{1000, 33, 1}, Size{1000, 32, 4}, Size{14'079, 33, 3}})
    for_each_case(size, [&](World& world, Lane& lane) {
      const std::vector<Bar> open(size.queries);
      EXPECT_EQ(found(lane, world, size.profiles, open), expected(world, size.profiles, open));
    });
}

TEST_P(EngineConformance, BarsLetThroughExactlyWhatPasses) {
  for (const Size& size : {Size{1, 65, 9}, Size{31, 33, 300}, Size{64, 65, 33}, Size{1000, 65, 7},
                           Size{1000, 31, 8}, Size{33, 5000, 9}, Size{14'079, 32, 2}})
    for_each_case(size, [&](World& world, Lane& lane) {
      const std::vector<Bar> bars = random_bars(world);
      EXPECT_EQ(found(lane, world, size.profiles, bars), expected(world, size.profiles, bars));
    });
}

// Full-count mode: the whole matrix of some blocks of a tile, before and after it was compared.
TEST_P(EngineConformance, CountsEveryPairOfTheBlocksAskedFor) {
  for (const Size& size : {Size{1, 33, 2}, Size{33, 300, 9}, Size{1000, 97, 33}, Size{14'079, 65, 3}})
    for_each_case(size, [&](World& world, Lane& lane) {
      pack_tile(world.stored, size.sites, lane.buffer());
      const BlockShape tile{size.profiles, size.sites};
      const auto n_blocks = static_cast<std::size_t>(tile.n_blocks());
      const std::vector<BlockSeries> several = {
          {0, 1, n_blocks}, {1, 3, (n_blocks + 1) / 3}, {0, 2, (n_blocks + 1) / 2}};
      for (const BlockSeries& series : several) {
        std::vector<PairCount> counts(1, {77, 77});
        lane.count(tile, series, counts);
        ASSERT_EQ(counts.size(), size.queries * series.n * kLanes);
        for (std::size_t i = 0; i < counts.size(); ++i) {
          const std::size_t query = i / (series.n * kLanes), place = i / kLanes % series.n;
          const std::size_t profile = (series.first + place * series.step) * kLanes + i % kLanes;
          const Truth pair = profile < size.profiles ? world.truth_of(query, profile) : Truth{};
          const PairCount expected_count = {pair.count, pair.weight};
          ASSERT_EQ(counts[i], expected_count) << "query " << query << ", profile " << profile;
        }
        std::vector<Candidate> out;
        lane.compare(tile, std::vector<Bar>(size.queries, Bar{0, 0, 1}), out);
      }
    });
}

// Of every lane of a problem, and of other queries that are asked of it.
TEST_P(EngineConformance, LanesCountBeforeTheyCompare) {
  World world({1000, 97, 7}, kMasks[0], Comparison::kMixture),
      other({1000, 97, 5}, kMasks[0], Comparison::kMixture);
  const auto first = engine_->open_lane(world.problem, 4), second = engine_->open_lane(world.problem, 4);
  const BlockShape tile{97, 1000};
  const auto check = [&](const World& asked) {
    pack_tile(asked.stored, 1000, second->buffer());
    std::vector<PairCount> counts;
    second->count(tile, {0, 1, 4}, counts);
    for (std::size_t query = 0; query < asked.problem.queries->n_rows(); ++query)
      for (std::size_t profile = 0; profile < 97; ++profile) {
        const Truth pair = asked.truth_of(query, profile);
        const PairCount expected_count = {pair.count, pair.weight};
        ASSERT_EQ(counts[query * 4 * kLanes + profile], expected_count) << query << ", " << profile;
      }
  };
  ASSERT_NO_FATAL_FAILURE(check(world));
  if (second->ask(other.problem)) check(other);
}

// Words that fill a step of an engine's, or a span of steps, and one site less or more.
TEST_P(NativeConformance, PanelsOfAnyNumberOfSitesAreCounted) {
  for (const std::uint32_t sites : {1u, 31u, 33u, 127u, 128u, 129u, 287u, 288u, 289u, 575u, 577u, 1000u})
    for_each_case({sites, 300, 5}, [&](World& world, Lane& lane) {
      const std::vector<Bar> bars = random_bars(world);
      EXPECT_EQ(found(lane, world, 300, bars), expected(world, 300, bars));
    });
}

// So many queries and profiles that the native engine may search pieces of a tile by each of its ways. Where
// all pass it is back to the bits.
TEST_P(NativeConformance, WhicheverWayATileIsSearchedTheSameIsFound) {
  constexpr std::size_t kProfiles = 8'300, kQueries = 24;
  World world({256, kProfiles, kQueries}, {true, false}, Comparison::kIdentity);
  const auto lane = engine_->open_lane(world.problem, (kProfiles + kLanes - 1) / kLanes);
  std::vector<Bar> bars = random_bars(world);
  for (Bar& bar : bars) bar.max_count = std::min(bar.max_count, 90u);
  for (const std::vector<Bar>& each : {bars, bars, bars, std::vector<Bar>(kQueries), bars}) {
    const auto found_pairs = found(*lane, world, kProfiles, each);
    EXPECT_TRUE(found_pairs == expected(world, kProfiles, each)) << found_pairs.size();
  }
}

// Weights beyond 2^16, products of counts and weights beyond 2^32.
TEST_P(EngineConformance, WidePanelsAreCountedAndBarredExactly) {
  for_each_case({140'001, 3, 2}, [&](World& world, Lane& lane) {
    for (const std::vector<Bar>& bars : {std::vector<Bar>(2), random_bars(world), random_bars(world)})
      EXPECT_EQ(found(lane, world, 3, bars), expected(world, 3, bars));
  });
}

// Small limits, where an engine may leave a block before its last word: near copies of the queries, which
// differ at the first sites or at the last, must come through all the same.
TEST_P(EngineConformance, SmallLimitsLetThroughExactlyWhatPasses) {
  constexpr std::size_t kProfiles = 131, kQueries = 9;
  for_each_case({640, kProfiles, kQueries}, [&](World& world, Lane& lane) {
    for (std::size_t p = 3; p < kProfiles; p += 4) {
      testing::Person& person = world.stored[p];
      const testing::Person& original = world.queries[p % kQueries];
      for (std::size_t site = 0; site < 640; ++site) {
        const bool changed = p % 8 == 3 ? site < p / 3 : site >= 640 - p / 3;
        person.minor[site] = person.called[site] && original.minor[site] != changed;
      }
    }
    for (const Bar& bar : {Bar{0, 1, 0}, Bar{3, 1, 0}, Bar{20, 1, 0}, Bar{40, 1, 30}, Bar{100, 1, 8}}) {
      std::vector<Bar> bars(kQueries, bar);
      bars[kQueries - 1].max_count = 7;  // a group's limits need not be equal
      const std::vector<Candidate> all = expected(world, kProfiles, bars);
      for (int again = 0; again < 4; ++again) ASSERT_EQ(found(lane, world, kProfiles, bars), all);
    }
  });
}

// Queries of which nearly all sites are called: an engine may then bound a pair's weight before it counts it.
TEST_P(EngineConformance, AFewSitesNotCalledChangeWhatPassesAndNothingElse) {
  for (const Comparison comparison : {Comparison::kIdentity, Comparison::kMixture}) {
    World world({800, 300, 9}, {false, true}, comparison);
    for (std::size_t q = 0; q < world.queries.size(); ++q)
      for (std::size_t site = q; site < 800; site += 97) {
        world.queries[q].called[site] = false;
        world.queries[q].minor[site] = false;
      }
    world.rows = pack_queries(world.queries, 800);
    const auto lane = engine_->open_lane(world.problem, 10);
    for (int again = 0; again < 4; ++again) {
      const std::vector<Bar> bars = random_bars(world);
      EXPECT_EQ(found(*lane, world, 300, bars), expected(world, 300, bars));
    }
  }
}

TEST_P(EngineConformance, FindsTheBestAndMayLeaveOutTheOthers) {
  for (const Size& size : {Size{40, 20, 2}, Size{64, 700, 11}, Size{200, 1500, 3}, Size{33, 600, 40}})
    for_each_case(size, [&](World& world, Lane& lane) {
      pack_tile(world.stored, size.sites, lane.buffer());
      std::vector<Bar> bars(size.queries);
      bars[0] = {UINT32_MAX, 1, 2};
      bars[1].max_count = size.sites / 4;
      const std::vector<Candidate> passing = expected(world, size.profiles, bars);
      const auto of_third = [](const std::vector<Candidate>& pairs) {
        return std::ranges::count(pairs, 2u, &Candidate::query);
      };
      for (const std::uint64_t keep : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{300}, UINT64_MAX})
        for (const Sought& sought : {Sought{keep, 1, 0}, Sought{keep, 12, 0}, Sought{keep, 1, 100}}) {
          const std::vector<Candidate> found = best(lane, {size.profiles, size.sites}, bars, sought, passing);
          // Of a reverse mixture many tie for the best.
          const bool sure = keep == 1 && sought.min_weight == 1 && size.profiles > 500 &&
                            world.comparison != Comparison::kReverseMixture && GetParam().leaves_out;
          EXPECT_TRUE(!sure || of_third(found) < of_third(passing) / 2) << of_third(found);
        }
    });
}

TEST_P(EngineConformance, FindsTheBestOfAPassWithWhatItsOtherLanesHaveFound) {
  constexpr std::size_t kProfiles = 700, kQueries = 3, kCopies = 5;
  constexpr std::uint32_t kSites = 64;
  World world({kSites, 2 * kProfiles, kQueries}, {}, Comparison::kIdentity);
  const auto tile = [&](std::size_t i) {
    const auto first = world.stored.begin() + static_cast<std::ptrdiff_t>(i * kProfiles);
    return testing::People(first, first + kProfiles);
  };
  for (std::size_t i = 0; i < kQueries * kCopies; ++i) world.stored[i] = world.queries[i % kQueries];
  const auto one = engine_->open_lane(world.problem, 22), other = engine_->open_lane(world.problem, 22);
  const auto find = [&](Lane& lane, std::size_t i, std::size_t keep, std::uint64_t pass) {
    pack_tile(tile(i), kSites, lane.buffer());
    std::vector<Bar> bars(kQueries);
    std::vector<Candidate> found;
    lane.find_best({kProfiles, kSites}, bars, {keep, 1, 0, pass}, found);
    for (std::uint32_t query = 0; query < kQueries; ++query) {
      const auto n = static_cast<std::size_t>(std::ranges::count(found, query, &Candidate::query));
      EXPECT_TRUE(n >= keep || !bars[query].passes(1, kSites)) << n;
    }
    return found;
  };
  std::uint64_t pass = 0;
  for (const std::size_t keep : {kCopies, std::size_t{1}, kCopies}) {
    pass += 2;
    const std::vector<Candidate> best = find(*one, 0, keep, pass);
    EXPECT_EQ(std::ranges::count(best, 0u, &Candidate::count), std::ptrdiff_t{kQueries * kCopies});
    const bool spared = find(*other, 1, keep, pass).empty();
    EXPECT_TRUE(spared || !GetParam().opencl || !GetParam().leaves_out);
    EXPECT_FALSE(spared && !GetParam().opencl);
    EXPECT_GE(find(*other, 1, keep, pass + 1).size(), kQueries * keep) << "of another pass";
    EXPECT_GE(find(*other, 1, keep, 0).size(), kQueries * keep) << "of none";
  }
}

using OpenClTallies = OnADevice;

// Then each lane has tallies of its own.
TEST_F(OpenClTallies, FindTheBestOfMoreQueriesThanLanesTallyTogether) {
  constexpr std::uint32_t kSites = 40;
  World world({kSites, 100, PassTallies::kMostQueries + 3}, {}, Comparison::kIdentity);
  const auto engine = opencl_engine({});
  const std::vector<Bar> open(world.queries.size());
  const std::vector<Candidate> passing = expected(world, 100, open);
  const auto one = engine->open_lane(world.problem, 4), other = engine->open_lane(world.problem, 4);
  for (Lane* lane : {one.get(), other.get()}) {
    pack_tile(world.stored, kSites, lane->buffer());
    EXPECT_LT(best(*lane, {100, kSites}, open, {2, 1, 0, 7}, passing).size(), passing.size() / 2);
  }
}

// Products of two counts then need 64 bits.
TEST_P(EngineConformance, FindsTheBestOnLongPanels) {
  World world({kNarrowSites + 40, 70, 2}, {false, true}, Comparison::kMixture);
  const auto lane = engine_->open_lane(world.problem, 3);
  pack_tile(world.stored, world.rows.n_sites(), lane->buffer());
  const std::vector<Bar> bars(2);
  const std::vector<Candidate> passing = expected(world, 70, bars);
  for (const Sought& sought : {Sought{1, 1, 0}, Sought{7, kNarrowSites / 3, 0}})
    best(*lane, {70, world.rows.n_sites()}, bars, sought, passing);
}

// Devices with memory of their own do. Whether one bit is other than it should be, of whichever plane. 4,200
// profiles have more checksums than a plane has padding.
TEST_P(EngineConformance, TilesAreHeldAgainstTheirChecksumsWhereALaneDoesSo) {
  for (const Size& size : {Size{64, 33, 1}, Size{64, 4200, 1}, Size{1000, 300, 9}, Size{14'079, 65, 3}})
    for_each_case(size, [&](World& world, Lane& lane) {
      const BlockShape tile{size.profiles, size.sites};
      const TileBuffer to = lane.buffer();
      pack_tile(world.stored, size.sites, to);
      const BlocksView view{tile, to.bits, world.problem.has_called ? to.called : nullptr};
      const std::vector<std::uint64_t> sums = testing::block_checksums(view);
      if (!lane.expect(sums)) {
        EXPECT_NE(GetParam().name, "opencl_own_memory");
        return;
      }
      const std::vector<Bar> open(size.queries);
      std::vector<Candidate> out;
      lane.compare(tile, open, out);
      EXPECT_EQ(lane.n_damaged(), 0u);
      for (Word* const plane : {to.bits, view.called == nullptr ? nullptr : to.called}) {
        if (plane == nullptr) continue;
        plane[tile.block_words() + 40] ^= 1u << 7;  // of the second block
        ASSERT_TRUE(lane.expect(sums));
        lane.compare(tile, open, out);
        EXPECT_EQ(lane.n_damaged(), 1u);
        lane.compare(tile, open, out);
        EXPECT_EQ(lane.n_damaged(), std::nullopt) << "nothing was expected";
        plane[tile.block_words() + 40] ^= 1u << 7;
      }
      ASSERT_TRUE(lane.expect(std::span(sums).first(1)));
      EXPECT_THROW(lane.compare(tile, open, out), Failure) << "of another tile";
    });
}

TEST_P(EngineConformance, SmallerTilesAfterLargerOnesFindNothingStale) {
  for_each_case({40, 161, 9}, [&](World& world, Lane& lane) {
    for (const std::size_t n_profiles : {161, 160, 33, 32, 1, 65}) {
      std::vector<Bar> bars = random_bars(world);
      bars.back() = {};
      EXPECT_EQ(found(lane, world, n_profiles, bars), expected(world, n_profiles, bars))
          << n_profiles << " profiles";
    }
  });
}

TEST_P(EngineConformance, LanesOfDifferentProblemsWorkAtTheSameTime) {
  const World first({100, 40, 11}, {true, true}, Comparison::kIdentity);
  const World second({70, 33, 5}, {false, true}, Comparison::kMixture);
  const World third({100, 40, 12}, {true, true}, Comparison::kIdentity);
  const std::vector<const World*> worlds = {&first, &second, &first, &third};
  std::vector<std::unique_ptr<Lane>> lanes;
  for (const World* world : worlds) lanes.push_back(engine_->open_lane(world->problem, 2));
  run_crew(worlds.size(), [&](std::size_t i, const auto&) {
    const World& world = *worlds[i];
    const std::vector<Bar> open(world.queries.size());
    for (const std::size_t n_profiles : {std::size_t{33}, world.stored.size(), std::size_t{2}})
      EXPECT_EQ(found(*lanes[i], world, n_profiles, open), expected(world, n_profiles, open)) << "lane " << i;
  });
}

// Lanes share what is packed of their queries, which is told by what these are, not by where they are.
TEST_P(EngineConformance, QueriesMayMoveOrChangeInPlaceFromLaneToLane) {
  constexpr std::size_t kProfiles = 40;
  World world({100, kProfiles, 11}, {true, true}, Comparison::kIdentity);
  const std::vector<Bar> open(world.queries.size());
  auto rows = std::make_unique<ProfileRows>(world.rows);
  Problem problem = world.problem;
  const auto check = [&] {
    problem.queries = rows.get();
    const auto lane = engine_->open_lane(problem, 2);
    EXPECT_EQ(found(*lane, world, kProfiles, open), expected(world, kProfiles, open));
  };
  check();
  auto moved = std::make_unique<ProfileRows>(*rows);
  rows = std::move(moved);
  check();
  std::ranges::reverse(world.queries);
  *rows = pack_queries(world.queries, 100);
  check();
}

TEST_P(EngineConformance, AForeignAlleleExcludesAndTheMixturesOwnDoNot) {
  const auto person = [](std::vector<bool> minor) {
    return testing::Person{minor, std::vector<bool>(5, true)};
  };
  const ProfileRows mixture = pack_queries({person({true, true, false, true, false})}, 5);
  const People people = {person({true, false, false, true, false}),
                         person({false, true, false, false, false}),
                         person({true, false, true, true, false})};  // the last one's site 2 is foreign
  const auto lane = engine_->open_lane({Comparison::kMixture, &mixture, {3, 5}, false}, 1);
  pack_tile(people, 5, lane->buffer());
  std::vector<Candidate> out;
  lane->compare({3, 5}, std::vector<Bar>(1), out);
  std::ranges::sort(out);
  EXPECT_EQ(out, (std::vector<Candidate>{{0, 0, 0, 2}, {0, 1, 0, 1}, {0, 2, 1, 3}}));
}

TEST_P(EngineConformance, PlansFitTheProblem) {
  const World world({1000, 65, 2}, {true, true}, Comparison::kIdentity);
  const LanePlan plan = engine_->plan(world.problem);
  EXPECT_GE(plan.lanes, 1u);
  EXPECT_GE(plan.tile_blocks, 1u);
  EXPECT_LE(plan.tile_blocks, 3u);
  EXPECT_FALSE(engine_->name().empty());
  EXPECT_NE(engine_->description().find("engine"), std::string::npos);
}

std::vector<Maker> native_makers() {
  std::vector<Maker> made = makers();
  std::erase_if(made, [](const Maker& maker) { return maker.opencl; });
  return made;
}

INSTANTIATE_TEST_SUITE_P(All, EngineConformance, ::testing::ValuesIn(makers()),
                         [](const auto& maker) { return maker.param.name; });
INSTANTIATE_TEST_SUITE_P(All, NativeConformance, ::testing::ValuesIn(native_makers()),
                         [](const auto& maker) { return maker.param.name; });

}  // namespace
}  // namespace fastid
