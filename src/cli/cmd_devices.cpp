// fastid devices: what can be named with --device, the config each would use and why, and version facts.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/build_info.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "cli/common.hpp"
#include "db/hdf5_version.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::cli {
namespace {

constexpr std::string_view kIndent = "            ";

// "config nvidia_sm90 (architecture sm_9*)", then the rest of the chain, each on a line of its own.
std::string describe_chain(const DeviceFacts& device) {
  std::string lines;
  bool in_use = true;
  for (const ConfigLink& link : config_chain(device)) {
    if (!link.unfit.empty()) {
      lines += fmt::format("{}config {} ({}) does not fit:\n{}  {}\n", kIndent, link.config, link.because,
                           kIndent, link.unfit);
      continue;
    }
    lines += fmt::format("{}{} {} ({})\n", kIndent, in_use ? "config" : "  else", link.config, link.because);
    in_use = false;
  }
  return lines + fmt::format("{}{} the plain kernel\n", kIndent, in_use ? "config" : "  else");
}

std::string describe(const DeviceFacts& device) {
  constexpr std::size_t kMost = 60;  // characters of a name: a line is to fit a terminal
  const auto name = [](const std::string& text) { return printable(text, kMost); };
  const auto mib = [](std::uint64_t bytes) { return with_commas(bytes >> 20); };
  std::string lines =
      fmt::format("opencl:{:<4} {} ({})\n", device.selector, name(device.device), device.type);
  const auto add = [&](const std::string& line) { lines += fmt::format("{}{}\n", kIndent, line); };
  add(fmt::format("platform {}", name(device.platform)));
  add(fmt::format("driver {}, {}", printable(device.driver, 20), printable(device.version, 36)));
  add(fmt::format("{}, {} MHz{}", counted(device.compute_units, "compute unit"), device.clock_mhz,
                  device.architecture.empty() ? "" : ", architecture " + name(device.architecture)));
  add(fmt::format("memory {} MiB{}, at once {} MiB, local {} KiB", mib(device.global_memory),
                  device.unified_memory ? " (the host's)" : "", mib(device.max_allocation),
                  device.local_memory >> 10));
  return lines + describe_chain(device);
}

ExitCode run_devices(const Verbosity& verbosity) {
  verbosity.apply();
  OutputFile out("-");
  out.write(fmt::format("cpu         native engine, {}, {}\n", cpu_engine_target(),
                        counted(available_cpus(), "thread")));
  const DeviceList list = survey_opencl_devices();
  for (const DeviceFacts& device : list.devices) out.write(describe(device));
  for (const std::string& failure : list.failures) log::warn("{}; its devices are left out", failure);
  if (list.devices.empty()) log::note("no OpenCL device; for any CPU: apt-get install pocl-opencl-icd");
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
