#include "engine/engine.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace fastid::engine {

std::unique_ptr<CustomCount> CustomCount::sliced(const Problem&, std::size_t) const {
  throw Failure("a count that no engine slices was to be sliced");
}

DeviceWork& DeviceWork::operator+=(const DeviceWork& other) {
  upload_seconds += other.upload_seconds;
  compare_seconds += other.compare_seconds;
  fetch_seconds += other.fetch_seconds;
  upload_bytes += other.upload_bytes;
  fetch_bytes += other.fetch_bytes;
  return *this;
}

std::size_t tile_blocks_for(const Problem& problem, const EngineOptions& options, std::size_t bytes) {
  const std::size_t block = std::max<std::size_t>(1, problem.block_bytes());
  const std::size_t wanted = options.tile_blocks.value_or(bytes / block);
  const auto most = static_cast<std::size_t>(std::max<std::uint64_t>(1, problem.database.n_blocks()));
  return std::clamp<std::size_t>(wanted, 1, most);
}

}  // namespace fastid::engine
