/// \file
/// What a worker has for its device besides the queries. A driver takes longer to make it than to open the
/// rest of a worker, so it is made ahead, and stays with the engine when a worker is closed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/memory/tile_plane.hpp"
#include "opencl/worker/worker_queue.hpp"

namespace fastid {

struct MemorySizes {
  std::size_t plane_words = 1;
  bool has_called = false;
  std::size_t profiles = 1;     ///< of a tile
  std::size_t found_pairs = 1;  ///< that the buffer holds

  friend bool operator==(const MemorySizes&, const MemorySizes&) = default;
};

struct WorkerMemory {
  cl::CommandQueue queue;                   ///< that was used: what a driver makes at first use is made
  std::unique_ptr<TilePlane> bits, called;  ///< no called plane: null
  FoundPairs found;
  cl::Buffer own_bits;               ///< a word for each profile of the tile
  std::unique_ptr<Staging> staging;  ///< of the worker's queue
  bool spoiled = false;              ///< by an error: no worker is to have it again
};

/// Memories of one size: that which was last asked for. Thread-safe.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  /// \param unified  the device works in the host's memory
  /// \param threads  that zero pages, and make memories
  MemoryPool(const cl::Context& context, const cl::Device& device, bool unified, std::size_t threads);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Begins to make what there is less than `n` memories of a size, and frees what there is more. What fails
  /// will fail again in take(), which says so. Called by one thread at a time.
  void prepare(std::size_t n, const MemorySizes& sizes);

  /// One that is free or is being made, else a new one, with anything in it. Comes back to the pool with its
  /// last owner. \throws cl::Error, Failure
  std::shared_ptr<WorkerMemory> take(const MemorySizes& sizes);

  /// Frees what no worker has.
  void drop_free();

 private:
  std::unique_ptr<WorkerMemory> make(const MemorySizes& sizes);
  WordBuffer touched_words(std::size_t words);
  void make_ahead(const MemorySizes& sizes);
  void ask_for(const MemorySizes& sizes);
  bool is_wanted(const MemorySizes& sizes);
  void give_back(std::unique_ptr<WorkerMemory> memory, const MemorySizes& sizes) noexcept;

  cl::Context context_;
  cl::Device device_;
  bool unified_;
  std::mutex driver_;  ///< has one made after the other, so that the first is there soon
  std::mutex guard_;   ///< of what follows
  std::condition_variable changed_;
  MemorySizes sizes_;        ///< of each that is kept
  std::size_t pending_ = 0;  ///< that are being made ahead
  std::vector<std::unique_ptr<WorkerMemory>> free_;
  ThreadPool threads_;  ///< last: its work uses all of the above
};

}  // namespace fastid
