#include "simulate/internal/record.hpp"

#include "panel/named_panels.hpp"

namespace fastid::simulate {

db::LogRecord simulation_record(const SimulateOptions& options) {
  db::LogRecord record{
      .action = "simulate", .command = options.command, .created_by = "", .utc = "", .inputs = {}};
  if (!options.panel_path.empty())
    record.inputs.push_back({options.panel_path, PanelSource(options.panel_path).sha256(), 0});
  return record;
}

}  // namespace fastid::simulate
