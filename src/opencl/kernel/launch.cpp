#include "opencl/kernel/launch.hpp"

#include "model/registry.hpp"

namespace fastid::opencl {

std::optional<model::KernelConfig> ptx_config(const model::DeviceFacts& facts) {
  if (!has_ptx(facts)) return std::nullopt;
  for (const model::ConfigLink& link : model::config_chain(facts)) {
    if (!link.unfit.empty()) continue;
    const model::KernelConfig config = model::config_of(link);
    if (config.matrix == kPtxMatrix) return config;
  }
  return std::nullopt;
}

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

KernelLaunch blocked_launch(const model::KernelConfig& config, std::size_t units, std::size_t row_blocks,
                            std::size_t tiles) {
  // Work-groups for each compute unit, which runs several at a time: so many that the last ones cost little.
  constexpr std::size_t kGroupsAUnit = 128;
  const auto groups = [](std::size_t grid, std::size_t most) {
    return grid == 0 ? most : std::min(grid, most);
  };
  const std::size_t rows = groups(config.grid_rows, row_blocks);
  const std::size_t run = run_of(tiles * rows, kGroupsAUnit * units, config.run);
  const std::size_t columns = groups(config.grid_columns, ceil_div(tiles, run));
  return {cl::NDRange(columns * config.group_columns, rows * config.group_rows),
          cl::NDRange(config.group_columns, config.group_rows)};
}

}  // namespace fastid::opencl
