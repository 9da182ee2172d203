#include "opencl/memory/worker_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace fastid::opencl {
namespace {

constexpr std::chrono::microseconds kNap{20};  // in fact about 70 on Linux: a small part of a tile's time
constexpr std::chrono::milliseconds kMostNaps{200};

// Sleeps until the event is complete, has failed, or kMostNaps have passed (as when the device was lost).
// NVIDIA's driver would keep a CPU busy while it waits, which the threads that read files need. The caller's
// own wait, which follows, handles errors.
void nap_until_done(const cl::Event& event) {
  const auto end = std::chrono::steady_clock::now() + kMostNaps;
  while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kNap);
}

}  // namespace

// Goes through pinned memory. From other memory, NVIDIA's driver was seen to wait for other workers' uploads,
// and to block threads that called it for something else meanwhile.
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

// Goes through pinned memory: reading half a megabyte into other memory was seen to take a millisecond.
void WorkerQueue::read_bytes(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  if (bytes > staged_bytes()) return read_direct(from, at, bytes, to);
  Word* const place = staging_.reads.data();
  read_direct(from, at, bytes, place);
  std::memcpy(to, place, bytes);
}

// Not a blocking read: with many workers a search takes a fifth longer with that of NVIDIA's driver.
void WorkerQueue::read_direct(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  queue_.enqueueReadBuffer(from, CL_FALSE, at, bytes, to, nullptr, &fetches_.queued.emplace_back());
  try {
    queue_.flush();
    take_seconds();  // those of the tile before
    nap_until_done(fetches_.queued.back());
    queue_.finish();
    written_ = 0;
  } catch (const cl::Error&) {
    drain();  // the device may write to the host's memory until then
    throw;
  }
  work_.fetch_bytes += bytes;
}

void WorkerQueue::finish() {
  queue_.finish();
  written_ = 0;
  for (Timed* timed : {&uploads_, &compares_, &fetches_}) timed->note_finished();
}

// With some drivers waiting for a queue fails but waiting for an event does not. If both fail, the device has
// failed and does not use the memory any more.
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
      // The device has failed, as said above.
    }
  }
}

engine::DeviceWork WorkerQueue::work() {
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

// The event of a command that could not be queued is null.
void WorkerQueue::Timed::note_finished() {
  std::erase_if(queued, [](const cl::Event& event) { return event() == nullptr; });
  finished.insert(finished.end(), queued.begin(), queued.end());
  queued.clear();
}

// Waits for the events although their queue is finished: with many queues a driver was seen to complete
// events a little later than their queue.
double WorkerQueue::Timed::take_seconds() {
  if (!finished.empty()) cl::Event::waitForEvents(finished);
  double seconds = 0;
  for (const cl::Event& event : finished) seconds += seconds_of(event);
  finished.clear();
  return seconds;
}

}  // namespace fastid::opencl
