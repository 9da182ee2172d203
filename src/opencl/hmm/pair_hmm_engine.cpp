// The pair-HMM on a device. Several workers take slices in turn, each on its own thread: while one's slice is
// computed, others cut theirs, upload them and bring results back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "opencl/devices.hpp"
#include "opencl/engine_by_name.hpp"
#include "opencl/hmm/slice_worker.hpp"
#include "opencl/hmm/slices.hpp"
#include "opencl/pair_hmm.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kSliceCells = std::uint64_t{1} << 30;  // half a millisecond of a large GPU
constexpr std::uint64_t kSliceBytes = std::uint64_t{32} << 20;
constexpr std::size_t kWorkers = 6;  // of a device that slices are copied to, so that transfers overlap

class OpenClLikelihoods final : public hmm::LikelihoodEngine {
 public:
  OpenClLikelihoods(OpenClDevice device, std::size_t threads, bool doubles)
      : device_(std::move(device), doubles),
        name_("opencl:" + device_.facts().selector),
        cpu_(hmm::make_cpu_engine(threads)),
        workers_(device_.facts().unified_memory ? 1 : kWorkers),
        pool_(workers_.size()) {}

  std::string description() const override {
    return fmt::format("pair-HMM by OpenCL, {} ({})", printable(device_.facts().device),
                       printable(device_.facts().platform));
  }

  void compute(const hmm::Groups& groups, hmm::IndexRange reads, std::span<double> log10) override {
    left_.clear();
    left_places_.clear();
    with_cl_memory_errors(name_, [&] { run(groups, reads, log10); });
    rescue();
  }

  std::uint64_t rescued() const override { return rescued_; }

 private:
  void run(const hmm::Groups& groups, hmm::IndexRange reads, std::span<double> log10) {
    const std::uint64_t bytes = std::min<std::uint64_t>(kSliceBytes, device_.facts().max_allocation / 2);
    HmmSlices slices(groups, reads, kSliceCells, bytes);
    pool_.for_each(workers_.size(), [&](std::size_t w, const ThreadPool::Stop& stop) {
      HmmSlice slice;
      while (!stop && slices.next(slice)) {
        check_interrupt();
        const std::span<double> of_slice = groups.part_of(log10, reads, slice.reads);
        compute(workers_[w], groups, slice, of_slice);
        note_left(groups, slice.reads, of_slice);
      }
    });
  }

  /// A worker that has failed is not used again.
  void compute(std::unique_ptr<SliceWorker>& worker, const hmm::Groups& groups, const HmmSlice& slice,
               std::span<double> log10) {
    if (!worker) worker = std::make_unique<SliceWorker>(device_);
    try {
      worker->compute(groups, slice, log10);
    } catch (...) {
      worker->drain();
      worker.reset();
      throw;
    }
  }

  /// Notes the pairs that have no result.
  void note_left(const hmm::Groups& groups, hmm::IndexRange reads, std::span<double> log10) {
    const auto is_missing = [](double value) { return std::isnan(value); };
    for (std::uint32_t read = reads.first; read < reads.end; ++read) {
      const std::span<double> of_read = groups.part_of(log10, reads, {read, read + 1});
      if (std::ranges::none_of(of_read, is_missing)) continue;
      const std::scoped_lock lock(guard_);
      left_.add_read(groups.read(read));
      for (std::uint32_t i = 0; i < of_read.size(); ++i) {
        if (!is_missing(of_read[i])) continue;
        left_.add_haplotype(groups.haplotype(groups.haplotypes_of(read).first + i));
        left_places_.push_back(&of_read[i]);
      }
      left_.end_group();
    }
  }

  /// The pairs that have no result yet, on the CPU.
  void rescue() {
    rescued_ = left_places_.size();
    const std::vector<double> computed = cpu_->log10_likelihoods(left_);
    for (std::size_t k = 0; k < computed.size(); ++k) *left_places_[k] = computed[k];
  }

  HmmDevice device_;
  std::string name_;
  std::unique_ptr<hmm::LikelihoodEngine> cpu_;
  std::vector<std::unique_ptr<SliceWorker>> workers_;  ///< made at first use
  std::mutex guard_;                                   ///< of what follows, while workers run
  hmm::Groups left_;                                   ///< pairs without a result
  std::vector<double*> left_places_;                   ///< where theirs go
  std::uint64_t rescued_ = 0;
  ThreadPool pool_;
};

}  // namespace

std::unique_ptr<hmm::LikelihoodEngine> make_opencl_likelihood_engine(const std::string& selector,
                                                                     std::size_t threads, bool doubles) {
  OpenClDevice device = select_opencl_device(selector);
  const std::string name = device.name();
  return with_cl_errors(
      name, [&] { return std::make_unique<OpenClLikelihoods>(std::move(device), threads, doubles); });
}

std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device,
                                                              std::size_t threads) {
  return engine_named<hmm::LikelihoodEngine>(
      device, "no device of the pair-HMM",
      [&](const std::string& word) -> std::unique_ptr<hmm::LikelihoodEngine> {
        constexpr std::string_view kCpuOf = "cpu:";
        if (word == "auto" || word == "cpu") return hmm::make_cpu_engine(threads);
        if (word == "reference") return hmm::make_reference_engine();
        if (word.starts_with(kCpuOf)) return hmm::make_cpu_engine_for(word.substr(kCpuOf.size()), threads);
        return nullptr;
      },
      [&](const std::string& selector) { return make_opencl_likelihood_engine(selector, threads); },
      hmm::make_joint_engine);
}

}  // namespace fastid::opencl
