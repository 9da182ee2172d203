/// \file
/// What `--device auto` weighs before it has asked a driver for devices: the native engine's time, and the
/// least that any GPU could take. What a known GPU takes is predict_run()'s to say.
#pragma once

#include "model/kernel_time.hpp"

namespace fastid::model {

/// Seconds of the native engine, whose threads read a piece and then compare it.
///
/// \param bits_rate   bits compared in a second, by all threads
/// \param bytes_rate  bytes read and checked in a second, likewise
double cpu_seconds(double bits_rate, double bytes_rate, const Workload& work);

/// Start-up of a GPU of which nothing was measured: 0.15 s with programs in the cache to 0.85 s were seen.
inline constexpr double kGpuStartup = 0.3;
/// What no device's link has been seen to pass, bytes a second: an H200 takes 55e9, PCIe 5.0 x16 brings 63e9.
inline constexpr double kMostUpload = 64e9;

/// The least that any GPU with this start-up could take: it must start, and the bytes must get there.
double least_gpu_seconds(double startup_seconds, const Workload& work);

}  // namespace fastid::model
