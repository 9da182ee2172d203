/// \file
/// `fastid bench`: searches through the real pipeline, each held against what the machine could do at best.
///
/// A search cannot take less than the longest of these, each measured again beside every repeat of it:
///
///   comparing   queries x profiles x sites, at the rate of the instructions that a comparison takes, run on
///               registers (bench/internal/bound.hpp)
///   memory      sites / 8 bytes a profile and plane, at the rate at which all threads read the same memory
///   file        the file's bytes, at the rate at which all threads read the same file
///   upload      the same bytes, at the device's rate, where that is known
///
/// Each is measured after each repeat. Before a repeat that sends profiles to a device comes another search,
/// which does not count: that reading has taken the buffers that tiles go through from the host's caches.
///
/// The longest is the limit, and limit / measured is the share of the bound. Selection (a top 10), checksums
/// of files and the sample that thresholds start from are part of what is measured; start-up, opening and
/// closing a device's workers, and queries' files are not.
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
  Comparison comparison = Comparison::kIdentity;
  Masks masks = Masks::kNone;
  std::uint64_t queries = 32;
  std::uint64_t profiles = 1'000'000;
  std::uint32_t sites = 1024;
  bool from_file = false;  ///< else from memory
  std::optional<std::uint32_t> max_count;
};

/// What bounds a search.
enum class Limit { kCompare, kMemory, kFile, kUpload };
inline constexpr std::size_t kLimits = 4;

std::string_view name_of(Limit limit);            ///< "comparing", "memory", "file", "upload"
std::string_view name_of(Masks masks);            ///< "none", "query", "database", "both"
std::string_view task_of(Comparison comparison);  ///< "search", "mixture", "reverse"

/// Where the time went, in seconds: until a worker was open (not part of the search), then the mean of the
/// workers for reading and, on a CPU, comparing; by the device's clock, summed over workers, on a device.
struct Stages {
  double open = 0, read = 0, upload = 0, compare = 0, fetch = 0;
};

/// What came out; medians over the repeats.
struct Result {
  std::string device;  ///< as in Options::devices
  Point point;
  std::size_t repeats = 0;
  double seconds = 0;
  double best_seconds = 0;
  double rate = 0;  ///< bits compared a second
  std::array<double, kLimits>
      limits{};                ///< seconds that each would take alone; 0: does not apply, or not known
  std::optional<Limit> limit;  ///< the longest; nothing where none is known
  double share = 0;            ///< of the bound: the longest limit / seconds
  Stages stages;
};

/// Where a result's profiles came from: "file", "memory".
std::string_view source_of(const Result& result);

/// What the machine does at best.
struct Peak {
  std::string name;          ///< "popcount", "search, no mask"
  std::string instructions;  ///< "xor, popcount, add"; "" for reading
  double rate = 0;           ///< in units a second
  bool bytes = false;        ///< the unit: bytes, else bits
};

/// The time of a whole process.
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
  /// As --device, but not "auto", and "cpu:TARGET" for one instruction set.
  std::vector<std::string> devices = {"cpu"};
  EngineOptions engine;
  std::vector<Point> points;
  std::string database;  ///< all points are of this one, whatever their shape; "": of simulated ones
  std::optional<ProfileRows> queries;  ///< of all points, in place of made ones; sites as the database's
  std::string scratch;                 ///< where those are written; "": $TMPDIR, else /tmp
  std::size_t repeats = 11;            ///< of each point, after one that does not count
  bool peaks = true;
  std::string program;  ///< of the start-up; "": not measured
  std::uint64_t seed = 1;
};

/// Makes an engine from a device's name: analysis/engines.hpp, which is of a level that this one cannot see.
using EngineMaker = std::function<std::unique_ptr<Engine>(const std::string&, const EngineOptions&)>;

/// Told of each result as it comes.
using OnResult = std::function<void(const Result&)>;

/// What is measured where nothing is asked for: the shapes that were published, from one query to many, masks
/// and files. `depth`: kQuick for a few seconds, kFull with a file of 20,000,000 profiles (2.6 GB).
enum class Depth { kQuick, kUsual, kFull };
std::vector<Point> usual_points(Depth depth);

/// Measures. \throws UsageError, InputError, DeviceError, Failure, Interrupted.
Report run(const Options& options, const EngineMaker& make_engine, const OnResult& on_result);

}  // namespace fastid::bench
