/// \file
/// From a file to the device's answer: how long reading, uploading and comparing a database take together,
/// and how large tiles and how many buffers make it least.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/kernel_time.hpp"
#include "model/traits.hpp"

namespace fastid::model {

/// What the host reads out of the page cache and checks, bytes a second.
struct HostRates {
  double read_a_thread = 8e9;  ///< measured: 8 to 14 GB/s (docs/benchmarks.md)
  double read_most = 45e9;     ///< all threads: the memory's limit
  std::size_t threads = 1;

  double read() const;
};

struct TilePlan {
  std::uint64_t tile_bytes = 0;  ///< of a plane
  std::size_t buffers = 0;       ///< tiles in flight
};

/// The smallest tile, a power of two from 256 KiB to 64 MiB, whose upload reaches 97 % of the best rate;
/// fewer bytes where `memory` (0: no limit) does not hold as many as there are buffers. One buffer is
/// uploaded, one compared, and enough are read meanwhile that the upload never waits for the file, as far as
/// there are threads.
TilePlan plan_tiles(const DeviceTraits& traits, const HostRates& host, std::uint64_t memory = 0);

/// Seconds to upload `bytes` in pieces of `tile_bytes`; 0: the rate is not known.
double predict_upload(const DeviceTraits& traits, double bytes, double tile_bytes);

struct RunEstimate {
  double startup = 0, read = 0, upload = 0, kernel = 0;
  double total = 0;
};

/// A search end to end, whose kernel takes `kernel_seconds`. Reading and uploading go through the host's
/// memory one after the other's bytes, and so share its rate: the two add up, while the device compares
/// beside them.
RunEstimate predict_run(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                        const TilePlan& tiles, const Workload& work);

}  // namespace fastid::model
