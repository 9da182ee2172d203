/// \file
/// From a file to the device's answer: how long opening, reading, uploading and comparing take together, and
/// which size of tiles and number of workers make that time shortest.
///
///   worker 0   read   upload  compare  ...       a worker's tiles pass through all three stages one after
///   worker 1          read    upload   ...       the other, each with a fixed time for its commands;
///   worker 2                  read     ...       workers run at the same time
///
/// So a run takes as long as its slowest stage takes for all tiles, or as a worker takes for its share of the
/// tiles, whichever is longer, and somewhat longer where the two are close. Workers are opened one after the
/// other, and each starts as soon as it is open. Large tiles spend less time on commands; with small ones
/// work starts sooner.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/kernel_time.hpp"
#include "model/traits.hpp"

namespace fastid::model {

/// Used for a link that nothing is known about: the rate of PCIe 3.0 x16, bytes a second, and the fixed cost
/// of an upload as on an H200, seconds.
inline constexpr double kUnknownUpload = 10e9, kUnknownUploadSeconds = 16e-6;

/// Rates at which the host reads from the page cache, bytes a second.
struct HostRates {
  double read_a_thread = 8e9;  ///< measured: 8 to 14 GB/s
  double read_most = 90e9;     ///< all threads: 41 to 118 GB/s on hosts of one kind
  double check_most = 70e9;    ///< all threads, where they also compare the checksums
  std::size_t threads = 1;

  double read() const;   ///< where the device compares the checksums
  double check() const;  ///< where the host reads and compares the checksums
};

struct TilePlan {
  std::uint64_t tile_bytes = 0;  ///< of a tile, all its planes
  std::size_t workers = 0;       ///< each with a tile in flight
};

/// Seconds to upload `bytes` in pieces of `tile_bytes`; 0 where the rate is not known or nothing is uploaded.
double predict_upload(const DeviceTraits& traits, double bytes, double tile_bytes);

/// Seconds of a run. `read`, `upload` and `kernel` are the times of the stages taken alone.
struct RunEstimate {
  double startup = 0;  ///< of OpenCL
  double open = 0;     ///< of the first worker
  double read = 0, upload = 0, kernel = 0;
  double stream = 0;  ///< reading, uploading, comparing and ranking at the same time
  double total() const { return startup + open + stream; }
};

/// Predicts a whole search. Reading and uploading share the host's memory: a byte that is read passes through
/// it three times (out of the page cache, then the buffer's cache line in and out), a byte that is uploaded
/// once.
///
/// \param kernel_seconds  that comparing the whole database at once takes
RunEstimate predict_run(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                        const TilePlan& tiles, const Workload& work);

/// The size of tiles and number of workers for which predict_run() expects the shortest time. Tiles are
/// powers of two from 256 KiB to 16 MiB, from 8 MiB on also one and a half times a power of two; there are
/// two to six workers. More than two workers are taken only while they are at most half of the host's threads
/// (the others read) and while at most 96 MiB are in flight, which a host's caches may hold. A device without
/// an upload rate works in the host's memory and gets two workers.
TilePlan plan_tiles(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                    const Workload& work);

}  // namespace fastid::model
