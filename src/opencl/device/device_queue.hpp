/// \file
/// Queues of a device: one computes while another's results are fetched.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/lender.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {

/// Each queue makes again what it keeps for the next work, so that more than keep a device busy would cost
/// more than they bring.
inline constexpr std::size_t kQueuesOfADevice = 2;

/// A command queue, and how long its kernels ran. Used by one thread at a time. \throws cl::Error
class DeviceQueue {
 public:
  DeviceQueue(const cl::Context& context, const cl::Device& device)
      : queue_(context, device, CL_QUEUE_PROFILING_ENABLE) {}

  const cl::CommandQueue& get() const { return queue_; }

  /// What is queued runs one after the other.
  void run(const cl::Kernel& kernel, const KernelLaunch& launch) {
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, launch.items, launch.group, nullptr,
                                &running_.emplace_back());
  }
  /// Sets the first bytes of a buffer to 0: whole words.
  void clear(const cl::Buffer& buffer, std::size_t bytes) {
    queue_.enqueueFillBuffer(buffer, cl_uint{0}, 0, bytes);
  }
  /// Waits for all that was queued.
  void finish() {
    queue_.finish();
    add_time();
  }
  /// Waits likewise, and reads `n` items that begin at byte `at` of a buffer.
  template <class Item>
  void read(const cl::Buffer& from, std::size_t at, Item* to, std::size_t n) {
    finish();  // a read that waits keeps some drivers from taking what other queues ask for
    if (n > 0) queue_.enqueueReadBuffer(from, CL_TRUE, at, n * sizeof(Item), to);
  }

  double kernel_seconds() const { return seconds_; }

 private:
  void add_time() {
    for (const cl::Event& event : running_) seconds_ += seconds_of(event);
    running_.clear();
  }

  cl::CommandQueue queue_;
  std::vector<cl::Event> running_;
  double seconds_ = 0;
};

/// The queues of a device, each a DeviceQueue with buffers of its own, which has kernel_seconds().
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

  double kernel_seconds() const {
    double seconds = 0;
    for (const Queue& queue : queues_) seconds += queue.kernel_seconds();
    return seconds;
  }

 private:
  std::deque<Queue> queues_;
  Lender<Queue> free_;
};

}  // namespace fastid::opencl
