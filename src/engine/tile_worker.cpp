#include "engine/tile_worker.hpp"

#include <algorithm>
#include <cstdint>

namespace fastid::engine {

WorkPlan tile_plan(const Problem& problem, const EngineOptions& options, std::size_t bytes) {
  const std::uint64_t blocks = std::max<std::uint64_t>(1, problem.database.n_blocks());
  const std::size_t fit = tile_blocks_for(problem, options, bytes);
  const auto share = static_cast<std::size_t>(ceil_div<std::uint64_t>(blocks, options.threads));
  const std::size_t tile = std::min(ceil_div<std::size_t>(fit, 2) * 2, share);  // two fill the vectors
  return {.workers = static_cast<std::size_t>(
              std::min<std::uint64_t>(options.threads, ceil_div<std::uint64_t>(blocks, tile))),
          .tile_blocks = tile};
}

}  // namespace fastid::engine
