// The host's side of compare_matrix.cl: packs the queries in the order in which warps load them and cuts
// pairs into work-groups.
#include "opencl/kernel/comparer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/kernel/case_macros.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint32_t kMostAhead = 8;
constexpr std::uint32_t kRegisters = 240;  // as kernels/config_check.h has it
constexpr std::size_t kGroupsAUnit = 8;  // work-groups for each compute unit: the last ones then cost little

bool is_exact(const engine::Problem& problem) {
  if (engine::kernel_case(problem) == engine::KernelCase::kDifferQueryMask)
    return !nearly_all_called(problem);
  return counts_pair_denominators(problem);
}

MatrixCase case_of(const engine::Problem& problem, const MatrixShape& shape) {
  return matrix_case(engine::kernel_case(problem), shape.exact);
}

// Registers for counts and for the operands of this step and the next, if each step loads the queries' words.
std::uint32_t streamed_registers(const engine::Problem& problem, const MatrixShape& shape) {
  const MatrixCase made = case_of(problem, shape);
  const std::uint32_t results = made.denominator_query.empty() ? 1 : 2;
  return 16 * shape.tiles * shape.blocks * results +
         8 * shape.tiles * static_cast<std::uint32_t>(made.loaded) +
         16 * shape.blocks * (engine::reads_second(engine::kernel_case(problem)) ? 2 : 1);
}

std::uint32_t steps_of(const engine::Problem& problem) {
  return narrow<std::uint32_t>(ceil_div(problem.database.n_words(), kMatrixStep));
}

// About as many as are wanted, in powers of two, since each size is a program of its own.
std::uint32_t fitting(std::uint32_t most, std::uint64_t wanted) {
  std::uint32_t n = 1;
  while (n < wanted && n < most) n *= 2;
  return std::min(n, most);
}

// How many of a work-group's warps are along the queries: no more than there are tiles for. If registers hold
// the queries, only profiles are loaded, and all warps may share these.
std::uint32_t fitting_query_warps(const model::KernelConfig& config, std::uint64_t query_tiles, bool holds) {
  const std::uint32_t warps = config.matrix_rows * config.matrix_columns;
  const std::uint32_t most = holds ? warps : config.matrix_rows;
  for (std::uint32_t along = 1; along < most; ++along)
    if (warps % along == 0 && along >= query_tiles) return along;
  return most;
}

// A query's words q and r of the kernel: the bits that are multiplied, and the rest of the called sites; by
// alleles the minor and the major ones seen.
struct QueryPlanes {
  Word q, r;
};
QueryPlanes query_planes_of(const engine::Problem& problem, const RowView& query, std::size_t word) {
  const engine::QueryWords words = engine::query_words_of(problem, query, word);
  if (problem.by == Encoding::kAlleles) return {words.q, words.m};
  return {words.q, query.called[word] & ~words.q};
}

// Counting each profile's own bits in every warp takes one more product beside those of `tiles`. Counting
// them once for a tile, by count_own_bits(), takes one more reading of the tile.
bool counting_own_bits_pays(const engine::Problem& problem, const model::KernelConfig& config,
                            const MatrixShape& shape) {
  const std::uint64_t queries = problem.queries->n_rows();
  if (queries <= kMatrixTile * shape.tiles) return false;
  if (config.rate_matrix == 0 || config.hw_memory_mbytes == 0) return true;
  const double bits = static_cast<double>(queries) * static_cast<double>(steps_of(problem)) *
                      static_cast<double>(kMatrixStep * kWordBits);
  const double products = bits / (1e9 * config.rate_matrix) / shape.tiles;
  const double reading =
      static_cast<double>(problem.database.n_words() * sizeof(Word)) / (1e6 * config.hw_memory_mbytes);
  return products > reading;
}

// A uint4 for each work-item: [warp][step][tile][plane][work-item], as query_word() of compare_matrix.cl
// reads them: of a tile work-item 4 i + g has words g and g + 4 of queries i and i + 8.
std::vector<Word> pack_queries(const engine::Problem& problem, std::size_t n_padded_queries,
                               std::size_t tiles, std::size_t planes, std::size_t threads) {
  constexpr std::size_t kPiece = 256;  // queries
  const std::size_t steps = steps_of(problem), n = problem.queries->n_rows();
  constexpr std::size_t plane_words = kWarp * 4;  // of a tile in a step
  std::vector<Word> words(checked_mul(n_padded_queries / kMatrixTile * planes * steps, plane_words));
  const auto pack = [&](std::size_t number) {
    const RowView query = problem.queries->row(number);
    for (std::size_t k = 0; k < query.bits.size(); ++k) {
      const std::size_t item = number % 8 * 4 + k % 4;
      const std::size_t part = k % kMatrixStep / 4 * 2 + number % kMatrixTile / 8;
      const std::size_t tile = number / kMatrixTile;
      const std::size_t place = (tile / tiles * steps + k / kMatrixStep) * tiles + tile % tiles;
      Word* const to = words.data() + place * planes * plane_words + item * 4 + part;
      const QueryPlanes made = query_planes_of(problem, query, k);
      to[0] = made.q;
      if (planes == 2) to[plane_words] = made.r;
    }
  };
  const std::size_t pieces = ceil_div(n, kPiece);
  ThreadPool(std::min(threads, pieces)).for_each(pieces, [&](std::size_t i, const ThreadPool::Stop&) {
    for (std::size_t number = i * kPiece; number < std::min(n, (i + 1) * kPiece); ++number) pack(number);
  });
  return words;
}

// |q| minus the sites that the query has not called. A pair's count is at least slack + |d| - 2 |q & d|.
std::int64_t slack_of(const engine::Problem& problem, std::size_t query) {
  std::int64_t bits = 0;
  for (const Word word : problem.queries->row(query).bits) bits += bits_set(word);
  return bits - (problem.database.n_sites - std::int64_t{problem.queries->called_sites(query)});
}

// The number of queries, padded to what work-groups take.
std::size_t padded_queries(const engine::Problem& problem, const MatrixShape& shape) {
  return ceil_div(problem.queries->n_rows(), shape.group_queries()) * shape.group_queries();
}

// Work-groups with neighbouring numbers have neighbouring queries and the same profiles. A rectangle's
// columns are queries, and its rows profiles.
KernelLaunch matrix_launch(const MatrixShape& shape, cl::Kernel& kernel, const engine::Rectangle& pairs) {
  const std::size_t warps = std::size_t{shape.config.matrix_rows} * shape.config.matrix_columns;
  const std::size_t query_groups = tiles_over(pairs.column_begin, pairs.column_end, shape.group_queries());
  const std::size_t blocks = tiles_over(pairs.row_begin, pairs.row_end, kLanes);
  const std::size_t profile_tiles = ceil_div(blocks, warps / shape.query_warps * shape.blocks);
  const std::size_t run = run_of(profile_tiles * query_groups, kGroupsAUnit * shape.config.hw_compute_units,
                                 shape.config.matrix_run);
  set_arguments(kernel, kLaunchArgument, narrow<cl_uint>(query_groups), cl_uint{shape.query_warps},
                narrow<cl_uint>(run));
  const std::size_t profile_groups = ceil_div(profile_tiles, run), items = warps * kWarp;
  return {cl::NDRange(checked_mul(query_groups * profile_groups, items)), cl::NDRange(items)};
}

}  // namespace

MatrixShape matrix_shape(const engine::Problem& problem, const model::KernelConfig& config) {
  MatrixShape shape{.config = config, .exact = is_exact(problem)};
  if (config.matrix == 0) return shape;  // the config has no matrix kernel
  const MatrixCase made = case_of(problem, shape);
  const std::uint64_t query_tiles = ceil_div<std::uint64_t>(problem.queries->n_rows(), kMatrixTile);
  // Counting denominators too takes twice as many registers.
  const auto tiles = [&](std::uint32_t most) {
    return fitting(made.denominator_query.empty() ? most : std::max(1u, most / 2), query_tiles);
  };
  const std::uint32_t held = tiles(std::max(1u, config.matrix_held_tiles));
  shape.holds = std::uint64_t{4} * made.loaded * steps_of(problem) * held <= config.matrix_held_words;
  shape.tiles = shape.holds ? held : tiles(config.matrix_tiles);
  shape.blocks = shape.holds ? config.matrix_held_blocks : config.matrix_blocks;
  while (!shape.holds && shape.blocks > 1 && streamed_registers(problem, shape) > kRegisters) --shape.blocks;
  if (shape.holds)  // the registers that smaller tiles leave are used to load further ahead
    shape.ahead = std::min(kMostAhead, config.matrix_ahead * config.matrix_held_tiles / held);
  shape.query_warps =
      fitting_query_warps(config, ceil_div<std::uint64_t>(query_tiles, shape.tiles), shape.holds);
  shape.own_bits = engine::counts_both_alleles(engine::kernel_case(problem)) ||
                   (!made.own.empty() && counting_own_bits_pays(problem, config, shape));
  return shape;
}

std::size_t matrix_products(const engine::Problem& problem, const MatrixShape& shape) {
  const engine::KernelCase which = engine::kernel_case(problem);
  if (engine::counts_both_alleles(which)) {
    const engine::Terms terms = engine::terms_of(which);
    std::size_t products = 0;
    for (const engine::Term& term : terms.counted()) products += term.weight * term.n_products;
    return products;
  }
  const MatrixCase made = case_of(problem, shape);
  return std::size_t{1} + (made.with_r.empty() ? 0 : 1) + (made.denominator_query.empty() ? 0 : 1);
}

engine::KernelStep matrix_step(const engine::Problem& problem, const MatrixShape& shape) {
  const double query_words = shape.holds ? 0 : static_cast<double>(case_of(problem, shape).loaded);
  const bool second = engine::reads_second(engine::kernel_case(problem));
  return engine::kernel_step({kMatrixTile * shape.tiles, query_words},
                             {kLanes * shape.blocks, second ? 2.0 : 1.0}, matrix_products(problem, shape));
}

std::string matrix_options(const engine::Problem& problem, const MatrixShape& shape) {
  return fmt::format(
      "{} -D FASTID_OWN_BITS={:d} -D FASTID_SIMILAR={:d} -D FASTID_TILES={} "
      "-D FASTID_BLOCKS={} -D FASTID_AHEAD={} -D FASTID_WORDS={}",
      problem_options(problem), shape.own_bits, case_of(problem, shape).similar, shape.tiles, shape.blocks,
      shape.ahead, shape.holds ? problem.database.n_words() : 0);
}

std::uint64_t matrix_bytes(const engine::Problem& problem, const MatrixShape& shape) {
  return checked_mul<std::uint64_t>(
             padded_queries(problem, shape),
             case_of(problem, shape).planes * steps_of(problem) * kMatrixStep + kThresholdLines) *
         sizeof(Word);
}

DeviceQueries pack_for_matrix(const cl::Context& context, const engine::Problem& problem,
                              const MatrixShape& shape, std::size_t threads) {
  const MatrixCase of_kernel = case_of(problem, shape);
  const std::size_t n_padded_queries = padded_queries(problem, shape);
  std::vector<std::int64_t> slack;
  if (of_kernel.similar)
    for (std::size_t query = 0; query < problem.queries->n_rows(); ++query)
      slack.push_back(slack_of(problem, query));
  return {.queries = make_copy(
              context, pack_queries(problem, n_padded_queries, shape.tiles, of_kernel.planes, threads)),
          .thresholds = make_threshold_table(problem, n_padded_queries, slack),
          .own_bits = shape.own_bits,
          .launch = [shape](cl::Kernel& kernel, const engine::Rectangle& pairs) {
            return matrix_launch(shape, kernel, pairs);
          }};
}

}  // namespace fastid::opencl
