/// \file
/// What an engine is: it compares a tile of stored profiles with every query, and gives back the few pairs
/// that pass their query's threshold. Reading, ranking and the order of tiles are the task of other modules
/// (pipeline, match).
///
///   Engine::plan(problem)     how the engine wants the work to be cut
///   Engine::prepare(problem, plan)  the queries in the form that the engine reads: once for a problem
///   PreparedQueries::open_worker()  one for each thread: memory for a tile, and what compares it
///   Worker::compare(tile)     appends the pairs that pass; returns how many blocks are damaged
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
#include "engine/kernel_step.hpp"

namespace fastid::engine {

/// An offset that lets every pair pass.
inline constexpr std::int64_t kOpenOffset = std::int64_t{1} << 62;

/// What a pair must pass to be ranked for a query. Exact: no rounding anywhere.
///
///   count <= max_count   and   count * den <= num * max(denominator, 1) + offset
///
/// With an offset of 0 the second is a fraction: count / max(denominator, 1) <= num / den. With another it is
/// by weight (PairWeights): each count costs den, and each unit of the denominator makes up for num.
///
/// The open threshold (the default) lets every pair pass. A threshold only ever gets stricter. num and den
/// are below 2^31, their products with counts and denominators below 2^61, the offset at most
/// kOpenOffset.
struct Threshold {
  std::uint32_t max_count = UINT32_MAX;
  std::uint32_t num = 1;
  std::uint32_t den = 0;
  std::int64_t offset = 0;

  bool passes(const PairCounts& counts) const {
    const auto denominator = std::int64_t{counts.denominator == 0 ? 1 : counts.denominator};
    return counts.count <= max_count &&
           std::int64_t{counts.count} * den <= std::int64_t{num} * denominator + offset;
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
  BlockShape shape;  ///< of its profiles; only the database's last block may be partly used

  std::uint64_t first_row() const { return first_block * kLanes; }
  std::size_t n_blocks() const { return static_cast<std::size_t>(shape.n_blocks()); }

  friend bool operator==(const Tile&, const Tile&) = default;
};

class CustomCount;

/// What stays the same over a whole run. `queries` must outlive everything that is prepared from it.
struct Problem {
  Comparison comparison = Comparison::kIdentity;
  const ProfileRows* queries = nullptr;
  BlockShape database;             ///< all of it
  bool has_second = false;         ///< tiles come with a second plane
  Encoding by = Encoding::kMinor;  ///< whether minor alleles are counted, or both (terms_of())
  /// What is counted where terms_of() has no words for it; must outlive everything that is prepared from it.
  /// Null: what terms_of() says.
  const CustomCount* custom_count = nullptr;

  /// Bytes of one block, all planes.
  std::size_t block_bytes() const { return database.block_bytes() * (has_second ? 2 : 1); }
};

/// Host memory that a tile is read into.
struct TileBuffer {
  Word* bits = nullptr;
  Word* second = nullptr;  ///< null where the problem has no second plane
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

/// The most that a device can do; 0: not known.
struct DevicePeaks {
  double comparisons = 0;  ///< bits compared in a second
  double upload = 0;       ///< bytes in a second, from pinned memory
};

/// What the stages of a run are expected to take on a device, in seconds; 0: not known.
struct ExpectedTimes {
  double upload = 0;
  double compare = 0;
  double stream = 0;  ///< everything after a worker is open
};

/// One tile in flight: its buffer and what compares it. A worker is used by one thread at a time. An engine's
/// workers run at the same time, so that reading, transfer and comparing overlap.
class Worker {
 public:
  virtual ~Worker() = default;

  /// Room for the tile_blocks that the worker was opened with.
  virtual TileBuffer buffer() = 0;

  /// Offers a tile that is in memory already, so that it need not be read into buffer(). Returns true if the
  /// worker accepts it: compare() then reads the tile where it is, until buffer() is called again. The planes
  /// are 64-byte aligned.
  virtual bool borrow(const BlocksView&) { return false; }

  /// Whether compare() checks blocks against their checksums, so that a tile need not be checked when it is
  /// read.
  virtual bool checks_blocks() const { return false; }

  /// Compares a tile with every query.
  ///
  /// \param tile  its blocks are in buffer(), or are those that borrow() was given
  /// \param checksums  of its blocks, as BlockSource::checksums() has them; empty: no check is needed. Always
  ///        empty unless checks_blocks()
  /// \param thresholds  one for each query
  /// \param out   every pair that passes its threshold is appended once, and no other pair, in any order
  /// \return how many blocks have a wrong checksum; unless it is 0, the pairs found must not be used
  /// \throws DeviceError
  virtual std::size_t compare(const Tile& tile, std::span<const std::uint64_t> checksums,
                              std::span<const Threshold> thresholds, std::vector<Pair>& out) = 0;

  /// What the device did for this worker since it was opened; all zero where the host itself compares.
  virtual DeviceWork work() { return {}; }
};

/// A problem's queries in the form that an engine reads.
class PreparedQueries {
 public:
  virtual ~PreparedQueries() = default;

  /// A worker for tiles of up to `tile_blocks` blocks. The prepared queries must outlive it. Thread-safe.
  /// \throws DeviceMemoryError where a smaller tile may fit, DeviceError, Failure (host memory)
  virtual std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) = 0;
};

/// How an engine wants a problem cut.
struct WorkPlan {
  std::size_t workers = 1;
  std::size_t tile_blocks = 1;  ///< largest tile, in blocks; at least 1
  bool equal_tiles = false;     ///< every tile but the last has that size
  /// Threads that help the workers to read and to rank, where a device compares tiles faster than one thread
  /// reads and ranks them.
  std::size_t readers = 0;
  bool small_first = true;  ///< small tiles cost nothing: the host compares, so that the first may be small
  bool small_last = true;   ///< the last tiles are smaller, so that no worker is left alone with a large one
  /// Queries that the device takes at once.
  std::size_t queries = SIZE_MAX;
};

/// The user's settings that affect the plan.
struct EngineOptions {
  std::size_t threads = 0;                 ///< 0: as many as the process may use
  std::optional<std::size_t> tile_blocks;  ///< size of every tile, instead of the engine's choice
  std::optional<std::uint64_t> memory;  ///< bytes for tiles, on the device or, for CPU engines, on the host
  std::optional<std::size_t> buffers;   ///< tiles in flight on a device, instead of the engine's choice
  std::string config_file;  ///< a config header to use instead of the one that fits the device; "": none
};

/// What compares. Serves one problem at a time; others may be prepared meanwhile.
class Engine {
 public:
  virtual ~Engine() = default;

  /// "cpu", "reference", "opencl:0.0". An engine that picks one of several is "cpu" until plan() is called.
  virtual std::string name() const = 0;
  /// For a person: "native CPU engine, AVX3_DL, 2 threads".
  virtual std::string description() const = 0;

  /// How many workers to open, and the size of their tiles, within the memory that the user allows (at least
  /// one block). An engine that picks one of several does so at the first problem. Thread-safe.
  virtual WorkPlan plan(const Problem& problem) const = 0;

  /// Thread-safe.
  virtual DevicePeaks peaks() const { return {}; }

  /// What a step of the kernel for a problem's queries reads and counts. Thread-safe.
  virtual KernelStep step(const Problem&) const { return {}; }

  /// What a model predicts, to be compared with what a run took. Thread-safe.
  virtual ExpectedTimes expected(const Problem&) const { return {}; }

  /// Whether this engine supports the problem. Otherwise the caller uses CustomCount::make_engine(). May
  /// choose an engine, as plan() does. Thread-safe.
  virtual bool supports(const Problem& problem) const { return problem.custom_count == nullptr; }

  /// Prepares the queries of a problem, at most WorkPlan::queries. The engine must outlive the result.
  /// Thread-safe where plans have no workers. \param plan  what will be opened, so that its memory can be
  /// made meanwhile; without workers: not known \throws DeviceError, Failure (host memory)
  virtual std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan& plan) = 0;
};

/// A count with a definition and a CPU engine of its own. Engine::supports() says which others know it.
class CustomCount {
 public:
  virtual ~CustomCount() = default;

  /// The count of some of the problem's queries. \param slice  a problem of these queries; must outlive the
  /// result \param first  the first one's place among all \throws Failure where no engine asks for slices
  virtual std::unique_ptr<CustomCount> sliced(const Problem& slice, std::size_t first) const;

  /// The CPU engine, on so many threads; 0: as many as the process may use. This object must outlive it.
  virtual std::unique_ptr<Engine> make_engine(std::size_t threads) const = 0;
  /// The definition, as count_pair() has it, of one of the problem's queries and a profile of a view.
  virtual PairCounts count_pair(std::size_t query, const BlocksView& view, std::uint64_t profile) const = 0;
};

/// The plain definition as an engine, to test and check the others. One thread.
std::unique_ptr<Engine> make_reference_engine(const EngineOptions& options);

/// The CPU engine, on all cores.
std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options);

/// All of `engines`, at least one, as one engine. Each worker belongs to one of them. A worker takes the next
/// tile when it has finished one, so each engine gets a part of the database in proportion to its speed. The
/// name is the engines' names joined by '+'.
std::unique_ptr<Engine> make_joint_engine(std::vector<std::unique_ptr<Engine>> engines);

/// The instruction set that the CPU engine uses on this machine ("AVX3_DL").
std::string cpu_engine_target();
/// The same with the unit for matrices of bytes, where there is one ("AVX3_DL and AMX").
std::string cpu_engine_units();
/// All instruction sets that it was built with and that this CPU has, best first.
std::vector<std::string> cpu_engine_targets();

/// The tile size that the user set, otherwise as many blocks (all planes) as fit in `bytes`; at least 1, at
/// most all of the database's blocks.
std::size_t tile_blocks_for(const Problem& problem, const EngineOptions& options, std::size_t bytes);

}  // namespace fastid::engine
