/// \file
/// The streaming loop: the only place where tiles are read and compared and their pairs passed on.
///
///            worker 0               worker 1               worker n-1
///   time     read tile 0            read tile 1            ...
///     |      upload, compare it     upload, compare it     Each worker is a thread with a buffer. While
///     v      pass on its pairs      pass on its pairs      one worker's tile is compared, another's is
///            read tile 2            ...                    uploaded and a third one's is read.
///
/// Two workers are double buffering; three keep reading, upload and comparing busy. A CPU engine has a worker
/// for each core. A GPU compares tiles faster than one thread reads them, so there several threads read
/// pieces of a tile and rank its pairs. Each worker starts as soon as it is open.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "engine/engine.hpp"
#include "match/keep_rule.hpp"
#include "match/pair_sink.hpp"
#include "match/ranking.hpp"
#include "match/shared_thresholds.hpp"

namespace fastid::pipeline {

/// What a run did. Seconds are summed over workers unless stated otherwise.
struct StreamStats {
  std::size_t workers = 0;
  std::size_t tile_blocks = 0;  ///< of the largest tile
  std::uint64_t tiles = 0;
  std::uint64_t pairs = 0;    ///< that the engine returned
  double sample_seconds = 0;  ///< elapsed until the sample's thresholds were found
  double open_seconds = 0;    ///< elapsed until the first worker was open
  double read_seconds = 0;
  double compare_seconds = 0;
  double rank_seconds = 0;
  std::uint64_t read_bytes = 0;
  engine::DeviceWork device;  ///< by the devices' own clocks, summed over workers

  StreamStats& operator+=(const StreamStats& other);
};

/// A run over a database that waits to begin: an engine has prepared its queries, as many as a device takes
/// at once.
class PreparedRun {
 public:
  struct Inputs {
    const BlockSource& database;     ///< its first profiles, as many as the problem has
    const engine::Problem& problem;  ///< must outlive the run
    std::size_t first_query = 0;     ///< the place of the problem's first query among all of the sink
    std::size_t n_queries = 0;       ///< of the sink
    engine::Engine& engine;
    match::PairSink& sink;
    std::uint64_t ranked_blocks = 0;  ///< blocks that the sink's thresholds rest on at the start
  };
  /// Whether the engine begins to make the workers' memory now, or workers take over what others leave.
  enum class Memory { kMake, kTakeOver };

  PreparedRun(const Inputs& inputs, const engine::WorkPlan& plan, Memory memory = Memory::kMake);
  ~PreparedRun();

  /// Once. \param on_profiles  told of profiles as they are done, from any thread
  StreamStats run(const std::function<void(std::uint64_t)>& on_profiles);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Compares every profile of a database with every query, and gives the pairs that pass to `sink`. If a
/// device cannot take all queries at once, it takes one slice of them after the other.
///
/// If the device has too little memory for the engine's plan, tiles are halved until they fit.
///
/// \param ranked_blocks  blocks that the sink's thresholds rest on at the start
/// \throws InputError (a damaged block), DeviceError, Interrupted. The sink's contents must then not be used
StreamStats stream(const BlockSource& database, const engine::Problem& problem, engine::Engine& engine,
                   match::PairSink& sink, Progress& progress, std::uint64_t ranked_blocks = 0);

/// The best pairs of each query, and how they were found.
struct SearchResult {
  std::vector<match::RankedPairs> ranked;
  StreamStats stats;
};

/// What is kept of each query's pairs.
struct Keeping {
  match::KeepRule rule;
  std::span<const match::QueryRule> rules = {};  ///< of each query, as Ranking has them
  match::SharedThresholds* thresholds =
      nullptr;  ///< of these rules, shared with searches of other rows; null: not
};

/// A search. The native engine ranks a sample of the database while `engine` prepares. The ranking of the
/// whole database starts from the sample's thresholds, which are valid since the sample's pairs come again.
///
/// \param threads     of the native engine; 0: as many as the process may use
/// \param rows  only pairs of these rows count; null: of all. Where they are few, their blocks alone are read
/// \throws what stream() throws; DeviceError if a pair came twice, or fewer came than the sample had. Counts
/// are not checked here: verify() must do that before a pair is reported.
SearchResult search_database(const BlockSource& database, const engine::Problem& problem,
                             engine::Engine& engine, const Keeping& keeping, std::size_t threads,
                             Progress& progress, const RowMask* rows = nullptr);

}  // namespace fastid::pipeline
