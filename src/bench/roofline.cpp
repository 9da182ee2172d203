#include "bench/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/caches.hpp"
#include "bench/internal/machine.hpp"
#include "engine/cpu_engine.hpp"

namespace fastid::bench {
namespace {

constexpr std::size_t kReadStep = 1024;  // words; Bounds::cached() reads a multiple of them
constexpr std::uint32_t kSites = 1024;   // of a search
constexpr std::uint64_t kManyQueries = 256;

/// Words of memory that no cache holds.
std::size_t words_beyond(const std::vector<Cache>& caches) {
  constexpr std::size_t kLeast = std::size_t{256} << 20, kMost = std::size_t{2} << 30;
  const std::size_t last = caches.empty() ? 0 : 4 * caches.back().bytes;
  return std::clamp(last, kLeast, kMost) / sizeof(Word);
}

/// The rate at which all threads of a pool read each level of memory, the nearest first.
std::vector<Peak> measure_levels(const std::vector<Cache>& caches, std::span<const Word> memory,
                                 std::size_t repeats, ThreadPool& pool) {
  const Bounds bounds("", pool);
  std::vector<Peak> levels;
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const std::size_t words = bytes_to_read(caches, i, pool.threads()) / sizeof(Word) / kReadStep * kReadStep;
    if (words > 0)
      levels.push_back(
          {caches[i].name(), "", median_of(repeats, [&] { return bounds.cached(words); }), true});
  }
  levels.push_back({"memory", "", median_of(repeats, [&] { return bounds.memory(memory); }), true});
  return levels;
}

class DeviceMeasurement {
 public:
  DeviceMeasurement(const std::string& device, const RooflineOptions& options, const RooflineEngines& engines,
                    const OnStep& on_step)
      : device_(device), options_(options), engines_(engines), on_step_(on_step) {
    made_.device = device;
  }

  DeviceRoofline run() {
    roofs_ = engines_.roofs(device_);
    if (roofs_)
      device_roofs(*roofs_);
    else
      cpu_roofs();
    on_step_();
    searches();
    on_step_();
    rates();
    return std::move(made_);
  }

 private:
  bool is_gpu() const { return roofs_ && !roofs_->is_cpu; }

  // ---- Roofs ----

  void cpu_roofs() {
    caches_ = caches_of_cpu();
    ThreadPool pool(threads_or_all(options_.threads));
    const WordBuffer memory = written_memory(words_beyond(caches_), pool);
    made_.roofs = measure_levels(caches_, memory.span(), options_.repeats, pool);
    for (const std::string& target : engine::cpu_engine_targets()) {
      Bounds bounds(target, pool);
      made_.roofs.push_back(instruction_roof(target, bounds));
    }
    for (std::size_t threads = 1; threads < 2 * pool.threads(); threads *= 2)
      add_threads(std::min(threads, pool.threads()), memory.span());
    for (Growth& growth : made_.growth) growth.rates.resize(made_.counts.size());  // some levels are of few
  }

  Peak instruction_roof(const std::string& target, Bounds& bounds) const {
    return {target, std::string(instructions_of(engine::KernelCase::kInside)),
            median_of(options_.repeats, [&] { return bounds.compare(engine::KernelCase::kInside); }), false};
  }

  void add_threads(std::size_t threads, std::span<const Word> memory) {
    ThreadPool pool(threads);
    made_.counts.push_back(threads);
    for (const Peak& level : measure_levels(caches_, memory, options_.repeats, pool)) grow(level);
    Bounds bounds("", pool);
    grow(instruction_roof(engine::cpu_engine_target(), bounds));
    for (const KernelPoint& point : search_points({1, kManyQueries}, std::span(kTasks).first(1), threads))
      grow({point.name, "", point.rate, false});
  }

  void device_roofs(const tune::DeviceRoofs& roofs) {
    made_.work_groups = true;
    const tune::RoofRates& best = roofs.best;
    if (best.local > 0) made_.roofs.push_back({"local memory", "", best.local, true});
    made_.roofs.push_back({"memory", "", best.memory, true});
    if (roofs.by_popcount) made_.roofs.push_back({"popcount", "popcount, add", best.popcounts, false});
    if (roofs.by_popcount && roofs.adders > best.popcounts)
      made_.roofs.push_back({"full adders", "logic, some popcounts", roofs.adders, false});
    if (roofs.matrix > 0)
      made_.roofs.push_back({"matrix unit", "products of 16 x 8 x 256 bits", roofs.matrix, false});
    for (const auto& [groups, rates] : roofs.by_groups) {
      made_.counts.push_back(groups);
      if (best.local > 0) grow({"local memory", "", rates.local, true});
      grow({"memory", "", rates.memory, true});
      grow({"popcount", "", rates.popcounts, false});
      grow({"compare.cl", "", rates.compared, false});
    }
  }

  /// The rate of one more count.
  void grow(const Peak& peak) {
    const auto known = std::ranges::find(made_.growth, peak.name, &Growth::name);
    Growth& growth =
        known != made_.growth.end() ? *known : made_.growth.emplace_back(Growth{peak.name, peak.bytes, {}});
    growth.rates.resize(made_.counts.size());
    growth.rates.back() = peak.rate;
  }

  // ---- Kernels ----

  void searches() {
    std::vector<std::uint64_t> queries = {1, 32, kManyQueries};
    if (is_gpu()) queries.push_back(2048);
    made_.points = search_points(queries, std::span(kTasks).first(1), options_.threads);
    for (KernelPoint& point : search_points({queries.back()}, std::span(kTasks).subspan(1), options_.threads))
      made_.points.push_back(std::move(point));
    std::erase_if(made_.points, [](const KernelPoint& point) { return !(point.intensity > 0); });
  }

  std::vector<KernelPoint> search_points(const std::vector<std::uint64_t>& queries,
                                         std::span<const Task> tasks, std::size_t threads) {
    Options options{.devices = {device_},
                    .engine = options_.engine,
                    .repeats = options_.repeats,
                    .peaks = false,
                    .seed = options_.seed};
    options.engine.threads = threads;
    for (const Task& task : tasks)
      for (const std::uint64_t n : queries)
        options.points.push_back({.comparison = task.comparison,
                                  .masks = task.by == Encoding::kAlleles ? Masks::kBoth : Masks::kNone,
                                  .queries = n,
                                  .profiles = options_.quick ? 200'000U : 1'000'000U,
                                  .sites = kSites,
                                  .by = task.by});
    const Report report = bench::run(options, engines_.search, {});
    made_.description = report.engines.front();
    std::vector<KernelPoint> points;
    for (const Result& result : report.results)
      points.push_back({fmt::format("{} {}", task_of(result.point), result.point.queries),
                        result.point.queries, result.point.profiles, result.point.sites,
                        result.step.intensity(), result.bit_rate});
    return points;
  }

  template <class Options>
  Options rate_options() const {
    Options options;
    options.devices = {device_};
    options.threads = options_.threads;
    options.repeats = options_.repeats;
    options.seed = options_.seed;
    return options;
  }

  void add(std::string name, std::uint64_t profiles, std::uint64_t sites, const DeviceRate& rate) {
    if (rate.step.known())
      made_.points.push_back({std::move(name), 0, profiles, sites, rate.step.intensity(), rate.bit_rate});
  }

  void rates() {
    auto sites = rate_options<LdOptions>();
    const std::uint32_t n_sites = options_.quick ? 1000 : 10'000;
    sites.shapes = {{n_sites, 2504, false}, {n_sites, 2504, true}};
    for (const LdResult& result : run_ld(sites, engines_.sites, {}))
      add(result.shape.missing ? "ld, calls missing" : "ld", result.shape.people, result.shape.sites, result);
    on_step_();
    auto epistasis = rate_options<EpistasisOptions>();
    epistasis.shapes = {{options_.quick ? 100U
                         : is_gpu()     ? 2000U
                                        : 400U,
                         4000},
                        {options_.quick ? 1000U
                         : is_gpu()     ? 20'000U
                                        : 4000U,
                         4000, false, 2}};
    for (const EpistasisResult& result : run_epistasis(epistasis, engines_.epistasis, {}))
      add(result.shape.way == 2 ? "epistasis, pairs" : "epistasis, triples", result.shape.people,
          result.shape.sites, result);
    on_step_();
    auto similarity = rate_options<SimilarityOptions>();
    similarity.shapes = {{SimilarityOf::kBits, 2,
                          options_.quick ? 512U
                          : is_gpu()     ? 32'768U
                                         : 4096U,
                          16'384}};
    for (const SimilarityResult& result : run_similarity(similarity, engines_.similarity, {}))
      add("similarity of bits", result.shape.vectors, result.shape.elements, result);
    on_step_();
  }

  const std::string& device_;
  const RooflineOptions& options_;
  const RooflineEngines& engines_;
  const OnStep& on_step_;
  std::optional<tune::DeviceRoofs> roofs_;
  std::vector<Cache> caches_;
  DeviceRoofline made_;
};

}  // namespace

NextRoof next_roof(const DeviceRoofline& of, const KernelPoint& point) {
  NextRoof fastest;
  double most = 0;
  for (const Peak& roof : of.roofs)
    if (!roof.bytes && roof.rate > most) most = roof.rate, fastest = {roof.name, point.rate / roof.rate};
  double least = most >= point.rate ? most : 0;
  NextRoof lowest = fastest;
  for (const Peak& roof : of.roofs) {
    const double height = roof.rate * point.intensity;
    if (!roof.bytes || height < point.rate || (least > 0 && height >= least)) continue;
    least = height;
    lowest = {roof.name, point.rate / height};
  }
  return lowest;
}

std::size_t roofline_steps() {
  return 5;
}

RooflineReport run_roofline(const RooflineOptions& options, const RooflineEngines& engines,
                            const OnStep& on_step) {
  RooflineReport report{.threads = threads_or_all(options.threads), .devices = {}};
  for (const std::string& device : options.devices)
    report.devices.push_back(DeviceMeasurement(device, options, engines, on_step).run());
  return report;
}

}  // namespace fastid::bench
