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
  std::size_t bytes = 0;  ///< size of the data cache
  std::size_t cpus = 1;   ///< number of CPUs that share the cache

  std::string name() const { return "L" + std::to_string(level); }
  /// The bytes of this cache that each of so many threads can have.
  std::size_t share_of(std::size_t threads) const;
};

/// Bytes that each thread can read again and again from caches[i], but not from a nearer cache: half of its
/// share, to leave room for other data, and at least twice its share of the nearer cache. 0: its share has no
/// room for that.
std::size_t bytes_to_read(std::span<const Cache> caches, std::size_t i, std::size_t threads);

/// The caches of the first CPU, nearest first; empty where the system does not say. \param folder  with a
/// folder for each cache
std::vector<Cache> caches_of_cpu(const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

}  // namespace fastid::bench
