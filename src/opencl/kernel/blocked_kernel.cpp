// The host's side of compare.cl: packs the queries in query blocks and cuts pairs into work-groups.
#include "opencl/kernel/comparer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

bool takes_own_bits(const engine::Problem& problem, const BlockedShape& shape) {
  return !shape.fused &&
         engine::denominator_source(engine::kernel_case(problem)) != engine::DenominatorOf::kQuery;
}

}  // namespace

model::KernelConfig config_on(model::KernelConfig config, bool square, std::uint64_t local_bytes,
                              std::size_t n_words) {
  if (square && config.ld_n_r != 0) {
    config.n_r = config.ld_n_r;
    config.grid_rows = config.ld_grid_rows;
    config.grid_columns = config.ld_grid_columns;
  }
  // One word less than fits, since some drivers, such as NVIDIA's, use a little local memory themselves.
  const std::uint64_t fits = local_bytes / (std::uint64_t{4} * config.m_c);
  if (config.k_c > fits) config.k_c = static_cast<std::uint32_t>(std::max<std::uint64_t>(3, fits) - 1);
  while (config.carry_levels > 0 && n_words >> config.carry_levels == 0) --config.carry_levels;
  return config;
}

KernelLaunch blocked_launch(const model::KernelConfig& config, std::size_t units, std::size_t query_blocks,
                            std::size_t profile_tiles) {
  // Work-groups for each compute unit, which runs several at a time: so many that the last ones cost little.
  constexpr std::size_t kGroupsAUnit = 128;
  const auto groups = [](std::size_t grid, std::size_t most) {
    return grid == 0 ? most : std::min(grid, most);
  };
  const std::size_t along_queries = groups(config.grid_rows, query_blocks);
  const std::size_t run = run_of(profile_tiles * along_queries, kGroupsAUnit * units, config.run);
  const std::size_t along_profiles = groups(config.grid_columns, ceil_div(profile_tiles, run));
  return {cl::NDRange(along_profiles * config.group_columns, along_queries * config.group_rows),
          cl::NDRange(config.group_columns, config.group_rows)};
}

BlockedShape blocked_shape(const engine::Problem& problem, const model::KernelConfig& config,
                           std::uint64_t local_bytes) {
  const bool square = problem.queries->n_rows() >= problem.database.n_profiles;
  return {config_on(config, square, local_bytes, problem.database.n_words()),
          counts_pair_denominators(problem)};
}

std::string blocked_options(const engine::Problem& problem, const BlockedShape& shape) {
  return fmt::format(
      "{} -D FASTID_FUSED={:d} -D FASTID_WHOLE={:d}", problem_options(problem), shape.fused,
      problem.database.n_words() <= shape.config.k_c / engine::query_words(engine::kernel_case(problem)));
}

std::uint64_t blocked_bytes(const engine::Problem& problem) {
  constexpr std::uint64_t kMostPadding = 64;  // about as many as padding to whole query blocks may add
  const std::uint64_t queries = problem.queries->n_rows() + kMostPadding;
  const std::uint64_t words =
      engine::query_words(engine::kernel_case(problem)) * problem.database.n_words() + kThresholdLines;
  return checked_mul(queries, words) * sizeof(Word);
}

// [query block of m_c queries][word][plane][query of the query block], as query_word() of compare.cl reads
// it.
DeviceQueries pack_for_blocked(const cl::Context& context, const engine::Problem& problem,
                               const BlockedShape& shape) {
  const model::KernelConfig& config = shape.config;
  const std::size_t m_c = config.m_c, n_words = problem.database.n_words();
  const std::size_t planes = engine::query_words(engine::kernel_case(problem));
  DeviceQueries made;
  made.own_bits = takes_own_bits(problem, shape);
  made.thresholds =
      make_threshold_table(problem, ceil_div<std::size_t>(problem.queries->n_rows(), m_c) * m_c, {});
  std::vector<Word> words(checked_mul(made.thresholds.n_padded_queries * planes, n_words));
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i) {
    const RowView query = problem.queries->row(i);
    Word* to = words.data() + (i / m_c * n_words * planes) * m_c + i % m_c;
    for (std::size_t k = 0; k < n_words; ++k, to += planes * m_c) {
      const engine::QueryWords both = engine::query_words_of(problem, query, k);
      to[0] = both.q;
      if (planes == 2) to[m_c] = both.m;
    }
  }
  made.queries = make_copy(context, words);
  const std::size_t held =
      std::max<std::size_t>(1, std::min<std::size_t>(n_words, config.k_c / planes) * planes);
  made.launch = [config, held_bytes = held * m_c * sizeof(Word)](cl::Kernel& kernel,
                                                                 const engine::Rectangle& pairs) {
    kernel.setArg(kLaunchArgument, cl::Local(held_bytes));  // `block`
    return blocked_launch(config, config.hw_compute_units,
                          tiles_over(pairs.column_begin, pairs.column_end, config.m_c),
                          tiles_over(pairs.row_begin, pairs.row_end, config.n_r));
  };
  return made;
}

}  // namespace fastid::opencl
