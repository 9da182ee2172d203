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
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/epistasis/queue.hpp"
#include "opencl/epistasis/stretches.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {
namespace {

constexpr std::string_view kCombinations = "combinations of sites";
constexpr std::uint32_t kMostFoundOfProof = 1000;

/// First and second sites of a tile of triples by matrix products: so many that little else takes time, and
/// so few that most work-groups have a site after a pair's, and that what is known of each site of a tile
/// with each later one is not large.
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

/// Holds all people on the device.
class OpenClEpistasis final : public engine::EpistasisEngine {
 public:
  OpenClEpistasis(const OpenClDevice& device, const engine::EpistasisProblem& problem, BitProducts products,
                  std::uint32_t most_found)
      : name_(device.name()), most_found_(most_found) {
    use_first_proved(device, context_of(device), epistasis_shapes(device.facts, problem, products),
                     epistasis_source, kCombinations, is_right,
                     [&](const ProgramOn<EpistasisShape>& program) {
                       task_ = {program, problem};
                       with_cl_memory_errors(name_, [&] { begin(); });
                     });
  }
  OpenClEpistasis(EpistasisTask task, std::uint32_t most_found)
      : name_(task.on.name()), task_(std::move(task)), most_found_(most_found) {
    with_cl_memory_errors(name_, [&] { begin(); });
  }

  ~OpenClEpistasis() override { log::detail("{}: kernel {:.6f} s", name_, queues_->kernel_seconds()); }
  OpenClEpistasis(const OpenClEpistasis&) = delete;
  OpenClEpistasis& operator=(const OpenClEpistasis&) = delete;

  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const override {
    return tile_sites_;
  }

  std::size_t calls_at_once() const override { return queues_->size(); }
  engine::KernelStep step() const override { return epistasis_step(task_.shape); }

  void find(const engine::Rectangle& tile, engine::BestCombinations& best) const override {
    if (!task_.shape.has_slabs()) {
      const auto queue = queues_->lend();
      return with_cl_memory_errors(name_, [&] { queue->find(tile, best); });
    }
    for (std::uint32_t site = tile.row_begin; site < tile.row_end; ++site) {
      const FirstSite first(task_, site);  // before a queue is taken: it takes the host some time
      const auto queue = queues_->lend();
      with_cl_memory_errors(name_, [&] { queue->find(first, best); });
    }
  }

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
      using Loan = Lender<EpistasisQueue>::Loan;  // which cannot be moved
      std::vector<std::unique_ptr<Loan>> queues;
      for (const engine::DealtSearch& one : dealt) {
        const auto& of = static_cast<const OpenClEpistasis&>(*one.engine);
        queues.emplace_back(new Loan(of.queues_->lend()));
        (*queues.back())->begin(tile);
      }
      for (const engine::Rectangle& pairs : sharing->shared_runs(kMostBytes)) {
        const cl::Buffer& counts = sharing->count_both_classes(pairs);
        for (std::size_t i = 0; i < dealt.size(); ++i)
          (*queues[i])->find_dealt(pairs, counts, *dealt[i].best);
      }
    });
  }

  std::size_t dealt_at_once() const override {
    constexpr std::size_t kMost = 8;  // each holds what is known of a tile
    return task_.shape.shares ? kMost : 1;
  }

 private:
  void begin() {
    tile_sites_ = sites_of_tile(task_);
    queues_.emplace(task_, whole_cohort(task_), cost_terms(task_), most_found_);
  }

  // What queues share; nothing of four sites.
  static std::optional<EpistasisCohort> whole_cohort(const EpistasisTask& task) {
    if (task.shape.has_slabs()) return std::nullopt;
    return EpistasisCohort(task, {task, task.problem.classes});
  }

  static bool is_right(const ProgramOn<EpistasisShape>& program) {
    return solves_epistasis_problem(program.shape, [&](const auto& problem, auto& best) {
      const EpistasisTask task{program, problem};
      EpistasisQueue queue(task, whole_cohort(task), cost_terms(task), kMostFoundOfProof);
      const std::uint32_t sites = problem.n_sites();
      if (!program.shape.has_slabs()) return queue.find(engine::Rectangle{0, sites, 0, sites}, best);
      for (std::uint32_t site = 0; site < sites; ++site) queue.find(FirstSite(task, site), best);
    });
  }

  std::string name_;
  EpistasisTask task_;
  std::uint32_t tile_sites_ = 0, most_found_;
  mutable std::optional<DeviceQueues<EpistasisQueue>> queues_;
};

/// Counts people a stretch after the other.
class OpenClEpistasisByStretches final : public engine::EpistasisEngine {
 public:
  OpenClEpistasisByStretches(const OpenClDevice& device, const engine::EpistasisProblem& problem,
                             BitProducts products, std::uint32_t most_found, std::uint64_t memory)
      : name_(device.name()),
        most_found_(most_found),
        memory_(std::min(memory, device.facts.global_memory / (device.facts.unified_memory ? 4 : 2))) {
    if (with_cl_errors(name_, [&] { return device.device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>(); }) == 0)
      throw DeviceError(name_ +
                        ": the device has no double precision, by which so many people are tested; "
                        "give --device cpu");
    use_first_proved(device, context_of(device), epistasis_shapes(device.facts, problem, products, true),
                     epistasis_source, kCombinations, is_right,
                     [&](const ProgramOn<EpistasisShape>& program) {
                       task_ = {program, problem};
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
  static bool is_right(const ProgramOn<EpistasisShape>& program) {
    return solves_epistasis_problem(program.shape, [&](const auto& problem, auto& best) {
      const EpistasisTask task{program, problem};
      StretchLimits limits(task, std::uint64_t{1} << 24);
      limits.steps = 2;
      StretchQueue queue(task, limits, kMostFoundOfProof);
      const std::uint32_t sites = problem.n_sites();
      if (!program.shape.has_slabs())
        return queue.find(StretchedPeople(task, problem.classes, limits.steps), {0, sites, 0, sites}, best);
      for (std::uint32_t site = 0; site < sites; ++site)
        queue.find(site, people_of_first(task, site, limits.steps), best);
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
    const std::string& selector, const engine::EpistasisProblem& problem, BitProducts products,
    std::uint32_t most_found, std::uint64_t memory) {
  return std::make_unique<OpenClEpistasisByStretches>(select_opencl_device(selector), problem, products,
                                                      most_found, memory);
}

std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                               const engine::EpistasisProblem& problem,
                                                               BitProducts products, std::uint32_t most_found,
                                                               std::uint64_t memory) {
  const OpenClDevice device = select_opencl_device(selector);
  if (problem.n_people() <= engine::kMostPeopleInFloat &&
      device_bytes(problem) <= static_cast<double>(memory))
    try {
      return std::make_unique<OpenClEpistasis>(device, problem, products, most_found);
    } catch (const DeviceMemoryError& error) {
      log::detail("{}; people are counted by stretches", error.what());
    }
  return make_opencl_epistasis_by_stretches(selector, problem, products, most_found, memory);
}

}  // namespace fastid::opencl
