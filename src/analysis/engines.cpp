#include "analysis/engines.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {

std::unique_ptr<Engine> make_engine(const std::string& device, const EngineOptions& options) {
  constexpr std::string_view kOpenCl = "opencl", kOpenClOf = "opencl:";
  if (device == "auto" || device == "cpu") return make_cpu_engine(options);
  if (device == "reference") return make_reference_engine(options);
  if (device == kOpenCl) return make_opencl_engine("", options);
  if (device.starts_with(kOpenClOf)) return make_opencl_engine(device.substr(kOpenClOf.size()), options);
  throw UsageError(fmt::format(
      "--device {}: not a device; use auto, cpu, reference, opencl or opencl:SELECTOR (`fastid devices` "
      "lists them)",
      printable(device)));
}

}  // namespace fastid
