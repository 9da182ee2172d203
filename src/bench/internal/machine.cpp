#include "bench/internal/machine.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/threads.hpp"

namespace fastid::bench {
namespace {

constexpr double kTrialSeconds = 0.003, kMeasureSeconds = 0.02;
constexpr std::uint64_t kRounds = 20'000;  ///< of a loop between two reads of the clock: some 40 us

/// Bits a second: each thread runs the loop for `seconds`, by its own clock.
double loop_rate(BoundLoop loop, std::size_t threads, double seconds) {
  std::vector<double> rates(threads);
  run_crew(threads, [&](std::size_t i, const std::atomic<bool>&) {
    double bits = 0;
    const Stopwatch watch;
    while (watch.seconds() < seconds) bits += loop(kRounds);
    rates[i] = bits / watch.seconds();
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

const BoundLoops& loops_for(const std::string& target) {
  if (target.empty()) return bound_loops();
  const BoundLoops* const loops = bound_loops_of(target);
  if (loops == nullptr) throw DeviceError("no instruction set " + target + " here");
  return *loops;
}

}  // namespace

Bounds::Bounds(const std::string& target, std::size_t threads)
    : loops_(loops_for(target)), threads_(threads) {}

double Bounds::best_of(const std::vector<BoundLoop>& loops, BoundLoop& best) const {
  if (best == nullptr) {
    double highest = 0;
    for (const BoundLoop loop : loops) {
      const double rate = loop_rate(loop, threads_, kTrialSeconds);
      if (rate > highest) best = loop;
      highest = std::max(highest, rate);
    }
  }
  return loop_rate(best, threads_, kMeasureSeconds);
}

double Bounds::popcount() {
  return best_of(loops_.popcount, best_popcount_);
}

double Bounds::compare(KernelCase which) {
  const auto i = static_cast<std::size_t>(which);
  return best_of(loops_.compare[i], best_compare_[i]);
}

double Bounds::memory(std::span<const Word> words) const {
  constexpr std::size_t kStep = 1024, kSlice = kStep * 256;  // words: 1 MiB at a time
  // With less, the start of threads would matter.
  constexpr std::size_t kLeast = (std::size_t{64} << 20) / sizeof(Word);
  const std::size_t n = words.size() / kStep * kStep;
  if (n == 0) return 0;
  const std::size_t slices = ceil_div(n, kSlice), passes = ceil_div(kLeast, n);
  std::atomic<std::size_t> next{0};
  std::atomic<Word> sum{0};
  const Stopwatch watch;
  run_crew(threads_, [&](std::size_t, const std::atomic<bool>&) {
    for (std::size_t i = next++; i < slices * passes; i = next++) {
      const std::size_t at = i % slices * kSlice;
      sum += loops_.read(words.data() + at, std::min(kSlice, n - at));
    }
  });
  return static_cast<double>(passes * n * sizeof(Word)) / watch.seconds();
}

double file_read_rate(int descriptor, const std::string& path, std::size_t threads) {
  constexpr std::uint64_t kPiece = 256 << 10;
  const std::uint64_t bytes = file_size(descriptor, path);
  std::vector<WordBuffer> buffers;
  for (std::size_t i = 0; i < threads; ++i) buffers.emplace_back(kPiece / sizeof(Word));
  std::atomic<std::uint64_t> next{0};
  const Stopwatch watch;
  run_crew(threads, [&](std::size_t i, const std::atomic<bool>& failed) {
    for (std::uint64_t at = 0; !failed && (at = next.fetch_add(kPiece)) < bytes;)
      read_at(descriptor, buffers[i].data(), static_cast<std::size_t>(std::min(kPiece, bytes - at)), at,
              path);
  });
  return static_cast<double>(bytes) / watch.seconds();
}

}  // namespace fastid::bench
