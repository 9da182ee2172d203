#include "opencl/epistasis_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
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
      : name_("opencl:" + device.facts.selector) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, epistasis_shapes(device.facts, problem, products),
                    epistasis_source, [&](const cl::Program& program, const EpistasisShape& shape) {
                      prove(context, device.device, program, shape);
                      with_cl_memory_errors(name_, [&] {
                        tile_sites_ = shape.multiplies ? matrix_tile(problem) : kPopcountTile;
                        const EpistasisTask task{context, device.device, program, shape, problem};
                        const bool has_slabs = shape.has_slabs();
                        lanes_.emplace(task,
                                       has_slabs ? std::nullopt
                                                 : std::optional(EpistasisCohort(task, problem.classes)),
                                       has_slabs ? cl::Buffer() : cost_terms(task), most_found);
                      });
                    });
  }

  ~OpenClEpistasis() override { log::detail("{}: kernel {:.6f} s", name_, lanes_->kernel_seconds()); }
  OpenClEpistasis(const OpenClEpistasis&) = delete;
  OpenClEpistasis& operator=(const OpenClEpistasis&) = delete;

  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const override {
    return tile_sites_;
  }

  std::size_t calls_at_once() const override { return lanes_->size(); }

  void find(const CombinationTile& tile, BestCombinations& best) const override {
    const auto lane = lanes_->lend();
    with_cl_errors(name_, [&] { lane->find(tile, best); });
  }

 private:
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
      if (shape.has_slabs())
        EpistasisLane(task, std::nullopt, {}, 1000).find(all, found);
      else
        EpistasisLane(task, EpistasisCohort(task, problem.classes), cost_terms(task), 1000).find(all, found);
    });
    if (found.kept() != right.kept())
      throw KernelFault(
          fmt::format("{}: the device finds other combinations than the definition; {}", name_, kDistrust));
  }

  std::string name_;
  std::uint32_t tile_sites_ = 0;
  mutable std::optional<Lanes<EpistasisLane>> lanes_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                       const EpistasisProblem& problem, BitProducts products,
                                                       std::uint32_t most_found) {
  return std::make_unique<OpenClEpistasis>(select_opencl_device(selector), problem, products, most_found);
}

}  // namespace fastid
