#include "opencl/ld_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "opencl/device/device_queue.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/ld/program.hpp"
#include "opencl/ld/queue.hpp"

namespace fastid::opencl {
namespace {

constexpr double kTileBits = 0x1p44;  // that a GPU compares in some 10 ms; a tile's start takes 0.1 ms

// Of which a device holds 2 to 13 MB of counts.
constexpr engine::LdEngine::CountedPiece kPieceOfDevice{256, 2048};
constexpr std::size_t kCheckedPairs = 64;  // of a rectangle, which are counted again

constexpr std::uint32_t kSitesOfProof = 70, kUnitsOfProof = 301;

/// A small cohort, where every third site is nearly the one before it.
BitBlocks proof_cohort(const LdProgramShape& shape) {
  BitBlocks cohort({kSitesOfProof, kUnitsOfProof, Encoding::kAlleles});
  std::minstd_rand rng(1);
  for (std::uint32_t unit = 0; unit < kUnitsOfProof; ++unit) {
    std::uint32_t seen = 0;
    for (std::uint32_t site = 0; site < kSitesOfProof; ++site) {
      if (site % 3 != 1 || rng() % 8 == 0)
        seen = static_cast<std::uint32_t>(rng() % (shape.unit == engine::LdUnit::kGenotypes ? 3 : 2));
      constexpr Seen kSeen[] = {kMajorSeen, kMinorSeen, kBothSeen};
      if (shape.all_called || rng() % 16 != 0) cohort.set_seen(site, unit, kSeen[seen]);
    }
  }
  return cohort;
}

// The device must find what the definition finds.
void prove(const std::string& name, const DeviceSites& sites) {
  const engine::LdProblem& problem = sites.problem;
  const engine::Rectangle all{0, kSitesOfProof, 0, kSitesOfProof};
  std::vector<engine::LdPair> right, found;
  engine::make_ld_engine("reference", problem)->find(all, right);
  std::vector<LdPlaces> may;
  LdQueue(sites, kSitesOfProof * kSitesOfProof).find(all, may);
  std::ranges::sort(may, {}, [](const LdPlaces& pair) { return std::pair(pair.second, pair.first); });
  for (const auto& [first, second] : may) engine::append_if_linked(problem, first, second, found);
  if (found != right)
    throw KernelFault(name,
                      fmt::format("the device finds {} of {} linked sites", found.size(), right.size()));
}

void count(LdCountQueue& queue, const DeviceSites& sites, const engine::Rectangle& pairs,
           std::span<engine::LdCounts> out) {
  const std::size_t n = pairs.pairs(), n_sums = engine::sums_of(sites.shape.unit, sites.shape.all_called).n;
  if (n == 0) return;
  std::vector<cl_uint> all(n * n_sums);
  queue.count(pairs, all);
  std::array<std::uint32_t, engine::kMostSums> sums{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < n_sums; ++s) sums[s] = all[s * n + i];
    out[i] = engine::counts_of(sites.problem, sites.shape.all_called, pairs.row_begin + i / pairs.columns(),
                               pairs.column_begin + i % pairs.columns(), sums);
  }
}

// The device must count what the definition counts.
void prove_counts(const std::string& name, const DeviceSites& sites) {
  constexpr engine::Rectangle kAll{3, kSitesOfProof, 0, kSitesOfProof - 3};
  std::vector<engine::LdCounts> right(kAll.pairs()), found(kAll.pairs());
  engine::make_ld_engine("reference", sites.problem)->count(kAll, right);
  LdCountQueue queue(sites);
  count(queue, sites, kAll, found);
  if (found != right) throw KernelFault(name, "the device miscounts pairs of sites");
}

/// Calls proof(name, sites) with a small problem on the device.
template <class Proof>
void with_proof_sites(const std::string& name, const cl::Context& context, const cl::Device& device,
                      const cl::Program& program, const LdProgramShape& shape, const Proof& proof) {
  const BitBlocks cohort = proof_cohort(shape);
  const std::vector<engine::LdCounts> own = engine::own_counts(shape.unit, cohort.view());
  with_cl_memory_errors(name, [&] {
    proof(name, DeviceSites(context, device, program, shape, {cohort.view(), shape.unit, .2, own}));
  });
}

/// First sites of a tile of kTileBits.
std::uint32_t firsts_of_bits(const engine::LdProblem& problem, const LdProgramShape& shape) {
  const BlockShape& sites = problem.sites.shape;
  const double products =
      static_cast<double>(engine::products_of(engine::sums_of(shape.unit, shape.all_called)));
  const double bits_of_a_first = products * static_cast<double>(sites.n_profiles) * sites.n_sites;
  return static_cast<std::uint32_t>(
      std::min(kTileBits / bits_of_a_first, static_cast<double>(sites.n_profiles)));
}

class OpenClLd final : public engine::LdEngine {
 public:
  OpenClLd(const OpenClDevice& device, const engine::LdProblem& problem, const LdTuning& tuning)
      : name_("opencl:" + device.facts.selector), device_(device), problem_(problem) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, ld_shapes(device.facts, problem, tuning), ld_program,
                    [&](const cl::Program& program, const LdProgramShape& shape) {
                      with_proof_sites(name_, context, device.device, program, shape, prove);
                      with_cl_memory_errors(name_, [&] {
                        sites_.emplace(context, device.device, program, shape, problem);
                        queues_.emplace(*sites_, tuning.most_found);
                      });
                      if (problem.counted) make_counting();
                      if (device.facts.type == "GPU")
                        firsts_ = std::max(firsts_, firsts_of_bits(problem, shape));
                      step_ = ld_step(shape);
                      kernel_ = shape.config ? "popcounts, config " + shape.config->name : "matrix products";
                      if (shape.config)
                        firsts_ = std::max(firsts_, shape.config->grid_rows * shape.config->m_c);
                    });
  }

  ~OpenClLd() override {
    const double seconds = queues_->kernel_seconds() + (counting_ ? counting_->queues.kernel_seconds() : 0);
    log::detail("{}: kernel {:.6f} s, by {}", name_, seconds, kernel_);
  }
  OpenClLd(const OpenClLd&) = delete;
  OpenClLd& operator=(const OpenClLd&) = delete;

  std::uint32_t first_sites() const override { return firsts_; }
  std::size_t calls_at_once() const override { return queues_->size(); }
  engine::KernelStep step() const override { return step_; }
  CountedPiece counted_piece() const override { return kPieceOfDevice; }

  void find(const engine::Rectangle& tile, std::vector<engine::LdPair>& out) const override {
    std::vector<LdPlaces> found;
    with_cl_errors(name_, [&] { queues_->lend()->find(tile, found); });
    for (const auto& [first, second] : found) {
      if (first < tile.row_begin || first >= std::min(tile.row_end, second) || second < tile.column_begin ||
          second >= tile.column_end)
        throw DeviceError(fmt::format("{}: the device found a pair that it was not asked for; {}", name_,
                                      engine::kDistrust));
      engine::append_if_linked(problem_, first, second, out);
    }
  }

  void count(const engine::Rectangle& pairs, std::span<engine::LdCounts> out) const override {
    with_cl_memory_errors(name_,
                          [&] { opencl::count(*counting_->queues.lend(), counting_->sites, pairs, out); });
    for (std::size_t i = 0; i < kCheckedPairs; ++i) {  // spread over all
      const std::size_t at =
          pairs.pairs() * i / kCheckedPairs + i % std::max<std::size_t>(1, pairs.pairs() / kCheckedPairs);
      if (at >= pairs.pairs()) break;
      const std::uint64_t row = pairs.row_begin + at / pairs.columns(),
                          column = pairs.column_begin + at % pairs.columns();
      if (out[at] != engine::count_sites(problem_.unit, problem_.sites, row, column))
        throw DeviceError(fmt::format("{}: the device miscounts sites {} and {}; {}", name_, row + 1,
                                      column + 1, engine::kDistrust));
    }
  }

 private:
  /// The same sites with the program that counts them.
  struct Counting {
    DeviceSites sites;
    DeviceQueues<LdCountQueue> queues;

    explicit Counting(const DeviceSites& of) : sites(of), queues(sites) {}
  };

  void make_counting() {
    DeviceSites sites = *sites_;
    sites.shape.counts = true;
    use_first_built(name_, sites.context, device_, std::vector{sites.shape}, ld_program,
                    [&](const cl::Program& program, const LdProgramShape& shape) {
                      with_proof_sites(name_, sites.context, sites.device, program, shape, prove_counts);
                      sites.program = program;
                      with_cl_memory_errors(name_, [&] { counting_.emplace(sites); });
                    });
  }

  std::string name_, kernel_;
  engine::KernelStep step_;
  OpenClDevice device_;
  engine::LdProblem problem_;
  std::uint32_t firsts_ =
      engine::kLeastFirstSites;  ///< of a tile: a row block at least for each row of a grid
  std::optional<DeviceSites> sites_;
  mutable std::optional<DeviceQueues<LdQueue>> queues_;
  mutable std::optional<Counting> counting_;  ///< where the problem is counted
};

}  // namespace

std::unique_ptr<engine::LdEngine> make_opencl_ld_engine(const std::string& selector,
                                                        const engine::LdProblem& problem,
                                                        const LdTuning& tuning) {
  return std::make_unique<OpenClLd>(select_opencl_device(selector), problem, tuning);
}

}  // namespace fastid::opencl
