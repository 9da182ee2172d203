#include "opencl/site_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>
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

// Of which a device holds 2 to 13 MB of counts.
constexpr SiteEngine::CountedPiece kPieceOfDevice{256, 2048};
constexpr std::size_t kCheckedPairs = 64;  // of a rectangle, which are counted again

constexpr std::uint32_t kProofSites = 70, kProofUnits = 301;

/// A small cohort, where every third site is nearly the one before it.
BitBlocks proof_cohort(const SiteShape& shape) {
  BitBlocks cohort({kProofSites, kProofUnits, Encoding::kAlleles});
  std::minstd_rand rng(1);
  for (std::uint32_t unit = 0; unit < kProofUnits; ++unit) {
    std::uint32_t seen = 0;
    for (std::uint32_t site = 0; site < kProofSites; ++site) {
      if (site % 3 != 1 || rng() % 8 == 0)
        seen = static_cast<std::uint32_t>(rng() % (shape.unit == SiteUnit::kGenotypes ? 3 : 2));
      constexpr Seen kSeen[] = {kMajorSeen, kMinorSeen, kBothSeen};
      if (shape.all_called || rng() % 16 != 0) cohort.set_seen(site, unit, kSeen[seen]);
    }
  }
  return cohort;
}

// The device must find what the definition finds.
void prove(const std::string& name, const DeviceSites& sites) {
  const SiteProblem& problem = sites.problem;
  const SiteTile all{0, kProofSites, 0, kProofSites};
  std::vector<LinkedSites> right, found;
  make_site_engine("reference", problem)->find(all, right);
  SiteLane::PairPlaces may;
  SiteLane(sites, kProofSites * kProofSites).find(all, may);
  std::ranges::sort(may, {}, [](const auto& pair) { return std::pair(pair.second, pair.first); });
  for (const auto& [first, second] : may) append_if_linked(problem, first, second, found);
  if (found != right)
    throw KernelFault(fmt::format("{}: the device finds {} of {} linked sites; {}", name, found.size(),
                                  right.size(), kDistrust));
}

void count(SiteCountLane& lane, const DeviceSites& sites, const Rectangle& pairs, std::span<SiteCounts> out) {
  const std::size_t n = pairs.pairs(), n_sums = sums_of(sites.shape.unit, sites.shape.all_called).n;
  if (n == 0) return;
  std::vector<cl_uint> all(n * n_sums);
  lane.count(pairs, all);
  std::array<std::uint32_t, kMostSums> sums{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < n_sums; ++s) sums[s] = all[s * n + i];
    out[i] = counts_of(sites.problem, sites.shape.all_called, pairs.row_begin + i / pairs.columns(),
                       pairs.column_begin + i % pairs.columns(), sums);
  }
}

// The device must count what the definition counts.
void prove_counts(const std::string& name, const DeviceSites& sites) {
  constexpr Rectangle kAll{3, kProofSites, 0, kProofSites - 3};
  std::vector<SiteCounts> right(kAll.pairs()), found(kAll.pairs());
  make_site_engine("reference", sites.problem)->count(kAll, right);
  SiteCountLane lane(sites);
  count(lane, sites, kAll, found);
  if (found != right)
    throw KernelFault(fmt::format("{}: the device miscounts pairs of sites; {}", name, kDistrust));
}

/// Calls proof(name, sites) with a small problem on the device.
template <class Proof>
void with_proof_sites(const std::string& name, const cl::Context& context, const cl::Device& device,
                      const cl::Program& program, const SiteShape& shape, const Proof& proof) {
  const BitBlocks cohort = proof_cohort(shape);
  const std::vector<SiteCounts> own = own_counts(shape.unit, cohort.view());
  with_cl_memory_errors(name, [&] {
    proof(name, DeviceSites(context, device, program, shape, {cohort.view(), shape.unit, .2, own}));
  });
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
      : name_("opencl:" + device.facts.selector), device_(device), problem_(problem) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, site_shapes(device.facts, problem, tuning), site_program,
                    [&](const cl::Program& program, const SiteShape& shape) {
                      with_proof_sites(name_, context, device.device, program, shape, prove);
                      with_cl_memory_errors(name_, [&] {
                        sites_.emplace(context, device.device, program, shape, problem);
                        lanes_.emplace(*sites_, tuning.most_found);
                      });
                      if (problem.counted) make_counting();
                      if (device.facts.type == "GPU")
                        firsts_ = std::max(firsts_, firsts_of_bits(problem, shape));
                      step_ = site_step(shape);
                      kernel_ = shape.config ? "popcounts, config " + shape.config->name : "matrix products";
                      if (shape.config)
                        firsts_ = std::max(firsts_, shape.config->grid_rows * shape.config->m_c);
                    });
  }

  ~OpenClSites() override {
    const double seconds = lanes_->kernel_seconds() + (counting_ ? counting_->lanes.kernel_seconds() : 0);
    log::detail("{}: kernel {:.6f} s, by {}", name_, seconds, kernel_);
  }
  OpenClSites(const OpenClSites&) = delete;
  OpenClSites& operator=(const OpenClSites&) = delete;

  std::uint32_t first_sites() const override { return firsts_; }
  std::size_t calls_at_once() const override { return lanes_->size(); }
  KernelStep step() const override { return step_; }
  CountedPiece counted_piece() const override { return kPieceOfDevice; }

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

  void count(const Rectangle& pairs, std::span<SiteCounts> out) const override {
    with_cl_memory_errors(name_,
                          [&] { fastid::count(*counting_->lanes.lend(), counting_->sites, pairs, out); });
    for (std::size_t i = 0; i < kCheckedPairs; ++i) {  // spread over all
      const std::size_t at =
          pairs.pairs() * i / kCheckedPairs + i % std::max<std::size_t>(1, pairs.pairs() / kCheckedPairs);
      if (at >= pairs.pairs()) break;
      const std::uint64_t row = pairs.row_begin + at / pairs.columns(),
                          column = pairs.column_begin + at % pairs.columns();
      if (out[at] != count_sites(problem_.unit, problem_.sites, row, column))
        throw DeviceError(fmt::format("{}: the device miscounts sites {} and {}; {}", name_, row + 1,
                                      column + 1, kDistrust));
    }
  }

 private:
  /// The same sites with the program that counts them.
  struct Counting {
    DeviceSites sites;
    Lanes<SiteCountLane> lanes;

    explicit Counting(const DeviceSites& of) : sites(of), lanes(sites) {}
  };

  void make_counting() {
    DeviceSites sites = *sites_;
    sites.shape.counts = true;
    use_first_built(name_, sites.context, device_, std::vector{sites.shape}, site_program,
                    [&](const cl::Program& program, const SiteShape& shape) {
                      with_proof_sites(name_, sites.context, sites.device, program, shape, prove_counts);
                      sites.program = program;
                      with_cl_memory_errors(name_, [&] { counting_.emplace(sites); });
                    });
  }

  std::string name_, kernel_;
  KernelStep step_;
  OpenClDevice device_;
  SiteProblem problem_;
  std::uint32_t firsts_ = kLeastFirstSites;  ///< of a tile: a row block at least for each row of a grid
  std::optional<DeviceSites> sites_;
  mutable std::optional<Lanes<SiteLane>> lanes_;
  mutable std::optional<Counting> counting_;  ///< where the problem is counted
};

}  // namespace

std::unique_ptr<SiteEngine> make_opencl_site_engine(const std::string& selector, const SiteProblem& problem,
                                                    const SiteTuning& tuning) {
  return std::make_unique<OpenClSites>(select_opencl_device(selector), problem, tuning);
}

}  // namespace fastid
