/// \file
/// The caches of this machine's CPUs, as Linux lists them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fastid::bench {

struct Cache {
  unsigned level = 0;     ///< 1 is nearest to the CPU
  std::size_t bytes = 0;  ///< of data
  std::size_t cpus = 1;   ///< that share it

  std::string name() const { return "L" + std::to_string(level); }
  /// Bytes that each of so many threads can keep in it, with room for what else they read.
  std::size_t share_of(std::size_t threads) const;
};

/// Those of the first CPU, nearest first; empty where the system does not say. \param folder  with a folder
/// for each cache
std::vector<Cache> caches_of_cpu(const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

}  // namespace fastid::bench
