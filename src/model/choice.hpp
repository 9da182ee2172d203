/// \file
/// The times that `--device auto` compares before it has asked a driver for devices: the CPU engine's
/// time, and the least time that any GPU could take. predict_run() predicts the time of a known GPU.
#pragma once

#include "model/kernel_time.hpp"

namespace fastid::model {

/// Seconds that the CPU engine takes; each of its threads reads a piece and then compares it.
///
/// \param bits_rate   bits compared in a second, by all threads
/// \param bytes_rate  bytes read and checked in a second, by all threads
double cpu_seconds(double bits_rate, double bytes_rate, const Workload& work);

/// Start-up time of a GPU that was not measured, in seconds: from 0.15 s, with programs in the cache, to 0.85
/// s were seen.
inline constexpr double kGpuStartup = 0.3;
/// A rate that no device's link has been seen to exceed, bytes a second: an H200 takes 55e9, PCIe 5.0 x16
/// brings 63e9.
inline constexpr double kMostUpload = 64e9;

/// The least time that any GPU with this start-up could take: it must start, and the bytes must be uploaded.
double least_gpu_seconds(double startup_seconds, const Workload& work);

}  // namespace fastid::model
