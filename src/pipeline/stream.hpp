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

#include "base/progress.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/pair_sink.hpp"

namespace fastid::pipeline {

/// What a stream did. Seconds are summed over workers unless stated otherwise.
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

/// What is streamed, past what, and where pairs go.
struct StreamInputs {
  const BlockSource& database;     ///< its first profiles, as many as the problem has
  const engine::Problem& problem;  ///< must outlive the stream
  std::size_t first_query = 0;     ///< the place of the problem's first query among all of the sink
  std::size_t n_queries = 0;       ///< of the sink
  engine::Engine& engine;
  match::PairSink& sink;
  std::uint64_t ranked_blocks = 0;  ///< blocks that the sink's thresholds rest on at the start
  bool makes_memory = true;  ///< the workers' memory is made at once; false: they take over what others leave
};

/// A stream that waits to begin: an engine has prepared its queries, as many as a device takes at once.
class PreparedStream {
 public:
  virtual ~PreparedStream() = default;

  /// Once. \param on_profiles  told of profiles as they are done, from any thread \throws as stream()
  virtual StreamStats flow(const std::function<void(std::uint64_t)>& on_profiles) = 0;
};
std::unique_ptr<PreparedStream> prepare_stream(const StreamInputs& inputs, const engine::WorkPlan& plan);

/// Compares every profile of a database with every query, and gives the pairs that pass to `sink`. If a
/// device cannot take all queries at once, it takes one slice of them after the other.
///
/// If the device has too little memory for the engine's plan, tiles are halved until they fit.
///
/// \param ranked_blocks  blocks that the sink's thresholds rest on at the start
/// \throws InputError (a damaged block), DeviceError, Interrupted. The sink's contents must then not be used
StreamStats stream(const BlockSource& database, const engine::Problem& problem, engine::Engine& engine,
                   match::PairSink& sink, Progress& progress, std::uint64_t ranked_blocks = 0);

}  // namespace fastid::pipeline
