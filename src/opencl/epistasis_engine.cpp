#include "opencl/epistasis_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/matrix_comparer.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kTileSites = 128;  // first and second sites of a tile: enough work for a GPU
constexpr std::size_t kPairsOfAGroup = 8;  // of the kernel by popcounts
constexpr std::uint32_t kMostOfAClass = 65535;

/// What a program is built for, as epistasis.cl has it.
struct EpistasisShape {
  std::uint32_t instruction = 1, rows = 1, columns = 1;  ///< FASTID_MATRIX, _ROWS and _COLUMNS
  bool multiplies = false;                               ///< by matrix products, else by popcounts
  bool by_rest = false;
  std::size_t way = 3;
  EpistasisScore score = EpistasisScore::kK2;

  std::size_t firsts() const { return way == 2 ? 3 : by_rest ? 4 : 9; }
  const char* kernel() const { return multiplies ? "multiply" : "find"; }
};

std::vector<EpistasisShape> shapes_for(const DeviceFacts& facts, const EpistasisProblem& problem,
                                       BitProducts products) {
  EpistasisShape usual{.way = problem.way, .score = problem.score};
  usual.by_rest = problem.way == 3 && everybody_is_called(problem);
  std::vector<EpistasisShape> shapes;
  EpistasisShape matrix = usual;
  matrix.multiplies = usual.by_rest;
  const auto config = ptx_config(facts);
  if (products == BitProducts::kBest && config) {
    matrix.instruction = kPtxMatrix;
    matrix.rows = config->matrix_rows;
    matrix.columns = config->matrix_columns;
    if (usual.by_rest) shapes.push_back(matrix);
  }
  if (products == BitProducts::kPortableMatrix) shapes.push_back(matrix);
  shapes.push_back(usual);
  return shapes;
}

ProgramSource source_of(const EpistasisShape& shape) {
  std::string text;
  for (const std::string_view file :
       {"kernels/thresholds.h", "kernels/matrix_product.h", "kernels/epistasis.cl"})
    text += embedded_text(file);
  return {
      std::move(text),
      fmt::format("-cl-std=CL1.2 -D FASTID_WIDE=0 -D FASTID_MATRIX={} -D FASTID_MATRIX_ROWS={} "
                  "-D FASTID_MATRIX_COLUMNS={} -D FASTID_BY_REST={:d} -D FASTID_FIRSTS={} -D FASTID_K2={:d}",
                  shape.instruction, shape.rows, shape.columns, shape.by_rest, shape.firsts(),
                  shape.score == EpistasisScore::kK2),
      shape.kernel()};
}

/// Question of epistasis.cl.
struct Question {
  cl_uint n_sites, n_blocks;
  cl_uint steps, control_steps;
  cl_uint first_begin, second_begin, n_seconds;
  cl_uint pair_begin, pair_end;
  cl_uint block_begin;
  cl_uint capacity;
  cl_float share, squares, logs, people, cases, rest;
  cl_float worst;
};

/// ln n!, or n ln n, in float.
std::vector<cl_float> terms_of(const EpistasisProblem& problem) {
  std::vector<cl_float> terms;
  for (std::uint64_t i = 0; i <= problem.n_people() + 1; ++i) {
    const auto n = static_cast<double>(i);
    terms.push_back(static_cast<cl_float>(problem.score == EpistasisScore::kK2 ? std::lgamma(n + 1)
                                          : i == 0                             ? 0
                                                                               : n * std::log(n)));
  }
  return terms;
}

/// What rounding may do to a score by a table in float: 81 terms, which together are at most three times the
/// largest.
double rounding_of(const EpistasisProblem& problem) {
  const auto n = static_cast<double>(problem.n_people());
  const double most = n * std::log(n + 2);  // above ln (n + 1)!
  return 250 * 6e-8 * (problem.score == EpistasisScore::kK2 ? most : most / n);
}

/// Genotype planes as epistasis.cl has them.
std::vector<cl_uint> planes_of(const EpistasisProblem& problem,
                               const std::array<std::size_t, kClasses>& steps) {
  const std::size_t n_blocks = ceil_div<std::size_t>(problem.n_sites(), kLanes);
  const std::size_t words = (steps[0] + steps[1]) * kMatrixStep;
  std::vector<cl_uint> planes(checked_mul(checked_mul(n_blocks, words), kSiteGenotypes * kLanes));
  for (std::size_t genotype = 0; genotype < kSiteGenotypes; ++genotype)
    for (std::size_t of = 0; of < kClasses; ++of) {
      const BlocksView& people = problem.classes[of];
      for (std::uint32_t site = 0; site < problem.n_sites(); ++site)
        for (std::size_t word = 0; word < people.shape.n_words(); ++word)
          planes[((genotype * n_blocks + site / kLanes) * words + of * steps[0] * kMatrixStep + word) *
                     kLanes +
                 site % kLanes] =
              genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word));
    }
  return planes;
}

/// A problem's sites on a device.
class DeviceEpistasis {
 public:
  DeviceEpistasis(const cl::Context& context, const cl::Device& device, const cl::Program& program,
                  const EpistasisShape& shape, const EpistasisProblem& problem, std::uint32_t most_found)
      : context_(context),
        problem_(problem),
        shape_(shape),
        scorer_(problem),
        queue_(context, device, CL_QUEUE_PROFILING_ENABLE),
        pack_(program, "pack_pairs"),
        find_(program, shape.kernel()) {
    for (std::size_t of = 0; of < kClasses; ++of)
      steps_[of] = ceil_div(problem.classes[of].shape.n_words(), kMatrixStep);
    question_ = {.n_sites = problem.n_sites(),
                 .n_blocks = narrow<cl_uint>(n_blocks()),
                 .steps = narrow<cl_uint>(steps_[0] + steps_[1]),
                 .control_steps = narrow<cl_uint>(steps_[0]),
                 .capacity = std::max(most_found, problem.n_sites())};
    planes_ = make_copy(context, planes_of(problem, steps_));
    std::vector<cl_float> terms = terms_of(problem);
    terms_ = make_buffer(context, CL_MEM_READ_ONLY, terms.size() * sizeof(cl_float), terms.data());
    found_ = make_buffer(context, CL_MEM_READ_WRITE, (std::size_t{question_.capacity} + 1) * sizeof(Found));
    own_ = make_copy(context, own_cells());
    count_margins(program);
    set_arguments();
  }

  double kernel_seconds() const { return seconds_; }

  void find(const CombinationTile& tile, BestCombinations& best) {
    question_.first_begin = tile.first_begin;
    question_.second_begin = tile.second_begin;
    question_.n_seconds = problem_.way == 2 ? 1 : tile.second_end - tile.second_begin;
    question_.block_begin =
        ((problem_.way == 2 ? tile.first_begin : std::max(tile.first_begin + 1, tile.second_begin)) + 1) /
        kLanes;
    if (question_.block_begin >= n_blocks()) return;
    const std::uint32_t end = (tile.first_end - tile.first_begin) * question_.n_seconds;
    // Until there is a limit everything passes, and is scored here: a pair at a time, and then so many more
    // that few of them pass.
    constexpr std::uint32_t kGrowth = 32;
    std::uint32_t n = std::isinf(best.worst()) ? 1 : end;
    for (std::uint32_t begin = 0; begin < end; begin += n) {
      if (begin > 0 && std::isfinite(best.worst())) n *= kGrowth;
      n = std::min(n, end - begin);
      find(begin, begin + n, best);
    }
  }

 private:
  struct Found {
    cl_uint pair, later;
  };

  std::size_t n_blocks() const { return ceil_div<std::size_t>(problem_.n_sites(), kLanes); }

  /// Genotypes 0 and 1 of each site, and everybody, both classes in a word.
  std::vector<cl_uint> own_cells() const {
    std::vector<cl_uint> cells(4 * n_blocks() * kLanes);
    const cl_uint everybody = problem_.n_people(0) << 16 | problem_.n_people(1);
    for (std::uint32_t site = 0; site < problem_.n_sites(); ++site) {
      for (std::size_t genotype = 0; genotype < 2; ++genotype)
        for (std::size_t of = 0; of < kClasses; ++of)
          cells[std::size_t{4} * site + genotype] += people_with(of, site, genotype) << (of == 0 ? 16 : 0);
      cells[std::size_t{4} * site + 2] = everybody;
    }
    return cells;
  }
  cl_uint people_with(std::size_t of, std::uint32_t site, std::size_t genotype) const {
    const BlocksView& people = problem_.classes[of];
    int n = 0;
    for (std::size_t word = 0; word < people.shape.n_words(); ++word)
      n +=
          std::popcount(genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word)));
    return static_cast<cl_uint>(n);
  }

  void count_margins(const cl::Program& program) {
    const std::size_t sites = shape_.by_rest ? problem_.n_sites() : 0, line = n_blocks() * kLanes;
    margins_ = make_buffer(context_, CL_MEM_READ_WRITE,
                           std::max<std::size_t>(1, checked_mul(sites, line)) * sizeof(cl_uint4));
    if (sites == 0) return;
    cl::Kernel kernel(program, "count_margins");
    kernel.setArg(0, planes_);
    kernel.setArg(1, sizeof(question_), &question_);
    kernel.setArg(2, margins_);
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(line, sites), cl::NDRange(kLanes, 1));
    queue_.finish();
  }

  void set_arguments() {
    find_.setArg(0, planes_);
    find_.setArg(3, margins_);
    find_.setArg(4, own_);
    find_.setArg(5, terms_);
    find_.setArg(6, found_);
    pack_.setArg(0, planes_);
  }

  // The pairs of a tile from begin to end; in halves where more pass than the buffer holds.
  void find(std::uint32_t begin, std::uint32_t end, BestCombinations& best) {
    if (begin == end) return;
    question_.pair_begin = begin;
    question_.pair_end = end;
    const std::size_t n = run(best.worst());
    if (n <= question_.capacity) return take(n, best);
    if (end - begin == 1) throw DeviceError("the device found more combinations than there are");
    const std::uint32_t middle = begin + (end - begin) / 2;
    find(begin, middle, best);
    find(middle, end, best);
  }

  void put_bound(double worst) {
    CostBound bound = cost_bound(problem_, worst);
    if (shape_.by_rest) bound = bound.of_everybody(problem_);
    question_.share = bound.share;
    question_.squares = bound.squares;
    question_.logs = bound.logs;
    question_.people = bound.people;
    question_.cases = bound.cases;
    question_.rest = bound.rest;
    question_.worst = static_cast<cl_float>(worst + rounding_of(problem_));
  }

  // How many combinations were found, of which the buffer holds the first.
  std::size_t run(double worst) {
    put_bound(worst);
    pack();
    const std::size_t pairs = question_.pair_end - question_.pair_begin;
    const std::size_t blocks = n_blocks() - question_.block_begin;
    cl::NDRange items(blocks * kLanes, ceil_div(pairs, kPairsOfAGroup) * kPairsOfAGroup),
        group(kLanes, kPairsOfAGroup);
    if (shape_.multiplies) {
      group = cl::NDRange(kWarp * shape_.rows * shape_.columns, 1);
      items = cl::NDRange(ceil_div<std::size_t>(blocks, shape_.columns) * group[0],
                          ceil_div(ceil_div(pairs, kMatrixTile), std::size_t{shape_.rows}));
    }
    queue_.enqueueFillBuffer(found_, cl_uint{0}, 0, sizeof(Found));
    find_.setArg(1, sizeof(question_), &question_);
    cl::Event ran;
    queue_.enqueueNDRangeKernel(find_, cl::NullRange, items, group, nullptr, &ran);
    Found head{};
    queue_.enqueueReadBuffer(found_, CL_TRUE, 0, sizeof(head), &head);
    seconds_ += seconds_of(ran);
    return head.pair;
  }

  void pack() {
    const std::size_t tiles = ceil_div<std::size_t>(question_.pair_end - question_.pair_begin, kMatrixTile);
    const std::size_t items = question_.steps * kWarp;  // of a tile
    const std::size_t bytes = checked_mul(checked_mul(tiles, items), shape_.firsts() * sizeof(cl_uint4));
    if (bytes > packed_bytes_) {
      packed_ = make_buffer(context_, CL_MEM_READ_WRITE, bytes);
      packed_bytes_ = bytes;
      find_.setArg(2, packed_);
    }
    pack_.setArg(1, sizeof(question_), &question_);
    pack_.setArg(2, packed_);
    queue_.enqueueNDRangeKernel(pack_, cl::NullRange, cl::NDRange(items, tiles), cl::NDRange(kWarp, 1));
  }

  // The exact score of what was found.
  void take(std::size_t n, BestCombinations& best) {
    std::vector<Found> all(n);
    if (n > 0) queue_.enqueueReadBuffer(found_, CL_TRUE, sizeof(Found), n * sizeof(Found), all.data());
    for (const Found& one : all) {
      const SiteCombination sites = sites_of(one);
      best.offer({scorer_.cost(count_table(problem_, sites)), sites});
    }
  }

  SiteCombination sites_of(const Found& found) const {
    const cl_uint first = question_.first_begin + found.pair / question_.n_seconds,
                  second = question_.second_begin + found.pair % question_.n_seconds;
    const SiteCombination sites = problem_.way == 2 ? SiteCombination{first, found.later, 0}
                                                    : SiteCombination{first, second, found.later};
    const bool ascends = problem_.way == 2 || (first < second && second < found.later);
    if (found.pair < question_.pair_begin || found.pair >= question_.pair_end || !ascends ||
        found.later <= first || found.later >= problem_.n_sites())
      throw DeviceError(
          fmt::format("the device found a combination that it was not asked for; {}", kDistrust));
    return sites;
  }

  cl::Context context_;
  EpistasisProblem problem_;
  EpistasisShape shape_;
  TableScorer scorer_;
  cl::CommandQueue queue_;
  cl::Kernel pack_, find_;
  std::array<std::size_t, kClasses> steps_{};
  Question question_{};
  cl::Buffer planes_, terms_, found_, own_, margins_, packed_;
  std::size_t packed_bytes_ = 0;
  double seconds_ = 0;  ///< that the kernel ran
};

class OpenClEpistasis final : public EpistasisEngine {
 public:
  OpenClEpistasis(const OpenClDevice& device, const EpistasisProblem& problem, BitProducts products,
                  std::uint32_t most_found)
      : name_("opencl:" + device.facts.selector) {
    if (std::max(problem.n_people(0), problem.n_people(1)) > kMostOfAClass)
      throw InputError(fmt::format("{}: counts at most {} people of a class; run with --device cpu", name_,
                                   kMostOfAClass));
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, shapes_for(device.facts, problem, products), source_of,
                    [&](const cl::Program& program, const EpistasisShape& shape) {
                      prove(context, device.device, program, shape);
                      sites_ = with_cl_memory_errors(name_, [&] {
                        return std::make_unique<DeviceEpistasis>(context, device.device, program, shape,
                                                                 problem, most_found);
                      });
                    });
  }

  ~OpenClEpistasis() override { log::detail("{}: kernel {:.6f} s", name_, sites_->kernel_seconds()); }
  OpenClEpistasis(const OpenClEpistasis&) = delete;
  OpenClEpistasis& operator=(const OpenClEpistasis&) = delete;

  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const override {
    return kTileSites;
  }

  void find(const CombinationTile& tile, BestCombinations& best) const override {
    const std::lock_guard lock(using_);
    with_cl_errors(name_, [&] { sites_->find(tile, best); });
  }

 private:
  // The device must find what the definition finds in a small cohort.
  void prove(const cl::Context& context, const cl::Device& device, const cl::Program& program,
             const EpistasisShape& shape) const {
    constexpr std::uint32_t kSites = 40;
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
    const EpistasisProblem problem{{classes[0].view(), classes[1].view()}, shape.way, shape.score};
    const CombinationTile all{0, kSites, 0, kSites};
    BestCombinations right(30), found(30);
    make_epistasis_engine("reference", problem)->find(all, right);
    with_cl_memory_errors(
        name_, [&] { DeviceEpistasis(context, device, program, shape, problem, 1000).find(all, found); });
    if (found.kept() != right.kept())
      throw KernelFault(
          fmt::format("{}: the device finds other combinations than the definition; {}", name_, kDistrust));
  }

  std::string name_;
  mutable std::mutex using_;
  std::unique_ptr<DeviceEpistasis> sites_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                       const EpistasisProblem& problem, BitProducts products,
                                                       std::uint32_t most_found) {
  return std::make_unique<OpenClEpistasis>(select_opencl_device(selector), problem, products, most_found);
}

}  // namespace fastid
