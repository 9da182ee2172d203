/// \file
/// How bytes come to a device and back: host memory that a device reads, the planes of a tile, and the
/// command queue, which runs kernels too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/lender.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {

/// Host memory that a device reads and writes by direct transfer, mapped while this object exists. fastid
/// allocates it itself, in large pages where the system has them: an H200's driver pins that in a fraction of
/// the time that it takes to allocate pinned memory of its own, and transfers are as fast.
class PinnedMemory {
 public:
  /// \param words  at least one \throws cl::Error
  PinnedMemory(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  Word* data() const { return mapped_; }
  std::size_t bytes() const { return words_.size() * sizeof(Word); }

 private:
  cl::CommandQueue queue_;
  WordBuffer words_;
  cl::Buffer pinned_;
  Word* mapped_ = nullptr;  ///< the host's address, which lies in words_ (OpenCL 1.2, 5.4.2)
};

class DeviceQueue;

/// One plane of a worker's tile, on the host and on the device. Used by one thread at a time.
class TilePlane {
 public:
  virtual ~TilePlane() = default;
  virtual Word* host() = 0;
  virtual const cl::Buffer& device() const = 0;

  /// Gives the first `bytes` bytes of the host's memory to the device. The host must not use its memory until
  /// return_to_host().
  virtual void send(DeviceQueue& queue, std::size_t bytes) = 0;
  /// Lets the host use its memory again, after everything that is queued so far.
  virtual void return_to_host(DeviceQueue& queue) = 0;
};

/// Pinned host memory and memory on the device, or the same memory for both if `unified`: the device works in
/// the host's memory.
/// \param words  the host's memory, all zero (as the device's will be) and touched
/// \throws cl::Error
std::unique_ptr<TilePlane> make_tile_plane(const cl::Context& context, const cl::CommandQueue& queue,
                                           WordBuffer words, bool unified);

/// Pinned memory through which small transfers go: those that fit in it.
struct Staging {
  PinnedMemory reads, writes;
};

/// A command queue, which runs kernels, brings results back and measures how long the device took. Its
/// commands run in order, at the same time as those of other queues. Used by one thread at a time. All may
/// throw cl::Error, except drain() and kernel_seconds().
class DeviceQueue {
 public:
  DeviceQueue(const cl::Context& context, const cl::Device& device)
      : queue_(context, device, CL_QUEUE_PROFILING_ENABLE) {}
  /// \param queue  in order, with profiling
  /// \param staging  must outlive this and not be used by anything else
  DeviceQueue(cl::CommandQueue queue, Staging& staging) : queue_(std::move(queue)), staging_(&staging) {}

  const cl::CommandQueue& get() const { return queue_; }

  void run(const cl::Kernel& kernel, const KernelLaunch& launch);
  /// Sets the first bytes of a buffer to 0: whole words.
  void clear(const cl::Buffer& buffer, std::size_t bytes) {
    queue_.enqueueFillBuffer(buffer, cl_uint{0}, 0, bytes);
  }

  /// Writes bytes, or none, of pinned memory to the start of a buffer, and does not wait. \param from  must
  /// not change until finish() or a read
  void upload(const cl::Buffer& to, std::size_t bytes, const void* from);
  /// Writes bytes to the start of a buffer. `from` is no longer used when this returns.
  void write(const cl::Buffer& to, std::size_t bytes, const void* from);

  /// Reads n items, or none, that begin at byte `at` of a buffer. Waits for them, and so for all commands
  /// that were queued before.
  template <class Item>
  void read(const cl::Buffer& from, std::size_t at, Item* to, std::size_t n) {
    read_bytes(from, at, n * sizeof(Item), to);
  }
  /// The most bytes that a read brings through staging, which is fastest.
  std::size_t staged_bytes() const { return staging_ == nullptr ? 0 : staging_->reads.bytes(); }

  /// Waits for all commands that were queued.
  void finish();
  /// The same after an error too: commands that were queued before it still use memory of the host and of the
  /// worker.
  void drain() noexcept;
  /// Whether waiting has failed once: the queue and its memory must not be used again.
  bool failed() const { return failed_; }

  /// What the device has done since the worker was opened, as far as it was waited for; without staging no
  /// times of reads. \throws cl::Error
  engine::DeviceWork work();
  /// Sets work() to zero.
  void start_anew();
  /// How long kernels ran, as far as the driver tells.
  double kernel_seconds() noexcept;

 private:
  /// Events whose times are summed. Asking a driver for times takes as long as a small tile's transfer, so it
  /// is asked while the device has other work; without staging it is asked after each read.
  struct Timed {
    std::vector<cl::Event> queued, finished;

    void note_finished();
    double take_seconds();
  };

  void take_seconds();

  void read_bytes(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to);
  void read_direct(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to);
  void read_when_done(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to);
  void read_asleep(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to);

  cl::CommandQueue queue_;
  Staging* staging_ = nullptr;  ///< null: nothing is staged
  bool failed_ = false;
  std::size_t written_ = 0;  ///< bytes of staging_->writes in use by writes that may not be done
  Timed uploads_, compares_, fetches_;
  engine::DeviceWork work_;
};

/// Each queue makes again what it keeps for the next work, so that more than keep a device busy would cost
/// more than they bring: one computes while another's results are fetched.
inline constexpr std::size_t kQueuesOfADevice = 2;

/// Queues of a device that are lent, each a DeviceQueue with buffers of its own, which has kernel_seconds().
template <class Queue>
class DeviceQueues {
 public:
  /// \param each  what a queue is made of
  template <class... Arguments>
  explicit DeviceQueues(const Arguments&... each) {
    for (std::size_t i = 0; i < kQueuesOfADevice; ++i) free_.put(&queues_.emplace_back(each...));
  }
  DeviceQueues(const DeviceQueues&) = delete;
  DeviceQueues& operator=(const DeviceQueues&) = delete;

  std::size_t size() const { return queues_.size(); }
  /// A queue that nobody else has meanwhile.
  typename Lender<Queue>::Loan lend() { return free_.lend(); }

  double kernel_seconds() {
    double seconds = 0;
    for (Queue& queue : queues_) seconds += queue.kernel_seconds();
    return seconds;
  }

 private:
  std::deque<Queue> queues_;
  Lender<Queue> free_;
};

}  // namespace fastid::opencl
