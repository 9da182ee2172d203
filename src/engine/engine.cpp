#include "engine/engine.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace fastid {

DeviceWork& DeviceWork::operator+=(const DeviceWork& other) {
  upload_seconds += other.upload_seconds;
  compare_seconds += other.compare_seconds;
  fetch_seconds += other.fetch_seconds;
  upload_bytes += other.upload_bytes;
  fetch_bytes += other.fetch_bytes;
  return *this;
}

DeviceWork& DeviceWork::operator-=(const DeviceWork& other) {
  upload_seconds -= other.upload_seconds;
  compare_seconds -= other.compare_seconds;
  fetch_seconds -= other.fetch_seconds;
  upload_bytes -= other.upload_bytes;
  fetch_bytes -= other.fetch_bytes;
  return *this;
}

bool Lane::borrow(const BlocksView&) {
  return false;
}

void Lane::find_best(const BlockShape& tile, std::span<Bar> bars, const Sought& /*sought*/,
                     std::vector<Candidate>& out) {
  compare(tile, bars, out);
}

bool Lane::keep() {
  return false;
}

std::size_t Lane::recall(std::uint64_t) {
  throw Failure("blocks are recalled from a lane that keeps none");
}

BlocksView Lane::bring(std::span<const Candidate>) {
  throw Failure("profiles are to be brought by a lane that keeps none");
}

bool Lane::ask(const Problem&) {
  return false;
}

std::size_t tile_blocks_for(const Problem& problem, const EngineOptions& options, std::size_t bytes) {
  const std::size_t planes = problem.has_called ? 2 : 1;
  const std::size_t block = std::max<std::size_t>(1, planes * problem.database.block_bytes());
  const std::size_t wanted = options.tile_blocks.value_or(bytes / block);
  const auto most = static_cast<std::size_t>(std::max<std::uint64_t>(1, problem.database.n_blocks()));
  return std::clamp<std::size_t>(wanted, 1, most);
}

}  // namespace fastid
