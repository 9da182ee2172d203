#include "tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "model/known_devices.hpp"
#include "model/registry.hpp"
#include "opencl/devices.hpp"
#include "tune/measure/ld_rate.hpp"
#include "tune/measure/opencl_micro.hpp"
#include "tune/measure/startup.hpp"
#include "tune/space.hpp"

namespace fastid::tune {
namespace {

struct Budget {
  double micro_seconds, search_seconds;
  std::size_t micro_runs, search_runs;
};

Budget budget_of(const TuneOptions& options) {
  switch (options.effort) {
    case Effort::kQuick:
      return {2, options.seconds.value_or(4), 5, 7};
    case Effort::kFull:
      return {60, options.seconds.value_or(900), 31, 51};
    case Effort::kNormal:
      break;
  }
  return {15, options.seconds.value_or(75), 15, 25};
}

class Tuner {
 public:
  explicit Tuner(const TuneOptions& options) : options_(options), budget_(budget_of(options)) {}

  TuneResult run() {
    find_device();
    measure_traits();
    search();
    read_off();
    predict();
    write_header();
    result_.seconds = watch_.seconds();
    return std::move(result_);
  }

 private:
  // The start-up time is measured before this process uses OpenCL; later it could not be measured.
  void find_device() {
    const std::optional<double> startup = startup_seconds(options_.selector);
    device_ = opencl::select_opencl_device(options_.selector);
    result_.device = device_->facts;
    result_.date = utc_now();
    result_.traits = opencl::stated_traits(*device_);
    if (startup) result_.traits.startup_seconds.learn(*startup, model::Source::kMeasured);
    if (const auto* const known =
            model::find_known_device(device_->facts.device, device_->facts.architecture)) {
      result_.known_as = known->name;
      result_.known_source = known->source;
    }
    log::note("{} ({}), driver {}", device_->facts.device, device_->facts.platform, device_->facts.driver);
  }

  void measure_traits() {
    log::note("measuring: latencies, throughputs, memory, transfers");
    const auto micro = make_opencl_micro(*device_);
    const MicroOptions how{.least_seconds = options_.effort == Effort::kQuick ? 3e-4 : 1e-3,
                           .most_runs = budget_.micro_runs,
                           .seconds = budget_.micro_seconds,
                           .sweep = options_.effort != Effort::kQuick};
    MicroResult measured = measure(*micro, result_.traits, how);
    result_.traits = model::merged(std::move(result_.traits), measured.traits);
    result_.timings = std::move(measured.timings);
    for (const model::TraitName& name : model::trait_names())
      if (const model::Trait& trait = result_.traits.*name.value; trait.known())
        log::detail("{} {:.5g} {} ({})", name.key, trait.value, name.unit, model::name_of(trait.source));
  }

  // Workloads with so many profiles that a run takes at least a millisecond.
  std::vector<model::Workload> workloads() const {
    const double peak = std::max(1e11, model::popcount_peak(result_.traits));
    const double wanted = 1e-3 * peak / (32.0 * 1024);
    const auto blocks = static_cast<std::uint64_t>(std::clamp(wanted / 32, 1024.0, 32768.0));
    return {{32, blocks * 32, 1024}, {32, blocks * 32, 256}, {256, blocks * 32, 1024}};
  }

  // The matrix kernel is measured with many queries, since with few it waits for the memory. The first two
  // workloads differ only in their sites, as rates() needs.
  std::vector<model::Workload> workloads_of(model::MicroKernel kernel) const {
    std::vector<model::Workload> works = result_.workloads;
    constexpr std::uint64_t kMany = 2048;
    if (kernel == model::MicroKernel::kMatrix)
      works[0].queries = works[1].queries = kMany, works[2].queries = 32;
    return works;
  }

  SearchOptions search_options(model::MicroKernel kernel, double seconds) const {
    return {.kernel = kernel,
            .workloads = workloads_of(kernel),
            .seconds = seconds,
            .most_runs = budget_.search_runs,
            .only_first = options_.effort == Effort::kQuick};
  }

  // Starts from the model's answer, then from the other configs of the chain.
  void search() {
    result_.workloads = workloads();
    const std::string name = config_name_for(result_.device.device);
    result_.model_answer = model_config(name, result_.traits, result_.workloads.front());
    const std::vector<model::ConfigLink> chain = model::config_chain(result_.device);
    std::optional<model::KernelConfig> standard;
    std::vector<model::KernelConfig> starts = {result_.model_answer};
    for (const model::ConfigLink& link : chain) {
      if (!link.unfit.empty()) continue;
      model::KernelConfig config = model::config_of(link);
      if (!standard) {
        result_.standard_reason = link.because;
        standard = config;
      } else {
        starts.push_back(config);
      }
    }
    if (!standard) standard = result_.model_answer;
    log::note("trying configs, beginning with {} and the model's answer", standard->name);
    const auto bench = make_opencl_config_bench(result_.device);
    const bool matrix = standard->matrix != 0 && options_.effort != Effort::kQuick;
    const double seconds = budget_.search_seconds / (matrix ? 2 : 1);
    result_.search = search_configs(*bench, *standard, starts, result_.traits, result_.device,
                                    search_options(model::MicroKernel::kPopcount, seconds));
    result_.config = best(result_.search).config;
    if (matrix) search_matrix(*bench, *standard, seconds);
    choose_ld(*bench);
    measure_upload(*bench);
  }

  // Chooses the column tile for pairs of sites: the config's, half or twice as much. Another than the
  // config's is taken where it is faster by more than noise, and right wherever there are as many queries as
  // profiles.
  void choose_ld(ConfigBench& bench) {
    if (options_.effort == Effort::kQuick) return;
    constexpr double kFaster = 1.03;
    model::KernelConfig& config = result_.config;
    const Repeats repeats{.most = budget_.search_runs};
    const std::uint32_t usual = config.ld_n_r != 0 ? config.ld_n_r : config.n_r;
    double least = 0;
    for (const std::uint32_t n_r : {usual, usual / 2, usual * 2}) {
      model::KernelConfig tried = config, square = config;
      tried.ld_n_r = square.n_r = n_r;
      try {
        if (n_r != usual && !bench.prove(square, model::MicroKernel::kPopcount, Proof::kWhole).empty())
          continue;
        const double seconds = ld_timing(result_.device.selector, tried, {}, repeats).seconds;
        log::detail("pairs of sites, LD_N_R {}: {:.4g} s", n_r, seconds);
        if (least > 0 && seconds * kFaster >= least) continue;
        least = seconds;
        if (n_r != usual) config = tried;
      } catch (const InputError&) {  // a shape that no config may have
      } catch (const DeviceError& error) {
        log::warn("LD_N_R {} is left out: {}", n_r, error.what());
      }
    }
    if (least > 0) result_.ld_rate = ld_bits({}) / least;
  }

  static const Trial& best(const SearchResult& search) { return search.trials[search.best]; }

  // Searches the matrix kernel's numbers, with the numbers found for compare.cl. It is not an error if the
  // matrix kernel cannot be used, since compare.cl can.
  void search_matrix(ConfigBench& bench, const model::KernelConfig& standard, double seconds) {
    model::KernelConfig with = result_.config;
    for (const model::ConfigNumber& number : model::config_numbers())
      if (number.name.starts_with("MATRIX") || number.name == "HW_MATRIX")
        with.*number.value = standard.*number.value;
    try {
      result_.matrix = search_configs(bench, with, {}, result_.traits, result_.device,
                                      search_options(model::MicroKernel::kMatrix, seconds));
      result_.matrix_workloads = workloads_of(model::MicroKernel::kMatrix);
      result_.config = best(*result_.matrix).config;
    } catch (const DeviceError& error) {
      log::warn("the matrix kernel is left out: {}", error.what());
    }
  }

  void measure_upload(ConfigBench& bench) {
    const model::Workload& work = result_.workloads.front();
    double bytes = 0;
    const Timing upload = steady_median({.most = budget_.search_runs}, [&] {
      const RunTime run = bench.run(result_.config, model::MicroKernel::kPopcount, work);
      bytes = run.upload_bytes;
      return run.upload_seconds;
    });
    if (bytes > 0)
      result_.compared.push_back({fmt::format("upload of {:.0f} MiB", bytes / (1 << 20)),
                                  model::predict_upload(result_.traits, bytes, bytes), upload.seconds});
  }

  // Computes, from two panels with the same queries, the rate for long panels, in bits a second, and the
  // fixed cost of a pair, in sites.
  static void rates(const Trial& trial, const std::vector<model::Workload>& works, std::uint32_t& rate,
                    std::uint32_t& start) {
    if (trial.timings.size() < 2) return;
    const auto pairs = [](const model::Workload& w) {
      return static_cast<double>(w.queries) * static_cast<double>(w.profiles);
    };
    const double longer = trial.timings[0].seconds / pairs(works[0]);
    const double shorter = trial.timings[1].seconds / pairs(works[1]);
    const double a_site = (longer - shorter) / (works[0].sites - works[1].sites);
    if (!(a_site > 0)) return;
    rate = static_cast<std::uint32_t>(std::clamp(1e-9 / a_site, 1.0, 1e9));
    start = static_cast<std::uint32_t>(std::clamp(shorter / a_site - works[1].sites, 0.0, 65535.0));
  }

  // Writes the measured numbers into the config.
  void read_off() {
    model::KernelConfig& config = result_.config;
    config.name = config_name_for(result_.device.device);
    config.origin = "tuned";
    for (const model::TraitName& trait : model::trait_names()) {
      const auto number =
          std::ranges::find(model::config_numbers(), trait.header, &model::ConfigNumber::name);
      const model::Trait& value = result_.traits.*trait.value;
      if (trait.header.empty() || number == model::config_numbers().end() || !value.known()) continue;
      if (number->in_shape) continue;  // local memory and registers belong to the shape
      config.*number->value =
          static_cast<std::uint32_t>(std::lround(std::clamp(value.value / trait.scale, 0.0, 1e9)));
    }
    rates(best(result_.search), result_.workloads, config.rate_popcount, config.start_popcount);
    if (result_.matrix)
      rates(best(*result_.matrix), result_.matrix_workloads, config.rate_matrix, config.start_matrix);
  }

  void predict() {
    const Trial& trial = best(result_.search);
    for (std::size_t i = 0; i < trial.timings.size(); ++i) {
      const model::Workload& work = result_.workloads[i];
      result_.compared.push_back(
          {fmt::format("kernel, {} x {} x {}", work.queries, work.profiles, work.sites),
           seconds_by_pipes(trial.config, result_.traits, work), trial.timings[i].seconds});
    }
    const model::HostRates host{.threads = available_cpus()};
    model::DeviceTraits traits = result_.traits;
    if (result_.device.unified_memory) traits.upload_pinned = {};  // searches then upload nothing
    for (const std::uint64_t queries : {32, 2048}) {
      const model::Workload work{queries, 20'000'000, 1024};
      const double kernel = model::compare_seconds(result_.config, result_.traits, work);
      const model::TilePlan tiles = model::plan_tiles(traits, kernel, host, work);
      result_.examples.push_back({work, tiles, model::predict_run(traits, kernel, host, tiles, work)});
    }
  }

  void write_header() {
    const Trial& trial = best(result_.search);
    const Trial& standard = result_.search.trials[result_.search.standard];
    std::string findings =
        fmt::format("Shape: {} of {} that were proved and timed; {} were left out by the model.\n",
                    result_.search.standard_is_kept
                        ? fmt::format("that of {}, which nothing beat beyond noise,", trial.config.name)
                        : "the fastest",
                    result_.search.trials.size(), result_.search.pruned);
    if (!result_.search.standard_is_kept && standard.rate > 0)
      findings +=
          fmt::format("{:.2f} times the rate of {}.\n", trial.rate / standard.rate, standard.config.name);
    for (std::size_t i = 0; i < trial.timings.size(); ++i) {
      const model::Workload& work = result_.workloads[i];
      findings += fmt::format("{} x {} x {}: {:.4g} Tbit/s\n", work.queries, work.profiles, work.sites,
                              work.bits() / trial.timings[i].seconds / 1e12);
    }
    if (result_.ld_rate > 0)
      findings += fmt::format("Pairs of sites, {} x {}: {:.4g} Tbit/s\n", LdShape{}.sites, LdShape{}.people,
                              result_.ld_rate / 1e12);
    result_.header = header_text(result_.config, {result_.device, result_.traits, result_.date,
                                                  options_.program, options_.report, findings});
    model::parse_config(result_.header,
                        "the config that was found");  // checks that what is written can be read
  }

  const TuneOptions& options_;
  Budget budget_;
  Stopwatch watch_;
  std::optional<opencl::OpenClDevice> device_;
  TuneResult result_;
};

}  // namespace

TuneResult tune(const TuneOptions& options) {
  return Tuner(options).run();
}

}  // namespace fastid::tune
