/// \file
/// The memory of a worker on its device, apart from the queries. A driver takes longer to make it than to
/// open the rest of a worker, so it is made ahead, and the engine keeps it when a worker is closed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_pool.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

struct MemorySizes {
  std::size_t plane_words = 1;
  bool has_second = false;
  std::size_t profiles = 1;     ///< of a tile
  std::size_t found_pairs = 1;  ///< that the buffer holds

  friend bool operator==(const MemorySizes&, const MemorySizes&) = default;
};

/// Of a worker for a problem's tiles of up to so many blocks. \throws Failure (sizes)
MemorySizes memory_sizes(const engine::Problem& problem, std::size_t tile_blocks, std::size_t found_pairs);

struct WorkerMemory {
  cl::CommandQueue queue;  ///< has run a transfer, so that the driver's set-up at first use is done
  std::unique_ptr<TilePlane> bits, second;  ///< `second` is null if there is no second plane
  FoundPairs found;
  cl::Buffer own_bits;               ///< a word for each profile of the tile
  std::unique_ptr<Staging> staging;  ///< for the worker's queue
  bool spoiled = false;              ///< by an error: no worker may use it again
};

/// Keeps workers' memories of one size: the size that was asked for last. Thread-safe.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  /// \param unified  whether the device works in the host's memory
  /// \param threads  how many clear pages and allocate
  MemoryPool(const cl::Context& context, const cl::Device& device, bool unified, std::size_t threads);
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Starts to make as many memories as are missing to `n` of this size, and frees those beyond `n`. If
  /// making one fails, take() will fail again and throw. Called by one thread at a time.
  void prepare(std::size_t n, const MemorySizes& sizes);

  /// A memory that is free or is being made, otherwise a new one. Its contents are undefined. It returns to
  /// the pool when its last owner is gone. \throws cl::Error, Failure
  std::shared_ptr<WorkerMemory> take(const MemorySizes& sizes);

  /// Frees the memories that no worker uses.
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
  std::mutex driver_;  ///< memories are made one after the other, so that the first is ready soon
  std::mutex guard_;   ///< of sizes_, pending_ and free_
  std::condition_variable changed_;
  MemorySizes sizes_;        ///< of all memories that are kept
  std::size_t pending_ = 0;  ///< memories that are being made ahead
  std::vector<std::unique_ptr<WorkerMemory>> free_;
  ThreadPool threads_;
  std::vector<ThreadPool::Task> making_;  ///< last: it uses all of the above
};

}  // namespace fastid::opencl
