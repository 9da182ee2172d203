// The pair-HMM on a device. Two queues take slices in turn: while one computes, the next slice is cut and
// uploaded.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/embedded.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "opencl/devices.hpp"
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
  std::vector<float> sums;

 private:
  cl::Context context_;
  cl::CommandQueue queue_;
  std::array<std::pair<cl::Buffer, std::size_t>, 6> buffers_{};
};

class OpenClLikelihoods final : public hmm::LikelihoodEngine {
 public:
  OpenClLikelihoods(OpenClDevice device, std::size_t threads)
      : facts_(std::move(device.facts)),
        device_(std::move(device.device)),
        context_(device_),
        name_("opencl:" + facts_.selector),
        cache_(facts_.platform == "Portable Computing Language" ? ProgramCache("")
                                                                : ProgramCache::from_environment()),
        rates_(rates_on(context_)),
        cpu_(hmm::make_cpu_engine(threads)) {}

  std::string description() const override {
    return fmt::format("pair-HMM by OpenCL, {} ({})", printable(facts_.device), printable(facts_.platform));
  }

  std::vector<double> log10_likelihoods(const hmm::Pairs& pairs) override {
    std::vector<double> log10(pairs.pairs().size(), std::nan(""));
    with_cl_memory_errors(name_, [&] { run(pairs, log10); });
    rescue(pairs, log10);
    return log10;
  }

  std::uint64_t rescued() const override { return rescued_; }

 private:
  static cl::Buffer rates_on(const cl::Context& context) {
    std::array<float, hmm::kMostQuality + 1> rates{};
    std::ranges::transform(hmm::error_rates(), rates.begin(),
                           [](double rate) { return static_cast<float>(rate); });
    return {context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(rates), rates.data()};
  }

  void run(const hmm::Pairs& pairs, std::vector<double>& log10) {
    const std::uint64_t bytes = std::min<std::uint64_t>(kSliceBytes, facts_.max_allocation / 2);
    HmmSlices slices(pairs, kSliceCells, bytes);
    std::array<Slot, 2> slots = {Slot(context_, device_), Slot(context_, device_)};
    try {
      for (std::size_t turn = 0;; ++turn) {
        Slot& slot = slots[turn % 2];
        finish(slot, log10);
        check_interrupt();
        if (!slices.next(slot.slice)) break;
        start(slot, pairs);
      }
      for (Slot& slot : slots) finish(slot, log10);
    } catch (...) {
      for (Slot& slot : slots) drain(slot);
      throw;
    }
  }

  /// Uploads a slice and queues its launches.
  void start(Slot& slot, const hmm::Pairs& pairs) {
    const HmmSlice& slice = slot.slice;
    const auto part = [](auto all, std::uint32_t first, std::uint32_t end) {
      return all.subspan(first, end - first);
    };
    const auto reads = part(pairs.read_starts(), slice.reads.first, slice.reads.end + 1);
    const auto haplotypes = part(pairs.haplotype_starts(), slice.haplotypes.first, slice.haplotypes.end + 1);
    slot.sums.resize(slice.pairs.size());
    const cl::Buffer& rows = slot.upload(0, part(pairs.rows(), reads.front(), reads.back()));
    const cl::Buffer& read_starts = slot.upload(1, reads);
    const cl::Buffer& bases = slot.upload(2, part(pairs.bases(), haplotypes.front(), haplotypes.back()));
    const cl::Buffer& haplotype_starts = slot.upload(3, haplotypes);
    const cl::Buffer& which = slot.upload(4, std::span<const hmm::Pair>(slice.pairs));
    const cl::Buffer& sums = slot.buffer(5, slot.sums.size() * sizeof(float));
    for (const HmmLaunch& launch : slice.launches) {
      cl::Kernel kernel(program(launch.shape), "forward");
      const std::size_t pairs_of_group = this->pairs_of_group(launch.shape);
      const auto groups = (launch.n + pairs_of_group - 1) / pairs_of_group;
      set_arguments(kernel, 0, static_cast<cl_uint>(launch.first),
                    static_cast<cl_uint>(launch.first + launch.n), which, rows, read_starts, reads.front(),
                    bases, haplotype_starts, haplotypes.front(), rates_, sums);
      const std::size_t items = pairs_of_group * launch.shape.items;
      slot.queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * items),
                                        cl::NDRange(items));
    }
    slot.queue().enqueueReadBuffer(sums, CL_FALSE, 0, slot.sums.size() * sizeof(float), slot.sums.data());
    slot.queue().flush();
  }

  static void finish(Slot& slot, std::vector<double>& log10) {
    slot.queue().finish();
    for (std::size_t i = 0; i < slot.slice.order.size(); ++i)
      if (const float sum = slot.sums[i]; sum >= kLeast && std::isfinite(sum))
        log10[slot.slice.order[i]] = std::log10(static_cast<double>(sum)) - kScale * std::log10(2.0);
    slot.slice = {};
  }

  /// Waits for what still reads and writes the host's memory.
  static void drain(Slot& slot) noexcept {
    try {
      slot.queue().finish();
    } catch (const cl::Error&) {
      // The device has failed, and uses the memory no longer.
    }
  }

  /// The pairs that have no result yet, on the CPU.
  void rescue(const hmm::Pairs& pairs, std::vector<double>& log10) {
    hmm::Pairs left;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < log10.size(); ++i) {
      if (!std::isnan(log10[i])) continue;
      const hmm::Pair pair = pairs.pairs()[i];
      left.add_pair(
          {left.add_read(pairs.read(pair.read)), left.add_haplotype(pairs.haplotype(pair.haplotype))});
      places.push_back(i);
    }
    rescued_ = places.size();
    const std::vector<double> computed = cpu_->log10_likelihoods(left);
    for (std::size_t k = 0; k < places.size(); ++k) log10[places[k]] = computed[k];
  }

  bool shuffles() const { return facts_.architecture.starts_with("sm_"); }

  std::size_t pairs_of_group(HmmShape shape) const {
    return std::max<std::size_t>(1, std::min(kHmmGroupItems, facts_.max_group_items) / shape.items);
  }

  cl::Program program(HmmShape shape) {
    auto& program = programs_[shape];
    if (!program) {
      const std::string options = fmt::format(
          "-DFASTID_HMM_ROWS={} -DFASTID_HMM_ITEMS={} -DFASTID_HMM_PAIRS={} -DFASTID_HMM_SHUFFLE={}",
          shape.rows, shape.items, pairs_of_group(shape), shuffles() ? 1 : 0);
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
  std::map<HmmShape, std::optional<cl::Program>> programs_;
  std::uint64_t rescued_ = 0;
};

}  // namespace

std::unique_ptr<hmm::LikelihoodEngine> make_opencl_likelihood_engine(const std::string& selector,
                                                                     std::size_t threads) {
  OpenClDevice device = select_opencl_device(selector);
  const std::string name = "opencl:" + device.facts.selector;
  return with_cl_errors(name,
                        [&] { return std::make_unique<OpenClLikelihoods>(std::move(device), threads); });
}

}  // namespace fastid
