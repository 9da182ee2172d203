#include "opencl/site_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/lender.hpp"
#include "base/log.hpp"
#include "opencl/device/lanes.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/kernel/site_kernels.hpp"
#include "opencl/worker/site_lane.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kFirstSites = 1024;  // of a tile: enough work-groups for a GPU
constexpr double kTileBits = 0x1p44;         // that a GPU compares in some 10 ms; a tile's start takes 0.1 ms

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

/// A device's sites and lanes.
struct OneDevice {
  OneDevice(const OpenClDevice& device, const SiteProblem& problem, const SiteTuning& tuning)
      : name("opencl:" + device.facts.selector) {
    const cl::Context context = with_cl_errors(name, [&] { return cl::Context(device.device); });
    use_first_built(name, context, device, site_shapes(device.facts, problem, tuning), site_program,
                    [&](const cl::Program& program, const SiteShape& shape) {
                      prove(name, context, device.device, program, shape);
                      with_cl_memory_errors(name, [&] {
                        sites.emplace(context, device.device, program, shape, problem);
                        lanes.emplace(*sites, tuning.most_found);
                      });
                      if (device.facts.type == "GPU")
                        firsts = std::max(firsts, firsts_of_bits(problem, shape));
                      kernel = shape.config ? "popcounts, config " + shape.config->name : "matrix products";
                      if (shape.config)
                        firsts = std::max(firsts, shape.config->grid_rows * shape.config->m_c);
                    });
  }

  std::string name, kernel;
  std::uint32_t firsts = kFirstSites;  ///< of a tile: a row block at least for each row of a grid
  std::optional<DeviceSites> sites;
  std::optional<Lanes<SiteLane>> lanes;
};

/// Devices whose lanes take tiles as they get done.
class OpenClSites final : public SiteEngine {
 public:
  OpenClSites(const std::vector<std::string>& selectors, const SiteProblem& problem, const SiteTuning& tuning)
      : problem_(problem) {
    for (const std::string& selector : selectors)
      devices_.emplace_back(select_opencl_device(selector), problem, tuning);
    for (std::size_t i = 0; i < kLanesOfADevice; ++i)
      for (OneDevice& device : devices_) free_.put(&device);
  }

  ~OpenClSites() override {
    for (const OneDevice& device : devices_)
      log::detail("{}: kernel {:.6f} s, by {}", device.name, device.lanes->kernel_seconds(), device.kernel);
  }
  OpenClSites(const OpenClSites&) = delete;
  OpenClSites& operator=(const OpenClSites&) = delete;

  // Of several devices each gets some tiles.
  std::uint32_t first_sites() const override {
    constexpr std::size_t kTilesOfADevice = 4;
    const std::uint32_t most = std::ranges::max_element(devices_, {}, &OneDevice::firsts)->firsts;
    if (devices_.size() == 1) return most;
    const auto share =
        ceil_div<std::uint64_t>(problem_.sites.shape.n_profiles, kTilesOfADevice * devices_.size());
    return std::clamp(static_cast<std::uint32_t>(share), std::min(kFirstSites, most), most);
  }

  void find(const SiteTile& tile, std::vector<LinkedSites>& out) const override {
    SiteLane::PairPlaces found;
    const std::string& name = find_on_one(tile, found);
    for (const auto& [first, second] : found) {
      if (first < tile.first_begin || first >= std::min(tile.first_end, second) ||
          second < tile.second_begin || second >= tile.second_end)
        throw DeviceError(
            fmt::format("{}: the device found a pair that it was not asked for; {}", name, kDistrust));
      append_if_linked(problem_, first, second, out);
    }
  }

 private:
  // Returns the device's name.
  const std::string& find_on_one(const SiteTile& tile, SiteLane::PairPlaces& found) const {
    const auto device = free_.lend();
    with_cl_errors(device->name, [&] { device->lanes->lend()->find(tile, found); });
    return device->name;
  }

  SiteProblem problem_;
  std::deque<OneDevice> devices_;
  mutable Lender<OneDevice> free_;  ///< each as often as it has lanes
};

}  // namespace

std::unique_ptr<SiteEngine> make_opencl_site_engine(const std::vector<std::string>& selectors,
                                                    const SiteProblem& problem, const SiteTuning& tuning) {
  return std::make_unique<OpenClSites>(selectors, problem, tuning);
}

}  // namespace fastid
