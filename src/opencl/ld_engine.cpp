#include "opencl/counting_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/proof.hpp"
#include "opencl/ld/program.hpp"
#include "opencl/ld/queue.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {
namespace {

constexpr double kTileBits = 0x1p44;  // that a GPU compares in some 10 ms; a tile's start takes 0.1 ms

// Of which a device holds 2 to 13 MB of counts.
constexpr engine::LdEngine::CountedPiece kPieceOfDevice{256, 2048};
constexpr std::size_t kCheckedPairs = 64;  // of a rectangle, which are counted again

/// Whether a device finds what the definition finds in a small cohort, or counts what it counts.
bool solves_ld_problem(const ProgramOn<LdProgramShape>& program) {
  constexpr std::uint32_t kSites = 70, kUnits = 301;
  constexpr double kMinR2 = .003;  // which a third of the pairs have
  constexpr engine::Rectangle kAll{0, kSites, 0, kSites}, kMost{3, kSites, 0, kSites - 3};
  constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kBothSeen};
  const auto [unit, all_called] = std::pair(program.shape.unit, program.shape.all_called);
  const BitBlocks cohort =
      random_profiles({kSites, kUnits, Encoding::kAlleles},
                      std::span(kDrawn).first(unit == engine::LdUnit::kGenotypes ? 3 : 2), !all_called);
  const std::vector<engine::LdCounts> own = engine::own_counts(unit, cohort.view());
  const SitesOnDevice sites(program, {cohort.view(), unit, kMinR2, own});
  const auto definition = engine::make_ld_engine("reference", sites.problem);
  if (program.shape.counts) {
    std::vector<engine::LdCounts> right(kMost.pairs()), counted(kMost.pairs());
    definition->count(kMost, right);
    LdQueue(sites).count(kMost, counted);
    return counted == right;
  }
  std::vector<engine::LdPair> right, found;
  definition->find(kAll, right);
  std::vector<LdPlaces> may;
  LdQueue(sites, kSites * kSites).find(kAll, may);
  std::ranges::sort(may, {}, [](const LdPlaces& pair) { return std::pair(pair.second, pair.first); });
  for (const auto& [first, second] : may) engine::append_if_linked(sites.problem, first, second, found);
  return found == right;
}

/// First sites of a tile of kTileBits.
std::uint32_t firsts_of_bits(const engine::LdProblem& problem, const LdProgramShape& shape) {
  const double products =
      static_cast<double>(engine::products_of(engine::sums_of(shape.unit, shape.all_called)));
  const double sites = problem.n_sites(), bits_of_a_first = products * sites * problem.n_units();
  return static_cast<std::uint32_t>(std::min(kTileBits / bits_of_a_first, sites));
}

class OpenClLd final : public engine::LdEngine {
 public:
  OpenClLd(const OpenClDevice& device, const engine::LdProblem& problem, const LdTuning& tuning)
      : name_(device.name()), problem_(problem) {
    use_first_proved(device, context_of(device), ld_shapes(device.facts, problem, tuning), ld_program,
                     "linked sites", solves_ld_problem, [&](const ProgramOn<LdProgramShape>& program) {
                       with_cl_memory_errors(name_, [&] {
                         finding_.emplace(SitesOnDevice(program, problem), tuning.most_found);
                       });
                       if (problem.counted) make_counting();
                     });
    const LdProgramShape& shape = finding_->sites.built.shape;
    if (device.facts.type == "GPU") firsts_ = std::max(firsts_, firsts_of_bits(problem, shape));
    if (shape.config) firsts_ = std::max(firsts_, shape.config->grid_rows * shape.config->m_c);
  }

  ~OpenClLd() override {
    double seconds = finding_->queues.kernel_seconds();
    if (counting_) seconds += counting_->queues.kernel_seconds();
    const auto& config = finding_->sites.built.shape.config;
    log::detail("{}: kernel {:.6f} s, by {}", name_, seconds,
                config ? "popcounts, config " + config->name : "matrix products");
  }
  OpenClLd(const OpenClLd&) = delete;
  OpenClLd& operator=(const OpenClLd&) = delete;

  std::uint32_t first_sites() const override { return firsts_; }
  std::size_t calls_at_once() const override { return finding_->queues.size(); }
  engine::KernelStep step() const override { return ld_step(finding_->sites.built.shape); }
  CountedPiece counted_piece() const override { return kPieceOfDevice; }

  void find(const engine::Rectangle& tile, std::vector<engine::LdPair>& out) const override {
    std::vector<LdPlaces> found;
    with_cl_errors(name_, [&] { finding_->queues.lend()->find(tile, found); });
    for (const auto& [first, second] : found) {
      if (first < tile.row_begin || first >= std::min(tile.row_end, second) || second < tile.column_begin ||
          second >= tile.column_end)
        throw WrongAnswer(fmt::format("{}: the device found a pair that it was not asked for", name_));
      engine::append_if_linked(problem_, first, second, out);
    }
  }

  void count(const engine::Rectangle& pairs, std::span<engine::LdCounts> out) const override {
    with_cl_memory_errors(name_, [&] { counting_->queues.lend()->count(pairs, out); });
    for (std::size_t i = 0; i < kCheckedPairs; ++i) {  // spread over all
      const std::size_t at =
          pairs.pairs() * i / kCheckedPairs + i % std::max<std::size_t>(1, pairs.pairs() / kCheckedPairs);
      if (at >= pairs.pairs()) break;
      const std::uint64_t row = pairs.row_begin + at / pairs.columns(),
                          column = pairs.column_begin + at % pairs.columns();
      if (out[at] != engine::count_sites(problem_.unit, problem_.sites, row, column))
        throw WrongAnswer(
            fmt::format("{}: the device miscounts sites {} and {}", name_, row + 1, column + 1));
    }
  }

 private:
  /// Sites with a program, and its queues.
  struct SitesAndQueues {
    explicit SitesAndQueues(SitesOnDevice of, std::uint32_t most_found = 0)
        : sites(std::move(of)), queues(sites, most_found) {}

    SitesOnDevice sites;
    DeviceQueues<LdQueue> queues;
  };

  void make_counting() {
    LdProgramShape shape = finding_->sites.built.shape;
    shape.counts = true;
    use_first_proved(finding_->sites.built.on, finding_->sites.built.context, std::vector{shape}, ld_program,
                     "counts of sites", solves_ld_problem, [&](const ProgramOn<LdProgramShape>& program) {
                       with_cl_memory_errors(name_,
                                             [&] { counting_.emplace(finding_->sites.with(program)); });
                     });
  }

  std::string name_;
  engine::LdProblem problem_;
  /// Of a tile: at least kLeastFirstSites, on a GPU enough for kTileBits, and a row block of M_C for each of
  /// the config's GRID_ROWS.
  std::uint32_t firsts_ = engine::kLeastFirstSites;
  mutable std::optional<SitesAndQueues> finding_, counting_;  ///< counting: where the problem is counted
};

}  // namespace

std::unique_ptr<engine::LdEngine> make_opencl_ld_engine(const std::string& selector,
                                                        const engine::LdProblem& problem,
                                                        const LdTuning& tuning) {
  return std::make_unique<OpenClLd>(select_opencl_device(selector), problem, tuning);
}

}  // namespace fastid::opencl
