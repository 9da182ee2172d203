#include "base/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/process.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

ColorMode g_mode = ColorMode::kAuto;

/// The sequence of ECMA-48 that begins a colour.
std::string_view start_of(Color color) {
  switch (color) {
    case Color::kRed:
      return "\033[1;31m";
    case Color::kGreen:
      return "\033[32m";
    case Color::kYellow:
      return "\033[33m";
    default:
      return "\033[1m";
  }
}

}  // namespace

void set_color(ColorMode mode) {
  g_mode = mode;
}

bool is_colored(int fd) {
  if (g_mode != ColorMode::kAuto) return g_mode == ColorMode::kAlways;
  return environment("NO_COLOR").empty() && environment("TERM") != "dumb" && ::isatty(fd) == 1;
}

std::string colored(Color color, std::string_view text, bool on) {
  if (!on) return std::string(text);
  return std::string(start_of(color)).append(text) + "\033[0m";
}

TextStyle style_of(int fd) {
  constexpr std::size_t kUsual = 80, kLeast = 40, kMost = 10000;
  std::size_t width = kUsual;
  winsize window{};
  if (const auto set = parse_number<std::uint16_t>(environment("COLUMNS")); set && *set > 0)
    width = *set;
  else if (::ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    width = window.ws_col;
  return {.columns = std::clamp(width, kLeast, kMost), .color = is_colored(fd)};
}

}  // namespace fastid
