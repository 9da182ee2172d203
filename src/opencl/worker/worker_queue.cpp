#include "opencl/worker/worker_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
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

// From memory that is not pinned, NVIDIA's driver was seen to wait for other workers' uploads, and to hold up
// threads that meanwhile wanted something else of it.
void WorkerQueue::write(const cl::Buffer& to, std::size_t bytes, const void* from) {
  const PinnedMemory& staging = staging_.writes;
  if (bytes > staging.bytes()) {
    queue_.enqueueWriteBuffer(to, CL_TRUE, 0, bytes, from);
    return;
  }
  if (bytes > staging.bytes() - written_) finish();
  void* const place = reinterpret_cast<char*>(staging.data()) + written_;
  std::memcpy(place, from, bytes);
  written_ += bytes;
  queue_.enqueueWriteBuffer(to, CL_FALSE, 0, bytes, place);
}

// It was seen to take a millisecond to bring half a megabyte to memory that is not pinned.
void WorkerQueue::read(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  if (bytes > staged_bytes()) return read_direct(from, at, bytes, to);
  Word* const place = staging_.reads.data();
  read_direct(from, at, bytes, place);
  std::memcpy(to, place, bytes);
}

// No blocking read: with many workers the one of NVIDIA's driver takes a fifth of a search longer than this.
void WorkerQueue::read_direct(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  queue_.enqueueReadBuffer(from, CL_FALSE, at, bytes, to, nullptr, &fetches_.queued.emplace_back());
  try {
    queue_.flush();
    take_seconds();  // of the tile before
    nap_until_done(fetches_.queued.back());
    queue_.finish();
    written_ = 0;
  } catch (const cl::Error&) {
    drain();  // until then the device may write to the host's memory
    throw;
  }
  work_.fetch_bytes += bytes;
}

void WorkerQueue::finish() {
  queue_.finish();
  written_ = 0;
  for (Timed* timed : {&uploads_, &compares_, &fetches_}) timed->note_finished();
}

// Some drivers fail to wait for a queue but not for an event; where both fail, so has the device, which reads
// no more.
void WorkerQueue::drain() noexcept {
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    failed_ = true;
    try {
      cl::Event last;
      queue_.enqueueMarkerWithWaitList(nullptr, &last);
      last.wait();
    } catch (const cl::Error&) {
      // as said
    }
  }
}

DeviceWork WorkerQueue::work() {
  take_seconds();
  return work_;
}

void WorkerQueue::start_anew() {
  take_seconds();
  work_ = {};
}

void WorkerQueue::take_seconds() {
  work_.upload_seconds += uploads_.take_seconds();
  work_.compare_seconds += compares_.take_seconds();
  work_.fetch_seconds += fetches_.take_seconds();
}

// Where a command could not be queued, its event stayed null.
void WorkerQueue::Timed::note_finished() {
  std::erase_if(queued, [](const cl::Event& event) { return event() == nullptr; });
  finished.insert(finished.end(), queued.begin(), queued.end());
  queued.clear();
}

// Waits for them all the same: with many queues a driver was seen to say so of its events a little later than
// of their queue.
double WorkerQueue::Timed::take_seconds() {
  if (!finished.empty()) cl::Event::waitForEvents(finished);
  double seconds = 0;
  for (const cl::Event& event : finished) seconds += seconds_of(event);
  finished.clear();
  return seconds;
}

}  // namespace fastid
