// A bench whose answers nobody can check is worth nothing: what it searches, what it holds that against, and
// the shape of what it reports. No test looks at how long anything took.
#include "bench/bench.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/median.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/bound.hpp"
#include "bench/internal/machine.hpp"
#include "bench/internal/startup.hpp"
#include "db/database.hpp"
#include "simulate/simulate.hpp"
#include "support/temp_folder.hpp"

namespace fastid::bench {
namespace {

using fastid::testing::TempFolder;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::unique_ptr<engine::Engine> make(const std::string& device, const engine::EngineOptions& options) {
  return device == "reference" ? engine::make_reference_engine(options) : engine::make_cpu_engine(options);
}

Options options_for(std::vector<Point> points, const TempFolder& folder) {
  Options options;
  options.points = std::move(points);
  options.repeats = 2;
  options.peaks = false;
  options.scratch = folder.path();
  return options;
}

TEST(Bound, LoopsOfEveryTargetCountWhatTheyRun) {
  for (const std::string& target : engine::cpu_engine_targets()) {
    const BoundLoops* const loops = bound_loops_of(target);
    ASSERT_NE(loops, nullptr) << target;
    std::vector<BoundLoop> all = loops->popcount;
    for (const auto& of_case : loops->compare) {
      EXPECT_GE(of_case.size(), 4u) << target;
      all.insert(all.end(), of_case.begin(), of_case.end());
    }
    for (const BoundLoop loop : all) {
      const double once = loop(1);
      EXPECT_GE(once, 32) << target;
      EXPECT_EQ(loop(7), 7 * once) << target;
    }
  }
  EXPECT_EQ(bound_loops_of("Z80"), nullptr);
}

TEST(Bound, ReadingReadsEveryWord) {
  constexpr std::size_t kWords = 4096;
  for (const std::string& target : engine::cpu_engine_targets()) {
    const ReadLoop read = bound_loops_of(target)->read;
    WordBuffer words(kWords);
    EXPECT_EQ(read(words.data(), kWords), 0u);
    for (std::size_t at = 0; at < kWords; at += 61) {
      words.data()[at] = 0xC0FFEE;
      EXPECT_EQ(read(words.data(), kWords), 0xC0FFEEu) << target << ' ' << at;
      words.data()[at] = 0;
    }
  }
}

TEST(Bound, SaysTheInstructionsOfEveryCase) {
  for (std::size_t i = 0; i < engine::kKernelCases; ++i)
    EXPECT_THAT(std::string(instructions_of(static_cast<engine::KernelCase>(i))),
                HasSubstr(", popcount, add"));
  EXPECT_EQ(instructions_of(engine::KernelCase::kDiffer), "xor, popcount, add");
}

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 3);
}

constexpr std::uint64_t kSeed = 6;

/// Gives its path.
std::string simulated_database(const TempFolder& folder, const BlockShape& shape, double no_call_rate) {
  simulate::SimulateOptions simulated;
  simulated.output = folder / "people.h5";
  simulated.profiles = shape.n_profiles;
  simulated.sites = shape.n_sites;
  simulated.seed = kSeed;
  simulated.no_call_rate = no_call_rate;
  simulate::simulate_database(simulated);
  return simulated.output;
}

TEST(People, AreThoseOfADatabaseOfTheSameSeed) {
  const TempFolder folder;
  const BlockShape shape{100, 70};
  const db::Reader reader(simulated_database(folder, shape, kNoCallRate));
  ThreadPool pool(3);
  const People made(shape, true, pool, kSeed), read(reader, pool);
  for (std::uint64_t i = 0; i < 100; ++i)
    for (std::size_t word = 0; word < 3; ++word) {
      EXPECT_EQ(made.view(true).bits_word(i, word), read.view(true).bits_word(i, word));
      EXPECT_EQ(made.view(true).called_word(i, word), read.view(true).called_word(i, word));
      EXPECT_EQ(made.view(false).bits_word(i, word), made.view(true).bits_word(i, word));
    }
  EXPECT_EQ(made.view(false).second, nullptr);
}

TEST(People, WhoDoNotFitAreRefused) {
  ThreadPool pool(1);
  try {
    People({std::uint64_t{1} << 44, 1024}, false, pool, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MiB of memory"));
  }
}

TEST(Queries, AreProfilesWithFewErrorsAndTheMaskAskedFor) {
  ThreadPool pool(2);
  const People people({1000, 600}, false, pool, 1);
  const MemorySource source(people.view(false));
  for (const bool masked : {false, true}) {
    const ProfileRows rows =
        make_queries(source, engine::Comparison::kIdentity, Encoding::kMinor, 20, masked, 1);
    std::uint32_t wrong = 0, called = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const engine::PairCounts counts = engine::count_pair(engine::Comparison::kIdentity, Encoding::kMinor,
                                                           rows.row(i), people.view(false), i * 50);
      EXPECT_LT(counts.count, 20u);
      wrong += counts.count;
      called += counts.compared;
    }
    EXPECT_GT(wrong, 0u);
    EXPECT_EQ(rows.all_called(), !masked);
    EXPECT_GT(called, 20u * 600 * 95 / 100);
  }
}

TEST(Queries, OfMixturesShowEveryAlleleOfTheirFirstPerson) {
  ThreadPool pool(2);
  const People people({1000, 600}, false, pool, 1);
  const MemorySource source(people.view(false));
  const ProfileRows rows = make_queries(source, engine::Comparison::kMixture, Encoding::kMinor, 10, false, 1);
  for (std::size_t i = 0; i < 10; ++i) {
    const engine::PairCounts own = engine::count_pair(engine::Comparison::kMixture, Encoding::kMinor,
                                                      rows.row(i), people.view(false), i * 100);
    const engine::PairCounts other = engine::count_pair(engine::Comparison::kMixture, Encoding::kMinor,
                                                        rows.row(i), people.view(false), i * 100 + 1);
    EXPECT_LT(own.count, 15u);  // by errors alone
    EXPECT_GT(other.count, own.count);
  }
}

TEST(Run, ReportsEveryPointOnEveryDevice) {
  const TempFolder folder;
  Options options = options_for({{.queries = 3, .profiles = 200, .sites = 40},
                                 {.comparison = engine::Comparison::kMixture,
                                  .masks = Masks::kBoth,
                                  .queries = 2,
                                  .profiles = 200,
                                  .sites = 40},
                                 {.queries = 1, .profiles = 100, .sites = 33, .from_file = true}},
                                folder);
  options.devices = {"cpu", "reference"};
  std::size_t told = 0;
  const Report report = bench::run(options, make, [&](const Result&) { ++told; });
  ASSERT_EQ(report.results.size(), 6u);
  EXPECT_EQ(told, 6u);
  EXPECT_EQ(report.engines.size(), 2u);
  EXPECT_FALSE(report.start_up);
  std::multiset<std::string> devices;
  for (const Result& result : report.results) {
    devices.insert(result.device);
    EXPECT_EQ(result.repeats, 2u);
    EXPECT_GT(result.seconds, 0);
    EXPECT_GE(result.seconds, result.best_seconds);
    const Point& point = result.point;
    const double bits = static_cast<double>(point.queries * point.profiles) * point.sites;
    EXPECT_DOUBLE_EQ(result.rate, bits / result.seconds);
    if (!result.limit) continue;
    const double longest = *std::ranges::max_element(result.limits);
    EXPECT_EQ(result.limits[static_cast<std::size_t>(*result.limit)], longest);
    EXPECT_DOUBLE_EQ(result.share, longest / result.seconds);
  }
  EXPECT_EQ(devices.count("cpu"), 3u);
  EXPECT_EQ(devices.count("reference"), 3u);
  EXPECT_EQ(folder.entries(), 0u);  // the simulated file is gone
}

double limit_of(const Result& result, Limit limit) {
  return result.limits[static_cast<std::size_t>(limit)];
}

TEST(Run, AppliesTheLimitsThatApply) {
  const TempFolder folder;
  const Point memory{.queries = 2, .profiles = 40'000, .sites = 64};
  Point file = memory, early = memory;
  file.from_file = true;
  early.max_count = 5;
  Options options = options_for({memory, file, early}, folder);
  options.devices = {"cpu", "reference"};
  for (const Result& result : bench::run(options, make, nullptr).results) {
    const bool is_cpu = result.device == "cpu", from_file = result.point.from_file;
    EXPECT_EQ(limit_of(result, Limit::kMemory) > 0, !from_file);
    EXPECT_EQ(limit_of(result, Limit::kFile) > 0, from_file);
    EXPECT_EQ(limit_of(result, Limit::kCompare) > 0, is_cpu && !result.point.max_count);
    EXPECT_EQ(limit_of(result, Limit::kUpload), 0);
  }
}

/// The CPU engine, which notes of each problem whether its tiles come with a second plane.
class NotingEngine final : public engine::Engine {
 public:
  NotingEngine(const engine::EngineOptions& options, std::vector<bool>& has_second)
      : engine_(engine::make_cpu_engine(options)), has_second_(has_second) {}
  std::string name() const override { return engine_->name(); }
  std::string description() const override { return engine_->description(); }
  engine::WorkPlan plan(const engine::Problem& problem) const override { return engine_->plan(problem); }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    has_second_.push_back(problem.has_second);
    return engine_->prepare(problem, plan);
  }

 private:
  std::unique_ptr<engine::Engine> engine_;
  std::vector<bool>& has_second_;
};

TEST(Run, SearchesWithTheCalledPlaneWhereItsMaskIsAskedFor) {
  const TempFolder folder;
  for (const bool from_file : {false, true}) {
    std::vector<Point> points;
    for (const Masks masks : {Masks::kStored, Masks::kNone, Masks::kBoth, Masks::kQuery})
      points.push_back({.masks = masks, .queries = 1, .profiles = 50, .sites = 40, .from_file = from_file});
    Options options = options_for(points, folder);
    options.engine.threads = 1;
    std::vector<bool> has_second;  // of the problems since the last result
    const EngineMaker make_noting = [&](const std::string&, const engine::EngineOptions& engine) {
      return std::make_unique<NotingEngine>(engine, has_second);
    };
    std::size_t told = 0;
    bench::run(options, make_noting, [&](const Result& result) {
      ++told;
      EXPECT_THAT(has_second, AllOf(Not(IsEmpty()), Each(masks_stored(result.point.masks))))
          << name_of(result.point.masks) << (from_file ? ", a file" : ", memory");
      has_second.clear();
    });
    EXPECT_EQ(told, 4u);
  }
}

// Of which all problems have a second plane, whether calls are missing or not.
TEST(Run, CountsBothAllelesInMemoryAndInAFile) {
  const TempFolder folder;
  std::vector<Point> points;
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kKinship})
    for (const Masks masks : {Masks::kNone, Masks::kBoth})
      for (const bool from_file : {false, true})
        points.push_back({.comparison = comparison,
                          .masks = masks,
                          .queries = 2,
                          .profiles = 300,
                          .sites = 70,
                          .from_file = from_file,
                          .by = Encoding::kAlleles});
  std::vector<bool> has_second;
  const EngineMaker make_noting = [&](const std::string&, const engine::EngineOptions& engine) {
    return std::make_unique<NotingEngine>(engine, has_second);
  };
  const Report report = bench::run(options_for(points, folder), make_noting, nullptr);
  EXPECT_THAT(has_second, AllOf(Not(IsEmpty()), Each(true)));
  std::multiset<std::string_view> tasks;
  for (const Result& result : report.results) tasks.insert(task_of(result.point));
  EXPECT_EQ(tasks.count("alleles"), 4u);
  EXPECT_EQ(tasks.count("kin"), 4u);
}

TEST(Queries, SayWhichAllelesTheirProfilesHave) {
  ThreadPool pool(2);
  const People people({1000, 600, Encoding::kAlleles}, true, pool, 1);
  const MemorySource source(people.view(true));
  const ProfileRows rows =
      make_queries(source, engine::Comparison::kKinship, Encoding::kAlleles, 20, true, 1);
  EXPECT_FALSE(rows.all_called());
  for (std::size_t i = 0; i < 20; ++i) {
    const auto kinship = [&](std::uint64_t row) {
      const engine::PairCounts counts = engine::count_pair(engine::Comparison::kKinship, Encoding::kAlleles,
                                                           rows.row(i), people.view(true), row);
      return 0.5 - counts.count / (4.0 * counts.denominator);
    };
    EXPECT_GT(kinship(i * 50), 0.45);
    EXPECT_LT(kinship(i * 50 + 1), 0.25);
  }
}

TEST(Run, RefusesADatabaseThatDoesNotSayWhichAllelesWereSeen) {
  const TempFolder folder;
  Options options =
      options_for({{.comparison = engine::Comparison::kKinship, .by = Encoding::kAlleles}}, folder);
  options.database = simulated_database(folder, {77, 50}, 0.1);
  try {
    bench::run(options, make, nullptr);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--task kin"), HasSubstr("does not say which alleles")));
  }
}

TEST(Run, MeasuresADatabaseAsItIs) {
  const TempFolder folder;
  Options options =
      options_for({{.queries = 5, .from_file = true}, {.masks = Masks::kQuery, .queries = 6}}, folder);
  options.database = simulated_database(folder, {77, 50}, 0.1);
  const Report report = bench::run(options, make, nullptr);
  ASSERT_EQ(report.results.size(), 2u);
  for (const Result& result : report.results) {
    EXPECT_EQ(result.point.profiles, 77u);
    EXPECT_EQ(result.point.sites, 50u);
    EXPECT_EQ(result.point.masks, result.point.from_file ? Masks::kStored : Masks::kBoth);
  }
  options.queries.emplace(3, 50);  // no site called
  EXPECT_EQ(bench::run(options, make, nullptr).results[0].point.queries, 3u);
}

TEST(Run, MeasuresPeaks) {
  const TempFolder folder;
  Options options = options_for({}, folder);
  options.peaks = true;
  const Report report = bench::run(options, make, nullptr);
  ASSERT_EQ(report.peaks.size(), 11u);
  for (const Peak& peak : report.peaks) {
    EXPECT_GT(peak.rate, 0) << peak.name;
    EXPECT_EQ(peak.bytes, peak.instructions.empty()) << peak.name;
  }
}

TEST(Run, RefusesWhatMakesNoSense) {
  const TempFolder folder;
  const Point point{.queries = 1, .profiles = 10, .sites = 10};
  const auto refused = [&](auto change) {
    Options options = options_for({point}, folder);
    change(options);
    EXPECT_THROW(bench::run(options, make, nullptr), UsageError);
  };
  refused([](Options& o) { o.repeats = 0; });
  refused([](Options& o) { o.devices.clear(); });
  refused([](Options& o) { o.points[0].queries = 0; });
  refused([](Options& o) { o.points[0].profiles = 0; });
  refused([](Options& o) { o.points[0].sites = 0; });
  Options options = options_for({point}, folder);
  options.devices = {"cpu", "auto"};
  try {
    bench::run(options, make, nullptr);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--device auto"), HasSubstr("name the devices")));
  }
  options.devices = {"cpu:Z80"};
  EXPECT_THROW(bench::run(options, make, nullptr), DeviceError);
  options = options_for({point}, folder);
  options.database = folder / "missing.h5";
  EXPECT_THROW(bench::run(options, make, nullptr), InputError);
}

TEST(UsualPoints, HoldWhatIsAskedOfAMachine) {
  for (const Depth depth : {Depth::kQuick, Depth::kUsual, Depth::kFull}) {
    std::set<std::uint64_t> queries;
    for (const Point& point : usual_points(depth)) queries.insert(point.queries);
    EXPECT_THAT(queries, ::testing::IsSupersetOf({1, 32, 256}));
  }
  const auto full = usual_points(Depth::kFull);
  EXPECT_TRUE(
      std::ranges::any_of(full, [](const Point& p) { return p.from_file && p.profiles == 20'000'000; }));
  EXPECT_TRUE(std::ranges::any_of(full, [](const Point& p) { return p.max_count == 50; }));
}

TEST(StartUp, IsTimedOnlyWhereTheProcessEndsWell) {
  EXPECT_GT(process_seconds({"/bin/true"}), 0);
  EXPECT_THROW(process_seconds({"/bin/false"}), Failure);
  EXPECT_THROW(process_seconds({"/no/such/program"}), Failure);
}

}  // namespace
}  // namespace fastid::bench
