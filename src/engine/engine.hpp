/// \file
/// What an engine is: it compares a tile of stored profiles with every query, and gives back the few pairs
/// that pass their query's bar. Reading, ranking and the order of tiles are not its business (pipeline,
/// match).
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

/// The bar that a pair must pass to be a candidate for a query's ranking. Exact: no rounding anywhere.
///
///   count <= max_count   and   count / max(weight, 1) <= num / den
///
/// The second is taken as count * den <= num * max(weight, 1).
///
/// The open bar (the default) lets every pair pass. A bar only ever gets stricter. num and den are at most
/// n_sites, or 1,024 where that is more: devices close bars in such steps.
struct Bar {
  std::uint32_t max_count = UINT32_MAX;
  std::uint32_t num = 1;
  std::uint32_t den = 0;

  /// No pair is turned away for its share.
  bool is_open() const { return den == 0; }
  bool passes(std::uint32_t count, std::uint32_t weight) const {
    return count <= max_count &&
           std::uint64_t{count} * den <= std::uint64_t{num} * (weight == 0 ? 1 : weight);
  }

  friend bool operator==(const Bar&, const Bar&) = default;
};

/// A pair that passed its bar.
struct Candidate {
  std::uint32_t query = 0;
  std::uint32_t profile = 0;  ///< place in the tile
  std::uint32_t count = 0;    ///< mismatches, or minor alleles not seen
  std::uint32_t weight = 0;   ///< weight_of()

  friend bool operator==(const Candidate&, const Candidate&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// The counts of one pair, as a matrix of them holds it.
struct PairCount {
  std::uint32_t count = 0;   ///< mismatches, or minor alleles not seen
  std::uint32_t weight = 0;  ///< weight_of()

  friend bool operator==(const PairCount&, const PairCount&) = default;
};

/// Blocks first, first + step, ... of a tile, n of them.
struct BlockSeries {
  std::size_t first = 0;
  std::size_t step = 1;
  std::size_t n = 0;
};

/// What is said of a device that was seen to be wrong.
inline constexpr std::string_view kDistrust =
    "do not trust this device: use --device cpu, and check its driver and memory";

/// What a ranking is after.
struct Sought {
  std::uint64_t keep = 1;        ///< pairs of each query
  std::uint32_t min_weight = 1;  ///< a lighter one may turn out not to count
  std::uint64_t seen = 0;        ///< profiles that the bars rest on, about
  /// Lanes may close bars by each other's pairs of one pass, which have the same queries, `keep` and
  /// `min_weight`, and no pair twice; 0: by none but their own.
  std::uint64_t pass = 0;

  friend bool operator==(const Sought&, const Sought&) = default;
};

/// What stays the same over a whole run. The queries' owner must outlive engines' lanes.
struct Problem {
  Comparison comparison = Comparison::kIdentity;
  const ProfileRows* queries = nullptr;
  BlockShape database;      ///< all of it
  bool has_called = false;  ///< tiles come with a called plane
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
  DeviceWork& operator-=(const DeviceWork& other);
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
  double stream = 0;  ///< everything once a lane is open
};

/// One tile in flight: its buffer and what it takes to compare it. A lane is used by one thread at a time;
/// the lanes of an engine work at the same time, which is what overlaps reading, transfer and comparing.
class Lane {
 public:
  virtual ~Lane() = default;

  /// Room for the tile_blocks that the lane was opened with.
  virtual TileBuffer buffer() = 0;

  /// Offers a tile that lies in memory already, in place of one that is read into buffer(). True where the
  /// lane takes it: until buffer() is called again, compare() and count() read it there. 64-byte aligned.
  virtual bool borrow(const BlocksView& tile);

  /// Has the tile that is compared next, from buffer(), held against the checksums of its blocks (as
  /// BlockSource::checksums() has them), which stay until then: it need not have been checked as it was
  /// read. False where the lane cannot do that.
  virtual bool expect(std::span<const std::uint64_t>) { return false; }
  /// How many blocks of what was compared last have other checksums than were expected: of a tile, by
  /// expect(); of kept blocks, of the tiles that they came in. Nothing where not all had any. Of kept blocks
  /// the answer has to be waited for, unless bring() has.
  virtual std::optional<std::size_t> n_damaged() { return std::nullopt; }

  /// Compares the tile with every query.
  ///
  /// \param tile  its n_profiles profiles, of the problem's n_sites; their blocks are in buffer(), or where
  ///              borrow() said
  /// \param bars  one for each query
  /// \param out   every pair that passes its bar is appended, each once, no other, in any order
  /// \throws DeviceError
  virtual void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) = 0;

  /// compare(), which may make bars stricter by what the tile shows, or other lanes have found in the pass,
  /// and leave out pairs that do not pass them any more. So where bars are open, far from every pair need
  /// come back.
  ///
  /// \param bars  on return, one that got stricter is passed by `sought.keep` pairs at the least that weigh
  ///              `sought.min_weight` or more and are given: by this lane or, where `sought` names a pass, by
  ///              this and others of its engine in that pass. Every pair of the tile that passes its bar then
  ///              is given; others that passed it before may be.
  virtual void find_best(const BlockShape& tile, std::span<Bar> bars, const Sought& sought,
                         std::vector<Candidate>& out);

  /// The whole matrix of counts of some blocks of the tile, no pair left out: for callers that
  /// need every count (histograms). May be called before or after compare() for the same tile.
  ///
  /// \param out  resized: the pair of query q and lane l of the series' block i is at
  ///             (q * series.n + i) * kLanes + l; lanes past the tile's last profile are zero
  /// \throws DeviceError
  virtual void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) = 0;

  /// Keeps the tile that was compared last in the device's memory, with what checksums were expected of it,
  /// its blocks behind those that are kept.
  /// False where that is not possible, or there is no room.
  virtual bool keep();
  /// Takes kept blocks as a tile, from `first` on, counted from 0 in the order of keeping: until buffer() is
  /// called again, compare() and count() work on them, and nothing is sent. Returns how many: those that lie
  /// together, one at least. The tile may be larger than those that the lane was opened for. \throws
  /// DeviceError
  virtual std::size_t recall(std::uint64_t first);
  /// Brings the profiles of pairs of recalled blocks back from the device: profile i of what is returned is
  /// that of found[i], for as many of the first ones as there is room for, one at least. Not empty. What is
  /// returned stays until the lane is called again. \throws DeviceError
  virtual BlocksView bring(std::span<const Candidate> found);

  /// Asks others of the same problem's queries from now on; their owner must outlive the lane. False where
  /// the lane must be opened anew. \throws DeviceMemoryError, DeviceError
  virtual bool ask(const Problem& problem);

  /// What the lane's device did since the lane was opened; all zero where there is no device but the host.
  virtual DeviceWork work() { return {}; }
};

/// How an engine wants a problem cut.
struct LanePlan {
  std::size_t lanes = 1;
  std::size_t tile_blocks = 1;  ///< largest tile, in blocks; at least 1
  /// Where more pairs of a query are kept than `closes` says, tiles grow from here to the largest, none
  /// larger than all that was ranked before it, and none stays on a device: while the bars are open, many
  /// pairs of a tile are candidates. Where it is the largest, all tiles are as large.
  std::size_t first_tile_blocks = 1;
  /// Up to so many Lane::find_best() leaves out nearly all that are not among them. The first tile is then a
  /// small one, whose bars the others have, and those are as large as may be.
  std::uint64_t closes = 0;
  /// Threads that help the lanes to read and to rank, where they take tiles faster than a thread each does
  /// that.
  std::size_t readers = 0;
  /// Whether the last tiles are smaller, so that no lane is left alone with a large one.
  bool small_last = true;
  /// Queries that the device takes at once. More are asked in several passes over the database.
  std::size_t queries = SIZE_MAX;
  /// The device has room for all tiles: Lane::keep().
  bool keeps = false;
};

/// Wishes of the user that bear on the plan.
struct EngineOptions {
  std::size_t threads = 0;                 ///< 0: as many as the process may use
  std::optional<std::size_t> tile_blocks;  ///< every tile, from the first, in place of the engine's choice
  std::optional<std::uint64_t> memory;  ///< bytes for tiles, on the device or, for CPU engines, on the host
  std::optional<std::size_t> buffers;   ///< tiles in flight on a device, in place of the engine's choice
  std::string config_file;  ///< a config header in place of the one that fits the device; "": none
};

/// What compares: it says how it wants the work cut, and opens lanes for it. Serves one problem at a time, by
/// as many threads as there are lanes.
class Engine {
 public:
  virtual ~Engine() = default;

  /// "cpu", "reference", "opencl:0.0".
  virtual std::string name() const = 0;
  /// For a person: "native CPU engine, AVX3_DL, 2 threads".
  virtual std::string description() const = 0;

  /// What a run will be, told before its plan: an engine that stands for several picks one, and has its name
  /// from then on; one whose lanes take time to open begins to get them memory.
  virtual void meet(const Problem&) {}

  /// How many lanes to open, and of what size, within the memory that the user allows (one block at least).
  /// Thread-safe.
  virtual LanePlan plan(const Problem& problem) const = 0;

  /// Thread-safe.
  virtual DevicePeaks peaks() const { return {}; }

  /// A model's answer, for whoever holds it against what a run took. Thread-safe.
  virtual ExpectedTimes expected(const Problem&) const { return {}; }

  /// A lane for tiles of up to `tile_blocks` blocks. Thread-safe. \throws DeviceMemoryError where a smaller
  /// tile may fit, DeviceError, Failure (host memory).
  virtual std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) = 0;
};

/// The plain definition as an engine: for tests, and for whoever wants to check the others. One thread.
std::unique_ptr<Engine> make_reference_engine(const EngineOptions& options);

/// The native SIMD engine, on all cores.
std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options);

/// All of `engines` as one: each lane belongs to one of them, and since lanes take tiles as they get done,
/// each engine gets as much of the database as it is fast. Not empty. Takes the engines' own names, joined by
/// '+'.
std::unique_ptr<Engine> make_joint_engine(std::vector<std::unique_ptr<Engine>> engines);

/// count() of a lane by the plain definition: for the reference, and for checking.
void count_by_definition(const Problem& problem, const BlocksView& tile, const BlockSeries& series,
                         std::vector<PairCount>& out);

/// The instruction set the native engine uses here ("AVX3_DL").
std::string cpu_engine_target();
/// All that it was built with and this CPU has, best first.
std::vector<std::string> cpu_engine_targets();

/// The user's tile size, else as many blocks (both planes) as fit in `bytes`; at least 1, at most the
/// database's.
std::size_t tile_blocks_for(const Problem& problem, const EngineOptions& options, std::size_t bytes);

}  // namespace fastid
