/// \file
/// Messages to standard error: "fastid: warning: ...". Results never pass through here.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace fastid::log {

/// What reaches standard error: kErrors errors alone, kQuiet also warnings, kNormal also notes, kVerbose also
/// details (-v).
enum class Level { kErrors, kQuiet, kNormal, kVerbose };

void set_level(Level level);
bool verbose();

void error_text(std::string_view text);
void warn_text(std::string_view text);
void note_text(std::string_view text);
void detail_text(std::string_view text);

template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  warn_text(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  note_text(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void detail(fmt::format_string<Args...> format, Args&&... args) {
  if (verbose()) detail_text(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace fastid::log
