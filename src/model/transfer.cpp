#include "model/transfer.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::model {
namespace {

// Larger tiles are no faster, and take more memory of the host and the device.
constexpr std::uint64_t kLeastTile = std::uint64_t{256} << 10, kMostTile = std::uint64_t{24} << 20;
// Below this size only powers of two are tried: uploads of small tiles slow each other down, which the model
// does not cover.
constexpr std::uint64_t kLeastBetween = std::uint64_t{8} << 20;
constexpr std::size_t kLeastWorkers = 2, kMostWorkers = 6;
// With more bytes in flight, tiles leave the host's caches before the device has taken them. Where the host's
// memory was busy, searches with five tiles of 24 MiB took a seventh longer than with four; elsewhere they
// took as long.
constexpr std::uint64_t kMostInFlight = std::uint64_t{96} << 20;

// Fitted to 160 runs on an H200 and its host, whose times they miss by 9 % (docs/tuning.md).
constexpr double kTileSeconds = 0.78e-3;  // for each tile: waits, and commands under way
// The same for each query: its threshold, and the pairs that pass.
constexpr double kTileQuerySeconds = 0.086e-6;
constexpr double kLaunchesATile = 4;  // for each tile besides: thresholds, counter, kernel, fetch
// The time to rank the pairs that pass while a query's threshold is still open, for each query.
constexpr double kQuerySeconds = 1.5e-6;
constexpr double kOpenSeconds = 0.22e-3;       // to open the first worker
constexpr double kOpenQuerySeconds = 0.05e-6;  // likewise, for each query
constexpr double kNextSeconds = 0.15e-3;       // for each other worker, until it is open and at work
constexpr double kUploadShare = 1.0 / 3;  // an uploaded byte's share of the memory's work for a read byte

// Two bounds that are near each other make a run a little longer than either alone.
double both_of(double bound, double other) {
  constexpr double kNorm = 6;
  return std::pow(std::pow(bound, kNorm) + std::pow(other, kNorm), 1 / kNorm);
}

}  // namespace

double HostRates::read() const {
  return std::min(read_most, read_a_thread * static_cast<double>(std::max<std::size_t>(1, threads)));
}

double HostRates::check() const {
  return std::min(check_most, read());
}

double predict_upload(const DeviceTraits& traits, double bytes, double tile_bytes) {
  if (!(traits.upload_pinned.value > 0)) return 0;
  const double tiles = tile_bytes > 0 ? std::ceil(bytes / tile_bytes) : 1;
  return bytes / traits.upload_pinned.value + tiles * traits.upload_seconds.value;
}

RunEstimate predict_run(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                        const TilePlan& plan, const Workload& work) {
  const double bytes = work.bytes(), tile = std::max(1.0, static_cast<double>(plan.tile_bytes));
  const double tiles = std::max(1.0, std::ceil(bytes / tile));
  const auto queries = static_cast<double>(work.queries);
  const auto workers = static_cast<double>(std::max<std::size_t>(1, plan.workers));
  RunEstimate run;
  run.startup = traits.startup_seconds.value;
  run.open = kOpenSeconds + queries * kOpenQuerySeconds;
  run.read = bytes / host.read();
  run.upload = predict_upload(traits, bytes, tile);
  run.kernel = kernel_seconds + tiles * kLaunchesATile * traits.launch_seconds.value;
  const double bringing = run.upload > 0 ? run.read * (1 + kUploadShare) : run.read;
  const double stages = run.read + run.upload + run.kernel;
  const double waits = tiles * (kTileSeconds + queries * kTileQuerySeconds);
  run.stream = both_of(std::max({bringing, run.upload, run.kernel}), std::hypot(stages, waits) / workers) +
               queries * kQuerySeconds + (workers - 1) * kNextSeconds + stages / tiles;
  return run;
}

TilePlan plan_tiles(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                    const Workload& work) {
  const bool uploads = traits.upload_pinned.value > 0;
  const std::size_t most =
      uploads ? std::clamp(host.threads / 2, kLeastWorkers, kMostWorkers) : kLeastWorkers;
  TilePlan best;
  double least = INFINITY;
  const auto look_at = [&](const TilePlan& plan) {
    if (plan.tile_bytes * plan.workers > kMostInFlight) return;
    const double total = predict_run(traits, kernel_seconds, host, plan, work).total();
    if (total >= least) return;
    best = plan;
    least = total;
  };
  for (std::size_t workers = kLeastWorkers; workers <= most; ++workers)
    for (std::uint64_t tile = kLeastTile; tile <= kMostTile; tile *= 2) {
      look_at({tile, workers});
      if (tile >= kLeastBetween && tile < kMostTile) look_at({tile + tile / 2, workers});
    }
  return best;
}

}  // namespace fastid::model
