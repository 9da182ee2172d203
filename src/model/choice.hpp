/// \file
/// `--device auto`: of the engines that there are, the one with the least predicted time for a run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/kernel_time.hpp"

namespace fastid::model {

/// What an engine takes for a search, start-up and transfers included.
struct EngineCost {
  std::string name;
  double startup_seconds = 0;
  double bits_rate = 0;          ///< bits compared in a second; 0: it compares nothing
  double bytes_rate = 0;         ///< bytes of the database brought to where they are compared, in a second
  bool overlaps = false;         ///< comparing goes on beside bringing; else one after the other
  std::uint32_t query_step = 1;  ///< queries are compared by so many, and a part of them takes as long as all
};

double predicted_seconds(const EngineCost& cost, const Workload& work);

struct Choice {
  std::size_t best = 0;         ///< place in `seconds`
  std::vector<double> seconds;  ///< of each candidate
};

/// The least; among equals the first. \param candidates  at least one
Choice choose(std::span<const EngineCost> candidates, const Workload& work);

/// Start-up of a GPU of which nothing was measured: 0.15 s with programs in the cache to 0.85 s were seen.
inline constexpr double kGpuStartup = 0.3;
/// What no device's link has been seen to pass, bytes a second: an H200 takes 55e9, PCIe 5.0 x16 brings 63e9.
inline constexpr double kMostUpload = 64e9;

/// The least that any GPU with this start-up could take: it must start, and the bytes must get there.
double least_gpu_seconds(double startup_seconds, const Workload& work);

}  // namespace fastid::model
