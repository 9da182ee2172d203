#include "tune/choose/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/median.hpp"
#include "base/process.hpp"
#include "tune/space.hpp"

namespace fastid::tune {
namespace {

constexpr double kNoise = 0.02;   // smaller gains do not count, however steady they are
constexpr double kMargin = 1.25;  // factor above a measured peak, since clocks vary
constexpr double kNearly = 0.97;  // share of the best rate
// Configs in a row whose neighbours may bring no gain before the search ends.
constexpr std::size_t kPatience = 4;
constexpr std::size_t kDuelRounds = 15, kRoundsToWin = 12;  // happens by chance in one of fifty duels

// Runs a config until the median is steady, or for `most_runs` runs.
Timing time_config(ConfigBench& bench, const model::KernelConfig& config, model::MicroKernel kernel,
                   const model::Workload& work, std::size_t most_runs) {
  return steady_median({.most = most_runs}, [&] { return bench.run(config, kernel, work).kernel_seconds; });
}

// The ratio of the times of a config and of `other`, as a Timing whose seconds are that ratio. The two run
// alternately, so that clocks and other programs affect both equally.
Timing time_ratio(ConfigBench& bench, const model::KernelConfig& config, const model::KernelConfig& other,
                  model::MicroKernel kernel, const model::Workload& work, std::size_t most_runs) {
  return steady_median({.most = most_runs}, [&] {
    const double beside = bench.run(other, kernel, work).kernel_seconds;
    return bench.run(config, kernel, work).kernel_seconds / std::max(1e-12, beside);
  });
}

class Search {
 public:
  Search(ConfigBench& bench, const model::DeviceTraits& traits, const model::DeviceFacts& facts,
         const SearchOptions& options)
      : bench_(bench), traits_(traits), facts_(facts), options_(options) {}

  SearchResult run(const model::KernelConfig& standard, const std::vector<model::KernelConfig>& starts) {
    result_.standard = try_config(standard);
    for (const model::KernelConfig& start : starts) {
      const std::size_t tried = try_config(start);
      if (options_.only_first && usable(tried)) break;
      if (!time_left()) break;
    }
    if (!options_.only_first) descend();
    pick();
    return std::move(result_);
  }

 private:
  bool usable(std::size_t trial) const { return result_.trials[trial].refused.empty(); }
  bool time_left() {
    check_interrupt();
    const bool left = watch_.seconds() < options_.seconds;
    result_.out_of_time = result_.out_of_time || !left;
    return left;
  }

  double predicted(const model::KernelConfig& config) const {
    if (options_.kernel != model::MicroKernel::kPopcount) return 0;
    double sum = 0;
    for (const model::Workload& work : options_.workloads) {
      sum += std::log(work.bits() / seconds_by_pipes(config, traits_, work));
    }
    return std::exp(sum / static_cast<double>(options_.workloads.size()));
  }

  const Trial* known(const model::KernelConfig& config) const {
    const auto found = std::ranges::find_if(
        result_.trials, [&](const Trial& trial) { return same_shape(trial.config, config); });
    return found == result_.trials.end() ? nullptr : &*found;
  }

  // Tries a config unless that was done before. Returns its index in the trials.
  std::size_t try_config(const model::KernelConfig& config) {
    if (const Trial* const before = known(config))
      return static_cast<std::size_t>(before - result_.trials.data());
    Trial trial{.config = config, .predicted_rate = predicted(config)};
    log::detail("trying {}", describe(config, options_.kernel));
    trial.refused = illegal_reason(config, facts_);
    if (trial.refused.empty()) trial.refused = bench_.prove(config, options_.kernel, Proof::kTimed);
    if (trial.refused.empty()) time(trial);
    log::detail("  {}",
                trial.refused.empty() ? fmt::format("{:.4g} Tbit/s", trial.rate / 1e12) : trial.refused);
    result_.trials.push_back(std::move(trial));
    return result_.trials.size() - 1;
  }

  // Where the default was timed, a trial is timed as a ratio to it, in alternate runs, and the ratio is
  // multiplied by the default's time.
  Timing timing_of(const Trial& trial, std::size_t workload) {
    const model::Workload& work = options_.workloads[workload];
    if (result_.trials.empty() || !usable(result_.standard))
      return time_config(bench_, trial.config, options_.kernel, work, options_.most_runs);
    const Trial& standard = result_.trials[result_.standard];
    const Timing ratio =
        time_ratio(bench_, trial.config, standard.config, options_.kernel, work, options_.most_runs);
    return {ratio.seconds * standard.timings[workload].seconds, ratio.spread, ratio.runs};
  }

  void time(Trial& trial) {
    const double most = impossible_rate(traits_, trial.config, options_.kernel);
    double sum = 0;
    try {
      for (std::size_t i = 0; i < options_.workloads.size(); ++i) {
        const model::Workload& work = options_.workloads[i];
        const Timing timing = timing_of(trial, i);
        trial.timings.push_back(timing);
        const double rate = timing.seconds > 0 ? work.bits() / timing.seconds : INFINITY;
        if (!std::isfinite(rate) || (most > 0 && rate > most)) {
          trial.refused = fmt::format("its time is impossible: {:.3g} s for {:.3g} Tbit", timing.seconds,
                                      work.bits() / 1e12);
          return;
        }
        sum += std::log(rate);
      }
      trial.rate = std::exp(sum / static_cast<double>(options_.workloads.size()));
    } catch (const DeviceError& error) {
      trial.refused = error.what();
    }
  }

  std::size_t fastest() const {
    const auto best = std::ranges::max_element(result_.trials, {}, &Trial::rate);
    return static_cast<std::size_t>(best - result_.trials.begin());
  }

  // The fastest trial whose neighbours were not tried yet, among the trials that are nearly as fast as the
  // best: a step without a gain may be the first half of a step with one.
  std::optional<std::size_t> next_to_expand(const std::set<std::size_t>& expanded) const {
    std::optional<std::size_t> next;
    const double least = kNearly * result_.trials[fastest()].rate;
    for (std::size_t i = 0; i < result_.trials.size(); ++i) {
      const double rate = result_.trials[i].rate;
      if (!usable(i) || rate < least || expanded.contains(i)) continue;
      if (!next || rate > result_.trials[*next].rate) next = i;
    }
    return next;
  }

  // Tries the neighbours of the fastest configs, the most promising first, until the neighbours of a few
  // configs in a row bring no gain.
  void descend() {
    std::set<std::size_t> expanded;
    std::size_t in_vain = 0;
    for (auto from = next_to_expand(expanded); from && in_vain < kPatience && time_left();
         from = next_to_expand(expanded)) {
      const double best = result_.trials[fastest()].rate;
      expanded.insert(*from);
      expand(*from);
      in_vain = result_.trials[fastest()].rate > best * (1 + kNoise) ? 0 : in_vain + 1;
    }
  }

  // Tries the neighbours of a trial. Ends early where a faster config is found, since the search then goes on
  // from there.
  void expand(std::size_t from) {
    const double best = result_.trials[fastest()].rate, expected = result_.trials[from].predicted_rate;
    std::vector<model::KernelConfig> near =
        neighbours(result_.trials[from].config, options_.kernel, facts_, traits_);
    std::ranges::stable_sort(near, std::greater{},
                             [&](const model::KernelConfig& c) { return predicted(c); });
    for (const model::KernelConfig& config : near) {
      if (known(config) != nullptr) continue;
      if (predicted(config) * options_.prune < expected) {
        ++result_.pruned;
        continue;
      }
      if (!time_left()) return;
      if (result_.trials[try_config(config)].rate > best * (1 + kNoise)) return;
    }
  }

  // Goes through the candidates, fastest first, until one wins a duel with the default and is proved right in
  // every case.
  void pick() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < result_.trials.size(); ++i)
      if (usable(i)) order.push_back(i);
    if (order.empty()) refuse_all();
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return result_.trials[i].rate; });
    for (const std::size_t candidate : order) {
      if (candidate != result_.standard && usable(result_.standard) && !wins(candidate)) break;
      if (proved_whole(candidate)) {
        result_.best = candidate;
        result_.standard_is_kept = candidate == result_.standard;
        return;
      }
    }
    if (!usable(result_.standard) || !proved_whole(result_.standard)) refuse_all();
    result_.best = result_.standard;
    result_.standard_is_kept = true;
  }

  bool proved_whole(std::size_t trial) {
    result_.trials[trial].refused =
        bench_.prove(result_.trials[trial].config, options_.kernel, Proof::kWhole);
    return usable(trial);
  }

  // A duel: alternate runs of the candidate and the default, so that clocks and other programs affect both
  // equally.
  bool wins(std::size_t candidate) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < kDuelRounds; ++round) {
      check_interrupt();
      double ratio = 0;
      for (const model::Workload& work : options_.workloads)
        ratio += std::log(one_run(result_.standard, work) / one_run(candidate, work));
      ratios.push_back(ratio / static_cast<double>(options_.workloads.size()));
    }
    const auto won = std::ranges::count_if(ratios, [](double ratio) { return ratio > 0; });
    return median(ratios) > std::log1p(kNoise) && static_cast<std::size_t>(won) >= kRoundsToWin;
  }
  double one_run(std::size_t trial, const model::Workload& work) {
    return std::max(1e-12, bench_.run(result_.trials[trial].config, options_.kernel, work).kernel_seconds);
  }

  [[noreturn]] void refuse_all() const {
    const Trial& first = result_.trials[result_.standard];
    throw DeviceError(fmt::format("no config can be used on this device; of {}: {}", first.config.name,
                                  first.refused.empty() ? "no reason is known" : first.refused));
  }

  ConfigBench& bench_;
  const model::DeviceTraits& traits_;
  const model::DeviceFacts& facts_;
  const SearchOptions& options_;
  Stopwatch watch_;
  SearchResult result_;
};

}  // namespace

double impossible_rate(const model::DeviceTraits& traits, const model::KernelConfig& config,
                       model::MicroKernel kernel) {
  const double clocks = traits.clocks() * traits.compute_units.value * kMargin;
  if (kernel == model::MicroKernel::kMatrix) return clocks * config.hw_matrix;
  return clocks * std::max({traits.logic.value, traits.ands.value, traits.xors.value}) * 32;
}

SearchResult search_configs(ConfigBench& bench, const model::KernelConfig& standard,
                            const std::vector<model::KernelConfig>& starts, const model::DeviceTraits& traits,
                            const model::DeviceFacts& facts, const SearchOptions& options) {
  return Search(bench, traits, facts, options).run(standard, starts);
}

}  // namespace fastid::tune
