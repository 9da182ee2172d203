// fastid devices: lists the devices for --device, the config that each would use and why, and versions.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "asking/auto_engine.hpp"
#include "base/build_info.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "cli/team.hpp"
#include "db/hdf5_version.hpp"
#include "engine/cpu_engine.hpp"
#include "main/commands.hpp"
#include "opencl/device_survey.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::cli {
namespace {

constexpr std::string_view kIndent = "            ";

// The lines; lines longer than `columns` are wrapped.
std::string fitted(const std::string& lines, std::size_t columns) {
  std::string text;
  for (const std::string_view line : split(std::string_view(lines).substr(0, lines.size() - 1), '\n'))
    text += display_width(line) <= columns ? std::string(line) + '\n'
                                           : wrapped("", line, line.find_first_not_of(' '), columns);
  return text;
}

// "known     popcounts 16 a clock and unit, ...", with a line for each source.
std::string describe_traits(const model::DeviceTraits& traits, std::size_t columns) {
  std::string lines;
  for (const model::Source source :
       {model::Source::kKnown, model::Source::kQueried, model::Source::kMeasured}) {
    std::vector<std::string> pieces;
    for (const model::TraitName& name : model::trait_names()) {
      const model::Trait& trait = traits.*name.value;
      if (trait.source != source) continue;
      const std::string unit = name.unit.empty() ? "" : fmt::format(" {}", name.unit);
      pieces.push_back(fmt::format("{} {:.4g}{}", name.key, trait.value, unit));
    }
    const std::string head = fmt::format("{}{:<10}", kIndent, model::name_of(source));
    if (!pieces.empty())
      lines += wrapped(head, fmt::format("{}", fmt::join(pieces, ", ")), head.size(), columns);
  }
  return lines;
}

// "config nvidia_sm90 (architecture sm_9*)", then the rest of the chain, with a line for each config.
std::string describe_chain(const opencl::SurveyedDevice& device) {
  std::string lines;
  bool in_use = true;
  for (const model::ConfigLink& link : device.chain) {
    const std::string name = link.file.empty() ? link.config : printable(link.file, 200);
    const std::string because = printable(link.because, 80);
    if (!link.unfit.empty()) {
      lines += fmt::format("{}config {} ({}) does not fit:\n{}  {}\n", kIndent, name, because, kIndent,
                           link.unfit);
      continue;
    }
    const std::string origin = in_use && device.config ? ", " + device.config->origin : "";
    lines += fmt::format("{}{} {} ({}{})\n", kIndent, in_use ? "config" : "  else", name, because, origin);
    in_use = false;
  }
  return lines + fmt::format("{}{} the plain kernel\n", kIndent, in_use ? "config" : "  else");
}

// Says whether the matrix kernel is used, which depends on whether it counts right on this device.
std::string describe_matrix(const opencl::SurveyedDevice& device) {
  if (!device.config || device.config->matrix == 0) return "";
  const opencl::MatrixReport report = opencl::prove_matrix_kernel(device.facts);
  if (report.fault.empty()) return fmt::format("{}matrix kernel: proved\n", kIndent);
  return fmt::format("{}warning: the matrix kernel is not used: {}\n", kIndent, report.fault);
}

std::string describe(const opencl::SurveyedDevice& surveyed, std::size_t columns) {
  constexpr std::size_t kMost = 60;  // characters of a name, so that a line fits a terminal
  const model::DeviceFacts& device = surveyed.facts;
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
  lines += describe_traits(surveyed.traits, columns) + describe_chain(surveyed) + describe_matrix(surveyed);
  for (const std::string& warning : surveyed.warnings) add("warning: " + warning);
  return fitted(lines, columns);
}

// Compares a CPU's driver with the CPU engine, where tuning has measured the driver.
void compare_with_cpu(opencl::SurveyedDevice& device, double cpu_rate) {
  if (device.facts.type != "CPU" || !device.config || device.config->origin != "tuned") return;
  const double rate = 1e9 * device.config->rate_popcount;
  if (rate > 0 && rate < cpu_rate)
    device.warnings.push_back(fmt::format("compares {:.3g} Tbit/s, where --device cpu reaches {:.3g}",
                                          rate / 1e12, cpu_rate / 1e12));
}

ExitCode run_devices(const Verbosity& verbosity) {
  verbosity.apply();
  OutputFile out("-");
  const double cpu_rate = asking::measured_cpu_rate({});
  out.write(fmt::format("cpu         native engine, {}, {}, {:.2g} Tbit/s\n", engine::cpu_engine_target(),
                        counted(available_cpus(), "thread"), cpu_rate / 1e12));
  if (engine::cpu_multiplies_bytes())
    out.write("            AMX, for many queries where no call is missing\n");
  opencl::DeviceSurvey survey = opencl::survey_with_traits();
  for (opencl::SurveyedDevice& device : survey.devices) {
    compare_with_cpu(device, cpu_rate);
    out.write(describe(device, out.style().columns));
  }
  for (const std::string& failure : survey.failures) log::warn("{}; its devices are left out", failure);
  if (survey.devices.empty()) log::note("no OpenCL device; for any CPU: apt-get install pocl-opencl-icd");
  out.commit();
  return ExitCode::kDone;
}

}  // namespace

void add_devices(Command app) {
  const Command command = app.add_command("devices", "List what --device may name");
  const auto verbosity = std::make_shared<Verbosity>();
  add_verbosity(command, *verbosity);
  command.footer("Example:\n  fastid devices\n  fastid search --device opencl:0.0 scene.snp people.h5");
  command.runs([verbosity] { return run_devices(*verbosity); });
}

std::string version_text() {
  std::string targets;
  for (const std::string& target : engine::cpu_engine_targets())
    targets += (targets.empty() ? "" : " ") + target;
  return fmt::format(
      "fastid {} (revision {})\ncompiler  {}\nHDF5      {}\nOpenCL    API 1.2; drivers are loaded when a "
      "device is asked for\nMPI       {}\nSIMD      {} in use; usable here: {}\n",
      version(), revision(), compiler(), db::hdf5_version(),
      mpi_library().empty() ? "none; fastid-mpi has it" : mpi_library(), engine::cpu_engine_units(), targets);
}

}  // namespace fastid::cli
