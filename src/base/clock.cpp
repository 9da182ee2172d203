#include "base/clock.hpp"

#include <cstdlib>
#include <ctime>

#include "base/text.hpp"

namespace fastid {

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"))
    now = parse_number<std::time_t>(fixed).value_or(now);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-11-20T16:05:09Z"] = {};
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace fastid
