#include "import/site_report.hpp"

namespace fastid::imports {

SiteReport::SiteReport(const std::string& path) : out_(path) {
  out_.write("file\tsite\tchrom\tpos\tfate\tby\tstrand\torder\tcalls\trecord\n");
}

void SiteReport::add(std::string_view lines) {
  const std::lock_guard lock(guard_);
  out_.write(lines);
}

void SiteReport::commit() {
  const std::lock_guard lock(guard_);
  out_.commit();
}

}  // namespace fastid::imports
