#include "opencl/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.hpp"

namespace fastid {
namespace {

std::string device_type(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "GPU";
  if (type & CL_DEVICE_TYPE_CPU) return "CPU";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  return "other";
}

DeviceFacts facts_of(const cl::Platform& platform, const cl::Device& device, std::string selector) {
  const auto clean = [](const std::string& text) { return std::string(trim(text.c_str())); };
  DeviceFacts facts;
  facts.selector = std::move(selector);
  facts.platform = clean(platform.getInfo<CL_PLATFORM_NAME>());
  facts.device = clean(device.getInfo<CL_DEVICE_NAME>());
  facts.vendor = clean(device.getInfo<CL_DEVICE_VENDOR>());
  facts.version = clean(device.getInfo<CL_DEVICE_VERSION>());
  facts.driver = clean(device.getInfo<CL_DRIVER_VERSION>());
  facts.type = device_type(device.getInfo<CL_DEVICE_TYPE>());
  facts.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  facts.global_memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  facts.local_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  facts.max_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  return facts;
}

// A loader without drivers and a platform without devices are no errors here: there are none.
std::vector<cl::Platform> platforms() {
  std::vector<cl::Platform> found;
  try {
    cl::Platform::get(&found);
  } catch (const cl::Error& error) {
    if (error.err() != kPlatformNotFound) throw;
  }
  return found;
}

std::vector<cl::Device> devices_of(const cl::Platform& platform) {
  std::vector<cl::Device> found;
  try {
    platform.getDevices(CL_DEVICE_TYPE_ALL, &found);
  } catch (const cl::Error& error) {
    if (error.err() != CL_DEVICE_NOT_FOUND) throw;
  }
  return found;
}

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

bool is_index(const std::string& selector) {
  const auto pieces = split(selector, '.');
  return pieces.size() == 2 && parse_number<unsigned>(pieces[0]) && parse_number<unsigned>(pieces[1]);
}

bool means(const std::string& selector, const DeviceFacts& facts) {
  if (selector.empty()) return facts.type == "GPU";
  if (is_index(selector)) return facts.selector == selector;
  const std::string wanted = lower(selector);
  return lower(facts.platform).find(wanted) != std::string::npos ||
         lower(facts.device).find(wanted) != std::string::npos;
}

}  // namespace

std::vector<OpenClDevice> find_opencl_devices() {
  return with_cl_errors("OpenCL", [] {
    std::vector<OpenClDevice> found;
    const std::vector<cl::Platform> all = platforms();
    for (std::size_t p = 0; p < all.size(); ++p) {
      const std::vector<cl::Device> devices = devices_of(all[p]);
      for (std::size_t d = 0; d < devices.size(); ++d)
        found.push_back({facts_of(all[p], devices[d], fmt::format("{}.{}", p, d)), devices[d]});
    }
    return found;
  });
}

OpenClDevice select_opencl_device(const std::string& selector) {
  const std::vector<OpenClDevice> all = find_opencl_devices();
  if (all.empty())
    throw DeviceError(
        "no OpenCL device: no driver is installed; install one for your device (for any CPU: apt-get install "
        "pocl-opencl-icd), or use --device cpu");
  const auto found = std::ranges::find_if(all, [&](const auto& each) { return means(selector, each.facts); });
  if (found != all.end()) return *found;
  if (selector.empty()) return all.front();

  std::string there;
  for (const OpenClDevice& each : all)
    there += fmt::format("{}opencl:{} ({}, {})", there.empty() ? "" : "; ", each.facts.selector,
                         each.facts.platform, each.facts.device);
  throw DeviceError(fmt::format("no OpenCL device '{}'; there are: {}", printable(selector), there));
}

std::vector<DeviceFacts> list_opencl_devices() {
  std::vector<DeviceFacts> facts;
  for (OpenClDevice& each : find_opencl_devices()) facts.push_back(std::move(each.facts));
  return facts;
}

}  // namespace fastid
