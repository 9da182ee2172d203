#include "bench/bench.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/median.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/machine.hpp"
#include "bench/internal/startup.hpp"
#include "db/database.hpp"
#include "engine/cpu_engine.hpp"
#include "pipeline/search.hpp"
#include "simulate/simulate.hpp"

namespace fastid::bench {
namespace {

/// A device, and the bounds of the CPU beside it.
struct Device {
  std::string name;  ///< as asked for
  std::unique_ptr<engine::Engine> engine;
  Bounds bounds;
  bool is_cpu = false;
};

/// "AVX2" for "cpu:AVX2", "" for other devices.
std::string target_of(const std::string& device) {
  constexpr std::string_view kOf = "cpu:";
  return device.starts_with(kOf) ? device.substr(kOf.size()) : "";
}

Device open_device(const std::string& name, const Options& options, ThreadPool& pool,
                   const EngineMaker& make_engine) {
  const std::string target = target_of(name);
  Bounds bounds(target, pool);
  auto engine = target.empty() ? make_engine(name, options.engine)
                               : engine::make_cpu_engine_for(target, options.engine);
  const bool is_cpu = engine->name() == "cpu";
  return {name, std::move(engine), bounds, is_cpu};
}

/// The source of a point's profiles, and the rate at which its bytes can be read.
struct Source {
  const BlockSource& blocks;
  std::function<double()> read_rate;  ///< bytes a second, measured now
  Limit limit;                        ///< kMemory or kFile
};

/// The seconds of one repeat: for the search, for each limit, and for the stages.
struct Repeat {
  double seconds = 0;
  std::array<double, kLimits> limits{};
  StageSeconds stages;
};

class Measurement {
 public:
  Measurement(const Point& point, Device& device, const Source& source, ProfileRows queries,
              std::size_t threads)
      : point_(point),
        device_(device),
        source_(source),
        queries_(std::move(queries)),
        problem_{point.comparison, &queries_, source.blocks.shape(), source.blocks.has_second(), point.by},
        threads_(threads) {
    if (point.max_count) rule_.max_count = *point.max_count;
  }

  Result run(std::size_t repeats) {
    std::vector<Repeat> all;
    for (std::size_t i = 0; i <= repeats; ++i) {
      // Reading a whole file or all of the memory has evicted from the host's caches the buffers through
      // which tiles go to a device. This search brings them back and does not count.
      if (i > 0 && all.back().stages.upload > 0) search();
      check_interrupt();
      all.push_back(search());
      all.back().limits = limits();
    }
    all.erase(all.begin());  // the first repeat warms up pages, clocks and buffers
    return summary(all);
  }

 private:
  double bits() const {
    return static_cast<double>(point_.queries) * static_cast<double>(point_.profiles) * point_.sites;
  }
  double plane_bytes() const {
    return static_cast<double>(problem_.database.n_blocks()) *
           static_cast<double>(problem_.database.block_bytes());
  }

  /// Runs the search once, without measuring its limits.
  Repeat search() {
    Progress silent(ProgressMode::kNever, "", "", 0);
    const Stopwatch watch;
    const pipeline::StreamStats stats =
        pipeline::search_database(source_.blocks, problem_, *device_.engine, {rule_}, threads_, silent).stats;
    Repeat made{.seconds = watch.seconds() - stats.open_seconds};
    const auto workers = static_cast<double>(std::max<std::size_t>(1, stats.workers));
    const bool own_clock = stats.device.compare_seconds > 0;
    made.stages = {stats.open_seconds, stats.read_seconds / workers, stats.device.upload_seconds,
                   own_clock ? stats.device.compare_seconds : stats.compare_seconds / workers,
                   stats.device.fetch_seconds};
    return made;
  }

  /// Measures the seconds that each limit takes alone.
  std::array<double, kLimits> limits() {
    std::array<double, kLimits> seconds{};
    const auto at = [&seconds](Limit limit) -> double& { return seconds[static_cast<std::size_t>(limit)]; };
    const double planes = problem_.has_second ? 2 : 1;
    if (const double rate = source_.read_rate(); rate > 0) at(source_.limit) = planes * plane_bytes() / rate;
    const engine::DevicePeaks peaks = device_.engine->peaks();
    const double compare =
        device_.is_cpu ? device_.bounds.compare(engine::kernel_case(problem_)) : peaks.comparisons;
    if (compare > 0 && !point_.max_count) at(Limit::kCompare) = bits() / compare;
    if (peaks.upload > 0) at(Limit::kUpload) = planes * plane_bytes() / peaks.upload;
    return seconds;
  }

  Result summary(const std::vector<Repeat>& all) const {
    const auto middle = [&all](auto value) {
      std::vector<double> values;
      for (const Repeat& repeat : all) values.push_back(value(repeat));
      return median(std::move(values));
    };
    Result result{.device = device_.name, .point = point_, .repeats = all.size()};
    result.seconds = middle([](const Repeat& r) { return r.seconds; });
    result.best_seconds = std::ranges::min(all, {}, &Repeat::seconds).seconds;
    result.rate = bits() / result.seconds;
    result.step = device_.engine->step(problem_);
    for (std::size_t i = 0; i < kLimits; ++i) {
      result.limits[i] = middle([i](const Repeat& r) { return r.limits[i]; });
      const bool longest =
          std::ranges::all_of(result.limits, [&](double other) { return other <= result.limits[i]; });
      if (longest && result.limits[i] > 0) result.limit = static_cast<Limit>(i);
    }
    if (result.limit) result.share = result.limits[static_cast<std::size_t>(*result.limit)] / result.seconds;
    result.stages = {middle([](const Repeat& r) { return r.stages.open; }),
                     middle([](const Repeat& r) { return r.stages.read; }),
                     middle([](const Repeat& r) { return r.stages.upload; }),
                     middle([](const Repeat& r) { return r.stages.compare; }),
                     middle([](const Repeat& r) { return r.stages.fetch; })};
    const bool own_clock = !device_.is_cpu && result.stages.compare > 0;
    result.bit_rate = bits() * result.step.counted /
                      (own_clock ? std::min(result.stages.compare, result.seconds) : result.seconds);
    return result;
  }

  Point point_;
  Device& device_;
  const Source& source_;
  ProfileRows queries_;
  engine::Problem problem_;
  match::KeepRule rule_;
  std::size_t threads_;  ///< for the sample
};

class Bench {
 public:
  Bench(const Options& options, const EngineMaker& make_engine, const OnResult& on_result)
      : options_(options), on_result_(on_result), pool_(threads_or_all(options.engine.threads)) {
    for (const std::string& name : options.devices)
      devices_.push_back(open_device(name, options, pool_, make_engine));
    if (!options.database.empty()) reader_.emplace(options.database);
  }

  Report run() {
    const auto shapes = by_shape();
    for (const auto& [shape, points] : shapes) refuse_early(points.front());
    report_.threads = pool_.threads();
    for (const Device& device : devices_) report_.engines.push_back(device.engine->description());
    if (options_.peaks) measure_peaks();
    for (const auto& [shape, points] : shapes) measure_shape(points);
    if (!options_.program.empty()) report_.start_up = measure_start_up();
    return std::move(report_);
  }

 private:
  /// Whether from a file; sites; profiles; the encoding; and, if a second plane is read in any case, whether
  /// calls are missing.
  using Shape = std::tuple<bool, std::uint32_t, std::uint64_t, Encoding, bool>;

  /// Groups the points that are measured on the same people.
  std::map<Shape, std::vector<Point>> by_shape() const {
    std::map<Shape, std::vector<Point>> groups;
    for (const Point& point : options_.points) {
      const Point made = reader_ ? of_database(point) : point;
      const bool missing = (made.from_file || made.by == Encoding::kAlleles) && masks_stored(made.masks);
      groups[{made.from_file, made.sites, made.profiles, made.by, missing}].push_back(made);
    }
    return groups;
  }

  /// Takes all properties of a point but its queries from the user's database.
  Point of_database(Point point) const {
    point.profiles = reader_->shape().n_profiles;
    point.sites = reader_->shape().n_sites;
    const bool query = options_.queries ? !options_.queries->all_called() : masks_query(point.masks);
    point.masks = reader_->has_second() ? (query ? Masks::kBoth : Masks::kStored)
                                        : (query ? Masks::kQuery : Masks::kNone);
    if (options_.queries) point.queries = options_.queries->n_rows();
    if (point.by == Encoding::kAlleles) check_alleles(point);
    return point;
  }

  void check_alleles(const Point& point) const {
    constexpr std::string_view kCure = "; take --task search, mixture or reverse, or leave --db out";
    const std::string task = "--task " + std::string(task_of(point));
    if (reader_->shape().encoding != Encoding::kAlleles)
      throw UsageError(task + ": " + options_.database + " does not say which alleles were seen" +
                       std::string(kCure));
    if (options_.queries && options_.queries->encoding() != Encoding::kAlleles)
      throw UsageError(task + ": not every query says which alleles were seen" + std::string(kCure));
  }

  /// Refuses a size that overflows, or a scratch folder that cannot be made, before peaks are measured, which
  /// takes seconds.
  void refuse_early(const Point& point) {
    if (reader_) return;
    const BlockShape shape{point.profiles, point.sites, point.by};
    std::ignore = checked_mul(checked_mul(shape.n_blocks(), shape.block_words()), sizeof(Word));
    if (point.from_file) scratch();
  }

  ScratchFolder& scratch() {
    if (!scratch_) scratch_ = std::make_unique<ScratchFolder>(options_.scratch);
    return *scratch_;
  }

  void measure_shape(const std::vector<Point>& points) {
    log::detail("{} of {}, {}", counted(points[0].profiles, "profile"), counted(points[0].sites, "site"),
                points[0].from_file ? "in a file" : "in memory");
    if (points[0].from_file)
      measure_file(points);
    else
      measure_memory(points);
  }

  void measure_memory(const std::vector<Point>& points) {
    const bool missing = std::ranges::any_of(points, [](const Point& p) { return masks_stored(p.masks); });
    const BlockShape shape{points[0].profiles, points[0].sites, points[0].by};
    const People people = reader_ ? People(*reader_, pool_) : People(shape, missing, pool_, options_.seed);
    for (const Point& point : points) {
      const bool alleles = people.shape().encoding == Encoding::kAlleles;
      const MemorySource blocks(people.view(alleles || masks_stored(point.masks)));
      for (Device& device : devices_)
        measure(point, device, {blocks, [&] { return device.bounds.memory(people.bits()); }, Limit::kMemory});
    }
  }

  void measure_file(const std::vector<Point>& points) {
    std::optional<db::Reader> simulated;
    if (!reader_) simulated.emplace(simulated_file(points[0]));
    const db::Reader& reader = reader_ ? *reader_ : *simulated;
    for (const Point& point : points)
      for (Device& device : devices_)
        measure(point, device,
                {reader, [&] { return file_read_rate(reader.descriptor(), reader.path(), pool_); },
                 Limit::kFile});
  }

  std::string simulated_file(const Point& point) {
    simulate::SimulateOptions options;
    options.output = scratch().file("people.h5");
    options.profiles = point.profiles;
    options.sites = point.sites;
    options.encoding = point.by;
    options.seed = options_.seed;
    options.no_call_rate = masks_stored(point.masks) ? kNoCallRate : 0;
    options.threads = pool_.threads();
    options.command = "fastid bench";
    simulate::simulate_database(options);
    return options.output;
  }

  void measure(const Point& point, Device& device, const Source& source) {
    ProfileRows queries = options_.queries
                              ? *options_.queries
                              : make_queries(source.blocks, point.comparison, point.by, point.queries,
                                             masks_query(point.masks), options_.seed);
    Measurement measurement(point, device, source, std::move(queries), pool_.threads());
    report_.results.push_back(measurement.run(options_.repeats));
    if (on_result_) on_result_(report_.results.back());
  }

  template <class Measure>
  void add_peak(std::string name, std::string_view instructions, bool bytes, Measure measure) {
    report_.peaks.push_back(
        {std::move(name), std::string(instructions), median_of(options_.repeats, measure), bytes});
  }

  /// Measures the peaks of the first CPU engine, else of the host beside the devices.
  void measure_peaks() {
    const auto cpu = std::ranges::find_if(devices_, &Device::is_cpu);
    Bounds& bounds = (cpu == devices_.end() ? devices_.front() : *cpu).bounds;
    add_peak("popcount", "popcount", false, [&] { return bounds.popcount(); });
    constexpr std::array<std::pair<engine::KernelCase, const char*>, 9> kCases = {
        {{engine::KernelCase::kDiffer, "search, no mask"},
         {engine::KernelCase::kDifferQueryMask, "search, query's mask"},
         {engine::KernelCase::kDifferStoredMask, "search, database's mask"},
         {engine::KernelCase::kDifferBothMasks, "search, both masks"},
         {engine::KernelCase::kInside, "mixture"},
         {engine::KernelCase::kMissing, "reverse, no mask"},
         {engine::KernelCase::kMissingMasked, "reverse, masks"},
         {engine::KernelCase::kAlleles, "alleles"},
         {engine::by_alleles(engine::Comparison::kKinship), "kin"}}};
    for (const auto& [which, name] : kCases)
      add_peak(name, instructions_of(which), false, [&, which = which] { return bounds.compare(which); });
    const WordBuffer memory = written_memory((std::size_t{256} << 20) / sizeof(Word), pool_);
    add_peak("memory read", "", true, [&] { return bounds.memory(memory.span()); });
  }

  /// Searches for one query among as many people as the 1000 Genomes Project has: the waiting time at a
  /// prompt.
  StartUp measure_start_up() {
    constexpr std::uint64_t kProfiles = 2504;
    constexpr std::size_t kRepeats = 20;
    simulate::SimulateOptions options;
    options.output = scratch().file("small.h5");
    options.profiles = kProfiles;
    options.cases = 1;
    options.cases_dir = scratch().path();
    options.command = "fastid bench";
    simulate::simulate_database(options);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < kRepeats; ++i) {
      check_interrupt();
      seconds.push_back(process_seconds({options_.program, "search", "-q", "--device", "cpu",
                                         options.cases_dir + "/identity-0001.snp", options.output}));
    }
    return {kProfiles, kRepeats, median(std::move(seconds))};
  }

  const Options& options_;
  const OnResult& on_result_;
  ThreadPool pool_;
  std::vector<Device> devices_;
  std::optional<db::Reader> reader_;  ///< the user's database
  std::unique_ptr<ScratchFolder> scratch_;
  Report report_;
};

}  // namespace

std::string_view name_of(Limit limit) {
  constexpr std::array<std::string_view, kLimits> kNames = {"comparing", "memory", "file", "upload"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::string_view name_of(Masks masks) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "query", "database", "both"};
  return kNames[static_cast<std::size_t>(masks)];
}

std::string_view source_of(const Result& result) {
  return result.point.from_file ? "file" : "memory";
}

std::string_view task_of(const Point& point) {
  const auto task = std::ranges::find_if(
      kTasks, [&](const Task& one) { return one.comparison == point.comparison && one.by == point.by; });
  if (task == kTasks.end()) throw UsageError("a bench has no task of this comparison");
  return task->name;
}

void refuse_auto(const std::vector<std::string>& devices) {
  if (std::ranges::count(devices, "auto") > 0)
    throw UsageError(
        "--device auto: a bench compares each search with what its device could do, and which one auto takes "
        "depends on the search; name the devices, such as --device cpu,opencl");
}

Report run(const Options& options, const EngineMaker& make_engine, const OnResult& on_result) {
  if (options.repeats == 0) throw UsageError("a median needs at least one repeat");
  if (options.devices.empty()) throw UsageError("a bench needs a device");
  refuse_auto(options.devices);
  for (const Point& point : options.points)
    if (point.queries == 0 || point.profiles == 0 || point.sites == 0)
      throw UsageError("queries, profiles and sites must be at least 1");
  return Bench(options, make_engine, on_result).run();
}

}  // namespace fastid::bench
