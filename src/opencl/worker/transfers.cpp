#include "opencl/worker/transfers.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

constexpr cl_map_flags kReadAndWrite = CL_MAP_READ | CL_MAP_WRITE;

// Pinned host memory, whose contents are transferred to memory of the device.
class PinnedPlane final : public TilePlane {
 public:
  PinnedPlane(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
      : host_(context, queue, std::move(words)),
        device_(make_buffer(context, CL_MEM_READ_WRITE, host_.bytes())) {
    // Drivers allocate at first use. A lack of memory must show here, where a smaller tile can still be
    // tried.
    queue.enqueueFillBuffer(device_, cl_uint{0}, 0, host_.bytes());
    queue.finish();
  }

  Word* host() override { return host_.data(); }
  const cl::Buffer& device() const override { return device_; }

  void send(DeviceQueue& queue, std::size_t bytes) override { queue.upload(device_, bytes, host_.data()); }
  void return_to_host(DeviceQueue&) override {}

 private:
  PinnedMemory host_;
  cl::Buffer device_;
};

// Host memory that the device reads where it is. Mapping and unmapping pass it between host and device.
class SharedPlane final : public TilePlane {
 public:
  SharedPlane(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
      : queue_(queue),
        words_(std::move(words)),
        device_(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, words_.size() * sizeof(Word),
                words_.data()) {
    map(queue_);
    queue_.finish();
  }
  ~SharedPlane() override {
    try {
      if (mapped_ != nullptr) queue_.enqueueUnmapMemObject(device_, mapped_);
      queue_.finish();
    } catch (const cl::Error&) {
      // The device has failed and does not read the memory any more.
    }
  }
  SharedPlane(const SharedPlane&) = delete;
  SharedPlane& operator=(const SharedPlane&) = delete;

  Word* host() override { return words_.data(); }
  const cl::Buffer& device() const override { return device_; }

  void send(DeviceQueue& queue, std::size_t) override {
    if (mapped_ != nullptr) queue.get().enqueueUnmapMemObject(device_, mapped_);
    mapped_ = nullptr;
  }
  void return_to_host(DeviceQueue& queue) override { map(queue.get()); }

 private:
  void map(const cl::CommandQueue& queue) {
    mapped_ = queue.enqueueMapBuffer(device_, CL_FALSE, kReadAndWrite, 0, words_.size() * sizeof(Word));
  }

  cl::CommandQueue queue_;
  WordBuffer words_;
  cl::Buffer device_;
  void* mapped_ = nullptr;  // the host's address; null while the device has it
};

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

PinnedMemory::PinnedMemory(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
    : queue_(queue),
      words_(std::move(words)),
      pinned_(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes(), words_.data()),
      mapped_(static_cast<Word*>(
          queue.enqueueMapBuffer(pinned_, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes()))) {}

// All transfers to and from this memory have been waited for. A device that fails here does not use it any
// more, so errors are ignored.
PinnedMemory::~PinnedMemory() {
  try {
    queue_.enqueueUnmapMemObject(pinned_, mapped_);
  } catch (const cl::Error&) {
    // ignored, as said above
  }
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    // ignored, as said above
  }
}

std::unique_ptr<TilePlane> make_tile_plane(const cl::Context& context, const cl::CommandQueue& queue,
                                           WordBuffer words, bool unified) {
  if (unified) return std::make_unique<SharedPlane>(context, queue, std::move(words));
  return std::make_unique<PinnedPlane>(context, queue, std::move(words));
}

void DeviceQueue::run(const cl::Kernel& kernel, const KernelLaunch& launch) {
  queue_.enqueueNDRangeKernel(kernel, cl::NullRange, launch.items, launch.group, nullptr,
                              &compares_.queued.emplace_back());
}

void DeviceQueue::upload(const cl::Buffer& to, std::size_t bytes, const void* from) {
  if (bytes == 0) return;
  queue_.enqueueWriteBuffer(to, CL_FALSE, 0, bytes, from, nullptr, &uploads_.queued.emplace_back());
  work_.upload_bytes += bytes;
}

// Goes through pinned memory, where there is room in staging. From other memory, NVIDIA's driver was seen to
// wait for other workers' uploads, and to block threads that called it for something else meanwhile.
void DeviceQueue::write(const cl::Buffer& to, std::size_t bytes, const void* from) {
  if (staging_ == nullptr || bytes > staging_->writes.bytes()) {
    return write_in_pieces(queue_, to, bytes, from);
  }
  const PinnedMemory& staging = staging_->writes;
  if (bytes > staging.bytes() - written_) finish();
  void* const place = reinterpret_cast<char*>(staging.data()) + written_;
  std::memcpy(place, from, bytes);
  written_ += bytes;
  queue_.enqueueWriteBuffer(to, CL_FALSE, 0, bytes, place);
}

// Goes through pinned memory, where there is room in staging: reading half a megabyte into other memory was
// seen to take a millisecond.
void DeviceQueue::read_bytes(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  if (bytes == 0) return finish();
  if (bytes > staged_bytes()) return read_direct(from, at, bytes, to);
  Word* const place = staging_->reads.data();
  read_direct(from, at, bytes, place);
  std::memcpy(to, place, bytes);
}

void DeviceQueue::read_direct(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  try {
    if (staging_ == nullptr)
      read_when_done(from, at, bytes, to);
    else
      read_asleep(from, at, bytes, to);
  } catch (const cl::Error&) {
    drain();  // the device may write to the host's memory until then
    throw;
  }
  work_.fetch_bytes += bytes;
}

// Queued behind a kernel, a read into memory that is not pinned took up to a tenth of a millisecond longer.
void DeviceQueue::read_when_done(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  finish();
  queue_.enqueueReadBuffer(from, CL_TRUE, at, bytes, to);
  take_seconds();
}

// Not a blocking read: with many workers a search takes a fifth longer with that of NVIDIA's driver.
void DeviceQueue::read_asleep(const cl::Buffer& from, std::size_t at, std::size_t bytes, void* to) {
  queue_.enqueueReadBuffer(from, CL_FALSE, at, bytes, to, nullptr, &fetches_.queued.emplace_back());
  queue_.flush();
  take_seconds();  // those of the tile before
  nap_until_done(fetches_.queued.back());
  finish();
}

void DeviceQueue::finish() {
  queue_.finish();
  written_ = 0;
  for (Timed* timed : {&uploads_, &compares_, &fetches_}) timed->note_finished();
}

// With some drivers waiting for a queue fails but waiting for an event does not. If both fail, the device has
// failed and does not use the memory any more. The times of what was queued are not known then.
void DeviceQueue::drain() noexcept {
  for (Timed* timed : {&uploads_, &compares_, &fetches_}) *timed = {};
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

engine::DeviceWork DeviceQueue::work() {
  take_seconds();
  return work_;
}

void DeviceQueue::start_anew() {
  take_seconds();
  work_ = {};
}

double DeviceQueue::kernel_seconds() noexcept {
  try {
    take_seconds();
  } catch (const cl::Error&) {
    // The device has failed, which others have noticed.
  }
  return work_.compare_seconds;
}

void DeviceQueue::take_seconds() {
  work_.upload_seconds += uploads_.take_seconds();
  work_.compare_seconds += compares_.take_seconds();
  work_.fetch_seconds += fetches_.take_seconds();
}

// The event of a command that could not be queued is null.
void DeviceQueue::Timed::note_finished() {
  std::erase_if(queued, [](const cl::Event& event) { return event() == nullptr; });
  finished.insert(finished.end(), queued.begin(), queued.end());
  queued.clear();
}

// Waits for the events although their queue is finished: with many queues a driver was seen to complete
// events a little later than their queue.
double DeviceQueue::Timed::take_seconds() {
  const std::vector<cl::Event> done = std::exchange(finished, {});
  if (!done.empty()) cl::Event::waitForEvents(done);
  double seconds = 0;
  for (const cl::Event& event : done) seconds += seconds_of(event);
  return seconds;
}

}  // namespace fastid::opencl
