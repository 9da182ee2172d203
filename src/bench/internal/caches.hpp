/// \file
/// The caches of this machine's CPUs, as Linux lists them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fastid::bench {

struct Cache {
  unsigned level = 0;     ///< 1 is nearest to the CPU
  std::size_t bytes = 0;  ///< of data
  std::size_t cpus = 1;   ///< that share it

  std::string name() const { return "L" + std::to_string(level); }
  /// Bytes of it for each of so many threads.
  std::size_t share_of(std::size_t threads) const;
};

/// Bytes that each of so many threads can read of caches[i] again and again, and of no nearer one: half of
/// its share, with room for what else it reads, and twice the nearer one's share at least. 0: its share has
/// no room for that.
std::size_t bytes_to_read(std::span<const Cache> caches, std::size_t i, std::size_t threads);

/// Those of the first CPU, nearest first; empty where the system does not say. \param folder  with a folder
/// for each cache
std::vector<Cache> caches_of_cpu(const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

}  // namespace fastid::bench
