/// \file
/// What this machine could do at best: comparing on registers, reading memory, reading a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "engine/bound.hpp"

namespace fastid::bench {

/// How fast the CPU could compare, all threads together. Each call measures anew, for the rate changes with
/// what else the machine does; which loop is the best is found out once.
class Bounds {
 public:
  /// \throws DeviceError for a `target` that is none of cpu_engine_targets(); "": the best.
  /// \param pool  with nothing else to do; must outlive this
  Bounds(const std::string& target, ThreadPool& pool);

  /// Bits counted a second by popcount alone.
  double popcount();
  /// Bits compared a second.
  double compare(KernelCase which);

  /// Bits compared a second by matrix products; 0 where the CPU has no unit for them, or the target leaves it
  /// out.
  double matrix() const;

  /// Bytes of memory read a second, `words` again and again where they are few, in whole steps of 4 KiB; 0
  /// where there is not one.
  double memory(std::span<const Word> words) const;

 private:
  double best_of(const std::vector<BoundLoop>& loops, BoundLoop& best) const;

  const BoundLoops& loops_;
  BoundLoop matrix_;  ///< null: none
  ThreadPool* pool_;
  BoundLoop best_popcount_ = nullptr;
  std::array<BoundLoop, kKernelCases> best_compare_{};
};

/// Bytes a second of a file, read once from start to end as a search reads it: each thread in pieces into a
/// buffer that stays in its cache. What the page cache holds comes from there. \throws InputError.
double file_read_rate(int descriptor, const std::string& path, ThreadPool& pool);

}  // namespace fastid::bench
