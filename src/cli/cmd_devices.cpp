// fastid devices: what can be named with --device, and version facts.
#include <fmt/format.h>

#include <memory>

#include "base/build_info.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "cli/common.hpp"
#include "db/hdf5_version.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::cli {
namespace {

ExitCode run_devices(const Verbosity& verbosity) {
  verbosity.apply();
  OutputFile out("-");
  out.write(fmt::format("cpu         native engine, {}, {}\n", cpu_engine_target(),
                        counted(available_cpus(), "thread")));
  for (const DeviceFacts& device : list_opencl_devices())
    out.write(
        fmt::format("opencl:{:<4} {} ({})\n            platform {}, driver {}, {} compute units, {} MiB\n",
                    device.selector, device.device, device.type, device.platform, device.driver,
                    device.compute_units, device.global_memory >> 20));
  out.commit();
  return ExitCode::kDone;
}

}  // namespace

void add_devices(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("devices", "List what --device may name");
  const auto verbosity = std::make_shared<Verbosity>();
  add_verbosity(*command, *verbosity);
  command->footer("Example:\n  fastid devices\n  fastid search --device opencl:0.0 scene.snp people.h5");
  command->callback([verbosity, &run] { run = [verbosity] { return run_devices(*verbosity); }; });
}

std::string version_text() {
  std::string targets;
  for (const std::string& target : cpu_engine_targets()) targets += (targets.empty() ? "" : " ") + target;
  return fmt::format(
      "fastid {} (revision {})\ncompiler  {}\nHDF5      {}\nOpenCL    API 1.2; drivers are loaded when a "
      "device is asked for\nSIMD      {} in use; usable here: {}\n",
      version(), revision(), compiler(), db::hdf5_version(), cpu_engine_target(), targets);
}

}  // namespace fastid::cli
