#include "asking/panel_source.hpp"

#include <filesystem>
#include <system_error>

#include "db/database.hpp"
#include "panel/named_panels.hpp"

namespace fastid::asking {

Panel panel_of(const std::string& what) {
  std::error_code ignored;
  if (std::filesystem::exists(what, ignored) && db::is_database(what)) return db::Reader(what).panel();
  return PanelSource(what).read();
}

}  // namespace fastid::asking
