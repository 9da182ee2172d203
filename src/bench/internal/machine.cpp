#include "bench/internal/machine.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <latch>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/median.hpp"
#include "base/process.hpp"

namespace fastid::bench {
namespace {

constexpr double kTrialSeconds = 0.003, kMeasureSeconds = 0.02;
constexpr std::uint64_t kRounds = 20'000;  ///< of a loop between two reads of the clock: some 40 us

/// work(0), work(1) .. at the same time, one on each thread of the pool, which has nothing else to do.
void on_every_thread(ThreadPool& pool, const ThreadPool::Piece& work) {
  std::latch all_there(static_cast<std::ptrdiff_t>(pool.threads()));
  pool.for_each(pool.threads(), [&](std::size_t i, const ThreadPool::Stop& stop) {
    all_there.arrive_and_wait();
    work(i, stop);
  });
}

/// Units a second of all threads, which each work for this long by their own clocks. \param make_work  makes,
/// on its thread, a function that does a little work and returns its units
template <class MakeWork>
double rate_of_all(ThreadPool& pool, double seconds, const MakeWork& make_work) {
  std::vector<double> rates(pool.threads());
  on_every_thread(pool, [&](std::size_t i, const ThreadPool::Stop&) {
    auto work = make_work();
    double units = 0;
    const Stopwatch watch;
    while (watch.seconds() < seconds) units += work();
    rates[i] = units / watch.seconds();
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

double loop_rate(BoundLoop loop, ThreadPool& pool, double seconds) {
  return rate_of_all(pool, seconds, [loop] { return [loop] { return loop(kRounds); }; });
}

const BoundLoops& loops_for(const std::string& target) {
  if (target.empty()) return bound_loops();
  const BoundLoops* const loops = bound_loops_of(target);
  if (loops == nullptr) throw DeviceError("no instruction set " + target + " here");
  return *loops;
}

}  // namespace

double median_of(std::size_t repeats, const std::function<double()>& measure) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < repeats; ++i) {
    check_interrupt();
    rates.push_back(measure());
  }
  return median(std::move(rates));
}

Bounds::Bounds(const std::string& target, ThreadPool& pool) : loops_(loops_for(target)), pool_(&pool) {}

double Bounds::best_of(const std::vector<BoundLoop>& loops, BoundLoop& best) const {
  if (best == nullptr) {
    double highest = 0;
    for (const BoundLoop loop : loops) {
      const double rate = loop_rate(loop, *pool_, kTrialSeconds);
      if (rate > highest) best = loop;
      highest = std::max(highest, rate);
    }
  }
  return loop_rate(best, *pool_, kMeasureSeconds);
}

double Bounds::popcount() {
  return best_of(loops_.popcount, best_popcount_);
}

double Bounds::cells() {
  return best_of(loops_.cells, best_cells_);
}

double Bounds::minima(engine::RealType type) {
  return type == engine::RealType::kFloat ? best_of(loops_.minima_float, best_float_)
                                          : best_of(loops_.minima_double, best_double_);
}

double Bounds::compare(engine::KernelCase which) {
  const auto i = static_cast<std::size_t>(which);
  return best_of(loops_.compare[i], best_compare_[i]);
}

double Bounds::cached(std::size_t words) const {
  constexpr std::size_t kLeast = (std::size_t{1} << 20) / sizeof(Word);  // between two reads of the clock
  const std::size_t passes = std::max<std::size_t>(1, kLeast / words);
  std::atomic<Word> sum{0};
  return rate_of_all(*pool_, kMeasureSeconds, [&] {
    WordBuffer made(words);
    std::ranges::fill(made.span(), ~Word{0});
    return [&, own = std::move(made)] {
      Word read = 0;
      for (std::size_t pass = 0; pass < passes; ++pass) read ^= loops_.read(own.data(), words);
      sum += read;
      return static_cast<double>(passes * words * sizeof(Word));
    };
  });
}

double Bounds::memory(std::span<const Word> words) const {
  constexpr std::size_t kStep = 1024, kSlice = kStep * 256;               // words: 1 MiB at a time
  constexpr std::size_t kLeast = (std::size_t{64} << 20) / sizeof(Word);  // or waking threads would count
  const std::size_t n = words.size() / kStep * kStep;
  if (n == 0) return 0;
  const std::size_t slices = ceil_div(n, kSlice), passes = ceil_div(kLeast, n);
  std::atomic<std::size_t> next{0};
  std::atomic<Word> sum{0};
  const Stopwatch watch;
  on_every_thread(*pool_, [&](std::size_t, const ThreadPool::Stop&) {
    for (std::size_t i = next++; i < slices * passes; i = next++) {
      const std::size_t at = i % slices * kSlice;
      sum += loops_.read(words.data() + at, std::min(kSlice, n - at));
    }
  });
  return static_cast<double>(passes * n * sizeof(Word)) / watch.seconds();
}

WordBuffer written_memory(std::size_t n_words, ThreadPool& pool) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  WordBuffer memory(n_words);
  pool.for_each(ceil_div(n_words, kPiece), [&](std::size_t i, const ThreadPool::Stop&) {
    std::ranges::fill(memory.span().subspan(i * kPiece, std::min(kPiece, n_words - i * kPiece)), ~Word{0});
  });
  return memory;
}

double file_read_rate(int descriptor, const std::string& path, ThreadPool& pool) {
  constexpr std::uint64_t kPiece = 256 << 10;
  const std::uint64_t bytes = file_size(descriptor, path);
  std::vector<WordBuffer> buffers;
  for (std::size_t i = 0; i < pool.threads(); ++i) buffers.emplace_back(kPiece / sizeof(Word));
  std::atomic<std::uint64_t> next{0};
  const Stopwatch watch;
  on_every_thread(pool, [&](std::size_t i, const ThreadPool::Stop& stop) {
    for (std::uint64_t at = 0; !stop && (at = next.fetch_add(kPiece)) < bytes;)
      read_at(descriptor, buffers[i].data(), static_cast<std::size_t>(std::min(kPiece, bytes - at)), at,
              path);
  });
  return static_cast<double>(bytes) / watch.seconds();
}

}  // namespace fastid::bench
