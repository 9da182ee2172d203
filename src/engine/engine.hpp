/// \file
/// What an engine is: it compares a tile of stored profiles with every query, and gives back the few pairs
/// that pass their query's threshold. Reading, ranking and the order of tiles are not its business (pipeline,
/// match).
///
///   Engine::plan(problem)     how the work had best be cut
///   Engine::prepare(problem)  the queries in the form that the engine reads: once for a problem
///   PreparedQueries::open_worker()  one for each thread: memory for a tile, and what compares it
///   Worker::compare(tile)     the pairs that pass
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/comparison.hpp"

namespace fastid {

/// What a pair must pass to be a candidate for a query's ranking. Exact: no rounding anywhere.
///
///   count <= max_count   and   count / max(denominator, 1) <= num / den
///
/// The second is taken as count * den <= num * max(denominator, 1).
///
/// The open threshold (the default) lets every pair pass. A threshold only ever gets stricter. num and den
/// are at most n_sites.
struct Threshold {
  std::uint32_t max_count = UINT32_MAX;
  std::uint32_t num = 1;
  std::uint32_t den = 0;

  bool passes(std::uint32_t count, std::uint32_t denominator) const {
    return count <= max_count &&
           std::uint64_t{count} * den <= std::uint64_t{num} * (denominator == 0 ? 1 : denominator);
  }

  friend bool operator==(const Threshold&, const Threshold&) = default;
};

/// A query and a stored profile, and what was counted of them.
struct Pair {
  std::uint64_t row = 0;  ///< the profile's zero-based place in the database
  std::uint32_t query = 0;
  PairCounts counts;

  friend bool operator==(const Pair&, const Pair&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Blocks of the database that are compared together.
struct Tile {
  std::uint64_t first_block = 0;
  BlockShape shape;  ///< of its profiles: whole blocks, but for the database's last

  std::uint64_t first_row() const { return first_block * kLanes; }
  std::size_t n_blocks() const { return static_cast<std::size_t>(shape.n_blocks()); }

  friend bool operator==(const Tile&, const Tile&) = default;
};

/// What is said of a device that was seen to be wrong.
inline constexpr std::string_view kDistrust =
    "do not trust this device: use --device cpu, and check its driver and memory";

/// What stays the same over a whole run. The queries' owner must outlive what is prepared of it.
struct Problem {
  Comparison comparison = Comparison::kIdentity;
  const ProfileRows* queries = nullptr;
  BlockShape database;      ///< all of it
  bool has_called = false;  ///< tiles come with a called plane

  /// Bytes of a block's planes.
  std::size_t block_bytes() const { return database.block_bytes() * (has_called ? 2 : 1); }
};

/// Host memory that a tile is read into.
struct TileBuffer {
  Word* bits = nullptr;
  Word* called = nullptr;  ///< null where the problem has no called plane
};

/// What a device did, by its own clock.
struct DeviceWork {
  double upload_seconds = 0;
  double compare_seconds = 0;
  double fetch_seconds = 0;
  std::uint64_t upload_bytes = 0;
  std::uint64_t fetch_bytes = 0;

  DeviceWork& operator+=(const DeviceWork& other);
};

/// What a device can do at most, where that is known; 0: it is not.
struct DevicePeaks {
  double comparisons = 0;  ///< bits compared in a second
  double upload = 0;       ///< bytes in a second, from pinned memory
};

/// What the stages of a run are expected to take on a device, in seconds; 0: that is not known.
struct ExpectedTimes {
  double upload = 0;
  double compare = 0;
  double stream = 0;  ///< everything once a worker is open
};

/// One tile in flight: its buffer and what compares it. A worker is used by one thread at a time; the workers
/// of an engine work at the same time, which is what overlaps reading, transfer and comparing.
class Worker {
 public:
  virtual ~Worker() = default;

  /// Room for the tile_blocks that the worker was opened with.
  virtual TileBuffer buffer() = 0;

  /// Offers a tile that lies in memory already, in place of one that is read into buffer(). True where the
  /// worker takes it: until buffer() is called again, compare() reads it there. 64-byte aligned.
  virtual bool borrow(const BlocksView&) { return false; }

  /// Whether compare() holds blocks against their checksums, so that a tile need not be checked as it is
  /// read.
  virtual bool checks_blocks() const { return false; }

  /// Compares a tile with every query.
  ///
  /// \param tile  its blocks are in buffer(), or where borrow() said
  /// \param checksums  of its blocks, as BlockSource::checksums() has them; empty: they need no check. Not
  ///        empty only where checks_blocks()
  /// \param thresholds  one for each query
  /// \param out   every pair that passes its threshold is appended, each once, no other, in any order
  /// \return how many blocks have another checksum; what was found is then worth nothing
  /// \throws DeviceError
  virtual std::size_t compare(const Tile& tile, std::span<const std::uint64_t> checksums,
                              std::span<const Threshold> thresholds, std::vector<Pair>& out) = 0;

  /// What the worker's device did since it was opened; all zero where there is no device but the host.
  virtual DeviceWork work() { return {}; }
};

/// A problem's queries in the form that an engine reads.
class PreparedQueries {
 public:
  virtual ~PreparedQueries() = default;

  /// A worker for tiles of up to `tile_blocks` blocks. This must outlive it. Thread-safe.
  /// \throws DeviceMemoryError where a smaller tile may fit, DeviceError, Failure (host memory)
  virtual std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) = 0;
};

/// How an engine wants a problem cut.
struct WorkPlan {
  std::size_t workers = 1;
  std::size_t tile_blocks = 1;  ///< largest tile, in blocks; at least 1
  bool equal_tiles = false;     ///< each tile but the last has that size, from the first on
  /// Threads that help the workers to read and to rank, where a device takes tiles faster than a thread does
  /// that.
  std::size_t readers = 0;
  /// Whether the last tiles are smaller, so that no worker is left alone with a large one.
  bool small_last = true;
  /// Queries that the device takes at once.
  std::size_t queries = SIZE_MAX;
};

/// Wishes of the user that bear on the plan.
struct EngineOptions {
  std::size_t threads = 0;                 ///< 0: as many as the process may use
  std::optional<std::size_t> tile_blocks;  ///< every tile, from the first, in place of the engine's choice
  std::optional<std::uint64_t> memory;  ///< bytes for tiles, on the device or, for CPU engines, on the host
  std::optional<std::size_t> buffers;   ///< tiles in flight on a device, in place of the engine's choice
  std::string config_file;  ///< a config header in place of the one that fits the device; "": none
};

/// What compares. Serves one problem at a time.
class Engine {
 public:
  virtual ~Engine() = default;

  /// "cpu", "reference", "opencl:0.0". Of an engine that picks one of several: "cpu" until plan().
  virtual std::string name() const = 0;
  /// For a person: "native CPU engine, AVX3_DL, 2 threads".
  virtual std::string description() const = 0;

  /// How many workers to open, and of what size, within the memory that the user allows (one block at least).
  /// An engine that stands for several picks one by the first problem. Thread-safe.
  virtual WorkPlan plan(const Problem& problem) const = 0;

  /// Thread-safe.
  virtual DevicePeaks peaks() const { return {}; }

  /// A model's answer, for whoever holds it against what a run took. Thread-safe.
  virtual ExpectedTimes expected(const Problem&) const { return {}; }

  /// Prepares the queries of a problem, of WorkPlan::queries at most. The engine must outlive what it gives.
  /// \param workers  that will be opened by the plan, whose memory may be made meanwhile; 0: not known
  /// \throws DeviceError, Failure (host memory)
  virtual std::unique_ptr<PreparedQueries> prepare(const Problem& problem, std::size_t workers) = 0;
};

/// The plain definition as an engine: for tests, and for whoever wants to check the others. One thread.
std::unique_ptr<Engine> make_reference_engine(const EngineOptions& options);

/// The native SIMD engine, on all cores.
std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options);

/// All of `engines` as one: each worker belongs to one of them, and since workers take tiles as they get
/// done, each engine gets as much of the database as it is fast. Not empty. Takes the engines' own names,
/// joined by '+'.
std::unique_ptr<Engine> make_joint_engine(std::vector<std::unique_ptr<Engine>> engines);

/// The instruction set the native engine uses here ("AVX3_DL").
std::string cpu_engine_target();
/// All that it was built with and this CPU has, best first.
std::vector<std::string> cpu_engine_targets();

/// The user's tile size, else as many blocks (both planes) as fit in `bytes`; at least 1, at most the
/// database's.
std::size_t tile_blocks_for(const Problem& problem, const EngineOptions& options, std::size_t bytes);

}  // namespace fastid
