// What `fastid bench` measures instead of searches: from its options to what is printed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "asking/engines.hpp"
#include "base/error.hpp"
#include "base/only_errors.hpp"
#include "base/text.hpp"
#include "bench/ld.hpp"
#include "bench/pairs.hpp"
#include "bench/roofline.hpp"
#include "bench/rows.hpp"
#include "main/bench_arguments.hpp"
#include "main/commands.hpp"
#include "main/inner_command.hpp"
#include "opencl/engine_by_name.hpp"
#include "opencl/pair_hmm.hpp"

namespace fastid::cli {
namespace {

using bench::Depth;
using bench::Masks;

/// The options that all measurements of a rate share.
template <class Options>
Options rate_options(const BenchArguments& arguments) {
  Options options;
  options.devices = arguments.bench.devices;
  options.threads = arguments.device.engine.threads;
  options.repeats = arguments.bench.repeats;
  options.seed = arguments.bench.seed;
  return options;
}

// ---- What makes the engines of each question

bench::EpistasisEngineMaker epistasis_maker(const BenchArguments& arguments) {
  return [&arguments](const std::string& device, const engine::EpistasisProblem& problem) {
    asking::DeviceOptions on{.device = device, .engine = {}};
    return asking::make_epistasis_engine_on(on, problem,
                                            arguments.kernel.value_or(opencl::BitProducts::kBest));
  };
}

bench::LdEngineMaker site_maker(const BenchArguments& arguments) {
  return [&arguments](const std::string& device, const engine::LdProblem& problem) {
    asking::DeviceOptions on{.device = device,
                             .engine = {.config_file = arguments.device.engine.config_file}};
    return asking::make_ld_engine_on(on, problem, 0, arguments.kernel.value_or(opencl::BitProducts::kBest));
  };
}

std::unique_ptr<engine::SimilarityEngine> make_similarity(const std::string& device,
                                                          const engine::VectorBlocks& vectors) {
  asking::DeviceOptions on{.device = device, .engine = {}};
  return asking::make_similarity_on(on, vectors, 0);
}

/// Runs a command as if it had been called. \throws Failure: it did not find what it looked for
void run_listed(const std::vector<std::string>& words) {
  CommandLine line("fastid", "");
  const std::span<const ListedCommand> all = listed_commands();
  std::ranges::find(all, std::string_view(words.front()), &ListedCommand::name)->add(line.top());
  for (const Command command : line.top().commands()) without_usual_values(command);
  if (run_inner(line, words) != ExitCode::kDone)
    throw Failure(fmt::format("fastid {} did not end well", words.front()));
}

}  // namespace

ExitCode run_hmm_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::HmmOptions>(arguments);
  if (arguments.depth == Depth::kQuick) options.shapes.resize(1);
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "points",
                    options.shapes.size() * options.devices.size());
  const bench::HmmReport report = bench::run_hmm(options, opencl::make_likelihood_engine,
                                                 [&progress](const bench::HmmResult&) { progress.add(1); });
  return write(arguments, report, out);
}

ExitCode run_epistasis_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::EpistasisOptions>(arguments);
  const Grid& grid = arguments.grid;
  if (arguments.depth == Depth::kQuick) options.shapes = {{100, 1600}};
  if (!grid.sites.empty() || !grid.profiles.empty() || !grid.masks.empty() || !arguments.ways.empty()) {
    options.shapes.clear();
    for (const std::uint32_t way : or_else(arguments.ways, 3U))
      for (const std::uint32_t sites : or_else(grid.sites, way == 2 ? 4000U : 300U))
        for (const std::uint64_t people : or_else(grid.profiles, std::uint64_t{4000}))
          for (const Masks masks : or_else(grid.masks, Masks::kNone))
            options.shapes.push_back({sites, narrow<std::uint32_t>(people), masks != Masks::kNone, way});
  }
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "points",
                    options.shapes.size() * options.devices.size());
  const auto results = bench::run_epistasis(options, epistasis_maker(arguments),
                                            [&progress](const bench::EpistasisResult&) { progress.add(1); });
  return write(arguments, results, out);
}

ExitCode run_ld_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::LdOptions>(arguments);
  const Grid& grid = arguments.grid;
  if (arguments.depth == Depth::kQuick) options.shapes = {{2000, 2504}};
  if (!grid.sites.empty() || !grid.profiles.empty() || !grid.masks.empty()) {
    options.shapes.clear();
    for (const std::uint32_t sites : or_else(grid.sites, 10'000U))
      for (const std::uint64_t people : or_else(grid.profiles, std::uint64_t{2504}))
        for (const Masks masks : or_else(grid.masks, Masks::kNone))
          options.shapes.push_back({sites, narrow<std::uint32_t>(people), masks != Masks::kNone});
  }
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "points",
                    options.shapes.size() * options.devices.size());
  const auto results =
      bench::run_ld(options, site_maker(arguments), [&progress](const bench::LdResult&) { progress.add(1); });
  return write(arguments, results, out);
}

ExitCode run_pairs_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::PairsOptions>(arguments);
  const Grid& grid = arguments.grid;
  if (arguments.depth == Depth::kQuick) options.shapes = {{2000, 4000}};
  if (!grid.sites.empty() || !grid.profiles.empty()) {
    const bench::PairsShape usual = options.shapes.front();
    options.shapes.clear();
    for (const std::uint32_t sites : or_else(grid.sites, usual.sites))
      for (const std::uint64_t people : or_else(grid.profiles, usual.people))
        options.shapes.push_back({people, sites});
  }
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "points",
                    options.shapes.size() * options.devices.size());
  const auto results = bench::run_pairs(
      options,
      [&](const std::string& device) { return asking::make_engine(device, arguments.device.engine); },
      [&progress](const bench::PairsResult&) { progress.add(1); });
  return write(arguments, results, out);
}

ExitCode run_similarity_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::SimilarityOptions>(arguments);
  const Grid& grid = arguments.grid;
  std::vector<bench::SimilarityShape> shapes;
  for (bench::SimilarityShape shape : options.shapes) {
    if (!arguments.elements.empty() &&
        std::ranges::find(arguments.elements, shape.of) == arguments.elements.end())
      continue;
    if (!arguments.ways.empty() && std::ranges::find(arguments.ways, shape.way) == arguments.ways.end())
      continue;
    if (arguments.depth == Depth::kQuick) shape.vectors = 128;
    for (const std::uint32_t elements : or_else(grid.sites, shape.elements))
      for (const std::uint64_t vectors : or_else(grid.profiles, std::uint64_t{shape.vectors}))
        shapes.push_back({shape.of, shape.way, narrow<std::uint32_t>(vectors), elements});
  }
  options.shapes = std::move(shapes);
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "points",
                    options.shapes.size() * options.devices.size());
  const auto results = bench::run_similarity(
      options, make_similarity, [&progress](const bench::SimilarityResult&) { progress.add(1); });
  return write(arguments, results, out);
}

ExitCode run_rows_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::RowsOptions>(arguments);
  options.scratch = arguments.bench.scratch;
  const Grid& grid = arguments.grid;
  if (arguments.depth == Depth::kQuick) options.shapes = {{200, 500, 3}};
  if (!grid.sites.empty() || !grid.profiles.empty() || !grid.queries.empty()) {
    const bench::RowsShape usual = options.shapes.front();
    options.shapes.clear();
    for (const std::uint32_t sites : or_else(grid.sites, usual.sites))
      for (const std::uint64_t people : or_else(grid.profiles, usual.people))
        for (const std::uint64_t queries : or_else(grid.queries, std::uint64_t{usual.queries}))
          options.shapes.push_back({people, sites, narrow<std::uint32_t>(queries)});
  }
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "points",
                    options.shapes.size() * options.devices.size() * bench::rows_tasks());
  const auto results = [&] {
    const log::OnlyErrors of_commands;
    return bench::run_rows(options, run_listed, [&progress](const bench::RowsResult&) { progress.add(1); });
  }();
  arguments.verbosity.apply();
  return write(arguments, results, out);
}

ExitCode run_roofline_bench(const BenchArguments& arguments) {
  auto options = rate_options<bench::RooflineOptions>(arguments);
  options.engine = arguments.bench.engine;
  options.quick = arguments.depth == Depth::kQuick;
  for (const std::string& device : options.devices)
    if (device != "cpu" && (!opencl::opencl_selector(device) || device == "opencl:all"))
      throw UsageError(fmt::format(
          "--roofline: --device {}: a roofline is of one device: cpu, opencl or opencl:SELECTOR", device));
  imports::TextOutput out(arguments.output);
  Progress progress(arguments.verbosity.progress, "measuring", "steps",
                    bench::roofline_steps() * options.devices.size());
  const tune::MicroOptions how{.least_seconds = options.quick ? 1e-4 : 1e-3, .most_runs = options.repeats};
  const bench::RooflineReport report = bench::run_roofline(
      options,
      {asking::make_engine, site_maker(arguments), epistasis_maker(arguments), make_similarity,
       [&](const std::string& device) -> std::optional<tune::DeviceRoofs> {
         const auto selector = opencl::opencl_selector(device);
         return selector ? std::optional(tune::measure_roofs(*selector, options.engine, how)) : std::nullopt;
       }},
      [&progress] { progress.add(1); });
  return write(arguments, report, out);
}

}  // namespace fastid::cli
