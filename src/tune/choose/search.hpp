/// \file
/// The search for a device's config: from the model's answer and the configs that there are, downhill over
/// what is near, pruned by the model, each proved before it is timed.
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

/// What became of a config.
struct Trial {
  KernelConfig config;
  std::string refused;          ///< why it was not timed, or its times not believed; "": it was
  std::vector<Timing> timings;  ///< one for each workload
  double rate = 0;              ///< bits compared a second: the geometric mean over the workloads
  double predicted_rate = 0;    ///< the model's; 0: it has none
};

struct SearchOptions {
  MicroKernel kernel = MicroKernel::kPopcount;
  std::vector<model::Workload> workloads;
  double seconds = 100;        ///< about; what was found by then is the answer
  std::size_t most_runs = 25;  ///< of a workload
  bool only_first = false;     ///< proves and times the first of `starts` that can be used, and the default
  double prune = 1.6;          ///< what the model expects to take so many times the best is not tried
};

struct SearchResult {
  std::vector<Trial> trials;
  std::size_t best = 0;           ///< in `trials`
  std::size_t standard = 0;       ///< in `trials`: the default
  bool standard_is_kept = false;  ///< nothing is faster beyond noise
  std::size_t pruned = 0;         ///< by the model
  bool out_of_time = false;
};

/// \param standard  what the device would use now: kept unless something is faster beyond noise
/// \param starts    others to begin with, best first
/// \throws DeviceError where no config can be used: none builds, or the device counts wrong, or its clock
///         lies; Interrupted
SearchResult search_configs(ConfigBench& bench, const KernelConfig& standard,
                            const std::vector<KernelConfig>& starts, const model::DeviceTraits& traits,
                            const DeviceFacts& facts, const SearchOptions& options);

/// The rate that no kernel can pass: every word of a pair takes a logic operation at least. 0: not known.
double impossible_rate(const model::DeviceTraits& traits, const KernelConfig& config, MicroKernel kernel);

}  // namespace fastid::tune
