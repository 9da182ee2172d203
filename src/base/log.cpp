#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/only_errors.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

namespace fastid::log {
namespace {

// spdlog's level is the filter: warnings and errors always pass, notes are info, details are debug.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("fastid", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("fastid: %v");
    made.flush_on(spdlog::level::trace);
    return made;
  }();
  return instance;
}

/// Replaces characters that a terminal would obey, since names of files and samples come from outside.
std::string harmless(std::string_view text) {
  std::string shown(text);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return printable(shown, shown.size());
}

std::string marked(Color color, std::string_view word) {
  return colored(color, word, is_colored(STDERR_FILENO));
}

// Set by the thread that parses the command line.
Level asked = Level::kNormal;
int only_errors = 0;

}  // namespace

void set_level(Level level) {
  asked = level;
  if (only_errors > 0) level = Level::kErrors;
  logger().set_level(level == Level::kErrors   ? spdlog::level::err
                     : level == Level::kQuiet  ? spdlog::level::warn
                     : level == Level::kNormal ? spdlog::level::info
                                               : spdlog::level::debug);
}

bool verbose() {
  return logger().should_log(spdlog::level::debug);
}

OnlyErrors::OnlyErrors() {
  ++only_errors;
  set_level(asked);
}
OnlyErrors::~OnlyErrors() {
  --only_errors;
  set_level(asked);
}

void error_text(std::string_view text) {
  logger().error("{} {}", marked(Color::kRed, "error:"), harmless(text));
}
void warn_text(std::string_view text) {
  logger().warn("{} {}", marked(Color::kYellow, "warning:"), harmless(text));
}
void note_text(std::string_view text) {
  logger().info("{}", harmless(text));
}
void detail_text(std::string_view text) {
  logger().debug("{}", harmless(text));
}

}  // namespace fastid::log
