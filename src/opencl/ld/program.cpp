#include "opencl/ld/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "opencl/device_configs.hpp"
#include "opencl/kernel/case_macros.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kLeastWords = 16;  // of the problems that a program serves: more than the proof's

LdProgramShape shape_for(const engine::LdProblem& problem) {
  return {.unit = problem.unit, .all_called = engine::all_called(problem)};
}

engine::LdSums sums_of(const LdProgramShape& shape) {
  return engine::sums_of(shape.unit, shape.all_called);
}

std::size_t planes_of(const LdProgramShape& shape) {
  return engine::planes_read(shape.unit, shape.all_called);
}

/// Fewer pairs for a work-item, or fewer levels of full adders, where a pair has several sums, so that these
/// are no more than the counts that a config may have (config_check.h).
void fit_registers(model::KernelConfig& config, std::size_t sums) {
  const auto counts = [&] { return sums * config.m_r * config.columns() * (1 + config.carry_levels); };
  while (counts() > config.hw_reg_words / 2) {
    if (config.m_r % 2 == 0)
      config.m_r /= 2;
    else if (config.columns() % (2 * config.n_vec) == 0)
      config.n_r /= 2;
    else if (config.carry_levels > 0)
      --config.carry_levels;
    else if (config.n_vec > 1)
      config.n_vec /= 2;
    else
      return;
  }
}

LdProgramShape popcount_shape(LdProgramShape shape, const model::KernelConfig& config,
                              const BlockShape& sites, std::uint64_t local_memory) {
  model::KernelConfig on = config_on(config, true, local_memory, sites.n_words());
  fit_registers(on, sums_of(shape).n);
  shape.whole = std::max(kLeastWords, sites.n_words()) <= on.k_c / planes_of(shape);
  shape.config = std::move(on);
  return shape;
}

LdProgramShape ld_matrix_shape(LdProgramShape shape, const model::KernelConfig& config) {
  shape.instruction = kPtxMatrix;
  shape.rows = config.matrix_rows;
  shape.columns = config.matrix_columns;
  return shape;
}

std::size_t row_blocks(const LdProgramShape& shape, const BlockShape& sites) {
  return ceil_div<std::size_t>(static_cast<std::size_t>(sites.n_profiles), shape.config->m_c);
}

// Work-items that pack a tile of 16 sites for ld_matrix.cl.
std::size_t tile_items(const BlockShape& sites) {
  return ceil_div(sites.n_words(), kMatrixStep) * kWarp;
}

std::size_t tiles_of(const BlockShape& sites) {
  return static_cast<std::size_t>(sites.n_blocks()) * (kLanes / kMatrixTile);
}

}  // namespace

std::vector<LdProgramShape> ld_shapes(const model::DeviceFacts& facts, const engine::LdProblem& problem,
                                      const LdTuning& tuning) {
  LdProgramShape usual = shape_for(problem);
  if (usual.all_called) usual.tiles = 4;  // else there are more sums, and registers for fewer pairs
  if (tuning.products == BitProducts::kPortableMatrix) return {usual};
  std::vector<LdProgramShape> shapes;
  if (tuning.products == BitProducts::kBest)
    if (const auto config = ptx_config(facts)) shapes.push_back(ld_matrix_shape(usual, *config));
  for (const model::KernelConfig& config :
       configs_for(facts, {.config_file = tuning.config_file},
                   {.config = tuning.config, .config_text = tuning.config_text}))
    shapes.push_back(popcount_shape(usual, config, problem.sites.shape, facts.local_memory));
  return shapes;
}

std::string kernel_name(const LdProgramShape& shape) {
  return shape.counts ? "count_sites" : "find_sites";
}

engine::KernelStep ld_step(const LdProgramShape& shape) {
  const auto stored = static_cast<double>(planes_of(shape));
  if (const auto& config = shape.config)
    return engine::kernel_step({config->m_r, stored}, {config->columns(), stored},
                               config->carry_levels == 0
                                   ? engine::words_of(sums_of(shape))
                                   : engine::words_of(engine::sums_of(shape.unit, shape.all_called, false)));
  const auto packed = static_cast<double>(planes_multiplied(shape.unit, shape.all_called));
  return engine::kernel_step({kMatrixTile * shape.tiles, packed}, {kLanes * shape.blocks, stored},
                             engine::products_of(sums_of(shape)));
}

ProgramSource ld_program(const LdProgramShape& shape) {
  const std::string options = fmt::format(
      "-cl-std=CL1.2 -D FASTID_GENOTYPES={:d} -D FASTID_ALL_CALLED={:d} -D "
      "FASTID_COUNTS={:d}",
      shape.unit == engine::LdUnit::kGenotypes, shape.all_called, shape.counts);
  const std::string kernel = kernel_name(shape);
  if (const auto& config = shape.config)
    return {model::config_defines(*config) + text_of({"kernels/config_check.h", "kernels/common.h"}) +
                ld_macros(shape.unit, shape.all_called, config->carry_levels == 0) +
                text_of({"kernels/blocked.h", "kernels/ld_test.h", "kernels/ld.cl"}),
            fmt::format("{} -D FASTID_WHOLE={:d}", options, shape.whole), kernel};
  return {ld_product_macros(shape.unit, shape.all_called) +
              text_of({"kernels/common.h", "kernels/matrix_product.h", "kernels/matrix_rows.h",
                       "kernels/ld_test.h", "kernels/ld_matrix.cl"}),
          fmt::format("{} -D FASTID_N_VEC=1 -D FASTID_MATRIX={} -D FASTID_MATRIX_ROWS={} "
                      "-D FASTID_MATRIX_COLUMNS={} -D FASTID_TILES={} -D FASTID_BLOCKS={}",
                      options, shape.instruction, shape.rows, shape.columns, shape.tiles, shape.blocks),
          kernel};
}

std::size_t packed_bytes(const LdProgramShape& shape, const BlockShape& sites) {
  if (shape.config)
    return checked_mul(checked_mul(row_blocks(shape, sites) * shape.config->m_c, sites.n_words()),
                       planes_of(shape) * sizeof(Word));
  return checked_mul(checked_mul(tiles_of(sites), tile_items(sites)),
                     planes_multiplied(shape.unit, shape.all_called) * sizeof(cl_uint4));
}

KernelLaunch pack_launch(const LdProgramShape& shape, const BlockShape& sites) {
  if (shape.config) return launch_for_each(row_blocks(shape, sites) * shape.config->m_c, sites.n_words());
  return {cl::NDRange(tile_items(sites), tiles_of(sites)), cl::NDRange(kWarp, 1)};
}

// Dimension 0 divides second sites, dimension 1 first ones.
KernelLaunch launch_for(const LdProgramShape& shape, std::size_t compute_units,
                        const engine::Rectangle& tile) {
  if (const auto& config = shape.config)
    return blocked_launch(*config, compute_units, tiles_over(tile.row_begin, tile.row_end, config->m_c),
                          tiles_over(tile.column_begin, tile.column_end, config->n_r));
  const std::size_t items = kWarp * shape.rows * shape.columns;
  const std::size_t firsts = tiles_over(tile.row_begin, tile.row_end, kMatrixTile);
  const std::size_t seconds = tiles_over(tile.column_begin, tile.column_end, kLanes);
  return {cl::NDRange(ceil_div(seconds, std::size_t{shape.columns} * shape.blocks) * items,
                      ceil_div(firsts, std::size_t{shape.rows} * shape.tiles)),
          cl::NDRange(items, 1)};
}

std::size_t local_bytes(const LdProgramShape& shape, const BlockShape& sites) {
  if (!shape.config) return 0;
  const std::size_t planes = planes_of(shape);
  const std::size_t words =
      std::min<std::size_t>(std::max(kLeastWords, sites.n_words()), shape.config->k_c / planes);
  return words * planes * shape.config->m_c * sizeof(Word);
}

}  // namespace fastid::opencl
