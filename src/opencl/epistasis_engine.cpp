#include "opencl/counting_engines.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "opencl/devices.hpp"
#include "opencl/epistasis/queue.hpp"
#include "opencl/kernel/proof.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {
namespace {

constexpr std::string_view kCombinations = "combinations of sites";
constexpr std::uint32_t kMostFoundOfProof = 1000;

/// First and second sites of a tile of triples by matrix products: so many that little else takes time, and
/// so few that most work-groups have a site after a pair's, and that the margins of a tile's sites with all
/// later ones are not large.
std::uint32_t matrix_tile(const engine::EpistasisProblem& problem) {
  constexpr std::uint32_t kMostBytes = 1U << 28, kBytes = 4 * sizeof(cl_float4);
  constexpr std::uint32_t kFewest = 32, kEnough = 192, kMost = 384, kUnit = 32, kTiles = 8;
  const std::uint32_t held = kMostBytes / kBytes / problem.n_sites();
  const std::uint32_t wanted = std::clamp(problem.n_sites() / kTiles, kEnough, kMost);
  return std::max(std::min(held, wanted) / kUnit * kUnit, kFewest);
}

/// First and second sites of a tile.
std::uint32_t sites_of_tile(const EpistasisTask& task) {
  constexpr std::uint32_t kPopcounts = 128, kPairs = 1024;  // enough work for a GPU
  if (!task.shape.multiplies) return kPopcounts;
  return task.problem.way == 2 ? kPairs : matrix_tile(task.problem);
}

/// About what the sites take on the device where all people are held: a plane of each genotype.
double device_bytes(const engine::EpistasisProblem& problem) {
  return static_cast<double>(problem.n_people()) * problem.n_sites() * engine::kSiteGenotypes / CHAR_BIT;
}

/// What engines have in common, whatever their queues.
template <class Queue>
class EpistasisOnQueues : public engine::EpistasisEngine {
 public:
  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const final {
    return tile_sites_;
  }
  std::size_t calls_at_once() const final { return queues_->size(); }
  engine::KernelStep step() const final { return epistasis_step(task_.shape); }

  void find(const engine::Rectangle& tile, engine::BestCombinations& best) const final {
    if (!task_.shape.has_slabs()) {
      const auto queue = queues_->lend();
      return with_cl_memory_errors(name_, [&] {
        if (people_) queue->put_people({&*people_, 1});
        queue->find_tile(tile, best);
      });
    }
    for (std::uint32_t site = tile.row_begin; site < tile.row_end; ++site) {
      // Before a queue is taken: it takes the host some time.
      const std::vector<HostPeople> slabs = people_of_first(task_, site, steps_);
      const auto queue = queues_->lend();
      with_cl_memory_errors(name_, [&] { queue->find_after(site, slabs, best); });
    }
  }

 protected:
  EpistasisOnQueues(EpistasisTask task, std::uint32_t most_found)
      : name_(task.on.name()), task_(std::move(task)), most_found_(most_found) {}

  std::string name_;
  EpistasisTask task_;
  std::uint32_t tile_sites_ = 0, most_found_;
  std::size_t steps_ = kAllSteps;  ///< of a stretch
  /// Of two and three sites, where the device does not hold all people: find() puts them for each tile. Held
  /// people are on the device from the start; of four sites find_after() puts the slabs.
  std::optional<HostPeople> people_;
  std::shared_ptr<DeviceQueues<Queue>> queues_;
};

/// Holds all people on the device.
class OpenClEpistasis final : public EpistasisOnQueues<HeldQueue> {
 public:
  OpenClEpistasis(EpistasisTask task, std::uint32_t most_found)
      : EpistasisOnQueues(std::move(task), most_found) {
    tile_sites_ = sites_of_tile(task_);
    with_cl_memory_errors(name_, [&] {
      queues_ = std::make_shared<DeviceQueues<HeldQueue>>(task_, held(task_), log_terms(task_), most_found_);
    });
  }

  ~OpenClEpistasis() override { log::detail("{}: kernel {:.6f} s", name_, queues_->kernel_seconds()); }
  OpenClEpistasis(const OpenClEpistasis&) = delete;
  OpenClEpistasis& operator=(const OpenClEpistasis&) = delete;

  // Its program is built, and has been proved.
  std::unique_ptr<engine::EpistasisEngine> dealt_again(const engine::EpistasisProblem& dealt) const override {
    EpistasisTask task = task_;
    task.problem = dealt;
    return std::make_unique<OpenClEpistasis>(std::move(task), most_found_);
  }

  // Threads lend the queues of all in the same order. Without a limit nearly all would pass at first.
  void find_dealt(const engine::Rectangle& tile, std::span<const engine::DealtSearch> dealt) const override {
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    if (!task_.shape.shares || !engine::is_less_together(task_.problem, dealt.size()) ||
        std::ranges::any_of(dealt,
                            [](const engine::DealtSearch& one) { return std::isinf(one.best->worst()); }))
      return engine::EpistasisEngine::find_dealt(tile, dealt);
    const auto sharing = queues_->lend();
    with_cl_memory_errors(name_, [&] {
      if (!sharing->begin(tile)) return;
      using Loan = Lender<HeldQueue>::Loan;  // which cannot be moved
      std::vector<std::unique_ptr<Loan>> queues;
      for (const engine::DealtSearch& one : dealt) {
        const auto& of = static_cast<const OpenClEpistasis&>(*one.engine);
        queues.emplace_back(new Loan(of.queues_->lend()));
        (*queues.back())->begin(tile);
      }
      for (const engine::Rectangle& pairs : sharing->shared_batches(kMostBytes)) {
        const cl::Buffer& counts = sharing->count_both_classes(pairs);
        for (std::size_t i = 0; i < dealt.size(); ++i)
          (*queues[i])->find_dealt(pairs, counts, *dealt[i].best);
      }
    });
  }

  std::size_t dealt_at_once() const override {
    constexpr std::size_t kMost = 8;  // each holds a tile's margins
    return task_.shape.shares ? kMost : 1;
  }

  static bool is_right(const ProgramOn<EpistasisShape>& program) {
    return solves_epistasis_problem(program.shape, [&](const auto& problem, auto& best) {
      const EpistasisTask task{program, problem};
      HeldQueue(task, held(task), log_terms(task), kMostFoundOfProof).find_all(best);
    });
  }

 private:
  // Everybody, whom the queues share; no value of four sites.
  static std::optional<DevicePeople> held(const EpistasisTask& task) {
    if (task.shape.has_slabs()) return std::nullopt;
    return DevicePeople(task, {task, task.problem.classes, kAllSteps});
  }
};

/// Counts people a stretch after the other.
class OpenClEpistasisByStretches final : public EpistasisOnQueues<StretchQueue> {
 public:
  /// With less and less memory until the device has it.
  OpenClEpistasisByStretches(EpistasisTask task, std::uint32_t most_found, std::uint64_t memory)
      : EpistasisOnQueues(std::move(task), most_found) {
    constexpr std::uint64_t kPart = 4;
    for (; queues_ == nullptr; memory /= kPart) {
      const StretchLimits limits =
          with_cl_errors(name_, [&] { return StretchLimits(task_, memory / kQueuesOfADevice); });
      tile_sites_ = limits.tile_sites;
      steps_ = limits.steps;
      try {
        with_cl_memory_errors(name_, [&] {
          queues_ = std::make_shared<DeviceQueues<StretchQueue>>(task_, limits, most_found_);
        });
      } catch (const DeviceMemoryError& error) {
        log::detail("{}; counting fewer people at a time", error.what());
      }
    }
    take_people();
  }
  /// The same queues take its people: it needs no memory of the device.
  OpenClEpistasisByStretches(const OpenClEpistasisByStretches& like, const engine::EpistasisProblem& dealt)
      : EpistasisOnQueues(like.task_, like.most_found_) {
    task_.problem = dealt;
    tile_sites_ = like.tile_sites_;
    steps_ = like.steps_;
    queues_ = like.queues_;
    take_people();
  }

  std::unique_ptr<engine::EpistasisEngine> dealt_again(const engine::EpistasisProblem& dealt) const override {
    return std::make_unique<OpenClEpistasisByStretches>(*this, dealt);
  }

  // In as small stretches as there are.
  static bool is_right(const ProgramOn<EpistasisShape>& program) {
    return solves_epistasis_problem(program.shape, [&](const auto& problem, auto& best) {
      const EpistasisTask task{program, problem};
      StretchLimits limits(task, std::uint64_t{1} << 24);
      limits.steps = 2;
      const HostPeople people(task, problem.classes, limits.steps);
      StretchQueue queue(task, limits, kMostFoundOfProof);
      queue.put_people({&people, 1});
      queue.find_all(best);
    });
  }

 private:
  void take_people() {
    if (task_.shape.has_slabs()) return;
    people_.emplace(task_, task_.problem.classes, steps_);
    with_cl_memory_errors(name_, [&] { people_->pin(task_); });
  }
};

/// An engine whose program is the first that passes its proof. \param more  what it takes besides
template <class Engine, class... More>
std::unique_ptr<engine::EpistasisEngine> make_proved(const OpenClDevice& device,
                                                     const std::vector<EpistasisShape>& shapes,
                                                     const engine::EpistasisProblem& problem,
                                                     const More&... more) {
  std::unique_ptr<engine::EpistasisEngine> made;
  use_first_proved(device, context_of(device), shapes, epistasis_source, kCombinations, Engine::is_right,
                   [&](const ProgramOn<EpistasisShape>& program) {
                     made = std::make_unique<Engine>(EpistasisTask{program, problem}, more...);
                   });
  return made;
}

}  // namespace

std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis_by_stretches(
    const std::string& selector, const engine::EpistasisProblem& problem, BitProducts products,
    std::uint32_t most_found, std::uint64_t memory) {
  const OpenClDevice device = select_opencl_device(selector);
  if (with_cl_errors(device.name(), [&] { return device.device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>(); }) == 0)
    throw DeviceError(device.name() +
                      ": the device has no double precision, by which so many people are tested; "
                      "give --device cpu");
  return make_proved<OpenClEpistasisByStretches>(
      device, epistasis_shapes(device.facts, problem, products, true), problem, most_found,
      std::min(memory, device.facts.global_memory / (device.facts.unified_memory ? 4 : 2)));
}

std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                               const engine::EpistasisProblem& problem,
                                                               BitProducts products, std::uint32_t most_found,
                                                               std::uint64_t memory) {
  const OpenClDevice device = select_opencl_device(selector);
  if (problem.n_people() <= engine::kMostPeopleInFloat &&
      device_bytes(problem) <= static_cast<double>(memory))
    try {
      return make_proved<OpenClEpistasis>(device, epistasis_shapes(device.facts, problem, products), problem,
                                          most_found);
    } catch (const DeviceMemoryError& error) {
      log::detail("{}; people are counted by stretches", error.what());
    }
  return make_opencl_epistasis_by_stretches(selector, problem, products, most_found, memory);
}

}  // namespace fastid::opencl
