// fastid tune: measures a device and writes its config where `fastid search` finds it.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/build_info.hpp"
#include "base/file.hpp"
#include "cli/common.hpp"
#include "main/commands.hpp"
#include "model/registry.hpp"
#include "opencl/engine_by_name.hpp"
#include "report/tune_report.hpp"
#include "tune/tune.hpp"

namespace fastid::cli {
namespace {

struct TuneArguments {
  tune::TuneOptions tune;
  Verbosity verbosity;
  std::string device = "opencl";
  std::string output;  ///< file for the header; "": a new config of the user
  std::string report;
};

std::string selector_of(const std::string& device) {
  if (device == "auto") return "";
  const auto selector = opencl::opencl_selector(device);
  if (selector && device != "opencl:all") return *selector;
  throw UsageError(fmt::format(
      "--device {}: only OpenCL devices have configs; use opencl or opencl:SELECTOR (`fastid devices` lists "
      "them)",
      device));
}

/// "tune.json" -> "tune.html".
std::string page_beside(const std::string& report) {
  return std::filesystem::path(report).replace_extension(".html").string();
}

/// The files for the result. All are opened before the device is measured, and appear at the end.
class Outputs {
 public:
  explicit Outputs(const TuneArguments& arguments) : arguments_(arguments) {
    if (arguments.output.empty()) make_user_folder();
    if (!arguments.output.empty()) header_.emplace(arguments.output);
    if (arguments.report.empty()) return;
    json_.emplace(arguments.report);
    page_.emplace(page_beside(arguments.report));
  }

  void write(const tune::TuneResult& result) {
    if (json_) {
      json_->write(report::tune_json(result));
      page_->write(report::tune_html(result));
    }
    if (header_) {
      header_->write(result.header);
      header_->commit();
    }
    if (json_) {
      json_->commit();
      page_->commit();
    }
    if (!header_) write_user_config(result);
  }

 private:
  void make_user_folder() {
    folder_ = model::user_config_folder();
    if (folder_.empty())
      throw Failure(
          "neither XDG_CONFIG_HOME nor HOME names a folder for the config; name a file by --output");
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    if (failed) throw Failure(fmt::format("{}: {}; name a file by --output", folder_, failed.message()));
  }

  /// Writes the header first, so that the registry never names a missing config.
  void write_user_config(const tune::TuneResult& result) {
    const std::string path = fmt::format("{}/{}.h", folder_, result.config.name);
    OutputFile header(path);
    header.write(result.header);
    header.commit();
    const std::string lines = model::registry_with({"device", result.device.device, result.config.name});
    OutputFile registry(folder_ + "/registry.tsv");
    registry.write(lines);
    registry.commit();
    log::note("{}: used from now on for this device", path);
  }

  const TuneArguments& arguments_;
  std::string folder_;
  std::optional<OutputFile> header_, json_, page_;
};

ExitCode run_tune(TuneArguments& arguments) {
  arguments.verbosity.apply();
  arguments.tune.selector = selector_of(arguments.device);
  arguments.tune.program = fmt::format("fastid {} (revision {})", version(), revision());
  arguments.tune.report = std::filesystem::path(arguments.report).filename().string();
  if (page_beside(arguments.report) == arguments.report && !arguments.report.empty())
    throw UsageError("--report FILE is the JSON; the page appears beside it as .html: name it FILE.json");
  check_files({{"-o", arguments.output, true, Content::kConfig, "h"},
               {.option = "--report", .path = arguments.report, .to_stdout = false, .format = "json"},
               {"the page of --report", arguments.report.empty() ? "" : page_beside(arguments.report)}},
              {});
  Outputs outputs(arguments);
  const tune::TuneResult result = tune::tune(arguments.tune);
  outputs.write(result);
  if (arguments.output != "-") {
    OutputFile out("-");
    out.write(report::tune_text(result));
    out.commit();
  }
  return ExitCode::kDone;
}

}  // namespace

void add_tune(Command app) {
  const Command command = app.add_command("tune", "Measure an OpenCL device, derive and prove its config");
  const auto arguments = std::make_shared<TuneArguments>();
  command
      .add_option("--device", arguments->device,
                  "The device: opencl (the first GPU, else the first), opencl:SELECTOR")
      .check(suggested({"opencl"}))
      .value_name("DEVICE")
      .brief("opencl (the first GPU) or opencl:SELECTOR");
  const auto effort = [&](const std::string& flag, tune::Effort meant, const std::string& what) {
    return command.add_flag(
        flag, [arguments, meant] { arguments->tune.effort = meant; }, what);
  };
  Option quick = effort("--quick", tune::Effort::kQuick,
                        "Seconds: the model's answer, proved and compared with the default");
  effort("--full", tune::Effort::kFull, "Many minutes: more runs, and a longer search").excludes(quick);
  command
      .take<double>(
          "--time", [arguments](const double& seconds) { arguments->tune.seconds = seconds; },
          "Search for about so long (75; the microbenchmarks come before)")
      .check(decimal())
      .check(within(1.0, 86400.0))
      .value_name("SECONDS")
      .brief("Search for about so long (75)");
  command
      .add_option("--report", arguments->report,
                  "Write all that was measured (JSON), and a page with the roofline beside it (.html)")
      .value_name("FILE")
      .brief("Write what was measured: JSON, and a page beside it");
  command
      .add_option("-o,--output", arguments->output,
                  "Write the header here (- is standard output), in place of your own configs")
      .value_name("FILE")
      .brief("Write the header here instead of your configs");
  add_verbosity(command, arguments->verbosity);
  command.footer(
      "Examples:\n"
      "  fastid tune\n"
      "  fastid tune --device opencl:nvidia --report h200.json\n"
      "  fastid tune --quick --device opencl:pocl -o pocl.h\n\n"
      "The config is found from then on by every command of yours; `fastid devices` names it. To share it,\n"
      "send the header in: configs/README.md says how.");
  command.runs([arguments] { return run_tune(*arguments); });
}

}  // namespace fastid::cli
