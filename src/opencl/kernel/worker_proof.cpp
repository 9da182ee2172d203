#include "opencl/kernel/worker_proof.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fastid::opencl {

std::string WorkerProof::fault_of(engine::Worker& worker) const {
  const BlocksView view = stored_.view();
  const std::size_t words = static_cast<std::size_t>(view.shape.n_blocks()) * view.shape.block_words();
  const engine::TileBuffer buffer = worker.buffer();
  std::copy_n(view.bits, words, buffer.bits);
  if (buffer.second != nullptr) std::copy_n(view.second, words, buffer.second);
  std::vector<engine::Pair> found;
  worker.compare({0, view.shape}, {}, thresholds_, found);
  std::ranges::sort(found);
  if (found == right_) return "";
  return fmt::format("{} finds {} of {} {}", finder_, found.size(), right_.size(), pairs_);
}

}  // namespace fastid::opencl
