#include "opencl/site_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "opencl/device/lanes.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/kernel/site_kernels.hpp"
#include "opencl/worker/site_lane.hpp"

namespace fastid {
namespace {

constexpr double kTileBits = 0x1p44;  // that a GPU compares in some 10 ms; a tile's start takes 0.1 ms

// The device must find what the definition finds in a small cohort, where every third site is nearly the one
// before it.
void prove(const std::string& name, const cl::Context& context, const cl::Device& device,
           const cl::Program& program, const SiteShape& shape) {
  constexpr std::uint32_t kSites = 70, kUnits = 301;
  BitBlocks cohort({kSites, kUnits, Encoding::kAlleles});
  std::minstd_rand rng(1);
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) {
    std::uint32_t seen = 0;
    for (std::uint32_t site = 0; site < kSites; ++site) {
      if (site % 3 != 1 || rng() % 8 == 0)
        seen = static_cast<std::uint32_t>(rng() % (shape.unit == SiteUnit::kGenotypes ? 3 : 2));
      constexpr Seen kSeen[] = {kMajorSeen, kMinorSeen, kBothSeen};
      if (shape.all_called || rng() % 16 != 0) cohort.set_seen(site, unit, kSeen[seen]);
    }
  }
  const std::vector<SiteCounts> own = own_counts(shape.unit, cohort.view());
  const SiteProblem problem{cohort.view(), shape.unit, .2, own};
  const SiteTile all{0, kSites, 0, kSites};
  std::vector<LinkedSites> right, found;
  make_site_engine("reference", problem)->find(all, right);
  SiteLane::PairPlaces may;
  with_cl_memory_errors(name, [&] {
    const DeviceSites sites(context, device, program, shape, problem);
    SiteLane(sites, kSites * kSites).find(all, may);
  });
  std::ranges::sort(may, {}, [](const auto& pair) { return std::pair(pair.second, pair.first); });
  for (const auto& [first, second] : may) append_if_linked(problem, first, second, found);
  if (found != right)
    throw KernelFault(fmt::format("{}: the device finds {} of {} linked sites; {}", name, found.size(),
                                  right.size(), kDistrust));
}

/// First sites of a tile of kTileBits.
std::uint32_t firsts_of_bits(const SiteProblem& problem, const SiteShape& shape) {
  const BlockShape& sites = problem.sites.shape;
  const double products = static_cast<double>(products_of(sums_of(shape.unit, shape.all_called)));
  const double bits_of_a_first = products * static_cast<double>(sites.n_profiles) * sites.n_sites;
  return static_cast<std::uint32_t>(
      std::min(kTileBits / bits_of_a_first, static_cast<double>(sites.n_profiles)));
}

class OpenClSites final : public SiteEngine {
 public:
  OpenClSites(const OpenClDevice& device, const SiteProblem& problem, const SiteTuning& tuning)
      : name_("opencl:" + device.facts.selector), problem_(problem) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, site_shapes(device.facts, problem, tuning), site_program,
                    [&](const cl::Program& program, const SiteShape& shape) {
                      prove(name_, context, device.device, program, shape);
                      with_cl_memory_errors(name_, [&] {
                        sites_.emplace(context, device.device, program, shape, problem);
                        lanes_.emplace(*sites_, tuning.most_found);
                      });
                      if (device.facts.type == "GPU")
                        firsts_ = std::max(firsts_, firsts_of_bits(problem, shape));
                      kernel_ = shape.config ? "popcounts, config " + shape.config->name : "matrix products";
                      if (shape.config)
                        firsts_ = std::max(firsts_, shape.config->grid_rows * shape.config->m_c);
                    });
  }

  ~OpenClSites() override {
    log::detail("{}: kernel {:.6f} s, by {}", name_, lanes_->kernel_seconds(), kernel_);
  }
  OpenClSites(const OpenClSites&) = delete;
  OpenClSites& operator=(const OpenClSites&) = delete;

  std::uint32_t first_sites() const override { return firsts_; }
  std::size_t calls_at_once() const override { return lanes_->size(); }

  void find(const SiteTile& tile, std::vector<LinkedSites>& out) const override {
    SiteLane::PairPlaces found;
    with_cl_errors(name_, [&] { lanes_->lend()->find(tile, found); });
    for (const auto& [first, second] : found) {
      if (first < tile.first_begin || first >= std::min(tile.first_end, second) ||
          second < tile.second_begin || second >= tile.second_end)
        throw DeviceError(
            fmt::format("{}: the device found a pair that it was not asked for; {}", name_, kDistrust));
      append_if_linked(problem_, first, second, out);
    }
  }

 private:
  std::string name_, kernel_;
  SiteProblem problem_;
  std::uint32_t firsts_ = kLeastFirstSites;  ///< of a tile: a row block at least for each row of a grid
  std::optional<DeviceSites> sites_;
  mutable std::optional<Lanes<SiteLane>> lanes_;
};

}  // namespace

std::unique_ptr<SiteEngine> make_opencl_site_engine(const std::string& selector, const SiteProblem& problem,
                                                    const SiteTuning& tuning) {
  return std::make_unique<OpenClSites>(select_opencl_device(selector), problem, tuning);
}

}  // namespace fastid
