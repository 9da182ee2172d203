// The search on made-up devices whose best config is known, that miscount, whose clocks lie, or that are
// noisy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "base/error.hpp"
#include "model/known_devices.hpp"
#include "model/registry.hpp"
#include "tune/choose/header.hpp"
#include "tune/choose/search.hpp"
#include "tune/space.hpp"

namespace fastid::tune {
namespace {

using ::testing::HasSubstr;

// Seconds and verdicts by functions of the config.
struct MadeUpBench : ConfigBench {
  std::function<double(const model::KernelConfig&)> rate = [](const model::KernelConfig&) { return 1e12; };
  std::function<std::string(const model::KernelConfig&, Proof)> verdict = [](const model::KernelConfig&,
                                                                             Proof) { return std::string(); };
  double noise = 0;
  unsigned turn = 0, proofs = 0, runs_before_proof = 0;
  std::set<std::string> proved;

  std::string prove(const model::KernelConfig& config, model::MicroKernel, Proof proof) override {
    ++proofs;
    const std::string fault = verdict(config, proof);
    if (fault.empty()) proved.insert(header_lines(config));
    return fault;
  }
  RunTime run(const model::KernelConfig& config, model::MicroKernel, const model::Workload& work) override {
    runs_before_proof += !proved.contains(header_lines(config));
    const double wobble = 1 + noise * ((turn++ * 7 % 11) - 5.0) / 5;
    return {work.bits() / rate(config) * wobble, 0, 0};
  }
};

model::DeviceTraits traits() {
  model::DeviceTraits made = model::traits_of(*model::find_known_device("NVIDIA H200", "sm_90"));
  made.group_items.learn(1024, model::Source::kQueried);
  return made;
}

model::DeviceFacts facts() {
  model::DeviceFacts made;
  made.device = "Made Up";
  made.type = "GPU";
  made.max_group_items = made.max_group_columns = made.max_group_rows = 1024;
  made.local_memory = 49152;
  return made;
}

SearchOptions options() {
  SearchOptions made;
  made.workloads = {{32, 1 << 20, 1024}, {32, 1 << 20, 256}};
  made.prune = 1e9;
  return made;
}

SearchResult search(MadeUpBench& bench, const SearchOptions& how = options(),
                    const std::string& standard = "generic") {
  const model::KernelConfig start = model_config("made_up", traits(), how.workloads.front());
  return search_configs(bench, model::embedded_config(standard), {start}, traits(), facts(), how);
}

const model::KernelConfig& best(const SearchResult& result) {
  return result.trials[result.best].config;
}

// A hill with one top: M_R 8, two profiles of a work-item, CARRY_LEVELS 2.
double hill(const model::KernelConfig& config) {
  const auto off = [](double value, double wanted) {
    return std::abs(std::log2((value + 1) / (wanted + 1)));
  };
  return 1e14 /
         (1 + off(config.m_r, 8) + off(config.n_r / config.group_columns, 2) + off(config.carry_levels, 2));
}

TEST(Search, GoesUphillToTheTop) {
  MadeUpBench bench;
  bench.rate = hill;
  const SearchResult result = search(bench);
  EXPECT_EQ(best(result).m_r, 8u);
  EXPECT_EQ(best(result).n_r / best(result).group_columns, 2u);
  EXPECT_EQ(best(result).carry_levels, 2u);
  EXPECT_FALSE(result.standard_is_kept);
  EXPECT_NEAR(result.trials[result.best].rate / 1e14, 1, 1e-6);
}

TEST(Search, NothingIsTimedBeforeItIsProved) {
  MadeUpBench bench;
  bench.rate = hill;
  const SearchResult result = search(bench);
  EXPECT_GT(result.trials.size(), 5u);
  EXPECT_EQ(bench.runs_before_proof, 0u);
}

TEST(Search, TheDefaultIsKeptWhereNothingIsFasterBeyondNoise) {
  for (const double gain : {1.0, 1.015}) {
    MadeUpBench bench;
    bench.rate = [&](const model::KernelConfig& c) { return c.name == "generic" ? 1e12 : gain * 1e12; };
    const SearchResult result = search(bench);
    EXPECT_TRUE(result.standard_is_kept) << gain;
    EXPECT_EQ(best(result).name, "generic");
  }
  MadeUpBench noisy;
  noisy.noise = 0.5;
  noisy.rate = [](const model::KernelConfig& c) { return c.name == "generic" ? 1e12 : 1.04e12; };
  EXPECT_TRUE(search(noisy).standard_is_kept);
}

TEST(Search, AGainBeyondNoiseIsTaken) {
  MadeUpBench bench;
  bench.noise = 0.02;
  bench.rate = [](const model::KernelConfig& c) { return c.name == "generic" ? 1e12 : 1.2e12; };
  const SearchResult result = search(bench);
  EXPECT_FALSE(result.standard_is_kept);
  EXPECT_NE(best(result).name, "generic");
}

// A machine on which other programs come and go: every few runs all is three times as slow.
TEST(Search, ConfigsAreTimedTurnByTurnSoThatAMachinesLoadChangesNothing) {
  MadeUpBench bench;
  unsigned runs = 0;
  bench.rate = [&](const model::KernelConfig& c) { return hill(c) / (runs++ / 40 % 2 == 0 ? 1 : 3); };
  const SearchResult result = search(bench);
  EXPECT_EQ(best(result).m_r, 8u);
  EXPECT_EQ(best(result).n_r / best(result).group_columns, 2u);
  EXPECT_EQ(best(result).carry_levels, 2u);
}

TEST(Search, AConfigThatCountsWrongIsNeverChosenHoweverFast) {
  MadeUpBench bench;
  bench.rate = hill;
  bench.verdict = [](const model::KernelConfig& c, Proof) {
    return c.carry_levels == 2 ? "it counts wrong" : "";
  };
  const SearchResult result = search(bench);
  EXPECT_NE(best(result).carry_levels, 2u);
  const auto refused = std::ranges::count_if(result.trials, [](const Trial& trial) {
    return trial.refused == "it counts wrong" && trial.timings.empty();
  });
  EXPECT_GT(refused, 0);
}

TEST(Search, WhatFailsTheWholeProofGivesWayToTheNext) {
  MadeUpBench bench;
  bench.rate = hill;
  bench.verdict = [](const model::KernelConfig& c, Proof proof) {
    return proof == Proof::kWhole && c.m_r == 8 ? "it counts wrong" : "";
  };
  const SearchResult result = search(bench);
  EXPECT_NE(best(result).m_r, 8u);
  EXPECT_EQ(result.trials[result.best].refused, "");
}

TEST(Search, ImpossibleTimesAreRefused) {
  const double most =
      impossible_rate(traits(), model::embedded_config("generic"), model::MicroKernel::kPopcount);
  EXPECT_NEAR(most, 1.98e9 * 132 * 64 * 32 * 1.25, 1e9);
  MadeUpBench bench;
  bench.rate = [&](const model::KernelConfig& c) {
    return c.name == "generic" ? 1e12 : c.m_r == 4 ? 1.01 * most : c.m_r == 2 ? INFINITY : 0.9e12;
  };
  const SearchResult result = search(bench);
  EXPECT_EQ(best(result).name, "generic");
  EXPECT_TRUE(std::ranges::any_of(
      result.trials, [](const Trial& t) { return t.refused.find("impossible") != std::string::npos; }));
}

std::string message_of(MadeUpBench& bench) {
  try {
    search(bench);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "a config was found";
}

TEST(Search, ADeviceOnWhichNothingCountsRightIsAnError) {
  MadeUpBench bench;
  bench.verdict = [](const model::KernelConfig&, Proof) { return "it counts wrong"; };
  EXPECT_THAT(message_of(bench), ::testing::AllOf(HasSubstr("generic"), HasSubstr("it counts wrong")));
}

TEST(Search, ADeviceThatFailsTheWholeProofWithEveryConfigIsAnError) {
  MadeUpBench bench;
  bench.verdict = [](const model::KernelConfig&, Proof proof) {
    return proof == Proof::kWhole ? "it counts wrong" : "";
  };
  EXPECT_THAT(message_of(bench), HasSubstr("it counts wrong"));
}

TEST(Search, ADeviceWhoseClockAlwaysLiesIsAnError) {
  MadeUpBench bench;
  bench.rate = [](const model::KernelConfig&) { return INFINITY; };
  EXPECT_THAT(message_of(bench), HasSubstr("impossible"));
}

TEST(Search, TheModelPrunesWhatItExpectsToBeSlow) {
  MadeUpBench bench;
  bench.rate = hill;
  SearchOptions how = options();
  how.prune = 1.6;
  const SearchResult pruned = search(bench, how);
  EXPECT_GT(pruned.pruned, 0u);
  MadeUpBench again;
  again.rate = hill;
  EXPECT_LT(pruned.trials.size(), search(again).trials.size());
}

TEST(Search, QuickProvesTheModelsAnswerAndTheDefaultAndNoMore) {
  MadeUpBench bench;
  SearchOptions how = options();
  how.only_first = true;
  EXPECT_EQ(search(bench, how).trials.size(), 2u);
}

TEST(Search, EndsWhenTheTimeIsUpWithWhatItHas) {
  MadeUpBench bench;
  bench.rate = hill;
  SearchOptions how = options();
  how.seconds = 0;
  const SearchResult result = search(bench, how);
  EXPECT_TRUE(result.out_of_time);
  EXPECT_LE(result.trials.size(), 2u);
  EXPECT_GT(result.trials[result.best].rate, 0);
}

TEST(Space, NeighboursAreLegalAndNoneComesTwice) {
  for (const char* name : {"generic", "nvidia_sm90", "amd_rdna"}) {
    const model::KernelConfig from = model::embedded_config(name);
    const auto near = neighbours(from, model::MicroKernel::kPopcount, facts(), traits());
    EXPECT_GT(near.size(), 8u);
    for (std::size_t i = 0; i < near.size(); ++i) {
      EXPECT_EQ(illegal_reason(near[i], facts()), "");
      EXPECT_FALSE(same_shape(near[i], fitted(from, traits())));
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(same_shape(near[i], near[j]));
    }
  }
}

TEST(Space, EveryParameterIsTurnedSomewhere) {
  const model::KernelConfig from = model::embedded_config("nvidia_sm90");
  const auto near = neighbours(from, model::MicroKernel::kPopcount, facts(), traits());
  for (const Parameter& parameter : parameters()) {
    if (parameter.kernel != model::MicroKernel::kPopcount) continue;
    const auto turned = [&](const model::KernelConfig& c) { return parameter.get(c) != parameter.get(from); };
    EXPECT_TRUE(std::ranges::any_of(near, turned)) << parameter.name;
  }
}

TEST(Space, AGroupsColumnsKeepTheWorkItemsProfiles) {
  for (const model::KernelConfig& c :
       neighbours(model::embedded_config("amd_rdna"), model::MicroKernel::kPopcount, facts(), traits()))
    if (c.group_columns != 32) {
      EXPECT_EQ(c.n_r / c.group_columns, 8u);
    }
}

TEST(Space, TheModelsAnswerIsLegalOnEveryKnownDevice) {
  for (const model::KnownDevice& known : model::known_devices()) {
    model::DeviceTraits made = model::traits_of(known);
    made.clock_mhz.learn(1000, model::Source::kQueried);
    made.compute_units.learn(16, model::Source::kQueried);
    const model::KernelConfig config = model_config("made_up", made, {32, 1 << 20, 1024});
    EXPECT_EQ(illegal_reason(config, facts()), "") << known.name;
  }
  EXPECT_EQ(illegal_reason(model_config("made_up", {}, {32, 1 << 20, 1024}), facts()), "");
}

TEST(Space, WhatTheDeviceCannotRunIsSaidSo) {
  model::DeviceFacts small = facts();
  small.max_group_items = 16;
  EXPECT_THAT(illegal_reason(model::embedded_config("generic"), small), HasSubstr("work-groups of 64"));
  model::KernelConfig broken = model::embedded_config("generic");
  broken.m_r = 3;
  EXPECT_THAT(illegal_reason(broken, facts()), HasSubstr("M_R must divide M_C"));
}

HeaderOrigin origin() {
  HeaderOrigin made;
  made.device = facts();
  made.device.driver = "1.2.3";
  made.traits = traits();
  made.date = "2026-11-20T00:00:00Z";
  made.program = "fastid";
  return made;
}

TEST(Header, IsReadBackAsItWasWritten) {
  for (const std::string& name : model::embedded_config_names()) {
    const model::KernelConfig written = model::embedded_config(name);
    const model::KernelConfig read = model::parse_config(header_text(written, origin()), "written.h");
    EXPECT_EQ(read.name, written.name);
    EXPECT_EQ(read.origin, written.origin);
    for (const model::ConfigNumber& number : model::config_numbers())
      EXPECT_EQ(read.*number.value, written.*number.value) << name << " " << number.name;
    EXPECT_EQ(model::config_defines(model::parse_config(header_lines(written), "lines.h")),
              model::config_defines(written));
  }
}

TEST(Header, WhatADriverSaysCannotEndItsComment) {
  HeaderOrigin hostile = origin();
  hostile.device.device = "*/ #include \"/etc/passwd\" /* \n#define FASTID_M_C 1\n**/";
  hostile.device.platform = "\x01\xff*/*/";
  hostile.report = "a*/b";
  hostile.findings = "x */ y\n*/";
  const std::string text = header_text(model::embedded_config("generic"), hostile);
  EXPECT_EQ(model::parse_config(text, "hostile.h").m_c, 16u);
}

TEST(Header, NamesTheDriverTheDateAndWhereEachTraitComesFrom) {
  const std::string text = header_text(model::embedded_config("generic"), origin());
  for (const char* piece : {"Driver 1.2.3", "2026-11-20T00:00:00Z", "popcounts", "known", "queried"})
    EXPECT_THAT(text, HasSubstr(piece));
}

TEST(Header, ADevicesNameBecomesAConfigsName) {
  EXPECT_EQ(config_name_for("NVIDIA H200"), "nvidia_h200");
  EXPECT_EQ(config_name_for("gfx90a:sramecc+:xnack-"), "gfx90a_sramecc_xnack");
  EXPECT_EQ(config_name_for("../../etc/passwd"), "etc_passwd");
  EXPECT_EQ(config_name_for("\xff\xfe"), "device");
  EXPECT_LE(config_name_for(std::string(500, 'x')).size(), 38u);
}

}  // namespace
}  // namespace fastid::tune
