#include "opencl/engine_by_name.hpp"

#include <algorithm>

#include "opencl/opencl_engine.hpp"

namespace fastid::opencl {

std::optional<std::string> opencl_selector(const std::string& device) {
  constexpr std::string_view kOf = "opencl:";
  if (device == kOpenCl) return "";
  if (device.starts_with(kOf)) return device.substr(kOf.size());
  return std::nullopt;
}

std::vector<model::DeviceFacts> devices_to_combine(std::vector<model::DeviceFacts> devices) {
  const auto is_cpu = [](const model::DeviceFacts& device) { return device.type == "CPU"; };
  if (!std::ranges::all_of(devices, is_cpu)) std::erase_if(devices, is_cpu);
  return devices;
}

std::vector<std::string> all_selectors() {
  std::vector<std::string> selectors;
  for (const model::DeviceFacts& device : devices_to_combine(list_opencl_devices()))
    selectors.push_back(device.selector);
  if (selectors.empty()) selectors.emplace_back();
  return selectors;
}

}  // namespace fastid::opencl
