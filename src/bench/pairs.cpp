#include "bench/pairs.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "bench/internal/device_rate.hpp"
#include "bench/internal/workload.hpp"
#include "bits/moved_sites.hpp"
#include "linked/pair_screen.hpp"
#include "panel/genetic_map.hpp"
#include "pipeline/all_pairs.hpp"
#include "simulate/people.hpp"

namespace fastid::bench {
namespace {

constexpr double kLeastLog10 = 4;                // of a chain, as `fastid pairs` has it by default
constexpr std::uint32_t kLeastKinship = 88'400;  // not asked of so many sites

linked::LinkedModel model_of(const Panel& panel) {
  std::vector<Word> all(ceil_div(std::size_t{panel.n_sites()}, kWordBits));
  for (std::uint32_t site = 0; site < panel.n_sites(); ++site)
    all[site / kWordBits] |= Word{1} << site % kWordBits;
  const stats::PopulationModel frequencies("simulated", panel.populations()[0].minor_freq, {});
  return {frequencies, mapped_sites(panel, all, {}), linked::all_relations()};
}

/// A run's work, and how long it took.
struct Run {
  double seconds = 0, kernel_seconds = 0;
  std::uint64_t passed = 0;
};

Run run_once(const BlockSource& people, engine::Engine& engine, std::size_t threads) {
  Run run;
  const pipeline::AllPairs all{.columns = people,
                               .rows = people,
                               .rows_for = [](std::uint64_t end) { return end; },
                               .keep = [](std::uint64_t column, std::uint64_t row,
                                          const engine::PairCounts&) { return row < column; }};
  Progress silent(ProgressMode::kNever, "", "", 0);
  const Stopwatch watch;
  const pipeline::StreamStats stats = pipeline::stream_pairs(
      all, engine, threads, silent, [&](const pipeline::Strip& strip) { run.passed += strip.pairs.size(); });
  run.seconds = watch.seconds();
  run.kernel_seconds = stats.device.compare_seconds;
  return run;
}

PairsResult measure(const std::string& device, const PairsShape& shape, const PairsOptions& options,
                    const PairsEngineMaker& make_engine, ThreadPool& pool) {
  if (shape.sites < linked::kLeastSitesOfPaths)
    throw UsageError(fmt::format("--pairs: takes {} --sites or more", linked::kLeastSitesOfPaths));
  const Panel panel = simulate::simulate_panel(shape.sites, options.seed);
  const linked::LinkedModel model = model_of(panel);
  const linked::PairScreen screen({&model, 1}, kLeastLog10, kLeastKinship);
  const People strangers({shape.people, shape.sites, Encoding::kAlleles}, true, pool, options.seed);
  const MemorySource simulated(strangers.view(true));
  const People packed(MovedSites(simulated, screen.origins()), pool);
  const MemorySource people(packed.view(true));
  const auto chains = make_engine(device);
  const auto engine = screen.make_engine(options.threads, chains.get());
  const auto n = static_cast<double>(shape.people);
  PairsResult result{{}, shape};
  static_cast<DeviceRate&>(result) =
      measure_rate(device, options.repeats, n * (n - 1) / 2,
                   [&] {
                     const Run run = run_once(people, *engine, pool.threads());
                     result.passed = run.passed;
                     result.kernel_seconds += run.kernel_seconds / static_cast<double>(options.repeats);
                     return run.seconds;
                   },
                   {});
  return result;
}

}  // namespace

std::vector<PairsResult> run_pairs(const PairsOptions& options, const PairsEngineMaker& make_engine,
                                   const std::function<void(const PairsResult&)>& on_result) {
  return measure_all<PairsResult>(
      options, options.shapes,
      [&](const std::string& device, const PairsShape& shape, ThreadPool& pool, Bounds*) {
        return measure(device, shape, options, make_engine, pool);
      },
      on_result);
}

}  // namespace fastid::bench
