#include "engine/tile_worker.hpp"

#include <algorithm>
#include <cstdint>

namespace fastid::engine {

WorkPlan tile_plan(const Problem& problem, const EngineOptions& options, std::size_t bytes,
                   std::size_t multiple) {
  const std::uint64_t blocks = std::max<std::uint64_t>(1, problem.database.n_blocks()),
                      memory = options.memory.value_or(UINT64_MAX) / options.threads;
  std::size_t tile = tile_blocks_for(problem, options, std::min<std::uint64_t>(bytes, memory));
  if (!options.tile_blocks)
    tile = std::min(ceil_div(tile, multiple) * multiple,
                    static_cast<std::size_t>(ceil_div<std::uint64_t>(blocks, options.threads)));
  return {.workers = static_cast<std::size_t>(
              std::min<std::uint64_t>(options.threads, ceil_div<std::uint64_t>(blocks, tile))),
          .tile_blocks = tile,
          .equal_tiles = options.tile_blocks.has_value()};
}

}  // namespace fastid::engine
