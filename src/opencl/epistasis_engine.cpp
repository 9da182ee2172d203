#include "opencl/epistasis_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "bits/popcount.hpp"
#include "opencl/device/lanes.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/matrix_comparer.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kTileSites = 128;  // first and second sites of a tile: enough work for a GPU
constexpr std::size_t kPairsOfAGroup = 8;  // of the kernel by popcounts
constexpr std::size_t kPairFloats = 18;    // PAIR_FLOATS of epistasis.cl
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
  cl_uint first_begin, second_begin;
  cl_uint n_firsts, n_seconds;
  cl_uint pair_begin, pair_end;
  cl_uint block_begin;
  cl_uint capacity;
  cl_float share, prior_people, prior_cases, squares, logs, people, excess, rest, least;
  cl_float all_people, all_excess;
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

/// What rounding may do to a score by a table in float: 84 terms, which together are at most three times the
/// largest.
double rounding_of(const EpistasisProblem& problem) {
  const auto n = static_cast<double>(problem.n_people());
  const double most = n * std::log(n + 2);  // above ln (n + 1)!
  return 260 * 6e-8 * (problem.score == EpistasisScore::kK2 ? most : most / n);
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

/// A problem's sites on a device. \throws cl::Error
struct DeviceCohort {
  DeviceCohort(const cl::Context& of_context, const cl::Device& of_device, const cl::Program& of_program,
               const EpistasisShape& of_shape, const EpistasisProblem& of_problem)
      : context(of_context),
        device(of_device),
        program(of_program),
        shape(of_shape),
        problem(of_problem),
        open(cost_bound(problem, std::numeric_limits<double>::infinity())) {
    std::array<std::size_t, kClasses> steps{};
    for (std::size_t of = 0; of < kClasses; ++of)
      steps[of] = ceil_div(problem.classes[of].shape.n_words(), kMatrixStep);
    question = {.n_sites = problem.n_sites(),
                .n_blocks = narrow<cl_uint>(n_blocks()),
                .steps = narrow<cl_uint>(steps[0] + steps[1]),
                .control_steps = narrow<cl_uint>(steps[0])};
    planes = make_copy(context, planes_of(problem, steps));
    std::vector<cl_float> of_terms = terms_of(problem);
    terms = make_buffer(context, CL_MEM_READ_ONLY, of_terms.size() * sizeof(cl_float), of_terms.data());
    put_constants();
    std::vector<cl_float4> cells = own_cells();
    own = make_buffer(context, CL_MEM_READ_ONLY, cells.size() * sizeof(cl_float4), cells.data());
    count_margins();
  }

  std::size_t n_blocks() const { return ceil_div<std::size_t>(problem.n_sites(), kLanes); }

  cl::Context context;
  cl::Device device;
  cl::Program program;
  EpistasisShape shape;
  EpistasisProblem problem;
  CostBound open;       ///< lets all pass: for what is the same in all bounds
  Question question{};  ///< what is the same in all
  cl::Buffer planes, terms, own, margins;

 private:
  /// What is the same in all bounds.
  void put_constants() {
    const auto n = static_cast<std::uint32_t>(problem.n_people());
    question.share = open.share;
    question.prior_people = open.prior_people;
    question.prior_cases = open.prior_cases;
    question.all_people = open.people_of(n, problem.n_cells());
    question.all_excess = open.excess_of(n, problem.n_people(1), problem.n_cells());
  }

  /// `own` of epistasis.cl.
  std::vector<cl_float4> own_cells() const {
    std::vector<cl_float4> cells(n_blocks() * kLanes);
    constexpr std::size_t kCells = kSiteGenotypes * kSiteGenotypes;
    for (std::uint32_t site = 0; site < problem.n_sites(); ++site)
      for (std::size_t genotype = 0; genotype < 2; ++genotype) {
        const cl_uint cases = people_with(1, site, genotype), n = people_with(0, site, genotype) + cases;
        cells[site].s[genotype] = open.people_of(n, kCells);
        cells[site].s[2 + genotype] = open.excess_of(n, cases, kCells);
      }
    return cells;
  }
  cl_uint people_with(std::size_t of, std::uint32_t site, std::size_t genotype) const {
    const BlocksView& people = problem.classes[of];
    int n = 0;
    for (std::size_t word = 0; word < people.shape.n_words(); ++word)
      n += bits_set(genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word)));
    return static_cast<cl_uint>(n);
  }

  void count_margins() {
    const std::size_t sites = shape.by_rest ? problem.n_sites() : 0, line = n_blocks() * kLanes;
    margins = make_buffer(context, CL_MEM_READ_WRITE,
                          std::max<std::size_t>(1, checked_mul(sites, line)) * sizeof(cl_uint4));
    if (sites == 0) return;
    const cl::CommandQueue queue(context, device);
    cl::Kernel kernel(program, "count_margins");
    kernel.setArg(0, planes);
    kernel.setArg(1, sizeof(question), &question);
    kernel.setArg(2, margins);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(line, sites), cl::NDRange(kLanes, 1));
    queue.finish();
  }
};

/// A queue of a device with a tile in it. Used by one thread at a time.
class EpistasisLane {
 public:
  /// \param sites  shared with other lanes
  EpistasisLane(DeviceCohort sites, std::uint32_t most_found)
      : sites_(std::move(sites)),
        scorer_(sites_.problem),
        queue_(sites_.context, sites_.device, CL_QUEUE_PROFILING_ENABLE),
        pack_(sites_.program, "pack_pairs"),
        spread_(sites_.program, "spread_margins"),
        count_pairs_(sites_.program, "count_pairs"),
        find_(sites_.program, sites_.shape.kernel()),
        question_(sites_.question) {
    question_.capacity = std::max(most_found, sites_.problem.n_sites());
    found_ =
        make_buffer(sites_.context, CL_MEM_READ_WRITE, (std::size_t{question_.capacity} + 1) * sizeof(Found));
    set_arguments();
  }

  double kernel_seconds() const { return seconds_; }

  void find(const CombinationTile& tile, BestCombinations& best) {
    question_.first_begin = tile.first_begin;
    question_.second_begin = tile.second_begin;
    question_.n_firsts = tile.first_end - tile.first_begin;
    question_.n_seconds = sites_.problem.way == 2 ? 1 : tile.second_end - tile.second_begin;
    question_.block_begin =
        ((sites_.problem.way == 2 ? tile.first_begin : std::max(tile.first_begin + 1, tile.second_begin)) +
         1) /
        kLanes;
    if (question_.block_begin >= n_blocks()) return;
    const std::uint32_t end = question_.n_firsts * question_.n_seconds;
    if (sites_.shape.by_rest) put_margins();
    // Until there is a limit all that have enough people pass, and are scored here: a pair at a time, and
    // then so many more that few of them pass.
    constexpr std::uint32_t kGrowth = 32;
    std::uint32_t n = std::isinf(best.worst()) ? 1 : end;
    std::size_t passed = 0;
    for (std::uint32_t begin = 0; begin < end; begin += n) {
      if (begin > 0 && (std::isfinite(best.worst()) || passed < kGrowth)) n *= kGrowth;
      n = std::min(n, end - begin);
      passed = find(begin, begin + n, best);
    }
  }

 private:
  struct Found {
    cl_uint pair, later;
  };

  std::size_t n_blocks() const { return question_.n_blocks; }

  void set_arguments() {
    find_.setArg(0, sites_.planes);
    find_.setArg(5, sites_.own);
    find_.setArg(6, sites_.terms);
    find_.setArg(7, found_);
    pack_.setArg(0, sites_.planes);
    spread_.setArg(0, sites_.margins);
    count_pairs_.setArg(2, sites_.own);
    make_room_for_margins(1, 1);
  }

  /// A buffer of at least so many bytes.
  void make_room(cl::Buffer& buffer, std::size_t bytes) {
    if (buffer() == nullptr || buffer.getInfo<CL_MEM_SIZE>() < bytes)
      buffer = make_buffer(sites_.context, CL_MEM_READ_WRITE, bytes);
  }

  void make_room_for_margins(std::size_t sites, std::size_t pairs) {
    make_room(rows_, checked_mul(sites, n_blocks() * kLanes) * 2 * sizeof(cl_float4));
    make_room(pairs_, checked_mul(pairs, kPairFloats * sizeof(cl_float)));
    spread_.setArg(2, rows_);
    count_pairs_.setArg(0, rows_);
    count_pairs_.setArg(3, pairs_);
    find_.setArg(3, rows_);
    find_.setArg(4, pairs_);
  }

  /// What cells that are not counted follow from, in the tile.
  void put_margins() {
    const std::size_t firsts = question_.n_firsts, seconds = question_.n_seconds;
    make_room_for_margins(firsts + seconds, firsts * seconds);
    spread_.setArg(1, sizeof(question_), &question_);
    queue_.enqueueNDRangeKernel(spread_, cl::NullRange, cl::NDRange(n_blocks() * kLanes, firsts + seconds),
                                cl::NDRange(kLanes, 1));
    count_pairs_.setArg(1, sizeof(question_), &question_);
    queue_.enqueueNDRangeKernel(count_pairs_, cl::NullRange, cl::NDRange(firsts * seconds));
  }

  // The pairs of a tile from begin to end; in halves where more pass than the buffer holds. Returns how many
  // pass.
  std::size_t find(std::uint32_t begin, std::uint32_t end, BestCombinations& best) {
    if (begin == end) return 0;
    question_.pair_begin = begin;
    question_.pair_end = end;
    const std::size_t n = run(best.worst());
    if (n <= question_.capacity) return take(n, best), n;
    if (end - begin == 1) throw DeviceError("the device found more combinations than there are");
    const std::uint32_t middle = begin + (end - begin) / 2;
    return find(begin, middle, best) + find(middle, end, best);
  }

  void put_bound(double worst) {
    CostBound bound = cost_bound(sites_.problem, worst);
    if (sites_.shape.by_rest) bound = bound.of_everybody(sites_.problem);
    question_.squares = bound.squares;
    question_.logs = bound.logs;
    question_.people = bound.people;
    question_.excess = bound.excess;
    question_.rest = bound.rest;
    question_.least = bound.least;
    if (sites_.shape.by_rest && sites_.shape.score == EpistasisScore::kK2)
      worst += k2_of_one_cell(sites_.problem.n_people(0), sites_.problem.n_people(1));
    question_.worst = static_cast<cl_float>(worst + rounding_of(sites_.problem));
  }

  // How many combinations were found, of which the buffer holds the first.
  std::size_t run(double worst) {
    put_bound(worst);
    pack();
    const std::size_t pairs = question_.pair_end - question_.pair_begin;
    const std::size_t blocks = n_blocks() - question_.block_begin;
    cl::NDRange items(blocks * kLanes, ceil_div(pairs, kPairsOfAGroup) * kPairsOfAGroup),
        group(kLanes, kPairsOfAGroup);
    if (sites_.shape.multiplies) {
      group = cl::NDRange(kWarp * sites_.shape.rows * sites_.shape.columns, 1);
      items = cl::NDRange(ceil_div<std::size_t>(blocks, sites_.shape.columns) * group[0],
                          ceil_div(ceil_div(pairs, kMatrixTile), std::size_t{sites_.shape.rows}));
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
    const std::size_t bytes =
        checked_mul(checked_mul(tiles, items), sites_.shape.firsts() * sizeof(cl_uint4));
    make_room(packed_, bytes);
    find_.setArg(2, packed_);
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
      best.offer({scorer_.cost(count_table(sites_.problem, sites)), sites});
    }
  }

  SiteCombination sites_of(const Found& found) const {
    const cl_uint first = question_.first_begin + found.pair / question_.n_seconds,
                  second = question_.second_begin + found.pair % question_.n_seconds;
    const SiteCombination sites = sites_.problem.way == 2 ? SiteCombination{first, found.later, 0}
                                                          : SiteCombination{first, second, found.later};
    const bool ascends = sites_.problem.way == 2 || (first < second && second < found.later);
    if (found.pair < question_.pair_begin || found.pair >= question_.pair_end || !ascends ||
        found.later <= first || found.later >= sites_.problem.n_sites())
      throw DeviceError(
          fmt::format("the device found a combination that it was not asked for; {}", kDistrust));
    return sites;
  }

  DeviceCohort sites_;
  TableScorer scorer_;
  cl::CommandQueue queue_;
  cl::Kernel pack_, spread_, count_pairs_, find_;
  Question question_;
  cl::Buffer found_, rows_, pairs_, packed_;
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
                      with_cl_memory_errors(name_, [&] {
                        const DeviceCohort sites(context, device.device, program, shape, problem);
                        lanes_.emplace(sites, most_found);
                      });
                    });
  }

  ~OpenClEpistasis() override { log::detail("{}: kernel {:.6f} s", name_, lanes_->kernel_seconds()); }
  OpenClEpistasis(const OpenClEpistasis&) = delete;
  OpenClEpistasis& operator=(const OpenClEpistasis&) = delete;

  std::uint32_t tile_sites(std::size_t /*threads*/, std::uint32_t /*sites*/) const override {
    return kTileSites;
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
    const EpistasisProblem problem{
        {classes[0].view(), classes[1].view()}, shape.way, shape.score, shape.by_rest ? 0U : 420U};
    const CombinationTile all{0, kSites, 0, kSites};
    BestCombinations right(30), found(30);
    make_epistasis_engine("reference", problem)->find(all, right);
    with_cl_memory_errors(name_, [&] {
      EpistasisLane({context, device, program, shape, problem}, 1000).find(all, found);
    });
    if (found.kept() != right.kept())
      throw KernelFault(
          fmt::format("{}: the device finds other combinations than the definition; {}", name_, kDistrust));
  }

  std::string name_;
  mutable std::optional<Lanes<EpistasisLane>> lanes_;
};

}  // namespace

std::unique_ptr<EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                       const EpistasisProblem& problem, BitProducts products,
                                                       std::uint32_t most_found) {
  return std::make_unique<OpenClEpistasis>(select_opencl_device(selector), problem, products, most_found);
}

}  // namespace fastid
