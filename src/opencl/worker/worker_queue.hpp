/// \file
/// A worker's command queue: what is queued runs in order, beside other workers' queues. It brings results
/// back, and knows how long the device took.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/memory/pinned_memory.hpp"

namespace fastid {

/// By way of which transfers go that it has room for.
struct Staging {
  PinnedMemory reads, writes;
};

/// Of one thread at a time. Whatever waits may throw cl::Error, drain() apart.
class WorkerQueue {
 public:
  /// \param queue  in order, with profiling
  /// \param staging  outlives this, and is its alone
  WorkerQueue(cl::CommandQueue queue, Staging& staging) : queue_(std::move(queue)), staging_(staging) {}

  const cl::CommandQueue& get() const { return queue_; }

  /// Where events of uploads and of kernels belong, for the time that they took.
  std::vector<cl::Event>& uploads() { return uploads_.queued; }
  std::vector<cl::Event>& compares() { return compares_.queued; }
  void uploaded(std::uint64_t bytes) { work_.upload_bytes += bytes; }

  /// Sends bytes to the start of a buffer; `from` is not used any more when this returns.
  void write(const cl::Buffer& to, std::size_t bytes, const void* from);

  /// Bytes of a buffer from `at` on. Waits for them, and so for all that was queued before.
  void read(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to);
  /// Bytes of which a read goes by way of staging: the fastest.
  std::size_t staged_bytes() const { return staging_.reads.bytes(); }

  /// Waits for all that was queued.
  void finish();
  /// So too, whatever has happened to the device: what was queued before an error still uses memory of the
  /// host's and of the worker's.
  void drain() noexcept;
  /// Could not be waited for once: nobody had better use it, or its memory, again.
  bool failed() const { return failed_; }

  /// What the device has done since the worker was opened, of what was waited for. \throws cl::Error
  DeviceWork work();
  /// Nothing that was done so far counts.
  void start_anew();

 private:
  /// Asking a driver for times takes as long as a small tile's transfer, so it is asked while the device has
  /// other work.
  struct Timed {
    std::vector<cl::Event> queued, finished;

    void note_finished();
    double take_seconds();
  };

  void take_seconds();

  void read_direct(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to);

  cl::CommandQueue queue_;
  Staging& staging_;
  bool failed_ = false;
  std::size_t written_ = 0;  ///< bytes of staging_.writes that may still have to be sent
  Timed uploads_, compares_, fetches_;
  DeviceWork work_;
};

}  // namespace fastid
