// The pair-HMM on a device. Two queues take slices in turn: while one computes, the next slice is cut and
// uploaded. Each sequence of a slice is sent once; the device lists the pairs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/embedded.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "opencl/devices.hpp"
#include "opencl/engine_by_name.hpp"
#include "opencl/hmm/slices.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/pair_hmm.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kSliceCells = std::uint64_t{1} << 31;
constexpr std::uint64_t kSliceBytes = std::uint64_t{64} << 20;
constexpr int kScale = 100;         ///< SCALE of the kernel, as a power of two
constexpr float kLeast = 0x1p-86F;  ///< the least sum that is trusted, as in hmm/cpu/forward.cpp
constexpr std::size_t kHmmGroupItems = 128;

/// Buffers that grow, a queue, and the slice that it works on.
class Slot {
 public:
  Slot(const cl::Context& context, const cl::Device& device) : context_(context), queue_(context, device) {}

  const cl::CommandQueue& queue() const { return queue_; }

  /// A buffer of at least `bytes`, kept from slice to slice.
  const cl::Buffer& buffer(std::size_t which, std::size_t bytes) {
    auto& [buffer, room] = buffers_.at(which);
    if (room < bytes) {
      buffer = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
      room = bytes;
    }
    return buffer;
  }

  template <class T>
  const cl::Buffer& upload(std::size_t which, std::span<const T> data) {
    const cl::Buffer& to = buffer(which, data.size_bytes());
    queue_.enqueueWriteBuffer(to, CL_FALSE, 0, data.size_bytes(), data.data());
    return to;
  }

  HmmSlice slice;
  std::vector<float> sums;  ///< where the device takes no logarithms

 private:
  cl::Context context_;
  cl::CommandQueue queue_;
  std::array<std::pair<cl::Buffer, std::size_t>, 6> buffers_{};
};

class OpenClLikelihoods final : public hmm::LikelihoodEngine {
 public:
  OpenClLikelihoods(OpenClDevice device, std::size_t threads, bool doubles)
      : facts_(std::move(device.facts)),
        device_(std::move(device.device)),
        context_(device_),
        name_("opencl:" + facts_.selector),
        cache_(program_cache(facts_)),
        rates_(rates_on(context_)),
        cpu_(hmm::make_cpu_engine(threads)),
        logarithms_(doubles && device_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0),
        slots_({Slot(context_, device_), Slot(context_, device_)}) {}

  std::string description() const override {
    return fmt::format("pair-HMM by OpenCL, {} ({})", printable(facts_.device), printable(facts_.platform));
  }

  void compute(const hmm::Groups& groups, hmm::IndexRange reads, std::span<double> log10) override {
    with_cl_memory_errors(name_, [&] { run({groups, reads, log10}); });
    rescue();
  }

  std::uint64_t rescued() const override { return rescued_; }

 private:
  static cl::Buffer rates_on(const cl::Context& context) {
    std::array<float, hmm::kMostQuality + 1> rates{};
    std::ranges::transform(hmm::error_rates(), rates.begin(),
                           [](double rate) { return static_cast<float>(rate); });
    return {context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(rates), rates.data()};
  }

  /// What is computed.
  struct Task {
    std::span<double> log10_of(hmm::IndexRange part) const { return groups.part_of(log10, reads, part); }

    const hmm::Groups& groups;
    hmm::IndexRange reads;
    std::span<double> log10;
  };

  void run(const Task& task) {
    left_.clear();
    left_places_.clear();
    const std::uint64_t bytes = std::min<std::uint64_t>(kSliceBytes, facts_.max_allocation / 2);
    HmmSlices slices(task.groups, task.reads, kSliceCells, bytes);
    try {
      for (std::size_t turn = 0;; ++turn) {
        Slot& slot = slots_[turn % 2];
        finish(slot, task);
        check_interrupt();
        if (!slices.next(slot.slice)) break;
        start(slot, task);
      }
      for (Slot& slot : slots_) finish(slot, task);
    } catch (...) {
      for (Slot& slot : slots_) drain(slot);
      throw;
    }
  }

  /// Uploads a slice and queues its launches.
  void start(Slot& slot, const Task& task) {
    const HmmSlice& slice = slot.slice;
    if (slice.order.empty()) return;
    const hmm::Groups& groups = task.groups;
    const auto part = [](auto all, std::uint32_t first, std::uint32_t end) {
      return all.subspan(first, end - first);
    };
    const auto reads = groups.read_starts();
    const auto starts = part(groups.haplotype_starts(), slice.haplotypes.first, slice.haplotypes.end + 1);
    const std::span<double> log10 = task.log10_of(slice.reads);
    const cl::Buffer& order = slot.upload(0, std::span<const HmmRead>(slice.order));
    const cl::Buffer& pairs = slot.buffer(1, slice.pairs * sizeof(cl_uint2));
    const cl::Buffer& rows =
        slot.upload(2, part(groups.rows(), reads[slice.reads.first], reads[slice.reads.end]));
    const cl::Buffer& bases = slot.upload(3, part(groups.bases(), starts.front(), starts.back()));
    const cl::Buffer& haplotype_starts = slot.upload(4, starts);
    const cl::Buffer& results = slot.buffer(5, log10.size() * bytes_of_result());
    for (const HmmLaunch& launch : slice.launches) {
      if (&launch == &slice.launches.front()) list_pairs(slot, launch.shape, order, pairs);
      cl::Kernel kernel(program(launch.shape), "forward");
      const std::size_t pairs_of_group = this->pairs_of_group(launch.shape);
      const auto groups_of_items = (launch.n + pairs_of_group - 1) / pairs_of_group;
      kernel.setArg(0, static_cast<cl_uint>(launch.first));
      kernel.setArg(1, static_cast<cl_uint>(launch.first + launch.n));
      kernel.setArg(2, pairs);
      kernel.setArg(3, order);
      kernel.setArg(4, rows);
      kernel.setArg(5, bases);
      kernel.setArg(6, haplotype_starts);
      kernel.setArg(7, starts.front());
      kernel.setArg(8, rates_);
      kernel.setArg(9, results);
      const std::size_t items = pairs_of_group * launch.shape.items;
      slot.queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups_of_items * items),
                                        cl::NDRange(items));
    }
    if (!logarithms_) slot.sums.resize(log10.size());
    slot.queue().enqueueReadBuffer(results, CL_FALSE, 0, log10.size() * bytes_of_result(),
                                   logarithms_ ? static_cast<void*>(log10.data()) : slot.sums.data());
    slot.queue().flush();
  }

  void list_pairs(Slot& slot, HmmShape shape, const cl::Buffer& order, const cl::Buffer& pairs) {
    cl::Kernel kernel(program(shape), "list_pairs");
    kernel.setArg(0, order);
    kernel.setArg(1, pairs);
    slot.queue().enqueueNDRangeKernel(
        kernel, cl::NullRange, cl::NDRange(slot.slice.order.size() * shape.items), cl::NDRange(shape.items));
  }

  std::size_t bytes_of_result() const { return logarithms_ ? sizeof(double) : sizeof(float); }

  /// Waits for a slice, and notes what it has no result of.
  void finish(Slot& slot, const Task& task) {
    slot.queue().finish();
    const HmmSlice slice = std::exchange(slot.slice, {});
    if (!logarithms_ && !slice.order.empty())
      std::ranges::transform(slot.sums, task.log10_of(slice.reads).begin(), log10_of);
    for (std::uint32_t read = slice.reads.first; read < slice.reads.end; ++read) {
      const std::span<double> log10 = task.log10_of({read, read + 1});
      if (!kernel_takes(task.groups, read)) std::ranges::fill(log10, std::nan(""));
      if (std::ranges::any_of(log10, [](double value) { return std::isnan(value); }))
        leave(task, read, log10);
    }
  }

  static double log10_of(float sum) {
    return sum >= kLeast && std::isfinite(sum)
               ? std::log10(static_cast<double>(sum)) - kScale * std::log10(2.0)
               : std::nan("");
  }

  /// Notes the pairs of a read that have no result.
  void leave(const Task& task, std::uint32_t read, std::span<double> log10) {
    left_.add_read(task.groups.read(read));
    for (std::size_t i = 0; i < log10.size(); ++i) {
      if (!std::isnan(log10[i])) continue;
      left_.add_haplotype(
          task.groups.haplotype(task.groups.haplotypes_of(read).first + static_cast<std::uint32_t>(i)));
      left_places_.push_back(&log10[i]);
    }
    left_.end_group();
  }

  /// Waits for what still reads and writes the host's memory.
  static void drain(Slot& slot) noexcept {
    try {
      slot.queue().finish();
    } catch (const cl::Error&) {
      // The device has failed, and uses the memory no longer.
    }
    slot.slice = {};
  }

  /// The pairs that have no result yet, on the CPU.
  void rescue() {
    rescued_ = left_places_.size();
    const std::vector<double> computed = cpu_->log10_likelihoods(left_);
    for (std::size_t k = 0; k < computed.size(); ++k) *left_places_[k] = computed[k];
  }

  bool shuffles() const { return facts_.architecture.starts_with("sm_"); }

  std::size_t pairs_of_group(HmmShape shape) const {
    return std::max<std::size_t>(1, std::min(kHmmGroupItems, facts_.max_group_items) / shape.items);
  }

  cl::Program program(HmmShape shape) {
    auto& program = programs_[shape];
    if (!program) {
      const std::string options = fmt::format(
          "-DFASTID_HMM_ROWS={} -DFASTID_HMM_ITEMS={} -DFASTID_HMM_PAIRS={} -DFASTID_HMM_SHUFFLE={} "
          "-DFASTID_HMM_LOGARITHMS={}",
          shape.rows, shape.items, pairs_of_group(shape), shuffles() ? 1 : 0, logarithms_ ? 1 : 0);
      program =
          build_program(context_, device_, facts_,
                        {std::string(embedded_text("kernels/pair_hmm.cl")), options, "forward"}, cache_);
    }
    return *program;
  }

  DeviceFacts facts_;
  cl::Device device_;
  cl::Context context_;
  std::string name_;
  ProgramCache cache_;
  cl::Buffer rates_;
  std::unique_ptr<hmm::LikelihoodEngine> cpu_;
  bool logarithms_;  ///< are taken by the device
  std::array<Slot, 2> slots_;
  std::map<HmmShape, std::optional<cl::Program>> programs_;
  hmm::Groups left_;                  ///< pairs without a result
  std::vector<double*> left_places_;  ///< where theirs go
  std::uint64_t rescued_ = 0;
};

}  // namespace

std::unique_ptr<hmm::LikelihoodEngine> make_opencl_likelihood_engine(const std::string& selector,
                                                                     std::size_t threads, bool doubles) {
  OpenClDevice device = select_opencl_device(selector);
  const std::string name = "opencl:" + device.facts.selector;
  return with_cl_errors(
      name, [&] { return std::make_unique<OpenClLikelihoods>(std::move(device), threads, doubles); });
}

std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device,
                                                              std::size_t threads) {
  return engine_of<hmm::LikelihoodEngine>(
      device, "no device of the pair-HMM",
      [&](const std::string& native) -> std::unique_ptr<hmm::LikelihoodEngine> {
        constexpr std::string_view kCpuOf = "cpu:";
        if (native == "auto" || native == "cpu") return hmm::make_cpu_engine(threads);
        if (native == "reference") return hmm::make_reference_engine();
        if (native.starts_with(kCpuOf))
          return hmm::make_cpu_engine_for(native.substr(kCpuOf.size()), threads);
        return nullptr;
      },
      [&](const std::string& selector) { return make_opencl_likelihood_engine(selector, threads); },
      hmm::make_joint_engine);
}

}  // namespace fastid
