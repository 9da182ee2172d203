#include "tune/measure/opencl_micro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "base/embedded.hpp"
#include "tune/measure/opencl_micro_host.hpp"

namespace fastid::tune {
namespace {

constexpr cl_uint kSalt = 0x2545F491;
constexpr std::uint32_t kCpuWords = 16;
constexpr std::size_t kWarpItems = 32;
constexpr std::size_t kMostLocalWords = 4096;  // for local_reads()

// Host memory for transfers, either pinned by the driver or pageable.
class HostMemory {
 public:
  HostMemory(const cl::Context& context, const cl::CommandQueue& queue, bool pinned, std::size_t bytes)
      : queue_(queue) {
    if (!pinned) {
      pages_.assign(bytes, 1);
      return;
    }
    buffer_ = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
    mapped_ = queue_.enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
    std::fill_n(static_cast<char*>(mapped_), bytes, char{1});
  }
  ~HostMemory() {
    try {
      if (mapped_ != nullptr) queue_.enqueueUnmapMemObject(buffer_, mapped_);
      queue_.finish();
    } catch (const cl::Error&) {
      // The device has failed; its memory is released with the context.
    }
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* data() { return mapped_ != nullptr ? mapped_ : pages_.data(); }

 private:
  cl::CommandQueue queue_;
  cl::Buffer buffer_;
  void* mapped_ = nullptr;
  std::vector<char> pages_;
};

class OpenClMicro final : public MicroDevice {
 public:
  explicit OpenClMicro(const opencl::OpenClDevice& device)
      : facts_(device.facts),
        name_("opencl:" + device.facts.selector),
        words_(device.facts.type == "CPU" ? kCpuWords : 1) {
    opencl::with_cl_errors(name_, [&] {
      context_ = cl::Context(device.device);
      queue_ = cl::CommandQueue(context_, device.device, CL_QUEUE_PROFILING_ENABLE);
      other_queue_ = cl::CommandQueue(context_, device.device, CL_QUEUE_PROFILING_ENABLE);
      program_ = cl::Program(context_, std::string(embedded_text("kernels/bench_micro.cl")));
      program_.build({device.device}, fmt::format("-cl-std=CL1.2 -D MICRO_VEC={}", words_).c_str());
    });
  }

  // Waits for the device: a kernel that still runs uses the memory that is released here, and a driver that
  // is left in the middle of its work may end the program.
  ~OpenClMicro() override {
    try {
      for (const cl::CommandQueue& queue : {queue_, other_queue_})
        if (queue() != nullptr) queue.finish();
    } catch (const cl::Error&) {
      // The device has failed, so no kernel runs any more.
    }
  }
  OpenClMicro(const OpenClMicro&) = delete;
  OpenClMicro& operator=(const OpenClMicro&) = delete;

  std::uint32_t words() const override { return words_; }

  double chains(const ChainRun& run) override {
    return opencl::with_cl_errors(name_, [&] {
      const std::size_t items = run.group_items * run.groups;
      const cl::Buffer& out = results(items);
      cl::Kernel kernel(program_, kernel_name(run).c_str());
      opencl::set_arguments(kernel, 0, run.rounds, kSalt, kMask, kFlip, out);
      const double seconds = time(kernel, items, run.group_items);
      for (const std::size_t item : {std::size_t{0}, items / 2, items - 1})
        check(kernel_name(run), out, item, expected_of(run, item));
      return seconds;
    });
  }

  double local_reads(std::uint32_t stride, std::uint32_t rounds, std::size_t group_items,
                     std::size_t groups) override {
    return opencl::with_cl_errors(name_, [&] {
      const std::size_t words =
          std::min(kMostLocalWords, std::bit_floor(static_cast<std::size_t>(facts_.local_memory / 8)));
      const std::size_t items = group_items * groups;
      const cl::Buffer& out = results(items);
      cl::Kernel kernel(program_, "local_reads");
      opencl::set_arguments(kernel, 0, rounds, stride, static_cast<cl_uint>(words - 1),
                            cl::Local(words * sizeof(cl_uint)), out);
      const double seconds = time(kernel, items, group_items);
      for (const std::size_t item : {std::size_t{0}, items - 1}) {
        const auto place = static_cast<std::uint32_t>(item % group_items);
        check("local_reads", out, item,
              host_local_reads(place * stride, rounds, static_cast<std::uint32_t>(words - 1)));
      }
      return seconds;
    });
  }

  double stream(std::size_t bytes, std::size_t groups) override {
    return opencl::with_cl_errors(name_, [&] {
      prepare_stream(bytes);
      const bool cpu = facts_.type == "CPU";
      const std::size_t group = cpu ? 1 : std::min<std::size_t>(256, facts_.max_group_items);
      const std::size_t items = group * (groups > 0 ? groups : facts_.compute_units * (cpu ? 4 : 32));
      const cl::Buffer& out = results(items);
      cl::Kernel kernel(program_, "stream");
      opencl::set_arguments(kernel, 0, streamed_, static_cast<cl_uint>(bytes / 16), out);
      const double seconds = time(kernel, items, group);
      std::vector<cl_uint> sums(items);
      queue_.enqueueReadBuffer(out, CL_TRUE, 0, items * sizeof(cl_uint), sums.data());
      cl_uint sum = 0;
      for (const cl_uint one : sums) sum ^= one;
      if (sum != stream_sum_) refuse("stream");
      return seconds;
    });
  }

  double matrix_products(std::uint32_t rounds, std::size_t thread_groups) override {
    return opencl::with_cl_errors(name_, [&] {
      if (matrix_program_() == nullptr) {
        matrix_program_ = cl::Program(context_, std::string(embedded_text("kernels/bench_matrix.cl")));
        matrix_program_.build("-cl-std=CL1.2 -D FASTID_MATRIX=2");
      }
      const std::size_t items = kWarpItems * thread_groups;
      const cl::Buffer& out = results(items);
      cl::Kernel kernel(matrix_program_, "matrix_rate");
      kernel.setArg(0, rounds);
      kernel.setArg(1, kSalt);
      kernel.setArg(2, out);
      const double seconds = time(kernel, items, kWarpItems * std::gcd(thread_groups, std::size_t{8}));
      for (const std::size_t item : {std::size_t{0}, items / 2, items - 1})
        check("matrix_rate", out, item,
              host_matrix_products(rounds, static_cast<std::uint32_t>(item), kSalt));
      return seconds;
    });
  }

  double transfer(Way way, bool pinned, std::size_t bytes) override {
    return opencl::with_cl_errors(name_, [&] {
      prepare_transfer(pinned, bytes);
      const Stopwatch watch;
      if (way != Way::kDown) queue_.enqueueWriteBuffer(up_, CL_FALSE, 0, bytes, from_->data());
      if (way != Way::kUp)
        (way == Way::kBoth ? other_queue_ : queue_).enqueueReadBuffer(down_, CL_FALSE, 0, bytes, to_->data());
      queue_.flush();
      other_queue_.flush();
      queue_.finish();
      other_queue_.finish();
      return watch.seconds();
    });
  }

  double launches(std::size_t n) override {
    return opencl::with_cl_errors(name_, [&] {
      const cl::Buffer& out = results(1);
      const cl_uint zero = 0;
      queue_.enqueueWriteBuffer(out, CL_TRUE, 0, sizeof zero, &zero);
      cl::Kernel kernel(program_, "touch");
      kernel.setArg(0, out);
      const Stopwatch watch;
      for (std::size_t i = 0; i < n; ++i)
        queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
      queue_.finish();
      const double seconds = watch.seconds();
      check("touch", out, 0, static_cast<cl_uint>(n));
      return seconds;
    });
  }

  // Tries the stated size less the little that drivers keep for themselves, then halves it until it works.
  std::size_t usable_local() override {
    const auto all = static_cast<std::size_t>(facts_.local_memory) / 4 * 4;
    for (const std::size_t less : {0, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096})
      if (less < all && local_holds(all - less)) return all - less;
    for (std::size_t bytes = all / 2; bytes >= 1024; bytes /= 2)
      if (local_holds(bytes)) return bytes;
    throw DeviceError(fmt::format("{}: local memory does not hold what is put there", name_));
  }

 private:
  static std::string kernel_name(const ChainRun& run) {
    return run.latency ? fmt::format("latency_{}", name_of(run.first))
                       : fmt::format("both_{}_{}", name_of(run.first), name_of(run.second));
  }

  // Cached, since a run is repeated many times.
  std::uint32_t expected_of(const ChainRun& run, std::size_t item) {
    const auto [known, is_new] = expected_.try_emplace({kernel_name(run), run.rounds, item}, 0);
    if (is_new) known->second = host_chains(run, words_, static_cast<std::uint32_t>(item), kSalt);
    return known->second;
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw DeviceError(
        fmt::format("{}: wrong result of microbenchmark {}; do not trust this device: check its driver and "
                    "memory",
                    name_, what));
  }

  void check(std::string_view what, const cl::Buffer& out, std::size_t at, cl_uint expected) {
    cl_uint found = 0;
    queue_.enqueueReadBuffer(out, CL_TRUE, at * sizeof found, sizeof found, &found);
    if (found != expected) refuse(what);
  }

  double time(const cl::Kernel& kernel, std::size_t items, std::size_t group) {
    cl::Event event;
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(group), nullptr,
                                &event);
    queue_.finish();
    event.wait();
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return end > start ? 1e-9 * static_cast<double>(end - start) : 0;
  }

  // A buffer for a word of each work-item, filled with a value that no run writes.
  const cl::Buffer& results(std::size_t items) {
    if (items > result_items_) {
      results_ = cl::Buffer(context_, CL_MEM_READ_WRITE, items * sizeof(cl_uint));
      result_items_ = items;
    }
    queue_.enqueueFillBuffer(results_, cl_uint{0xDEADBEEF}, 0, items * sizeof(cl_uint));
    return results_;
  }

  void prepare_stream(std::size_t bytes) {
    if (bytes == stream_bytes_) return;
    streamed_ = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
    cl::Kernel kernel(program_, "fill");
    opencl::set_arguments(kernel, 0, streamed_, kSalt);
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(bytes / 16));
    queue_.finish();
    stream_bytes_ = bytes;
    stream_sum_ = host_stream_sum(static_cast<std::uint32_t>(bytes / 16), kSalt);
  }

  void prepare_transfer(bool pinned, std::size_t bytes) {
    if (bytes > transfer_bytes_) {
      up_ = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
      down_ = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
      for (const cl::Buffer& buffer : {up_, down_}) queue_.enqueueFillBuffer(buffer, cl_uint{1}, 0, bytes);
      queue_.finish();
    }
    if (bytes > transfer_bytes_ || pinned != pinned_ || !from_) {
      transfer_bytes_ = std::max(bytes, transfer_bytes_);
      from_ = std::make_unique<HostMemory>(context_, queue_, pinned, transfer_bytes_);
      to_ = std::make_unique<HostMemory>(context_, queue_, pinned, transfer_bytes_);
      pinned_ = pinned;
    }
  }

  // Whether a work-group gets `bytes` of local memory and can read back what it wrote. A refusal is not an
  // error.
  bool local_holds(std::size_t bytes) {
    return opencl::with_cl_errors(name_, [&] {
      const std::size_t items = facts_.type == "CPU" ? 1 : std::min<std::size_t>(64, facts_.max_group_items);
      try {
        const cl::Buffer& out = results(items);
        cl::Kernel kernel(program_, "local_holds");
        opencl::set_arguments(kernel, 0, static_cast<cl_uint>(bytes / 4), kSalt, cl::Local(bytes), out);
        queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(items));
        std::vector<cl_uint> wrong(items);
        queue_.enqueueReadBuffer(out, CL_TRUE, 0, items * sizeof(cl_uint), wrong.data());
        return std::ranges::all_of(wrong, [](cl_uint n) { return n == 0; });
      } catch (const cl::Error& error) {
        const bool too_much = opencl::is_memory_error(error.err()) || error.err() == CL_INVALID_ARG_SIZE ||
                              error.err() == CL_INVALID_WORK_GROUP_SIZE;
        if (!too_much) throw;
        return false;
      }
    });
  }

  model::DeviceFacts facts_;
  std::string name_;
  std::uint32_t words_;
  cl::Context context_;
  cl::CommandQueue queue_, other_queue_;
  cl::Program program_, matrix_program_;
  std::map<std::tuple<std::string, std::uint32_t, std::size_t>, std::uint32_t> expected_;
  cl::Buffer results_, streamed_, up_, down_;
  std::size_t result_items_ = 0, stream_bytes_ = 0, transfer_bytes_ = 0;
  cl_uint stream_sum_ = 0;
  bool pinned_ = false;
  std::unique_ptr<HostMemory> from_, to_;
};

}  // namespace

std::unique_ptr<MicroDevice> make_opencl_micro(const opencl::OpenClDevice& device) {
  return std::make_unique<OpenClMicro>(device);
}

}  // namespace fastid::tune
