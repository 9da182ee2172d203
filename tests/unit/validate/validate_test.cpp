// The validation passes of fastid as it is, and fails where an engine lies, frequencies are wrong, theta
// works backwards, or Y is counted as evidence.
#include "validate/validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/log.hpp"
#include "db/database.hpp"
#include "engine/cpu_engine.hpp"
#include "panel/panel.hpp"
#include "simulate/people.hpp"
#include "simulate/simulate.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {
namespace {

using report::Outcome;
using report::Result;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::refusal;
using testing::TempFolder;

/// An engine whose pairs something is done to before they are handed on.
class LyingEngine final : public engine::Engine {
 public:
  using Lie = std::function<void(std::vector<engine::Pair>&)>;

  LyingEngine(std::unique_ptr<engine::Engine> right, Lie lie)
      : right_(std::move(right)), lie_(std::move(lie)) {}
  std::string name() const override { return right_->name(); }
  std::string description() const override { return right_->description(); }
  engine::WorkPlan plan(const engine::Problem& problem) const override { return right_->plan(problem); }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    return std::make_unique<Queries>(right_->prepare(problem, plan), lie_);
  }

 private:
  struct LyingWorker final : engine::Worker {
    LyingWorker(std::unique_ptr<engine::Worker> worker, const Lie& told)
        : right(std::move(worker)), lie(told) {}
    engine::TileBuffer buffer() override { return right->buffer(); }
    std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                        std::span<const engine::Threshold> thresholds,
                        std::vector<engine::Pair>& out) override {
      std::vector<engine::Pair> pairs;
      const std::size_t damaged = right->compare(tile, checksums, thresholds, pairs);
      lie(pairs);
      out.insert(out.end(), pairs.begin(), pairs.end());
      return damaged;
    }
    std::unique_ptr<engine::Worker> right;
    const Lie& lie;
  };
  struct Queries final : engine::PreparedQueries {
    Queries(std::unique_ptr<engine::PreparedQueries> queries, const Lie& told)
        : right(std::move(queries)), lie(told) {}
    std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
      return std::make_unique<LyingWorker>(right->open_worker(tile_blocks), lie);
    }
    std::unique_ptr<engine::PreparedQueries> right;
    const Lie& lie;
  };

  std::unique_ptr<engine::Engine> right_;
  Lie lie_;
};

class ValidateTest : public ::testing::Test {
 protected:
  ValidateTest() { log::set_level(log::Level::kErrors); }
  ~ValidateTest() override { log::set_level(log::Level::kNormal); }

  report::Validation run(std::vector<std::string> tests, const validate::Subject& subject = {}) {
    options_.quick = true;
    options_.only = std::move(tests);
    options_.threads = 2;
    options_.progress = ProgressMode::kNever;
    return validate::validate(options_, subject);
  }

  /// Of one test.
  Result result(const std::string& test, const validate::Subject& subject = {}) {
    return run({test}, subject).results.at(0);
  }

  static validate::Subject with_engine(const LyingEngine::Lie& lie) {
    return {.make_engine = [lie](const std::string& device,
                                 const engine::EngineOptions& options) -> std::unique_ptr<engine::Engine> {
      auto right = asking::make_engine(device, options);
      if (device == "reference") return right;
      return std::make_unique<LyingEngine>(std::move(right), lie);
    }};
  }

  static validate::Subject with_model(
      const std::function<stats::PopulationModel(std::vector<double>, stats::Parameters)>& model) {
    return {.model = [model](const std::vector<double>& freq, const stats::Parameters& parameters) {
      return model(freq, parameters);
    }};
  }

  /// What was found of a check.
  static bool met(const Result& result, const std::string& what) {
    const auto check = std::ranges::find_if(
        result.checks, [&](const report::Check& one) { return one.what.find(what) != std::string::npos; });
    EXPECT_NE(check, result.checks.end()) << what;
    return check != result.checks.end() && check->met;
  }

  TempFolder folder_;
  validate::Options options_;
};

TEST_F(ValidateTest, PassesAsItIs) {
  const report::Validation validation = run({});
  for (const Result& result : validation.results) {
    EXPECT_NE(result.outcome, Outcome::kFailed) << result.id << ": " << result.note;
    for (const report::Check& check : result.checks)
      EXPECT_TRUE(check.met) << result.id << ": " << check.what << ": " << check.wanted << "; "
                             << check.found;
  }
  EXPECT_TRUE(validation.passed());
  EXPECT_EQ(validation.results.size(), validate::test_ids().size());
  for (const report::Recommendation& one : validation.recommendations)
    EXPECT_TRUE(!one.tests.empty() || !one.besides.empty()) << one.item;
}

TEST_F(ValidateTest, FailsWhereAnEngineHidesPeople) {
  const auto hide = [](std::vector<engine::Pair>& pairs) {
    std::erase_if(pairs, [](const engine::Pair& pair) { return pair.row % 5 == 2; });
  };
  EXPECT_EQ(result("repeatability", with_engine(hide)).outcome, Outcome::kFailed);
  const Result found = result("sensitivity", with_engine(hide));
  EXPECT_EQ(found.outcome, Outcome::kFailed);
}

TEST_F(ValidateTest, FailsWhereAnEngineMiscounts) {
  const auto miscount = [](std::vector<engine::Pair>& pairs) {
    for (engine::Pair& pair : pairs) pair.counts.count += pair.row % 64 == 7;
  };
  const Result refused = result("repeatability", with_engine(miscount));
  EXPECT_EQ(refused.outcome, Outcome::kFailed);
  EXPECT_THAT(run({"sensitivity"}, with_engine([](std::vector<engine::Pair>& pairs) {
                    for (engine::Pair& pair : pairs) ++pair.counts.compared;
                  }))
                  .results.at(0)
                  .note,
              HasSubstr("do not trust this device"));
}

TEST_F(ValidateTest, FailsWhereFrequenciesAreWrong) {
  const validate::Subject wrong =
      with_model([](std::vector<double> freq, const stats::Parameters& parameters) {
        for (double& q : freq) q = std::min(.99, 1.1 * q);
        return stats::PopulationModel("wrong", freq, parameters);
      });
  for (const char* test : {"vectors", "sensitivity", "chance"})
    EXPECT_EQ(result(test, wrong).outcome, Outcome::kFailed) << test;
  // Right on average, but each site's frequency is another's.
  const validate::Subject mixed_up =
      with_model([](std::vector<double> freq, const stats::Parameters& parameters) {
        std::ranges::rotate(freq, freq.begin() + 1);
        return stats::PopulationModel("mixed up", freq, parameters);
      });
  EXPECT_FALSE(met(result("strangers", mixed_up), "mean likelihood ratio of strangers"));
  EXPECT_EQ(result("chance", mixed_up).outcome, Outcome::kFailed);
}

TEST_F(ValidateTest, FailsWhereThetaWorksBackwards) {
  const validate::Subject backwards =
      with_model([](const std::vector<double>& freq, stats::Parameters parameters) {
        parameters.theta = .5 - parameters.theta;
        return stats::PopulationModel("backwards", freq, parameters);
      });
  const Result theta = result("theta", backwards);
  EXPECT_THAT(theta.checks, Each(Field(&report::Check::met, false)));
  EXPECT_EQ(result("vectors", backwards).outcome, Outcome::kFailed);
  EXPECT_FALSE(met(result("sex-chromosomes", backwards), "one site of X"));
  const validate::Subject ignored =
      with_model([](const std::vector<double>& freq, stats::Parameters parameters) {
        parameters.theta = 0;
        return stats::PopulationModel("without", freq, parameters);
      });
  EXPECT_EQ(result("vectors", ignored).outcome, Outcome::kFailed) << "theta that does nothing";
}

TEST_F(ValidateTest, TakesAPanelWithXYAndM) {
  std::vector<Site> sites;
  Population population{"pop", {}};
  const auto add = [&](const std::string& chrom, std::uint32_t n, std::uint32_t step) {
    for (std::uint32_t i = 1; i <= n; ++i) {
      sites.push_back({chrom + "-" + std::to_string(i), chrom, 3'000'000 + i * step, 'A', 'C'});
      population.minor_freq.push_back(.1 + .4 * i / n);
    }
  };
  add("2", 90, 2'000'000);
  add("X", 40, 3'000'000);
  add("3", 90, 2'000'000);
  add("Y", 30, 500'000);
  add("M", 12, 100);
  const Panel panel(std::move(sites), {std::move(population)}, GenomeBuild::kGRCh37, "test");
  options_.panel = folder_.write("panel.tsv", write_panel_tsv(panel));
  for (const Result& result :
       run({"sensitivity", "chance", "strangers", "relatives", "repeatability", "refusals"}).results) {
    EXPECT_EQ(result.outcome, Outcome::kPassed) << result.id << ": " << result.note;
    if (result.id == "relatives") {
      EXPECT_EQ(result.tables.back().caption, "Planted relatives along the map");
    }
    if (result.id == "repeatability") {
      EXPECT_EQ(std::ranges::any_of(result.tables.back().rows,
                                    [](const auto& row) { return row[0] == "cpu, all products by AMX"; }),
                engine::cpu_multiplies_bytes());
    }
    for (const report::Check& check : result.checks)
      EXPECT_TRUE(check.met) << result.id << ": " << check.what << ": " << check.wanted << "; "
                             << check.found;
  }
}

/// The profiles of a database, written again under a panel of the same sites.
std::string relabelled(const std::string& database, const Panel& panel, const std::string& path) {
  const db::Reader reader(database);
  db::Writer writer(path, panel, {.encoding = reader.shape().encoding});
  WordBuffer bits(reader.shape().n_blocks() * reader.shape().block_words()), second(bits.size());
  reader.read(0, reader.shape().n_blocks(), bits.data(), second.data());
  writer.append(reader.profile_ids(0, reader.shape().n_profiles),
                {reader.shape(), bits.data(), second.data()});
  writer.finish({.action = "build", .command = "test"});
  return path;
}

TEST_F(ValidateTest, FailsWhereYIsCountedAsEvidence) {
  // By an engine: verification counts each pair again.
  const Result engine = result("sex-chromosomes", with_engine([](std::vector<engine::Pair>& pairs) {
                                 for (engine::Pair& pair : pairs) pair.counts.compared += 60;
                               }));
  EXPECT_EQ(engine.outcome, Outcome::kFailed);
  EXPECT_THAT(engine.note, HasSubstr("do not trust this device"));
  // By all of a search: its panel has the sites of Y on chromosome 22.
  validate::Subject subject;
  subject.search = [this](asking::SearchOptions options, engine::Engine& engine_of) {
    const Panel panel = db::Reader(options.database).panel();
    std::vector<Site> sites = panel.sites();
    for (Site& site : sites)
      if (site.chrom == "Y") {
        site.chrom = "22";
        site.pos += 100'000'000;
      }
    const Panel counted(sites, panel.populations(), panel.build(), "test");
    options.database = relabelled(options.database, counted, folder_ / "relabelled.h5");
    return search::search(options, engine_of);
  };
  const Result whole = result("sex-chromosomes", subject);
  EXPECT_EQ(whole.outcome, Outcome::kFailed) << whole.note;
  EXPECT_EQ(whole.note, "");
  EXPECT_FALSE(met(whole, "lines of search whose evidence is another one"));
}

TEST_F(ValidateTest, FailsWhereAStrangerOfThePaternalLineIsNamed) {
  validate::Subject subject;
  subject.search = [](const asking::SearchOptions& options, engine::Engine& engine) {
    match::MatchTable table = search::search(options, engine);
    for (match::QueryMatches& query : table.queries)
      for (match::MatchRow& row : query.rows)
        if (row.beside && row.beside->y && row.beside->y->word == "agree")
          *row.log10_lr = std::max(*row.log10_lr, 3.);
    return table;
  };
  const Result named = result("sex-chromosomes", subject);
  EXPECT_FALSE(met(named, "strangers of one haplotype of Y with an LR above 1"));
  subject.search = [](const asking::SearchOptions& options, engine::Engine& engine) {
    match::MatchTable table = search::search(options, engine);
    for (match::QueryMatches& query : table.queries)
      for (match::MatchRow& row : query.rows)
        if (row.beside && row.beside->second_sex == "male") row.beside->second_sex = "undecided";
    return table;
  };
  EXPECT_FALSE(met(result("sex-chromosomes", subject), "sexes by X and Y"));
}

/// A database of simulated people, whose panel states other frequencies than those that they were drawn by.
class OwnDatabase : public ValidateTest {
 protected:
  std::string simulate(double factor) {
    const std::string path = folder_ / "drawn.h5";
    simulate::simulate_database({.output = path,
                                 .profiles = 640,
                                 .sites = 200,
                                 .seed = 4,
                                 .encoding = Encoding::kAlleles,
                                 .cases = 4,
                                 .cases_dir = folder_ / "cases"});
    const db::Reader drawn(path);
    std::vector<Population> populations = drawn.panel().populations();
    for (double& q : populations[0].minor_freq) q = std::min(.99, factor * q);
    const Panel panel(drawn.panel().sites(), populations, drawn.panel().build(), "test");
    const std::string stated = folder_ / "stated.h5";
    db::Writer writer(stated, panel, {.encoding = Encoding::kAlleles});
    WordBuffer bits(drawn.shape().n_blocks() * drawn.shape().block_words()), second(bits.size());
    drawn.read(0, drawn.shape().n_blocks(), bits.data(), second.data());
    writer.append(drawn.profile_ids(0, 640), {drawn.shape(), bits.data(), second.data()});
    writer.finish({.action = "build", .command = "test"});
    return stated;
  }
};

TEST_F(OwnDatabase, IsHeldToItsFrequencies) {
  options_.database = simulate(1);
  EXPECT_EQ(result("own-database").outcome, Outcome::kPassed);
  options_.database = simulate(1.5);
  const Result wrong = result("own-database");
  EXPECT_EQ(wrong.failed_checks(), 1U);
  EXPECT_FALSE(met(wrong, "distance of the stored people"));
}

TEST_F(OwnDatabase, AnswersAboutKnownSamples) {
  options_.database = simulate(1);
  options_.truth = folder_ / "cases/truth.tsv";
  const Result right = result("own-samples");
  EXPECT_EQ(right.outcome, Outcome::kPassed);
  EXPECT_EQ(right.checks.size(), 12U);
  options_.truth = folder_.write("cases/wrong.tsv",
                                 "file\tkind\tcontributors\n"
                                 "identity-0001.snp\tabsent\t-\n"
                                 "absent-0001.snp\tidentity\tP000000001\n"
                                 "mixture-0001.snp\tmixture\tP000000002,P000000003,P000000004,P000000005\n");
  EXPECT_EQ(result("own-samples").failed_checks(), 3U);
  const auto refused = [&](const std::string& table) {
    options_.truth = folder_.write("cases/bad.tsv", table);
    return result("own-samples").note;
  };
  EXPECT_THAT(refused("name\tkind\n"), HasSubstr("bad.tsv, line 1: the columns file, kind and contributors"));
  EXPECT_THAT(refused("file\tkind\tcontributors\na\tperson\tb\n"),
              HasSubstr("line 2: the kind 'person' is none of"));
  EXPECT_THAT(refused("file\tkind\tcontributors\na\tabsent\tb\n"), HasSubstr("do not agree"));
  EXPECT_THAT(refused("file\tkind\tcontributors\na\tabsent\n"), HasSubstr("line 2: it has 2 columns, not 3"));
  EXPECT_THAT(refused("file\tkind\tcontributors\n"), HasSubstr("names no sample"));
}

TEST_F(ValidateTest, RefusesWhatItCannotTest) {
  EXPECT_THAT(refusal<UsageError>([&] { run({"luck"}); }),
              HasSubstr("--only luck: no test has this name; there are vectors"));
  options_.truth = "truth.tsv";
  EXPECT_THAT(refusal<UsageError>([&] { run({}); }), HasSubstr("--truth names samples of a database"));
  options_.database = folder_ / "none.h5";
  EXPECT_THAT(refusal([&] { run({}); }), HasSubstr("none.h5"));
}

TEST(Theory, BoundsHoldOnceInAMillion) {
  EXPECT_EQ(validate::most_by_chance(0), 0U);
  EXPECT_EQ(validate::least_by_chance(3), 0U);
  for (const double expected : {.01, 1., 20., 3000.}) {
    const std::uint64_t most = validate::most_by_chance(expected),
                        least = validate::least_by_chance(expected);
    double above = 0, below = 0;
    for (std::uint64_t k = 0; k < 10'000; ++k) {
      const double p = std::exp(static_cast<double>(k) * std::log(expected) - expected -
                                std::lgamma(static_cast<double>(k) + 1));
      if (k > most) above += p;
      if (k < least) below += p;
    }
    EXPECT_LE(above, 1e-6);
    EXPECT_LE(below, 1e-6);
    EXPECT_LE(static_cast<double>(least), expected);
    EXPECT_GE(static_cast<double>(most), std::floor(expected));
  }
  EXPECT_EQ(validate::most_of(10, .999), 10U);
  EXPECT_EQ(validate::least_of(60, .99), 53U) << "P(52 or fewer) is 4e-7, P(53 or fewer) 4e-6";
}

TEST(Theory, WhatIsSeenAddsUp) {
  const auto seen = validate::seen({.error = .02, .drop_out = .3});
  for (const auto& row : seen) EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.), 1, 1e-12);
  EXPECT_NEAR(seen[0][3], .09, 1e-12) << "both copies are lost";
  EXPECT_NEAR(validate::seen({.error = .02})[1][1], .98 * .98 + .02 * .02, 1e-12)
      << "both right or both wrong";
}

TEST(ValidationReport, SaysWhatFailed) {
  report::Validation validation{.program = {{"version", "0.1.0"}},
                                .results = {{.id = "chance", .title = "<b>", .requirement = "r"}}};
  validation.results[0].check("strangers", "at most 3", "7", false);
  validation.results[0].outcome = Outcome::kFailed;
  EXPECT_FALSE(validation.passed());
  EXPECT_THAT(report::text(validation), HasSubstr("strangers: wanted at most 3; found 7"));
  EXPECT_THAT(report::json(validation), HasSubstr("\"passed\": false"));
  const std::string page = report::html(validation);
  EXPECT_THAT(page, HasSubstr("1 of 1 test failed"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_FALSE((report::Validation{}).passed()) << "nothing was run";
}

}  // namespace
}  // namespace fastid::validate
