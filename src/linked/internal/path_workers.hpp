/// \file
/// The workers that test likeliest paths: as many as their engine plans, however many threads use them, since
/// its memory is planned for so many.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lender.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "linked/internal/path_pieces.hpp"

namespace fastid::linked {

/// A worker, what it was opened with, and room for what it finds.
struct PathWorker {
  std::unique_ptr<Worker> worker;
  std::size_t tile_blocks = 0;
  std::vector<Pair> passing;
  DeviceWork reported;  ///< of its work(), what was reported of it

  /// What the device did since the last report.
  DeviceWork report() {
    const DeviceWork all = worker->work();
    DeviceWork since = all;
    since -= std::exchange(reported, all);
    return since;
  }
};

/// Thread-safe.
class PathWorkers {
 public:
  /// \param most  that are opened, at least one
  PathWorkers(std::unique_ptr<PreparedQueries> queries, std::size_t most)
      : queries_(std::move(queries)), most_(most) {}

  /// Opens one more, for tiles of up to `tile_blocks`, unless there are enough, or the device has no memory
  /// for more. \throws what PreparedQueries::open_worker() throws
  void open(std::size_t tile_blocks) {
    const std::lock_guard lock(opening_);
    if (opened_.size() >= most_) return;
    try {
      opened_.push_back({queries_->open_worker(tile_blocks), tile_blocks, {}, {}});
      free_.put(&opened_.back());
    } catch (const DeviceMemoryError& error) {
      if (opened_.empty()) throw;
      most_ = opened_.size();
      log::detail("{}; paths are tested by {}", error.what(), counted(most_, "worker"));
    }
  }

  /// One of those that are open; waits while all are in use.
  Lender<PathWorker>::Loan lend() { return free_.lend(); }

 private:
  std::unique_ptr<PreparedQueries> queries_;
  std::mutex opening_;  ///< of most_ and opened_
  std::size_t most_;
  std::deque<PathWorker> opened_;
  Lender<PathWorker> free_;
};

/// A turn of as many as there are, until it goes out of scope.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>& of) : of_(of) { of_.acquire(); }
  ~Turn() { of_.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>& of_;
};

/// What the workers of a screen share.
struct SharedWork {
  SharedWork(std::string name, std::unique_ptr<PreparedQueries> queries, std::size_t path_workers,
             PathPieces in_pieces, std::size_t n_threads)
      : device(std::move(name)),
        paths(std::move(queries), path_workers),
        pieces(std::move(in_pieces)),
        threads(static_cast<std::ptrdiff_t>(n_threads)) {}

  std::string device;                 ///< that tests paths, as Engine::name() has it
  PathWorkers paths;                  ///< find the pairs whose paths pass
  PathPieces pieces;                  ///< that they are given
  std::counting_semaphore<> threads;  ///< that may compute chains at a time
};

}  // namespace fastid::linked
