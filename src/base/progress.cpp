#include "base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/terminal.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

/// "48 s", "12 min", "3 h 05 min": as exact as an estimate is.
std::string short_time(double seconds) {
  constexpr double kMost = 1e9;
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(seconds, kMost)));
  const std::uint64_t minutes = (whole + 59) / 60;
  if (whole < 100) return fmt::format("{} s", whole);
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace

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
  // A line that wrapped could not be cleared. The last column stays free: some terminals wrap there.
  fmt::print(stderr, "\r\033[K{}", line(done, seconds).substr(0, style_of(STDERR_FILENO).columns - 1));
  std::fflush(stderr);
  drawn_ = true;
}

std::string Progress::line(std::uint64_t done, double seconds) const {
  const double share = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1.0;
  std::string text = fmt::format("{}: {:3.0f} % of {} {}", what_, 100 * share, with_commas(total_), unit_);
  const double rate = static_cast<double>(done) / seconds;
  if (rate >= 1) text += fmt::format(", {} a second", with_commas(static_cast<std::uint64_t>(rate)));
  if (done > 0 && done < total_)
    text += fmt::format(", {} left", short_time(static_cast<double>(total_ - done) / rate));
  return text;
}

}  // namespace fastid
