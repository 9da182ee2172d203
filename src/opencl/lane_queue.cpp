#include "opencl/lane_queue.hpp"

#include <chrono>
#include <thread>

namespace fastid {
namespace {

constexpr std::chrono::microseconds kNap{20};  // 70 as Linux counts: a small part of a tile's time
constexpr std::chrono::milliseconds kMostNaps{200};

// NVIDIA's driver would keep a CPU busy while it waits, which the threads that read files have use for. What
// the event comes to, an error too, is left to the wait that follows; so is one of which nothing comes, as of
// a device that was lost.
void nap_until_done(const cl::Event& event) {
  const auto end = std::chrono::steady_clock::now() + kMostNaps;
  while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kNap);
}

// What the driver does not tell counts as no time: a search is worth more than its timing.
double seconds_of(const cl::Event& event) {
  try {
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return end > start ? 1e-9 * static_cast<double>(end - start) : 0;
  } catch (const cl::Error& error) {
    if (error.err() != CL_PROFILING_INFO_NOT_AVAILABLE) throw;
    return 0;
  }
}

}  // namespace

LaneQueue::LaneQueue(const cl::Context& context, const cl::Device& device)
    : queue_(context, device, CL_QUEUE_PROFILING_ENABLE) {}

// No blocking read: with many lanes the one of NVIDIA's driver takes a fifth of a search longer than this.
void LaneQueue::read(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  queue_.enqueueReadBuffer(from, CL_FALSE, at, bytes, to, nullptr, &fetches_.queued.emplace_back());
  try {
    queue_.flush();
    take_seconds();  // of the tile before
    nap_until_done(fetches_.queued.back());
    queue_.finish();
  } catch (const cl::Error&) {
    drain();  // until then the device may write to the host's memory
    throw;
  }
  work_.fetch_bytes += bytes;
}

void LaneQueue::finish() {
  queue_.finish();
  for (Timed* timed : {&uploads_, &compares_, &fetches_}) timed->note_finished();
}

// Some drivers fail to wait for a queue but not for an event; where both fail, so has the device, which reads
// no more.
void LaneQueue::drain() noexcept {
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    try {
      cl::Event last;
      queue_.enqueueMarkerWithWaitList(nullptr, &last);
      last.wait();
    } catch (const cl::Error&) {
      // as said
    }
  }
}

DeviceWork LaneQueue::work() {
  take_seconds();
  return work_;
}

void LaneQueue::start_anew() {
  take_seconds();
  work_ = {};
}

void LaneQueue::take_seconds() {
  work_.upload_seconds += uploads_.take_seconds();
  work_.compare_seconds += compares_.take_seconds();
  work_.fetch_seconds += fetches_.take_seconds();
}

void LaneQueue::Timed::note_finished() {
  finished.insert(finished.end(), queued.begin(), queued.end());
  queued.clear();
}

// Waits for them all the same: with many queues a driver was seen to say so of its events a little later than
// of their queue.
double LaneQueue::Timed::take_seconds() {
  if (!finished.empty()) cl::Event::waitForEvents(finished);
  double seconds = 0;
  for (const cl::Event& event : finished) seconds += seconds_of(event);
  finished.clear();
  return seconds;
}

}  // namespace fastid
