#include "model/transfer.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::model {
namespace {

constexpr std::uint64_t kLeastTile = std::uint64_t{256} << 10, kMostTile = std::uint64_t{64} << 20;
constexpr double kLatencyShare = 0.03;  // of an upload's time that may go to starting it
constexpr std::size_t kMostBuffers = 12;

}  // namespace

double HostRates::read() const {
  return std::min(read_most, read_a_thread * static_cast<double>(std::max<std::size_t>(1, threads)));
}

TilePlan plan_tiles(const DeviceTraits& traits, const HostRates& host, std::uint64_t memory) {
  const double rate = traits.upload_pinned.value_or(10e9);
  const double latency = traits.upload_seconds.value_or(5e-6);
  const double wanted = latency * rate / kLatencyShare;
  TilePlan plan{kLeastTile, 2};
  while (plan.tile_bytes < kMostTile && static_cast<double>(plan.tile_bytes) < wanted) plan.tile_bytes *= 2;
  const double reading = std::ceil(rate / host.read_a_thread);
  plan.buffers = std::min(2 + static_cast<std::size_t>(std::min(reading, 64.0)), kMostBuffers);
  plan.buffers = std::max<std::size_t>(2, std::min(plan.buffers, std::max<std::size_t>(1, host.threads)));
  while (memory > 0 && plan.tile_bytes > 1 && plan.tile_bytes * plan.buffers > memory) {
    if (plan.tile_bytes > kLeastTile || plan.buffers <= 2)
      plan.tile_bytes /= 2;
    else
      --plan.buffers;
  }
  return plan;
}

double predict_upload(const DeviceTraits& traits, double bytes, double tile_bytes) {
  if (!(traits.upload_pinned.value > 0)) return 0;
  const double tiles = tile_bytes > 0 ? std::ceil(bytes / tile_bytes) : 1;
  return bytes / traits.upload_pinned.value + tiles * traits.upload_seconds.value;
}

RunEstimate predict_run(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                        const TilePlan& tiles, const Workload& work) {
  RunEstimate run;
  run.startup = traits.startup_seconds.value;
  run.read = work.bytes() / host.read();
  run.upload = predict_upload(traits, work.bytes(), static_cast<double>(tiles.tile_bytes));
  run.kernel = kernel_seconds;
  const double first = run.read * std::min(1.0, static_cast<double>(tiles.tile_bytes) / (work.bytes() + 1));
  run.total = run.startup + first + std::max(run.read + run.upload, run.kernel);
  return run;
}

}  // namespace fastid::model
