#include "db/linked_panel.hpp"

#include <algorithm>

namespace fastid::db {

std::string linkage_warning(const Panel& panel, std::span<const LogRecord> log) {
  const auto is_unlinked = [](const LogRecord& record) {
    return record.pruned_r2 && *record.pruned_r2 <= kUnlinkedR2;
  };
  return std::ranges::any_of(log, is_unlinked) ? std::string() : density_warning(panel);
}

std::string linkage_warning(const Reader& reader) {
  return linkage_warning(reader.panel(), reader.log());
}

}  // namespace fastid::db
