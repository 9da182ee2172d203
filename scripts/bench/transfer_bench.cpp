// What this machine moves: a file out of the page cache by 1, 2, 4, ... threads; memory to a device and back,
// from pinned and from pageable memory, in chunks of 1 to 64 MiB; and the file to the device as a search
// moves it, by workers that share 2, 4, 6, ... readers, but without checksums and without comparing anything.
//
//   transfer_bench FILE SELECTOR [repeats]      SELECTOR `all`: the devices of --device opencl:all, all at
//   once
//
// One line a measurement, tab-separated: what, how many (threads, MiB a chunk, or readers), bytes a second:
// the median of the repeats, of all devices together.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/median.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/machine.hpp"
#include "opencl/devices.hpp"
#include "opencl/engine_by_name.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

double median_rate(std::size_t repeats, double bytes, const std::function<void()>& work) {
  std::vector<double> rates;
  work();  // the first brings pages and clocks up
  for (std::size_t i = 0; i < repeats; ++i) {
    const Stopwatch watch;
    work();
    rates.push_back(bytes / watch.seconds());
  }
  return median(std::move(rates));
}

void bench_file(const std::string& path, std::size_t repeats) {
  const FileDescriptor file = open_for_reading(path);
  for (std::size_t threads = 1; threads <= available_cpus(); threads *= 2) {
    ThreadPool pool(threads);
    std::vector<double> rates;
    for (std::size_t i = 0; i <= repeats; ++i) rates.push_back(bench::file_read_rate(file.get(), path, pool));
    rates.erase(rates.begin());  // the first brings pages and clocks up
    fmt::print("file read\t{}\t{:.6g}\n", threads, median(std::move(rates)));
  }
}

/// Pinned and pageable memory, and memory of a device that takes it.
class Transfer {
 public:
  explicit Transfer(const opencl::OpenClDevice& device)
      : context_(device.device),
        queue_(context_, device.device),
        pinned_(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, kBytes),
        on_device_(context_, CL_MEM_READ_WRITE, kBytes),
        pageable_(kBytes, 1) {
    mapped_ = queue_.enqueueMapBuffer(pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, kBytes);
    std::fill_n(static_cast<char*>(mapped_), kBytes, char{1});
  }
  ~Transfer() {
    queue_.enqueueUnmapMemObject(pinned_, mapped_);
    queue_.finish();
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  static constexpr std::size_t kBytes = 256 * kMiB;

  void begin(bool up, bool pinned, std::size_t chunk) {
    char* const host = pinned ? static_cast<char*>(mapped_) : pageable_.data();
    for (std::size_t at = 0; at < kBytes; at += chunk) {
      if (up)
        queue_.enqueueWriteBuffer(on_device_, CL_FALSE, at, chunk, host + at);
      else
        queue_.enqueueReadBuffer(on_device_, CL_FALSE, at, chunk, host + at);
    }
    queue_.flush();
  }
  void finish() { queue_.finish(); }

 private:
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Buffer pinned_, on_device_;
  std::vector<char> pageable_;
  void* mapped_ = nullptr;
};

/// A thread for each device, since drivers copy pageable memory while they are called.
void bench_transfers(const std::vector<opencl::OpenClDevice>& devices, std::size_t repeats) {
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (const opencl::OpenClDevice& device : devices) transfers.push_back(std::make_unique<Transfer>(device));
  ThreadPool pool(devices.size());
  for (const std::size_t chunk : {1, 4, 16, 64})
    for (const bool pinned : {true, false})
      for (const bool up : {true, false}) {
        const double bytes = static_cast<double>(Transfer::kBytes) * static_cast<double>(devices.size());
        const double rate = median_rate(repeats, bytes, [&] {
          pool.for_each(devices.size(), [&](std::size_t i, const ThreadPool::Stop&) {
            transfers[i]->begin(up, pinned, chunk * kMiB);
            transfers[i]->finish();
          });
        });
        fmt::print("{} {}\t{}\t{:.6g}\n", up ? "upload" : "download", pinned ? "pinned" : "pageable", chunk,
                   rate);
      }
}

/// The file to all devices, whose workers take its tiles in turn.
class Feed {
 public:
  Feed(const std::vector<opencl::OpenClDevice>& devices, std::string path)
      : path_(std::move(path)), file_(open_for_reading(path_)), bytes_(file_size(file_.get(), path_)) {
    for (const opencl::OpenClDevice& device : devices) contexts_.emplace_back(device.device);
    for (std::size_t i = 0; i < kWorkers * devices.size(); ++i) {
      const std::size_t of = i % devices.size();
      Worker& worker = workers_.emplace_back(opencl::DeviceQueue(contexts_[of], devices[of].device));
      worker.plane =
          opencl::make_tile_plane(contexts_[of], worker.queue.get(), WordBuffer(kTile / sizeof(Word)), false);
    }
  }

  void bench(std::size_t repeats) {
    const std::size_t n = workers_.size(), most = std::max(available_cpus(), n + 2) - n;
    for (std::size_t readers = 2; readers <= most; readers += 2) {
      ThreadPool pool(n + readers);
      const double rate = median_rate(repeats, static_cast<double>(bytes_), [&] { run(pool); });
      fmt::print("file to device\t{}\t{:.6g}\n", readers, rate);
    }
  }

 private:
  static constexpr std::size_t kWorkers = 4 /* a device */, kTile = 24 * kMiB, kPiece = kMiB / 2;
  struct Worker {
    explicit Worker(opencl::DeviceQueue of) : queue(std::move(of)) {}

    opencl::DeviceQueue queue;
    std::unique_ptr<opencl::TilePlane> plane;
  };

  void run(ThreadPool& pool) {
    std::atomic<std::uint64_t> next{0};
    pool.for_each(workers_.size(), [&](std::size_t i, const ThreadPool::Stop& stop) {
      for (std::uint64_t at = 0; !stop && (at = next.fetch_add(kTile)) < bytes_;)
        move_tile(workers_[i], pool, at,
                  static_cast<std::size_t>(std::min<std::uint64_t>(kTile, bytes_ - at)));
    });
  }

  void move_tile(Worker& worker, ThreadPool& pool, std::uint64_t at, std::size_t bytes) {
    char* const host = reinterpret_cast<char*>(worker.plane->host());
    pool.for_each(ceil_div(bytes, kPiece), [&](std::size_t piece, const ThreadPool::Stop&) {
      const std::size_t place = piece * kPiece;
      read_at(file_.get(), host + place, std::min(kPiece, bytes - place), at + place, path_);
    });
    worker.plane->send(worker.queue, bytes);
    worker.queue.finish();
  }

  std::string path_;
  FileDescriptor file_;
  std::uint64_t bytes_;
  std::vector<cl::Context> contexts_;
  std::vector<Worker> workers_;
};

std::vector<opencl::OpenClDevice> devices_of(const std::string& selector) {
  std::vector<opencl::OpenClDevice> devices;
  for (const std::string& each : selector == "all" ? opencl::all_selectors() : std::vector{selector})
    devices.push_back(opencl::select_opencl_device(each));
  return devices;
}

}  // namespace
}  // namespace fastid

int main(int argc, char** argv) {
  using namespace fastid;
  if (argc < 3) {
    fmt::print(stderr, "usage: transfer_bench FILE SELECTOR [repeats]\n");
    return 2;
  }
  try {
    const std::size_t repeats = argc > 3 ? parse_number<std::size_t>(argv[3]).value_or(5) : 5;
    bench_file(argv[1], repeats);
    opencl::with_cl_errors("transfer_bench", [&] {
      const std::vector<opencl::OpenClDevice> devices = devices_of(argv[2]);
      bench_transfers(devices, repeats);
      Feed(devices, argv[1]).bench(repeats);
    });
  } catch (const Error& error) {
    fmt::print(stderr, "transfer_bench: {}\n", error.what());
    return 1;
  }
}
