#include "opencl/epistasis_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "opencl/device/lanes.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/epistasis/lane.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kPopcountTile = 128;  // first and second sites of a tile: enough work for a GPU

/// First and second sites of a tile by matrix products: so many that little else takes time, and so few that
/// most work-groups have a site after a pair's, and that what is known of each site of a tile with each later
/// one is not large.
std::uint32_t matrix_tile(const EpistasisProblem& problem) {
  constexpr std::uint32_t kMostBytes = 1U << 28, kBytes = 2 * 2 * sizeof(cl_float4);
  constexpr std::uint32_t kFewest = 32, kMost = 384, kUnit = 32;
  return std::clamp(kMostBytes / kBytes / problem.n_sites() / kUnit * kUnit, kFewest, kMost);
}

class OpenClEpistasis final : public EpistasisEngine {
 public:
  OpenClEpistasis(const OpenClDevice& device, const EpistasisProblem& problem, BitProducts products,
                  std::uint32_t most_found)
      : name_("opencl:" + device.facts.selector), most_found_(most_found) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, epistasis_shapes(device.facts, problem, products),
                    epistasis_source, [&](const cl::Program& program, const EpistasisShape& shape) {
                      prove(context, device.device, program, shape);
                      with_cl_memory_errors(name_, [&] {
                        task_ = {context, device.device, program, shape, problem};
                        begin();
                      });
                    });
  }
  OpenClEpistasis(std::string name, EpistasisTask task, std::uint32_t most_found)
      : name_(std::move(name)), task_(std::move(task)), most_found_(most_found) {
    with_cl_memory_errors(name_, [&] { begin(); });
  }

  ~OpenClEpistasis() override { log::detail("{}: kernel {:.6f} s", name_, lanes_->kernel_seconds()); }
  OpenClEpistasis(const OpenClEpistasis&) = delete;
  OpenClEpistasis& operator=(const OpenClEpistasis&) = delete;

  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const override {
    return tile_sites_;
  }

  std::size_t calls_at_once() const override { return lanes_->size(); }

  void find(const CombinationTile& tile, BestCombinations& best) const override {
    if (!task_.shape.has_slabs()) {
      const auto lane = lanes_->lend();
      return with_cl_errors(name_, [&] { lane->find(tile, best); });
    }
    for (std::uint32_t site = tile.first_begin; site < tile.first_end; ++site) {
      FirstSite first(task_, site);  // before a lane is taken: it takes the host some time
      const auto lane = lanes_->lend();
      with_cl_errors(name_, [&] { lane->find(std::move(first), best); });
    }
  }

  // Its program is built, and has been proved.
  std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const override {
    EpistasisTask task = task_;
    task.problem = dealt;
    return std::make_unique<OpenClEpistasis>(name_, std::move(task), most_found_);
  }

 private:
  void begin() {
    tile_sites_ = task_.shape.multiplies ? matrix_tile(task_.problem) : kPopcountTile;
    lanes_.emplace(task_, everybody(task_), cost_terms(task_), most_found_);
  }

  // What lanes share; nothing of four sites.
  static std::optional<EpistasisCohort> everybody(const EpistasisTask& task) {
    if (task.shape.has_slabs()) return std::nullopt;
    return EpistasisCohort(task, {task, task.problem.classes});
  }

  // The device must find what the definition finds in a small cohort, of some of which there are too few
  // people.
  void prove(const cl::Context& context, const cl::Device& device, const cl::Program& program,
             const EpistasisShape& shape) const {
    const std::uint32_t kSites = shape.way == 4 ? 20 : 40;
    constexpr std::array<std::uint32_t, kClasses> kPeople = {301, 200};
    std::minstd_rand rng(1);
    std::vector<BitBlocks> classes;
    for (const std::uint32_t n : kPeople) {
      classes.emplace_back(BlockShape{kSites, n, Encoding::kAlleles});
      for (std::uint32_t person = 0; person < n; ++person)
        for (std::uint32_t site = 0; site < kSites; ++site) {
          constexpr Seen kSeen[] = {kMajorSeen, kMajorSeen, kBothSeen, kBothSeen, kMinorSeen};
          if (shape.by_rest || rng() % 16 != 0) classes.back().set_seen(site, person, kSeen[rng() % 5]);
        }
    }
    const EpistasisProblem problem{
        {classes[0].view(), classes[1].view()}, shape.way, shape.score, shape.by_rest ? 0U : 420U};
    const CombinationTile all{0, kSites, 0, kSites};
    BestCombinations right(30), found(30);
    make_epistasis_engine("reference", problem)->find(all, right);
    with_cl_memory_errors(name_, [&] {
      const EpistasisTask task{context, device, program, shape, problem};
      EpistasisLane lane(task, everybody(task), cost_terms(task), 1000);
      if (!shape.has_slabs()) return lane.find(all, found);
      for (std::uint32_t site = 0; site < kSites; ++site) lane.find(FirstSite(task, site), found);
    });
    if (found.kept() != right.kept())
      throw KernelFault(
          fmt::format("{}: the device finds other combinations than the definition; {}", name_, kDistrust));
  }

  std::string name_;
  EpistasisTask task_;
  std::uint32_t tile_sites_ = 0, most_found_;
  mutable std::optional<Lanes<EpistasisLane>> lanes_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                       const EpistasisProblem& problem, BitProducts products,
                                                       std::uint32_t most_found) {
  return std::make_unique<OpenClEpistasis>(select_opencl_device(selector), problem, products, most_found);
}

}  // namespace fastid
