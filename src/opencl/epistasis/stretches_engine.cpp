#include "opencl/epistasis/stretches_engine.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "opencl/device/device_queue.hpp"
#include "opencl/epistasis/proof.hpp"
#include "opencl/epistasis/stretches.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid::opencl {
namespace {

class OpenClEpistasisByStretches final : public engine::EpistasisEngine {
 public:
  OpenClEpistasisByStretches(const OpenClDevice& device, const engine::EpistasisProblem& problem,
                             BitProducts products, std::uint32_t most_found, std::uint64_t memory)
      : name_("opencl:" + device.facts.selector), most_found_(most_found), memory_(memory) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    if (with_cl_errors(name_, [&] { return device.device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>(); }) == 0)
      throw DeviceError(name_ +
                        ": the device has no double precision, by which so many people are tested; "
                        "give --device cpu");
    use_first_built(name_, context, device, epistasis_shapes(device.facts, problem, products, true),
                    epistasis_source, [&](const cl::Program& program, const EpistasisShape& shape) {
                      prove({context, device.device, program, shape, problem});
                      task_ = {context, device.device, program, shape, problem};
                      begin();
                    });
  }
  /// The same queues take its people: it needs no memory of the device.
  OpenClEpistasisByStretches(const OpenClEpistasisByStretches& like, const engine::EpistasisProblem& dealt)
      : name_(like.name_),
        task_(like.task_),
        most_found_(like.most_found_),
        memory_(like.memory_),
        limits_(like.limits_),
        queues_(like.queues_) {
    task_.problem = dealt;
    take_cohort();
  }

  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const override {
    return limits_->tile_sites;
  }

  std::size_t calls_at_once() const override { return queues_->size(); }
  engine::KernelStep step() const override { return epistasis_step(task_.shape); }

  void find(const engine::Rectangle& tile, engine::BestCombinations& best) const override {
    if (cohort_) {
      const auto queue = queues_->lend();
      return with_cl_memory_errors(name_, [&] { queue->find(*cohort_, tile, best); });
    }
    for (std::uint32_t site = tile.row_begin; site < tile.row_end; ++site) {
      const std::vector<StretchedPeople> slabs = people_of_first(task_, site, limits_->steps);
      const auto queue = queues_->lend();
      with_cl_memory_errors(name_, [&] { queue->find(site, slabs, best); });
    }
  }

  std::unique_ptr<engine::EpistasisEngine> dealt_again(const engine::EpistasisProblem& dealt) const override {
    return std::make_unique<OpenClEpistasisByStretches>(*this, dealt);
  }

 private:
  // With less and less memory until the device has it.
  void begin() {
    constexpr std::uint64_t kPart = 4;
    for (;;) {
      with_cl_errors(name_, [&] { limits_.emplace(task_, memory_ / kQueuesOfADevice); });
      try {
        with_cl_memory_errors(name_, [&] {
          queues_ = std::make_shared<DeviceQueues<StretchQueue>>(task_, *limits_, most_found_);
        });
        break;
      } catch (const DeviceMemoryError& error) {
        memory_ /= kPart;
        log::detail("{}; counting fewer people at a time", error.what());
      }
    }
    take_cohort();
  }

  void take_cohort() {
    if (task_.shape.has_slabs()) return;
    cohort_.emplace(task_, task_.problem.classes, limits_->steps);
    with_cl_memory_errors(name_, [&] { cohort_->pin(task_); });
  }

  // In as small stretches as there are.
  void prove(const EpistasisTask& of) const {
    prove_epistasis(name_, of.shape,
                    [&](const engine::EpistasisProblem& problem, engine::BestCombinations& best) {
                      with_cl_memory_errors(name_, [&] {
                        const EpistasisTask task{of.context, of.device, of.program, of.shape, problem};
                        StretchLimits limits(task, std::uint64_t{1} << 24);
                        limits.steps = 2;
                        StretchQueue queue(task, limits, 1000);
                        const std::uint32_t sites = problem.n_sites();
                        if (!of.shape.has_slabs())
                          return queue.find(StretchedPeople(task, problem.classes, limits.steps),
                                            {0, sites, 0, sites}, best);
                        for (std::uint32_t site = 0; site < sites; ++site)
                          queue.find(site, people_of_first(task, site, limits.steps), best);
                      });
                    });
  }

  std::string name_;
  EpistasisTask task_;
  std::uint32_t most_found_;
  std::uint64_t memory_;
  std::optional<StretchLimits> limits_;
  std::optional<StretchedPeople> cohort_;               ///< of two and three sites
  std::shared_ptr<DeviceQueues<StretchQueue>> queues_;  ///< shared with those that were dealt again
};

}  // namespace

std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis_by_stretches(
    const OpenClDevice& device, const engine::EpistasisProblem& problem, BitProducts products,
    std::uint32_t most_found, std::uint64_t memory) {
  const std::uint64_t most = device.facts.global_memory / (device.facts.unified_memory ? 4 : 2);
  return std::make_unique<OpenClEpistasisByStretches>(device, problem, products, most_found,
                                                      std::min(memory, most));
}

}  // namespace fastid::opencl
