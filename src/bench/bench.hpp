/// \file
/// `fastid bench`: searches through the real pipeline, each compared with the best that the machine could do.
///
/// A search cannot take less time than the longest of these limits, which are measured again after each
/// repeat:
///
///   comparing   queries x profiles x sites, at the rate of the instructions that a comparison takes, run on
///               registers (bench/internal/bound.hpp)
///   memory      sites / 8 bytes a profile and plane, at the rate at which all threads read the same memory
///   file        the file's bytes, at the rate at which all threads read the same file
///   upload      the same bytes, at the device's rate, where that is known
///
/// Before a repeat that sends profiles to a device, another search is run, which does not count: measuring
/// the limits evicts from the host's caches the buffers that tiles go through.
///
/// The longest is the limit, and limit / measured is the share of the bound. The measured time includes
/// selection (a top 10), checksums of files and the sample that gives the first thresholds. It does not
/// include start-up, opening and closing a device's workers, and reading queries from files.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/internal/workload.hpp"
#include "engine/engine.hpp"

namespace fastid::bench {

/// One search to measure.
struct Point {
  engine::Comparison comparison = engine::Comparison::kIdentity;
  Masks masks = Masks::kNone;
  std::uint64_t queries = 32;
  std::uint64_t profiles = 1'000'000;
  std::uint32_t sites = 1024;
  bool from_file = false;  ///< else from memory
  std::optional<std::uint32_t> max_count;
  Encoding by = Encoding::kMinor;  ///< kAlleles: the database is of that encoding too
};

/// The limits of a search.
enum class Limit { kCompare, kMemory, kFile, kUpload };
inline constexpr std::size_t kLimits = 4;

std::string_view name_of(Limit limit);  ///< "comparing", "memory", "file", "upload"
std::string_view name_of(Masks masks);  ///< "none", "query", "database", "both"

/// A question that is measured.
struct Task {
  std::string_view name;
  engine::Comparison comparison;
  Encoding by;
};
/// "search", "mixture", "reverse" by minor alleles; "alleles", a search by both, and "kin".
inline constexpr std::array<Task, 5> kTasks = {
    {{"search", engine::Comparison::kIdentity, Encoding::kMinor},
     {"mixture", engine::Comparison::kMixture, Encoding::kMinor},
     {"reverse", engine::Comparison::kReverseMixture, Encoding::kMinor},
     {"alleles", engine::Comparison::kIdentity, Encoding::kAlleles},
     {"kin", engine::Comparison::kKinship, Encoding::kAlleles}}};
std::string_view task_of(const Point& point);  ///< its name

/// The seconds of each stage. Opening a worker is not part of the search. Reading and, on a CPU, comparing
/// are means over the workers; stages on a device are measured by its clock and summed over the workers.
struct StageSeconds {
  double open = 0, read = 0, upload = 0, compare = 0, fetch = 0;
};

/// The result for a point; numbers are medians over the repeats.
struct Result {
  std::string device;  ///< as in Options::devices
  Point point;
  std::size_t repeats = 0;
  double seconds = 0;
  double best_seconds = 0;
  double rate = 0;          ///< bits compared a second
  engine::KernelStep step;  ///< what a step of the kernel counts
  double bit_rate = 0;      ///< bits that the kernel counts a second, by a device's own clock
  std::array<double, kLimits>
      limits{};                ///< seconds that each limit takes alone; 0: does not apply, or not known
  std::optional<Limit> limit;  ///< the longest one; no value where none is known
  double share = 0;            ///< share of the bound: the longest limit / seconds
  StageSeconds stages;
};

/// The source of a result's profiles: "file", "memory".
std::string_view source_of(const Result& result);

/// The best rate of the machine for one kind of work.
struct Peak {
  std::string name;          ///< "popcount", "search, no mask"
  std::string instructions;  ///< "xor, popcount, add"; "" for reading
  double rate = 0;           ///< units a second
  bool bytes = false;        ///< whether the unit is bytes; else bits
};

/// The time that a whole process takes.
struct StartUp {
  std::uint64_t profiles = 0;
  std::size_t repeats = 0;
  double seconds = 0;  ///< median
};

struct Report {
  std::vector<std::string> engines;  ///< Engine::description() of each device
  std::size_t threads = 0;
  std::vector<Peak> peaks;
  std::vector<Result> results;
  std::optional<StartUp> start_up;
};

struct Options {
  /// Devices as for --device, but without "auto"; "cpu:TARGET" selects an instruction set.
  std::vector<std::string> devices = {"cpu"};
  engine::EngineOptions engine;
  std::vector<Point> points;
  std::string database;  ///< used for all points, whatever their shape; "": simulated databases are used
  /// Used for all points instead of generated ones; with the sites of the database.
  std::optional<ProfileRows> queries;
  std::string scratch;       ///< folder for simulated databases; "": $TMPDIR, else /tmp
  std::size_t repeats = 11;  ///< repeats of each point, after one that does not count
  bool peaks = true;
  std::string program;  ///< program whose start-up is measured; "": not measured
  std::uint64_t seed = 1;
};

/// Makes an engine from a device's name: a parameter, since asking/engines.hpp is not below this module.
using EngineMaker =
    std::function<std::unique_ptr<engine::Engine>(const std::string&, const engine::EngineOptions&)>;

/// Called with each result as soon as it is measured.
using OnResult = std::function<void(const Result&)>;

/// The points that are measured by default: the published shapes, from one query to many, with masks and
/// files. kQuick takes a few seconds; kFull includes a file of 20,000,000 profiles (2.6 GB).
enum class Depth { kQuick, kUsual, kFull };
std::vector<Point> usual_points(Depth depth);

/// Refuses "auto", since a measurement needs a named device. \throws UsageError
void refuse_auto(const std::vector<std::string>& devices);

/// Measures all points. \throws UsageError, InputError, DeviceError, Failure, Interrupted.
Report run(const Options& options, const EngineMaker& make_engine, const OnResult& on_result);

}  // namespace fastid::bench
