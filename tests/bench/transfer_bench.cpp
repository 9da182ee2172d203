// What this machine moves: a file out of the page cache by 1, 2, 4, ... threads, and memory to a device and
// back, from pinned and from pageable memory, in chunks of 1 to 64 MiB.
//
//   transfer_bench FILE SELECTOR [repeats]
//
// One line a measurement, tab-separated: what, how many (threads, or MiB a chunk), bytes a second: the median
// of the repeats.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "bench/machine.hpp"
#include "opencl/devices.hpp"

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
    std::vector<double> rates;
    for (std::size_t i = 0; i <= repeats; ++i)
      rates.push_back(bench::file_read_rate(file.get(), path, threads));
    rates.erase(rates.begin());  // the first brings pages and clocks up
    fmt::print("file read\t{}\t{:.6g}\n", threads, median(std::move(rates)));
  }
}

class Transfers {
 public:
  explicit Transfers(const OpenClDevice& device)
      : context_(device.device),
        queue_(context_, device.device),
        pinned_(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, kBytes),
        on_device_(context_, CL_MEM_READ_WRITE, kBytes),
        pageable_(kBytes, 1) {
    mapped_ = queue_.enqueueMapBuffer(pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, kBytes);
    std::fill_n(static_cast<char*>(mapped_), kBytes, char{1});
  }
  ~Transfers() {
    queue_.enqueueUnmapMemObject(pinned_, mapped_);
    queue_.finish();
  }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void bench(std::size_t repeats) {
    for (const std::size_t chunk : {1, 4, 16, 64}) {
      bench_chunk("pinned", static_cast<char*>(mapped_), chunk, repeats);
      bench_chunk("pageable", pageable_.data(), chunk, repeats);
    }
  }

 private:
  static constexpr std::size_t kBytes = 256 * kMiB;

  void bench_chunk(const char* what, char* host, std::size_t chunk, std::size_t repeats) {
    const std::size_t bytes = chunk * kMiB;
    const double up = median_rate(repeats, kBytes, [&] {
      for (std::size_t at = 0; at < kBytes; at += bytes)
        queue_.enqueueWriteBuffer(on_device_, CL_FALSE, at, bytes, host + at);
      queue_.finish();
    });
    const double down = median_rate(repeats, kBytes, [&] {
      for (std::size_t at = 0; at < kBytes; at += bytes)
        queue_.enqueueReadBuffer(on_device_, CL_FALSE, at, bytes, host + at);
      queue_.finish();
    });
    fmt::print("upload {}\t{}\t{:.6g}\ndownload {}\t{}\t{:.6g}\n", what, chunk, up, what, chunk, down);
  }

  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Buffer pinned_, on_device_;
  std::vector<char> pageable_;
  void* mapped_ = nullptr;
};

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
    with_cl_errors("transfer_bench", [&] { Transfers(select_opencl_device(argv[2])).bench(repeats); });
  } catch (const Error& error) {
    fmt::print(stderr, "transfer_bench: {}\n", error.what());
    return 1;
  }
}
