// The CPU engine: pairs of similar length side by side in vectors, first in float, then the remaining ones
// in double.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "hmm/cpu/flush_denormals.hpp"
#include "hmm/cpu/forward.hpp"
#include "hmm/pair_hmm.hpp"

namespace fastid::hmm {
namespace {

constexpr std::size_t kVectors = 16;  // that a thread takes at a time

class CpuEngine final : public LikelihoodEngine {
 public:
  CpuEngine(const ForwardKernels& kernels, std::size_t threads, Precision precision)
      : kernels_(kernels), precision_(precision), pool_(threads_or_all(threads)) {}

  std::string description() const override {
    return fmt::format("pair-HMM on the CPU, {}, {}", kernels_.target, counted(pool_.threads(), "thread"));
  }

  void compute(const Groups& groups, IndexRange reads, std::span<double> log10) override {
    std::ranges::fill(log10, std::nan(""));
    const Task task{groups, pairs_of(groups, reads), log10};
    if (precision_ == Precision::kMixed) compute(task, left(task), kernels_.in_float, kernels_.float_lanes);
    const std::vector<std::uint32_t> again = left(task);
    compute(task, again, kernels_.in_double, kernels_.double_lanes);
    rescued_ = again.size();
    define(task);
  }

  std::uint64_t rescued() const override { return rescued_; }

 private:
  struct Task {
    Lane lane(std::size_t place) const {
      return {groups.read(pairs[place].read), groups.haplotype(pairs[place].haplotype)};
    }

    const Groups& groups;
    std::vector<Pair> pairs;
    std::span<double> log10;  ///< of each pair
  };

  /// The pairs without a result that the kernels take, by length: first of the read, then of the haplotype.
  static std::vector<std::uint32_t> left(const Task& task) {
    std::vector<LengthKey> keys;
    for (std::size_t i = 0; i < task.log10.size(); ++i) {
      if (!std::isnan(task.log10[i]) || !task.groups.divisible(task.pairs[i].read)) continue;
      const Lane lane = task.lane(i);
      keys.push_back(length_key(lane.rows.size(), lane.bases.size(), i));
    }
    return sorted_places(keys);
  }

  void compute(const Task& task, const std::vector<std::uint32_t>& order, Forward forward,
               std::size_t lanes) {
    const std::size_t piece = kVectors * lanes;
    pool_.for_each((order.size() + piece - 1) / piece, [&](std::size_t p, const ThreadPool::Stop& stop) {
      const FlushDenormals flush;
      const std::size_t end = std::min(order.size(), (p + 1) * piece);
      thread_local ForwardMemory memory;
      for (std::size_t i = p * piece; i < end && !stop; i += lanes) {
        check_interrupt();
        vector_of(task, std::span(order).subspan(i, std::min(lanes, end - i)), forward, memory);
      }
    });
  }

  static void vector_of(const Task& task, std::span<const std::uint32_t> which, Forward forward,
                        ForwardMemory& memory) {
    std::array<Lane, kMostLanes> lanes;
    std::array<double, kMostLanes> results{};
    for (std::size_t k = 0; k < which.size(); ++k) lanes[k] = task.lane(which[k]);
    forward(std::span(lanes).first(which.size()), memory, results.data());
    for (std::size_t k = 0; k < which.size(); ++k) task.log10[which[k]] = results[k];
  }

  /// Computes the pairs that are left after double by the definition, which scales its rows.
  void define(const Task& task) {
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < task.log10.size(); ++i)
      if (std::isnan(task.log10[i])) left.push_back(i);
    pool_.for_each(left.size(), [&](std::size_t k, const ThreadPool::Stop&) {
      check_interrupt();
      const Lane lane = task.lane(left[k]);
      task.log10[left[k]] = log10_likelihood(lane.rows, lane.bases);
    });
  }

  static constexpr std::size_t kMostLanes = 16;

  const ForwardKernels& kernels_;
  Precision precision_;
  ThreadPool pool_;
  std::uint64_t rescued_ = 0;
};

}  // namespace

std::unique_ptr<LikelihoodEngine> make_cpu_engine(std::size_t threads, Precision precision) {
  return std::make_unique<CpuEngine>(forward_kernels(), threads, precision);
}

std::unique_ptr<LikelihoodEngine> make_cpu_engine_for(const std::string& target, std::size_t threads) {
  const ForwardKernels* kernels = forward_kernels_of(target);
  return kernels == nullptr ? nullptr : std::make_unique<CpuEngine>(*kernels, threads, Precision::kMixed);
}

}  // namespace fastid::hmm
