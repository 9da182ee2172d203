/// \file
/// The best rates of this machine: comparing in registers, reading memory, reading a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/thread_pool.hpp"
#include "bench/internal/bound.hpp"
#include "bits/blocks.hpp"
#include "engine/real_matrix.hpp"

namespace fastid::bench {

/// The median of so many rates, each measured by one call. \throws Interrupted
double median_of(std::size_t repeats, const std::function<double()>& measure);

/// How fast the CPU could compare with all threads together. Each call measures again, since the rate depends
/// on what else the machine does; the best loop is determined once.
class Bounds {
 public:
  /// \throws DeviceError for a `target` that is none of cpu_engine_targets(); "": the best.
  /// \param pool  with nothing else to do; must outlive this
  Bounds(const std::string& target, ThreadPool& pool);

  /// Bits counted a second by popcount alone.
  double popcount();
  /// Bits compared a second.
  double compare(engine::KernelCase which);
  /// Cells of the pair-HMM computed a second.
  double cells();
  /// Minima of two numbers added up a second.
  double minima(engine::RealType type);

  /// Bytes read a second where each thread reads its own `words` words (a multiple of 1,024) again and again.
  double cached(std::size_t words) const;

  /// Bytes of memory read a second, in steps of 4 KiB; `words` are read repeatedly where they are few. 0
  /// where there is less than one step.
  double memory(std::span<const Word> words) const;

 private:
  double best_of(const std::vector<BoundLoop>& loops, BoundLoop& best) const;

  const BoundLoops& loops_;
  ThreadPool* pool_;
  BoundLoop best_popcount_ = nullptr, best_cells_ = nullptr, best_float_ = nullptr, best_double_ = nullptr;
  std::array<BoundLoop, engine::kKernelCases> best_compare_{};
};

/// Memory whose pages were all written. (Pages that were never written share one physical page, which caches
/// hold.) \throws Failure where there is not enough memory
WordBuffer written_memory(std::size_t n_words, ThreadPool& pool);

/// Bytes a second of a file, read once from start to end as a search reads it: each thread in pieces into a
/// buffer that stays in its cache. Pages in the page cache are read from there. \throws InputError.
double file_read_rate(int descriptor, const std::string& path, ThreadPool& pool);

}  // namespace fastid::bench
