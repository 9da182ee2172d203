/// \file
/// The search for a device's config. It starts from the model's answer and the existing configs and moves to
/// faster neighbours. Neighbours that the model expects to be slow are skipped, and each config is proved
/// right before it is timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/kernel_time.hpp"
#include "model/traits.hpp"
#include "tune/measure/bench.hpp"
#include "tune/measure/timing.hpp"

namespace fastid::tune {

/// A config and its result.
struct Trial {
  model::KernelConfig config;
  std::string refused;  ///< why it was not timed, or why its times are not plausible; "" where it was timed
  std::vector<Timing> timings;  ///< one for each workload
  double rate = 0;              ///< bits compared a second: the geometric mean over the workloads
  double predicted_rate = 0;    ///< the model's prediction; 0: it has none
};

struct SearchOptions {
  model::MicroKernel kernel = model::MicroKernel::kPopcount;
  std::vector<model::Workload> workloads;
  double seconds = 100;        ///< approximate limit; the best config found by then is the answer
  std::size_t most_runs = 25;  ///< most runs of a workload
  bool only_first = false;  ///< proves and times only the default and the first of `starts` that can be used
  double prune = 1.6;  ///< neighbours that the model expects to take this many times as long are not tried
};

struct SearchResult {
  std::vector<Trial> trials;
  std::size_t best = 0;           ///< in `trials`
  std::size_t standard = 0;       ///< index of the default in `trials`
  bool standard_is_kept = false;  ///< no config is faster by more than noise
  std::size_t pruned = 0;         ///< number of configs skipped by the model's prediction
  bool out_of_time = false;
};

/// \param standard  the config that the device would use now; it is kept unless another one is faster by more
/// than noise
/// \param starts    other configs to start from, best first
/// \throws DeviceError where no config can be used: none builds, or the device's counts or times are wrong;
/// Interrupted
SearchResult search_configs(ConfigBench& bench, const model::KernelConfig& standard,
                            const std::vector<model::KernelConfig>& starts, const model::DeviceTraits& traits,
                            const model::DeviceFacts& facts, const SearchOptions& options);

/// A rate that no kernel can exceed, since every word of a pair takes at least one logic operation; 0: not
/// known.
double impossible_rate(const model::DeviceTraits& traits, const model::KernelConfig& config,
                       model::MicroKernel kernel);

}  // namespace fastid::tune
