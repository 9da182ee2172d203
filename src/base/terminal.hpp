/// \file
/// Layout for a terminal: colours, and lines of its width. Text for files and pipes is plain.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fastid {

enum class ColorMode {
  kAuto,
  kAlways,
  kNever
};  ///< kAuto: on terminals, unless NO_COLOR or TERM=dumb says no

/// Sets the user's choice for the whole program. Call before threads start.
void set_color(ColorMode mode);

/// Whether text for an open file (STDERR_FILENO) may have colours.
bool is_colored(int fd);

enum class Color { kRed, kGreen, kYellow, kBold };

/// `text` in a colour where `on` says so, else as it is. display_width() does not count it.
std::string colored(Color color, std::string_view text, bool on);

/// How text for people is laid out.
struct TextStyle {
  std::size_t columns = 80;
  bool color = false;
};

/// The style for an open file. Its columns are COLUMNS, else the terminal's width, else 80; at least 40.
TextStyle style_of(int fd);

}  // namespace fastid
