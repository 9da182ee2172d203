/// \file
/// From a file to the device's answer: how long opening, reading, uploading and comparing take together, and
/// which tiles and how many buffers make it least.
///
///   buffer 0   read   upload  compare  ...       a tile of a buffer goes through all three, and through
///   buffer 1          read    upload   ...       what its commands take besides; buffers do so beside
///   buffer 2                  read     ...       each other
///
/// So a run takes as long as its slowest stage does for all tiles, or as a buffer does for its share of them,
/// whichever is longer, and more where the two are near each other. Buffers are opened one after the other,
/// each at work as soon as it is open. Large tiles waste little on commands; small ones are sooner under way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/kernel_time.hpp"
#include "model/traits.hpp"

namespace fastid::model {

/// What a link is taken for where nothing is known of it: PCIe 3.0 x16, bytes a second, and what each upload
/// takes besides on an H200, seconds.
inline constexpr double kUnknownUpload = 10e9, kUnknownUploadSeconds = 16e-6;

/// What the host reads out of the page cache, bytes a second.
struct HostRates {
  double read_a_thread = 8e9;  ///< measured: 8 to 14 GB/s (docs/benchmarks.md)
  double read_most = 90e9;     ///< all threads: 41 to 118 GB/s on hosts of one kind
  double check_most = 70e9;    ///< all threads, where they compare the checksums too
  std::size_t threads = 1;

  double read() const;   ///< what a device checks
  double check() const;  ///< reads, and checks
};

struct TilePlan {
  std::uint64_t tile_bytes = 0;  ///< of a tile, all its planes
  std::size_t buffers = 0;       ///< tiles in flight
};

/// Seconds to upload `bytes` in pieces of `tile_bytes`; 0: the rate is not known, or nothing is uploaded.
double predict_upload(const DeviceTraits& traits, double bytes, double tile_bytes);

/// Seconds of a run. `read`, `upload` and `kernel` are each by itself.
struct RunEstimate {
  double startup = 0;  ///< of OpenCL
  double open = 0;     ///< of the first buffer
  double read = 0, upload = 0, kernel = 0;
  double stream = 0;  ///< reading, uploading, comparing and ranking beside each other
  double total() const { return startup + open + stream; }
};

/// A search end to end. Reading and uploading share the host's memory: a byte that is read passes it three
/// times (out of the page cache, the buffer's line in, and out), one that is uploaded once.
///
/// \param kernel_seconds  that comparing takes in one piece
RunEstimate predict_run(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                        const TilePlan& tiles, const Workload& work);

/// Of tiles of a power of two from 256 KiB to 16 MiB, from 8 MiB on also of one and a half times that, and of
/// two to six buffers, those for which predict_run() expects the least; above two no more buffers than half
/// of the host's threads: the others read; and 96 MiB in all, which a host's caches may hold. A device whose
/// upload is not known works in the host's memory: it has two.
TilePlan plan_tiles(const DeviceTraits& traits, double kernel_seconds, const HostRates& host,
                    const Workload& work);

}  // namespace fastid::model
