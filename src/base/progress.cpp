#include "base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/text.hpp"

namespace fastid {

Progress::Progress(ProgressMode mode, std::string what, std::string unit, std::uint64_t total)
    : on_(mode == ProgressMode::kAlways || (mode == ProgressMode::kAuto && ::isatty(STDERR_FILENO) == 1)),
      what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::add(std::uint64_t units) {
  const std::uint64_t done = done_ += units;
  if (!on_) return;
  const std::unique_lock lock(guard_, std::try_to_lock);  // one thread draws for all
  if (!lock.owns_lock() || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  draw(done);
}

void Progress::draw(std::uint64_t done) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double share = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1.0;
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(done) / seconds);
  fmt::print(stderr, "\r\033[K{}: {:3.0f} % of {} {}, {} a second", what_, 100 * share, with_commas(total_),
             unit_, with_commas(rate));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace fastid
