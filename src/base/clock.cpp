#include "base/clock.hpp"

#include <cstdlib>
#include <ctime>

#include "base/text.hpp"

namespace fastid {

namespace {

std::string utc_text(std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-11-20T16:05:09Z"] = {};
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  const char* const fixed = std::getenv("SOURCE_DATE_EPOCH");
  return utc_text(fixed == nullptr ? now : parse_number<std::time_t>(fixed).value_or(now));
}

std::string utc_clock() {
  return utc_text(std::time(nullptr));
}

}  // namespace fastid
