/// \file
/// A line on standard error that shows the progress of a long run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace fastid {

enum class ProgressMode { kAuto, kAlways, kNever };  ///< kAuto: only where standard error is a terminal

/// Counts finished units of a known total. It redraws its line, which says how long the rest takes at the
/// average pace so far, at most ten times a second, and clears it at the end. add() may be called from any
/// thread.
class Progress {
 public:
  /// `unit` in the plural: "profiles". Nothing is drawn in the first half second.
  Progress(ProgressMode mode, std::string what, std::string unit, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t units);
  std::uint64_t done() const { return done_; }

 private:
  void draw(std::uint64_t done);
  std::string line(std::uint64_t done, double seconds) const;

  using Clock = std::chrono::steady_clock;
  bool on_;
  bool drawn_ = false;
  std::string what_, unit_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::milliseconds(500);
  std::mutex guard_;
};

}  // namespace fastid
